/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The resources of a run: servers that items call (core/resource.h, under a mutex each) and locks
 * that they hold. A lock is handed over: who gives it back gives it to the first who waits, in
 * person, by a letter in the mailbox of the worker that serves the waiter.
 */
#ifndef HOLBENCH_LIVE_RESOURCES_H
#define HOLBENCH_LIVE_RESOURCES_H

#include "core/resource.h"
#include "core/workload.h"
#include "live/futex.h"
#include "live/locks.h"

/* The last letter, or NULL. Anybody adds to it; its worker takes all. */
struct mailbox {
	struct waiter *last;
};

/* Who waits for a lock: the waiter's own memory, until it has the lock or has left its queue. */
struct waiter {
	struct parker *parker; /* of its worker */
	struct mailbox *mail;
	struct waiter *next, *prev; /* in the queue, then `next` in the mailbox */
	u64 granted_ns;		    /* when it was handed over; 0: it waits */
};

struct shared_resource {
	struct resource server;
	struct waiter *first, *last;
	bool held;
};

struct resources {
	u32 nr;
	struct shared_resource each[RESOURCES_MAX];
	struct locks mutexes; /* one a resource */
};

/* 0 or a negative errno; resources_fini() either way. */
int resources_init(struct resources *r, const struct workload_config *cfg);
void resources_fini(struct resources *r);

/* See resource_call(). */
struct grant resources_call(struct resources *r, u32 resource, u64 now_ns, u64 ns);
/* True: the caller has the lock. False: `me` waits, its parker and mailbox filled by the caller. */
bool resources_lock(struct resources *r, u32 resource, struct waiter *me);
/* Give the lock to the first who waits, as of now_ns, if there is one. */
void resources_unlock(struct resources *r, u32 resource, u64 now_ns);
/* `me` waits no longer. False: it has been given the lock, and the letter is in its mailbox. */
bool resources_leave(struct resources *r, u32 resource, struct waiter *me);

/* All letters, in no order, linked by `next`; NULL: none. The worker's own. */
static inline struct waiter *mailbox_take(struct mailbox *m)
{
	if (!__atomic_load_n(&m->last, __ATOMIC_RELAXED))
		return NULL;
	return __atomic_exchange_n(&m->last, NULL, __ATOMIC_ACQUIRE);
}

#endif
