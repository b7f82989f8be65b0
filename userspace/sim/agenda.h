/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is to happen in virtual time: timers of workers and of jobs, each set or not. An indexed
 * binary heap: set and remove in O(log timers set).
 */
#ifndef HOLBENCH_SIM_AGENDA_H
#define HOLBENCH_SIM_AGENDA_H

#include "core/types.h"

/* At equal times the lower comes first; an arrival comes before AGENDA_ASK and after the others. */
enum agenda_kind {
	AGENDA_END,	/* what a job waits for is over: a step, a pause */
	AGENDA_TIMEOUT, /* a job's caller gives up */
	AGENDA_ASK,	/* a worker asks again */
};

struct job;

struct timer {
	struct job *job; /* whose it is now; NULL: the worker's own */
	u32 worker;
	u32 pos; /* place in the heap, NONE32: not set */
};

/* Fields are the agenda's. */
struct agenda_entry {
	u64 time_ns;
	u64 rank; /* of equal times: kind, worker, item */
	struct timer *timer;
};

struct agenda {
	struct agenda_entry *heap; /* owned */
	u32 len, room;
};

/* An empty agenda. 0 or -ENOMEM; on error nothing is held. */
int agenda_init(struct agenda *a, u32 timers);
void agenda_fini(struct agenda *a);
/* Make room for so many timers in all. 0 or -ENOMEM. */
int agenda_reserve(struct agenda *a, u32 timers);
/* Set the timer, or set it anew; `item` tells apart the timers of a worker. */
void agenda_set(struct agenda *a, struct timer *t, u64 time_ns, u32 kind, u32 item);
/* Clear it, if it is set. */
void agenda_remove(struct agenda *a, struct timer *t);
/* When it fires, or NEVER_NS. */
static inline u64 agenda_time(const struct agenda *a, const struct timer *t)
{
	return t->pos == NONE32 ? NEVER_NS : a->heap[t->pos].time_ns;
}

/* The next: earliest, then by kind, worker, item. NULL when there is none. It stays until its timer
 * is set or removed. */
const struct agenda_entry *agenda_first(const struct agenda *a);

static inline u32 agenda_kind(const struct agenda_entry *e)
{
	return (u32)(e->rank >> 62);
}

#endif
