/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * key: one queue; at most one item per key in service; the earliest-arrived item whose key is not
 * in service goes to any idle worker.
 *
 * Promises: each key's order; no worker is idle while an item waits whose key is not in service.
 * Does not: help a key that alone needs more than one worker; its items wait for each other.
 *
 * Each key has a FIFO; the keys whose head may start are a heap by that head's place in the stream.
 */
#include "core/dispatch/design.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dispatch/queue.h"

struct key_serial {
	struct queue *fifo; /* per key */
	bool *in_service;   /* per key */
	u32 *ready;	    /* binary heap of keys */
	u32 nr_ready;
};

static void fini(struct dispatch *d)
{
	struct key_serial *s = d->state;

	if (!s)
		return;
	free(s->fifo);
	free(s->in_service);
	free(s->ready);
	free(s);
	d->state = NULL;
}

static int init(struct dispatch *d)
{
	struct key_serial *s = calloc(1, sizeof(*s));

	d->state = s;
	if (!s)
		return -ENOMEM;
	s->fifo = calloc(d->cfg.keys, sizeof(*s->fifo));
	s->in_service = calloc(d->cfg.keys, sizeof(*s->in_service));
	s->ready = calloc(d->cfg.keys, sizeof(*s->ready));
	if (!s->fifo || !s->in_service || !s->ready)
		return -ENOMEM;
	for (u32 i = 0; i < d->cfg.keys; i++)
		queue_init(&s->fifo[i]);
	return 0;
}

static bool earlier(const struct key_serial *s, u32 a, u32 b)
{
	const struct item *x = s->fifo[a].head, *y = s->fifo[b].head;

	if (x->arrival_ns != y->arrival_ns)
		return x->arrival_ns < y->arrival_ns;
	return x->id < y->id;
}

static void ready_push(struct key_serial *s, u32 key)
{
	u32 i = s->nr_ready++;

	for (; i && earlier(s, key, s->ready[(i - 1) / 2]); i = (i - 1) / 2)
		s->ready[i] = s->ready[(i - 1) / 2];
	s->ready[i] = key;
}

static u32 ready_pop(struct key_serial *s)
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

static u32 place(const struct dispatch *d, const struct item *it)
{
	(void)d;
	(void)it;
	return 0;
}

static bool put(struct dispatch *d, u32 queue, struct item *it)
{
	struct key_serial *s = d->state;

	(void)queue;
	queue_push(&s->fifo[it->key], it);
	if (s->in_service[it->key] || s->fifo[it->key].len > 1)
		return false;
	ready_push(s, it->key);
	return true;
}

static struct item *take(struct dispatch *d, u32 worker)
{
	struct key_serial *s = d->state;
	u32 key;

	(void)worker;
	if (!s->nr_ready)
		return NULL;
	key = ready_pop(s);
	s->in_service[key] = true;
	return queue_pop(&s->fifo[key]);
}

/* The worker that ended it asks next, so nobody need be woken for the key's next item. */
static void done(struct dispatch *d, u32 worker, struct item *it)
{
	struct key_serial *s = d->state;

	(void)worker;
	s->in_service[it->key] = false;
	if (s->fifo[it->key].len)
		ready_push(s, it->key);
}

const struct dispatch_ops dispatch_key = {
	.name = "key",
	.help = "one queue, at most one item per key in service",
	.traits = DISPATCH_ONE_QUEUE | DISPATCH_KEY_SERIAL | DISPATCH_KEEPS_ORDER |
		  DISPATCH_WANTS_DONE,
	.init = init,
	.fini = fini,
	.place = place,
	.put = put,
	.take = take,
	.done = done,
};
