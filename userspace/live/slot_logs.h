/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The logs of many slots as few streams of the trace, which cost a block of memory each: what all
 * of them hold is sorted by time. A thread that was kept from running between its look at the clock
 * and its log comes late, behind what has been written: such records have further streams.
 */
#ifndef HOLBENCH_LIVE_SLOT_LOGS_H
#define HOLBENCH_LIVE_SLOT_LOGS_H

#include "live/thread_log.h"

#define SLOT_STREAMS 32

struct slot_record {
	struct record rec;
	u32 slot;
	u32 order; /* of arrival here: a slot's records of one time stay as they are */
};

struct slot_logs {
	struct slot_record *records; /* owned */
	u32 nr, size;
	u64 last_ns[SLOT_STREAMS]; /* of what was put there */
	u64 lost;		   /* records that came too late for every stream */
};

/* Take all that the log holds. 0 or -ENOMEM. */
int slot_logs_take(struct slot_logs *s, struct thread_log *log, u32 slot);
void slot_logs_sort(struct slot_logs *s);
/* The stream, of SLOT_STREAMS, for a record of this time; NONE32: it is lost, and counted. */
u32 slot_logs_stream(struct slot_logs *s, u64 time_ns);
void slot_logs_fini(struct slot_logs *s);

#endif
