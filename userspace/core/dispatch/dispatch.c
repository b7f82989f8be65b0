/* SPDX-License-Identifier: GPL-2.0-only */
/* What every design has in common: queues, who is idle, who serves what. */
#include "core/dispatch/design.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/dispatch/queue.h"

static bool one_queue(const struct dispatch *d)
{
	return d->cfg.ops->traits & DISPATCH_ONE_QUEUE;
}

static bool steals(const struct dispatch *d)
{
	return d->cfg.ops->traits & DISPATCH_STEALS;
}

u32 dispatch_queues(const struct dispatch *d)
{
	return one_queue(d) ? 1 : d->cfg.workers;
}

u32 dispatch_queue_of(const struct dispatch *d, u32 worker)
{
	return one_queue(d) ? 0 : worker;
}

int dispatch_init(struct dispatch *d, const struct dispatch_config *cfg)
{
	memset(d, 0, sizeof(*d));
	d->cfg = *cfg;
	d->queues = calloc(dispatch_queues(d), sizeof(*d->queues));
	d->idle_stack = calloc(cfg->workers, sizeof(*d->idle_stack));
	d->idle_pos = calloc(cfg->workers, sizeof(*d->idle_pos));
	d->woken = calloc(cfg->workers, sizeof(*d->woken));
	if (!d->queues || !d->idle_stack || !d->idle_pos || !d->woken)
		goto no_memory;
	for (u32 i = 0; i < dispatch_queues(d); i++)
		queue_init(&d->queues[i]);
	memset(d->idle_pos, 0xff, cfg->workers * sizeof(*d->idle_pos)); /* NONE32 */
	if (cfg->ops->init && cfg->ops->init(d))
		goto no_memory;
	return 0;
no_memory:
	dispatch_fini(d);
	return -ENOMEM;
}

/* Also of a half-initialised one; safe to run twice. */
void dispatch_fini(struct dispatch *d)
{
	if (d->cfg.ops && d->cfg.ops->fini)
		d->cfg.ops->fini(d);
	free(d->queues);
	free(d->idle_stack);
	free(d->idle_pos);
	free(d->woken);
	memset(d, 0, sizeof(*d));
}

/*
 * The order of this store and of what the worker reads next (in dispatch_ask_again()) is half of
 * the promise of dispatch_thief().
 */
static void set_idle_pos(struct dispatch *d, u32 worker, u32 pos)
{
	__atomic_store_n(&d->idle_pos[worker], pos, __ATOMIC_SEQ_CST);
}

static bool is_idle(const struct dispatch *d, u32 worker)
{
	return __atomic_load_n(&d->idle_pos[worker], __ATOMIC_SEQ_CST) != NONE32;
}

static void idle_enter(struct dispatch *d, u32 worker)
{
	if (is_idle(d, worker))
		return;
	set_idle_pos(d, worker, one_queue(d) ? d->nr_idle : 0);
	if (one_queue(d))
		d->idle_stack[d->nr_idle++] = worker;
}

static void idle_leave(struct dispatch *d, u32 worker)
{
	u32 pos = d->idle_pos[worker], last;

	if (pos == NONE32)
		return;
	if (one_queue(d)) {
		last = d->idle_stack[--d->nr_idle];
		d->idle_stack[pos] = last;
		d->idle_pos[last] = pos;
	}
	set_idle_pos(d, worker, NONE32);
}

/* Read without the lock for a hint. */
static bool has_permit(const struct dispatch *d)
{
	return !d->cfg.limit || __atomic_load_n(&d->in_service, __ATOMIC_RELAXED) < d->cfg.limit;
}

/* The lock. */
static void count_service(struct dispatch *d, u32 by)
{
	if (d->cfg.limit)
		__atomic_store_n(&d->in_service, d->in_service + by, __ATOMIC_RELAXED);
}

/* The same for one more worker that is told to ask. */
static bool may_tell(const struct dispatch *d)
{
	return !d->cfg.limit || d->in_service + d->nr_woken < d->cfg.limit;
}

static void tell(struct dispatch *d, u32 worker)
{
	idle_leave(d, worker);
	if (!one_queue(d) && !d->cfg.limit)
		return;
	d->woken[worker] = true;
	d->nr_woken++;
}

static void asked(struct dispatch *d, u32 worker)
{
	if (!d->woken[worker])
		return;
	d->woken[worker] = false;
	d->nr_woken--;
}

u32 dispatch_place(const struct dispatch *d, const struct item *it)
{
	return d->cfg.ops->place(d, it);
}

u32 dispatch_submit(struct dispatch *d, u32 queue, struct item *it)
{
	u32 worker = queue;

	it->outside = false;
	if (!d->cfg.ops->put(d, queue, it) || !may_tell(d))
		return NONE32;
	if (one_queue(d))
		worker = d->nr_idle ? d->idle_stack[d->nr_idle - 1] : NONE32;
	if (worker == NONE32 || !is_idle(d, worker))
		return NONE32;
	tell(d, worker);
	return worker;
}

struct item *dispatch_next(struct dispatch *d, u32 worker)
{
	struct item *it = has_permit(d) ? d->cfg.ops->take(d, worker) : NULL;

	asked(d, worker);
	if (it)
		idle_leave(d, worker);
	else
		idle_enter(d, worker);
	count_service(d, it != NULL);
	return it;
}

void dispatch_busy(struct dispatch *d, u32 worker)
{
	idle_leave(d, worker);
}

struct item *dispatch_done(struct dispatch *d, u32 worker, struct item *it)
{
	count_service(d, (u32)-1);
	return d->cfg.ops->done ? d->cfg.ops->done(d, worker, it) : NULL;
}

/* With a queue a worker: one whose own queue holds something, else one that may steal. */
static u32 find_taker(const struct dispatch *d, u64 now_ns)
{
	for (u32 i = 0; i < d->cfg.workers; i++)
		if (d->queues[i].len && is_idle(d, i))
			return i;
	for (u32 i = 0; steals(d) && i < d->cfg.workers; i++)
		if (is_idle(d, i) && steal_source(d, i, now_ns) != NONE32)
			return i;
	return NONE32;
}

static u32 nr_ready(const struct dispatch *d)
{
	return d->cfg.ops->ready ? d->cfg.ops->ready(d) : d->queues[0].len;
}

u32 dispatch_permit(struct dispatch *d, u64 now_ns)
{
	u32 worker = NONE32;

	if (!may_tell(d))
		return NONE32;
	if (!one_queue(d))
		worker = d->cfg.limit ? find_taker(d, now_ns) : NONE32;
	else if (d->nr_idle && nr_ready(d) > d->nr_woken)
		worker = d->idle_stack[d->nr_idle - 1];
	if (worker != NONE32)
		tell(d, worker);
	return worker;
}

struct item *dispatch_recall(struct dispatch *d, u32 queue)
{
	struct item *list = d->queues[queue].head;

	queue_init(&d->queues[queue]);
	return list;
}

void dispatch_set_home(struct dispatch *d, const u32 *home)
{
	__atomic_store_n(&d->cfg.home, home, __ATOMIC_RELEASE);
}

static u64 add_saturating(u64 a, u64 b)
{
	return a > NEVER_NS - b ? NEVER_NS : a + b;
}

static bool can_give(const struct dispatch *d, u32 queue)
{
	return !d->cfg.ops->can_give || d->cfg.ops->can_give(d, queue);
}

u64 steal_allowed_ns(const struct dispatch *d, u32 queue)
{
	return add_saturating(queue_head_arrival(&d->queues[queue]), d->cfg.threshold_ns);
}

u32 steal_source(const struct dispatch *d, u32 thief, u64 now_ns)
{
	u64 oldest_ns = NEVER_NS;
	u32 source = NONE32;

	for (u32 i = 0; i < d->cfg.workers; i++) {
		u64 allowed_ns = steal_allowed_ns(d, i);

		if (i == thief || allowed_ns > now_ns || allowed_ns >= oldest_ns || !can_give(d, i))
			continue;
		oldest_ns = allowed_ns;
		source = i;
	}
	return source;
}

u64 dispatch_ask_again(const struct dispatch *d, u32 worker, u64 now_ns)
{
	u64 again_ns = NEVER_NS;

	if (!steals(d))
		return NEVER_NS;
	if (d->cfg.threshold_ns)
		again_ns = add_saturating(now_ns, d->cfg.threshold_ns);
	if (!has_permit(d))
		return again_ns;
	for (u32 i = 0; i < d->cfg.workers; i++) {
		u64 allowed_ns = steal_allowed_ns(d, i);

		if (i == worker || allowed_ns >= again_ns)
			continue;
		if (allowed_ns > now_ns || can_give(d, i))
			again_ns = allowed_ns;
	}
	return again_ns;
}

u32 dispatch_thief(const struct dispatch *d, u32 queue, u64 now_ns)
{
	u32 workers = d->cfg.workers;

	if (!steals(d) || !has_permit(d) || steal_allowed_ns(d, queue) > now_ns ||
	    !can_give(d, queue))
		return NONE32;
	for (u32 i = 1; i < workers; i++) {
		u32 worker = (u32)(((u64)queue + i) % workers);

		if (is_idle(d, worker))
			return worker;
	}
	return NONE32;
}

void dispatch_steal(struct dispatch *d, u32 thief, u64 now_ns, struct steal *st)
{
	const struct queue *q = &d->queues[dispatch_queue_of(d, thief)];

	*st = (struct steal){.from = NONE32};
	if (!d->cfg.ops->steal || q->len || !has_permit(d))
		return;
	d->cfg.ops->steal(d, thief, now_ns, st);
	if (st->count && st->since_ns < q->head->arrival_ns)
		st->since_ns = q->head->arrival_ns;
}
