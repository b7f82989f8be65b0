/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stretches of time in which a run is held up because its spec asks for it: all workers (an
 * election), one step of every item (a log segment that rolls), or the items of one key (a handler
 * that hangs). What has begun goes on; what would begin within a stretch begins at its end.
 */
#ifndef HOLBENCH_CORE_PAUSE_H
#define HOLBENCH_CORE_PAUSE_H

#include "core/types.h"

/* All times from the start of the stream. A `for` of 0: there is none. */
struct pauses {
	u64 every_ns, for_ns;		    /* workers: at every_ns, 2 × every_ns, … */
	u64 jitter_every_ns, jitter_for_ns; /* step jitter_step: in the same way */
	u32 jitter_step;		    /* index of the step */
	u64 stall_at_ns, stall_for_ns;	    /* items of stall_key, once */
	u32 stall_key;
};

/* Until when a worker takes no item and begins no step; now_ns when it may at once. */
u64 pause_workers(const struct pauses *p, u64 now_ns);
/* The same for a step of an item of `key`; step 0 is its start of service. The workers' included.
 */
u64 pause_step(const struct pauses *p, u32 key, u32 step, u64 now_ns);

#endif
