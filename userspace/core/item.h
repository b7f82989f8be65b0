/* SPDX-License-Identifier: GPL-2.0-only */
/* An item: one unit of work. What the stream says about it, and the two fields a dispatcher needs.
 */
#ifndef HOLBENCH_CORE_ITEM_H
#define HOLBENCH_CORE_ITEM_H

#include "core/types.h"

/* What a step of an item's service does. Values are on disk: append only. */
enum step_kind {
	STEP_CPU = 1,  /* `ns` of CPU time of the worker's thread */
	STEP_WAIT = 2, /* `ns` of sleep: a stand-in for IO */
	STEP_CALL = 3, /* a slot of a resource for `ns`: a server that works while the item waits */
	STEP_LOCK = 4, /* `ns` of CPU time while holding a lock */
};

#define ITEM_STEPS_MAX 4

static inline bool step_has_resource(u32 kind)
{
	return kind == STEP_CALL || kind == STEP_LOCK;
}

struct step {
	u64 ns;
	u32 kind;     /* enum step_kind */
	u32 resource; /* CALL, LOCK: index into the workload's resources; else 0 */
};

/* Who serves an item. */
enum executor {
	EXECUTOR_THREAD, /* a worker, which it holds while it waits */
	EXECUTOR_ASYNC,	 /* a worker, which serves others while it waits */
	EXECUTOR_SPAWN,	 /* a thread of its own, made for it */
};

struct item {
	/* The stream's. */
	u64 due_ns;   /* from the start of the stream */
	u32 id;	      /* arrival rank in the stream, from 0 */
	u32 key;      /* hot keys are 0 … hot.keys-1 */
	u32 seq;      /* arrival rank within its key, from 0 */
	u32 nr_steps; /* none of 0 ns: an item of no cost has no steps */
	struct step steps[ITEM_STEPS_MAX];

	/* The dispatcher's. */
	u64 arrival_ns; /* when it was submitted, on the engine's clock; a move does not change it
			 */
	bool outside;	/* it waits outside a full buffer */
	struct item *next;
};

/*
 * The partition of an item, of `partitions` (≥ 1): that of its key; items without a key (of
 * `null_key`) go to the partitions in turn.
 */
static inline u32 item_partition(u32 key, u32 id, u32 partitions, u32 null_key)
{
	return (key == null_key ? id : key) % partitions;
}

#endif
