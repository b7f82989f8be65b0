/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dispatch policy: which worker may take which item, when. Plain data and functions over it;
 * time is passed in; no clock, no thread, no lock. Two engines drive it: live/ under locks, sim/
 * without.
 *
 * Locks, for the live engine: a design has dispatch_queues() queues with a lock each. Every
 * function below says which lock its caller holds: none, the queue's, or all (taken in index
 * order).
 *
 * To add a design: one file with one `struct dispatch_ops`, one line in design.c.
 */
#ifndef HOLBENCH_CORE_DISPATCH_H
#define HOLBENCH_CORE_DISPATCH_H

#include "core/item.h"

enum steal_unit { STEAL_HALF, STEAL_ITEM, STEAL_KEY };

struct dispatch_config {
	const struct dispatch_ops *ops; /* from dispatch_find() */
	u32 workers;
	u32 keys;
	u64 threshold_ns; /* steal: how long a queue's head has waited before it may be stolen from
			   */
	u32 unit;	  /* enum steal_unit; STEAL_KEY selects a design of its own */
	const u32 *home;  /* keys entries, borrowed: each key's queue; queue index = worker index */
	u32 limit;	  /* at most so many items in service; 0: no limit */
	u32 buffer;	  /* key, key:partition: at most so many admitted items unfinished, the rest
			     waits outside in the order of arrival; 0: no bound */
	u32 null_key;	  /* the key of items that have none; NONE32: every item has one */
	bool null_unordered; /* such items have no order: they are not held behind each other */
	u32 partitions;	     /* see item_partition(); 0: there are none */
	u64 seed;	     /* of what a design draws */
};

struct queue {
	struct item *head, *tail;
	u32 len;
	/* Arrival of the head, NEVER_NS when empty. Written under the lock, read without (relaxed
	 * atomics). */
	u64 head_arrival_ns;
};

struct dispatch {
	struct dispatch_config cfg;
	struct queue *queues; /* dispatch_queues() */
	u32 in_service;	      /* items; kept with a limit only; atomic */
	/*
	 * Idleness. One queue: a stack, last in first woken, under the queue's lock. A queue a
	 * worker: idle_pos alone (0: idle), under the worker's queue's lock, so that no queue's
	 * lock covers another's worker; dispatch_thief() reads it without.
	 */
	u32 *idle_stack;
	u32 *idle_pos; /* per worker: place in idle_stack, NONE32 when not idle */
	u32 nr_idle;   /* depth of idle_stack */
	/*
	 * Workers that were told to ask and have not asked yet: each is good for one item, so
	 * nobody else is told because of that one. Kept with one queue or a limit, where one lock
	 * covers every worker.
	 */
	bool *woken; /* per worker */
	u32 nr_woken;
	void *state; /* the design's own */
};

struct steal {
	u32 from;  /* the queue stolen from */
	u32 count; /* items moved, now the whole of the thief's queue in this order; 0: nothing */
	u64 since_ns; /* when the rule first allowed it: arrival of that queue's head + threshold,
			 or the arrival of the first moved item where that is later */
};

/* What a design promises; the ledger reads it to tell `wake`, `saturated`, `order` and `hol` apart.
 */
enum dispatch_traits {
	DISPATCH_ONE_QUEUE =
		1, /* one queue, any worker takes; else a queue a worker, taken by its worker */
	DISPATCH_KEY_SERIAL = 2,  /* an item whose key is in service may not be taken by anybody */
	DISPATCH_KEEPS_ORDER = 4, /* no order violation can happen; see dispatch_keeps_order() */
	DISPATCH_STEALS = 8,	  /* idle workers call dispatch_steal() */
	DISPATCH_WANTS_DONE = 16, /* dispatch_done() matters to the policy: call it under the lock
				     and log its seq */
	DISPATCH_ONE_LOCK = 32,	  /* decisions look at all queues: one lock covers them all */
	DISPATCH_PARTITION_SERIAL = 64, /* as KEY_SERIAL, of a partition */
};

/*
 * Does a design with these traits keep each key's order there? Replicas have items of the same
 * keys. A carrier begins an item while an earlier one of its queue waits: only a design that itself
 * holds back what has a key in service keeps order then.
 */
static inline bool dispatch_keeps_order(u32 traits, u32 executor, u32 replicas)
{
	if (!(traits & DISPATCH_KEEPS_ORDER) || replicas > 1)
		return false;
	return executor != EXECUTOR_ASYNC ||
	       traits & (DISPATCH_KEY_SERIAL | DISPATCH_PARTITION_SERIAL);
}

struct dispatch_ops {
	const char *name; /* as in the spec and the result: "steal:key" */
	const char *help; /* one line for --help and the manual */
	u32 traits;	  /* enum dispatch_traits */
	/* Optional: allocate and free d->state. 0 or -ENOMEM. */
	int (*init)(struct dispatch *d);
	void (*fini)(struct dispatch *d);
	/* The queue an arriving item belongs to. No lock; asked again under the lock, until both
	 * agree. */
	u32 (*place)(const struct dispatch *d, const struct item *it);
	/* Put an item in its queue. True when an idle worker may take it now. The queue's lock. */
	bool (*put)(struct dispatch *d, u32 queue, struct item *it);
	/* Take the worker's next item, or NULL. Its queue's lock. */
	struct item *(*take)(struct dispatch *d, u32 worker);
	/*
	 * Optional: an item's service has ended. Returns an item that waited outside a full buffer
	 * and is in its queue now, or NULL. The worker's queue's lock.
	 */
	struct item *(*done)(struct dispatch *d, u32 worker, struct item *it);
	/* Optional, with ONE_QUEUE: at least how many items idle workers may take now; 0: none. The
	 * queue's lock. */
	u32 (*ready)(const struct dispatch *d);
	/* Optional: move items into the thief's empty queue. All locks. */
	void (*steal)(struct dispatch *d, u32 thief, u64 now_ns, struct steal *st);
	/*
	 * Optional: does this non-empty queue hold an item that could be stolen if its head were
	 * old? NULL: any item can. No lock; exact when every lock is held, else a hint.
	 */
	bool (*can_give)(const struct dispatch *d, u32 queue);
};

/*
 * The design called `name`, or NULL. "steal" takes `unit` into account; "steal:half", "steal:item"
 * and "steal:key" say it themselves.
 */
const struct dispatch_ops *dispatch_find(const char *name, u32 unit);
/* The i-th design, or NULL past the last: for help, completion, tests over all designs. */
const struct dispatch_ops *dispatch_nth(u32 i);

/* Returns 0 or -ENOMEM; on error nothing is held. cfg is copied, cfg->home borrowed. */
int dispatch_init(struct dispatch *d, const struct dispatch_config *cfg);
void dispatch_fini(struct dispatch *d);

u32 dispatch_queues(const struct dispatch *d);
/* The queue whose lock covers this worker's take, done and idleness. */
u32 dispatch_queue_of(const struct dispatch *d, u32 worker);

/* The queue for an arriving item. No lock. */
u32 dispatch_place(const struct dispatch *d, const struct item *it);
/*
 * Put the item (it->arrival_ns set by the caller) into `queue` = dispatch_place(). Returns the idle
 * worker to wake, which is then no longer idle, or NONE32. The queue's lock.
 */
u32 dispatch_submit(struct dispatch *d, u32 queue, struct item *it);
/* The worker's next item, now in service, or NULL: the worker is idle then. The worker's queue's
 * lock. */
struct item *dispatch_next(struct dispatch *d, u32 worker);
/* The worker goes on with an item that it serves: it is not idle until it asks again. The worker's
 * queue's lock. */
void dispatch_busy(struct dispatch *d, u32 worker);
/*
 * An item that the worker served has ended. Returns an item that waited outside a full buffer and
 * is in the worker's queue now, or NULL. The worker's queue's lock when the design has
 * DISPATCH_WANTS_DONE or there is a limit, else none.
 */
struct item *dispatch_done(struct dispatch *d, u32 worker, struct item *it);
/*
 * An idle worker that may take an item because another has ended: it gave back a permit of the
 * limit, a place in the buffer, or its key. It is then no longer idle: wake it. NONE32: nobody. Ask
 * after a dispatch_done() whose worker has asked for its next, or does not ask now. The lock of
 * dispatch_done().
 */
u32 dispatch_permit(struct dispatch *d, u64 now_ns);
/*
 * The items that wait in a queue, in its order (a list by `next`), taken out of it; only where a
 * worker takes the items of its queue in that order (partition). The queue's lock.
 */
struct item *dispatch_recall(struct dispatch *d, u32 queue);
/* From now on keys go to these queues; `home` as in the configuration. All locks. */
void dispatch_set_home(struct dispatch *d, const u32 *home);
/*
 * When an idle worker must ask again although nobody wakes it: NEVER_NS unless the design steals.
 * If that time is not after now, there is something to steal: call dispatch_steal() at once. It is
 * the earliest at which a queue that is not empty now gets old, or now + threshold: an item that
 * arrives later cannot be old before (with a threshold of 0 it is old at once: NEVER_NS, and
 * dispatch_thief() tells). A queue that is old but has nothing to give (can_give) does not count,
 * so a worker whose steal moved nothing waits and does not spin; what arrives there is told by
 * dispatch_thief() too. No lock; a hint that may be early, never late.
 */
u64 dispatch_ask_again(const struct dispatch *d, u32 worker, u64 now_ns);
/*
 * An idle worker to be told to steal now, because `queue`, whose head is old already, has something
 * to give; or NONE32. Ask when dispatch_submit() woke nobody, and after a steal for st->from. The
 * worker stays idle until it has asked: it calls dispatch_ask_again() and does what follows from
 * that. No lock; a hint: the worker may be busy by then, or find that another was quicker. A worker
 * that went idle (dispatch_next() gave NULL) and then calls dispatch_ask_again() sees the item, or
 * is seen here: between them nothing is missed.
 */
u32 dispatch_thief(const struct dispatch *d, u32 queue, u64 now_ns);
/*
 * Try to steal for `thief`, which is idle; on st->count > 0 the items are its queue, for
 * dispatch_next(). Moves nothing when its own queue is not empty. All locks.
 */
void dispatch_steal(struct dispatch *d, u32 thief, u64 now_ns, struct steal *st);

#endif
