/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The light threads of a carrier: an item in service is a small record that says which step begins
 * next and when, and those that wait for a time are a heap by it. No stack, no kernel object.
 *
 * Memory is proportional to the most items that were in service at once: records come in blocks,
 * each as large as all before, and are used again; a heap as large as all of them goes with them.
 */
#ifndef HOLBENCH_LIVE_LIGHTS_H
#define HOLBENCH_LIVE_LIGHTS_H

#include "core/item.h"
#include "live/resources.h"

struct light {
	struct waiter waiter; /* for `lock` */
	struct item *item;
	u64 deadline_ns; /* its caller gives up */
	u64 planned_ns;	 /* the step `next` begins, or goes on; NEVER_NS: when it has the lock */
	u32 next;	 /* index of a step; past the last: the item ends */
	u32 lock;	 /* the resource that it waits for, or has, as a lock; NONE32: none */
	u32 pos;	 /* in the heap, or NONE32 */
};

struct light_due {
	u64 due_ns;
	struct light *light;
};

struct lights {
	struct light *free; /* linked by waiter.next */
	struct light_block *blocks;
	struct light_due *heap; /* by due_ns, then by item id */
	u32 nr_due;
	u32 nr_all, in_service;
};

/* With room for `nr` (≥ 1) items. 0 or -ENOMEM; lights_fini() either way. */
int lights_init(struct lights *l, u32 nr);
void lights_fini(struct lights *l);
/* A record for an item that begins, all zero but pos and lock; NULL: no memory. */
struct light *lights_get(struct lights *l);
/* It has ended; it is in no heap. */
void lights_put(struct lights *l, struct light *light);
/* It waits for this time, in place of another if there was one. O(log n). */
void lights_wait(struct lights *l, struct light *light, u64 due_ns);
/* It waits for no time. */
void lights_wake(struct lights *l, struct light *light);

/* The next time that one waits for, or NEVER_NS. */
static inline u64 lights_next_ns(const struct lights *l)
{
	return l->nr_due ? l->heap[0].due_ns : NEVER_NS;
}

#endif
