/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replicas: groups of equally many workers, each with queues and a policy of its own (dispatch.h),
 * and the balancer in front that says which group an arriving item goes to. This is what the
 * engines drive; one replica is the usual case, and its balancer says nothing.
 *
 * Workers and queues are numbered over all replicas, those of replica r before those of r + 1.
 *
 * Locks: balancer_locks() of them; balancer_lock_of(queue) covers a queue and the workers that take
 * from it. Usually a lock a queue; one lock for all where a decision looks at more than one queue.
 * Every function says which lock its caller holds, in the words of dispatch.h.
 */
#ifndef HOLBENCH_CORE_BALANCER_H
#define HOLBENCH_CORE_BALANCER_H

#include "core/dispatch/dispatch.h"

/* Values of dispatch.balance. */
enum balance {
	BALANCE_ROUNDROBIN, /* to each replica in turn */
	BALANCE_LEAST,	    /* to the one with the fewest unfinished items; the first of equals */
};

struct balancer_config {
	struct dispatch_config dispatch; /* of each replica: workers are its own */
	u32 replicas;
	u32 balance; /* enum balance */
};

struct balancer {
	struct balancer_config cfg;
	struct dispatch *each; /* owned, cfg.replicas */
	u32 *unfinished;       /* owned, per replica; BALANCE_LEAST only */
};

/* Returns 0 or -ENOMEM; on error nothing is held. cfg is copied, its home borrowed. */
int balancer_init(struct balancer *b, const struct balancer_config *cfg);
void balancer_fini(struct balancer *b);

u32 balancer_workers(const struct balancer *b);
u32 balancer_queues(const struct balancer *b);
u32 balancer_locks(const struct balancer *b);
u32 balancer_lock_of(const struct balancer *b, u32 queue);
u32 balancer_queue_of(const struct balancer *b, u32 worker);
/* enum dispatch_traits of the design. */
u32 balancer_traits(const struct balancer *b);
/* Must balancer_done() be called under the lock, and have a place in the order? */
bool balancer_wants_done(const struct balancer *b);
/* The items that wait in the worker's queue, the first of them. The queue's lock. */
const struct item *balancer_head(const struct balancer *b, u32 worker);

/* As the functions of dispatch.h, with numbers over all replicas. */
u32 balancer_place(const struct balancer *b, const struct item *it);
u32 balancer_submit(struct balancer *b, u32 queue, struct item *it);
struct item *balancer_next(struct balancer *b, u32 worker);
void balancer_busy(struct balancer *b, u32 worker);
struct item *balancer_done(struct balancer *b, u32 worker, struct item *it);
u32 balancer_permit(struct balancer *b, u32 worker, u64 now_ns);
struct item *balancer_recall(struct balancer *b, u32 queue);
void balancer_set_home(struct balancer *b, const u32 *home);
u64 balancer_ask_again(const struct balancer *b, u32 worker, u64 now_ns);
u32 balancer_thief(const struct balancer *b, u32 queue, u64 now_ns);
void balancer_steal(struct balancer *b, u32 thief, u64 now_ns, struct steal *st);

#endif
