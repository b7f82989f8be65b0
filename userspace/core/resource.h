/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A resource that items call: a server of so many slots with a queue before it, first come, first
 * served. It is remote: how long it will work on a call is known when the call is made, so the slot
 * and its time are settled then, nobody holds anything for it, and the server goes on working when
 * the caller has given up.
 */
#ifndef HOLBENCH_CORE_RESOURCE_H
#define HOLBENCH_CORE_RESOURCE_H

#include "core/types.h"

#define RESOURCES_MAX	     8
#define RESOURCE_NAME_MAX    23 /* bytes, without the end mark */
#define RESOURCE_SLOTS_MAX   65536
#define RESOURCE_QUEUE_NEVER NONE32 /* no bound */

enum resource_dist { RESOURCE_FIXED, RESOURCE_UNIFORM, RESOURCE_EXPONENTIAL, RESOURCE_LOGNORMAL };

struct resource_config {
	char name[RESOURCE_NAME_MAX + 1];
	bool lock;    /* a lock: one slot, taken by LOCK steps; the rest does not apply */
	u32 capacity; /* slots */
	u32 queue; /* calls that may wait for a slot, the next is refused; RESOURCE_QUEUE_NEVER */
	u32 dist;  /* enum resource_dist: of a call's time around its mean, which it keeps */
	double jitter; /* RESOURCE_UNIFORM: mean × uniform(1-jitter, 1+jitter) */
	double sigma;  /* RESOURCE_LOGNORMAL: of the logarithm */
};

struct slot {
	u64 free_ns; /* when what it was promised to so far is over */
	u32 index;
};

struct resource {
	u32 capacity, queue;
	struct slot
		*heap; /* owned; the slot that is free first on top, the lower index of equals */
	u64 *begins; /* owned ring of `queue` entries: begins of calls that may still wait; NULL: no
			bound */
	u32 first, waiting; /* of begins */
};

/* A slot and its time. */
struct grant {
	u64 from_ns, until_ns;
	u32 slot; /* NONE32: refused */
};

/* 0 or -ENOMEM; on error nothing is held. */
int resource_init(struct resource *r, const struct resource_config *cfg);
void resource_fini(struct resource *r);
/*
 * A call made at now_ns that takes the server `ns`. Calls are served in the order in which they are
 * made here, which in a live run is that of a lock and not quite that of now_ns. O(log capacity).
 */
struct grant resource_call(struct resource *r, u64 now_ns, u64 ns);

#endif
