/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * key: one queue; at most one item per key in service; the earliest-arrived item whose key is not
 * in service goes to any idle worker. key:partition: the same with partitions in the place of keys.
 * Either is a lane here.
 *
 * Promises: each lane's order; no worker is idle while an admitted item waits whose lane is not in
 * service.
 * Does not: help a key that alone needs more than one worker; its items wait for each other. With a
 * buffer, items outside it wait for a place in the order of arrival, whatever their lane.
 *
 * Each lane has a FIFO; the lanes whose head may start are a heap by that head's place in the
 * stream. The lane of items without a key may be unordered: then it is never held.
 */
#include "core/dispatch/design.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dispatch/queue.h"

struct lanes {
	u32 nr;
	struct queue *fifo; /* per lane */
	bool *held;	    /* per lane: an item of it is in service */
	u32 *ready;	    /* binary heap of lanes */
	u32 nr_ready;
	struct queue outside; /* waiting for a place in the buffer */
	u32 admitted;	      /* unfinished, with a buffer only */
};

static bool by_partition(const struct dispatch *d)
{
	return d->cfg.ops->traits & DISPATCH_PARTITION_SERIAL;
}

static u32 lane_of(const struct dispatch *d, const struct item *it)
{
	if (!by_partition(d))
		return it->key;
	return d->cfg.partitions
		       ? item_partition(it->key, it->id, d->cfg.partitions, d->cfg.null_key)
		       : 0;
}

/* A lane that no item holds, because its items have no key and no order. */
static bool unordered(const struct dispatch *d, u32 lane)
{
	return !by_partition(d) && d->cfg.null_unordered && lane == d->cfg.null_key;
}

static void fini(struct dispatch *d)
{
	struct lanes *s = d->state;

	if (!s)
		return;
	free(s->fifo);
	free(s->held);
	free(s->ready);
	free(s);
	d->state = NULL;
}

static int init(struct dispatch *d)
{
	struct lanes *s = calloc(1, sizeof(*s));

	d->state = s;
	if (!s)
		return -ENOMEM;
	s->nr = !by_partition(d) ? d->cfg.keys : d->cfg.partitions ? d->cfg.partitions : 1;
	s->fifo = calloc(s->nr, sizeof(*s->fifo));
	s->held = calloc(s->nr, sizeof(*s->held));
	s->ready = calloc(s->nr, sizeof(*s->ready));
	if (!s->fifo || !s->held || !s->ready)
		return -ENOMEM;
	queue_init(&s->outside);
	for (u32 i = 0; i < s->nr; i++)
		queue_init(&s->fifo[i]);
	return 0;
}

static bool earlier(const struct lanes *s, u32 a, u32 b)
{
	const struct item *x = s->fifo[a].head, *y = s->fifo[b].head;

	if (x->arrival_ns != y->arrival_ns)
		return x->arrival_ns < y->arrival_ns;
	return x->id < y->id;
}

static void ready_push(struct lanes *s, u32 lane)
{
	u32 i = s->nr_ready++;

	for (; i && earlier(s, lane, s->ready[(i - 1) / 2]); i = (i - 1) / 2)
		s->ready[i] = s->ready[(i - 1) / 2];
	s->ready[i] = lane;
}

static u32 ready_pop(struct lanes *s)
{
	u32 top = s->ready[0], last = s->ready[--s->nr_ready], i = 0, child;

	while ((child = 2 * i + 1) < s->nr_ready) {
		if (child + 1 < s->nr_ready && earlier(s, s->ready[child + 1], s->ready[child]))
			child++;
		if (!earlier(s, s->ready[child], last))
			break;
		s->ready[i] = s->ready[child];
		i = child;
	}
	s->ready[i] = last;
	return top;
}

/* True when the item may be taken at once. */
static bool admit(struct dispatch *d, struct item *it)
{
	struct lanes *s = d->state;
	u32 lane = lane_of(d, it);

	s->admitted++;
	queue_push(&s->fifo[lane], it);
	if (s->held[lane] || s->fifo[lane].len > 1)
		return unordered(d, lane);
	ready_push(s, lane);
	return true;
}

static bool put(struct dispatch *d, u32 queue, struct item *it)
{
	struct lanes *s = d->state;

	(void)queue;
	if (!d->cfg.buffer || s->admitted < d->cfg.buffer)
		return admit(d, it);
	it->outside = true;
	queue_push(&s->outside, it);
	return false;
}

static struct item *take(struct dispatch *d, u32 worker)
{
	struct lanes *s = d->state;
	struct item *it;
	u32 lane;

	(void)worker;
	if (!s->nr_ready)
		return NULL;
	lane = ready_pop(s);
	it = queue_pop(&s->fifo[lane]);
	if (!unordered(d, lane))
		s->held[lane] = true;
	else if (s->fifo[lane].len)
		ready_push(s, lane);
	return it;
}

/* The worker that ended it asks next; dispatch_permit() tells whether another should, too. */
static struct item *done(struct dispatch *d, u32 worker, struct item *it)
{
	struct lanes *s = d->state;
	u32 lane = lane_of(d, it);

	(void)worker;
	s->admitted--;
	if (s->held[lane]) {
		s->held[lane] = false;
		if (s->fifo[lane].len)
			ready_push(s, lane);
	}
	if (!d->cfg.buffer)
		return NULL;
	it = queue_pop(&s->outside);
	if (!it)
		return NULL;
	it->outside = false;
	admit(d, it);
	return it;
}

static u32 ready(const struct dispatch *d)
{
	return ((const struct lanes *)d->state)->nr_ready;
}

const struct dispatch_ops dispatch_key = {
	.name = "key",
	.help = "one queue, at most one item per key in service",
	.traits = DISPATCH_ONE_QUEUE | DISPATCH_KEY_SERIAL | DISPATCH_KEEPS_ORDER |
		  DISPATCH_WANTS_DONE,
	.init = init,
	.fini = fini,
	.place = shared_place,
	.put = put,
	.take = take,
	.done = done,
	.ready = ready,
};

const struct dispatch_ops dispatch_key_partition = {
	.name = "key:partition",
	.help = "one queue, at most one item per partition in service",
	.traits = DISPATCH_ONE_QUEUE | DISPATCH_PARTITION_SERIAL | DISPATCH_KEEPS_ORDER |
		  DISPATCH_WANTS_DONE,
	.init = init,
	.fini = fini,
	.place = shared_place,
	.put = put,
	.take = take,
	.done = done,
	.ready = ready,
};
