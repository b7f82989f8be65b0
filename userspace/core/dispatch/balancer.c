/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/dispatch/balancer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static u32 queues_each(const struct balancer *b)
{
	return dispatch_queues(&b->each[0]);
}

static u32 workers_each(const struct balancer *b)
{
	return b->cfg.dispatch.workers;
}

int balancer_init(struct balancer *b, const struct balancer_config *cfg)
{
	memset(b, 0, sizeof(*b));
	b->cfg = *cfg;
	b->each = calloc(cfg->replicas, sizeof(*b->each));
	b->unfinished = calloc(cfg->replicas, sizeof(*b->unfinished));
	for (u32 i = 0; b->each && b->unfinished && i < cfg->replicas; i++)
		if (dispatch_init(&b->each[i], &cfg->dispatch))
			goto no_memory;
	if (b->each && b->unfinished)
		return 0;
no_memory:
	balancer_fini(b);
	return -ENOMEM;
}

/* Also of a half-initialised one; safe to run twice. */
void balancer_fini(struct balancer *b)
{
	for (u32 i = 0; b->each && i < b->cfg.replicas; i++)
		dispatch_fini(&b->each[i]);
	free(b->each);
	free(b->unfinished);
	memset(b, 0, sizeof(*b));
}

u32 balancer_workers(const struct balancer *b)
{
	return workers_each(b) * b->cfg.replicas;
}

u32 balancer_queues(const struct balancer *b)
{
	return queues_each(b) * b->cfg.replicas;
}

static bool compares(const struct balancer *b)
{
	return b->cfg.balance == BALANCE_LEAST && b->cfg.replicas > 1;
}

static bool one_lock(const struct balancer *b)
{
	return compares(b) || b->cfg.dispatch.limit || (balancer_traits(b) & DISPATCH_ONE_LOCK);
}

u32 balancer_locks(const struct balancer *b)
{
	return one_lock(b) ? 1 : balancer_queues(b);
}

u32 balancer_lock_of(const struct balancer *b, u32 queue)
{
	return one_lock(b) ? 0 : queue;
}

u32 balancer_queue_of(const struct balancer *b, u32 worker)
{
	u32 r = worker / workers_each(b);

	return r * queues_each(b) + dispatch_queue_of(&b->each[r], worker % workers_each(b));
}

u32 balancer_traits(const struct balancer *b)
{
	return b->cfg.dispatch.ops->traits;
}

bool balancer_wants_done(const struct balancer *b)
{
	return compares(b) || b->cfg.dispatch.limit || (balancer_traits(b) & DISPATCH_WANTS_DONE);
}

const struct item *balancer_head(const struct balancer *b, u32 worker)
{
	u32 queue = balancer_queue_of(b, worker);

	return b->each[queue / queues_each(b)].queues[queue % queues_each(b)].head;
}

static u32 least(const struct balancer *b)
{
	u32 found = 0;

	for (u32 i = 1; i < b->cfg.replicas; i++)
		if (__atomic_load_n(&b->unfinished[i], __ATOMIC_RELAXED) <
		    __atomic_load_n(&b->unfinished[found], __ATOMIC_RELAXED))
			found = i;
	return found;
}

u32 balancer_place(const struct balancer *b, const struct item *it)
{
	u32 r = compares(b) ? least(b) : it->id % b->cfg.replicas;

	return r * queues_each(b) + dispatch_place(&b->each[r], it);
}

/* A worker of the replica, or NONE32, in numbers over all. */
static u32 global(const struct balancer *b, u32 replica, u32 worker)
{
	return worker == NONE32 ? NONE32 : replica * workers_each(b) + worker;
}

static void count(struct balancer *b, u32 replica, u32 by)
{
	if (compares(b))
		__atomic_store_n(&b->unfinished[replica], b->unfinished[replica] + by,
				 __ATOMIC_RELAXED);
}

u32 balancer_submit(struct balancer *b, u32 queue, struct item *it)
{
	u32 r = queue / queues_each(b);

	count(b, r, 1);
	return global(b, r, dispatch_submit(&b->each[r], queue % queues_each(b), it));
}

struct item *balancer_next(struct balancer *b, u32 worker)
{
	return dispatch_next(&b->each[worker / workers_each(b)], worker % workers_each(b));
}

void balancer_busy(struct balancer *b, u32 worker)
{
	dispatch_busy(&b->each[worker / workers_each(b)], worker % workers_each(b));
}

struct item *balancer_done(struct balancer *b, u32 worker, struct item *it)
{
	u32 r = worker / workers_each(b);

	count(b, r, (u32)-1);
	return dispatch_done(&b->each[r], worker % workers_each(b), it);
}

u32 balancer_permit(struct balancer *b, u32 worker, u64 now_ns)
{
	u32 r = worker / workers_each(b);

	return global(b, r, dispatch_permit(&b->each[r], now_ns));
}

struct item *balancer_recall(struct balancer *b, u32 queue)
{
	return dispatch_recall(&b->each[queue / queues_each(b)], queue % queues_each(b));
}

void balancer_set_home(struct balancer *b, const u32 *home)
{
	for (u32 i = 0; i < b->cfg.replicas; i++)
		dispatch_set_home(&b->each[i], home);
}

u64 balancer_ask_again(const struct balancer *b, u32 worker, u64 now_ns)
{
	return dispatch_ask_again(&b->each[worker / workers_each(b)], worker % workers_each(b),
				  now_ns);
}

u32 balancer_thief(const struct balancer *b, u32 queue, u64 now_ns)
{
	u32 r = queue / queues_each(b);

	return global(b, r, dispatch_thief(&b->each[r], queue % queues_each(b), now_ns));
}

void balancer_steal(struct balancer *b, u32 thief, u64 now_ns, struct steal *st)
{
	u32 r = thief / workers_each(b);

	dispatch_steal(&b->each[r], thief % workers_each(b), now_ns, st);
	if (st->count)
		st->from += r * queues_each(b);
}
