/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random: one pool; an idle worker takes any of the items that wait, each with the same chance. So
 * does a semaphore admit that promises no order; with dispatch.limit it is one.
 *
 * Promises: no worker is idle while an item waits.
 * Does not: keep any order, not even that of arrival; an item may wait for as long as others come.
 */
#include "core/dispatch/design.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dispatch/queue.h"
#include "core/rng.h"

struct pool {
	struct rng rng;
	struct item **items;
	u32 nr, cap;
};

static void fini(struct dispatch *d)
{
	struct pool *p = d->state;

	if (!p)
		return;
	free(p->items);
	free(p);
	d->state = NULL;
}

static int init(struct dispatch *d)
{
	struct pool *p = calloc(1, sizeof(*p));

	d->state = p;
	if (!p)
		return -ENOMEM;
	rng_init(&p->rng, d->cfg.seed, RNG_DISPATCH);
	p->cap = 1024;
	p->items = calloc(p->cap, sizeof(struct item *));
	return p->items ? 0 : -ENOMEM;
}

static bool grow(struct pool *p)
{
	struct item **items = realloc(p->items, 2 * (size_t)p->cap * sizeof(struct item *));

	if (!items)
		return false;
	p->items = items;
	p->cap *= 2;
	return true;
}

/* Where there is no memory for a larger pool, items wait in the queue until it is empty. */
static bool put(struct dispatch *d, u32 queue, struct item *it)
{
	struct pool *p = d->state;

	if (p->nr < p->cap || grow(p))
		p->items[p->nr++] = it;
	else
		queue_push(&d->queues[queue], it);
	return true;
}

static struct item *take(struct dispatch *d, u32 worker)
{
	struct pool *p = d->state;
	struct item *it;
	u32 i;

	(void)worker;
	if (!p->nr)
		return queue_pop(&d->queues[0]);
	i = rng_below(&p->rng, p->nr);
	it = p->items[i];
	p->items[i] = p->items[--p->nr];
	return it;
}

static u32 ready(const struct dispatch *d)
{
	const struct pool *p = d->state;

	return p->nr + d->queues[0].len;
}

const struct dispatch_ops dispatch_random = {
	.name = "random",
	.help = "one pool, any idle worker takes any item, as a semaphore admits",
	.traits = DISPATCH_ONE_QUEUE,
	.init = init,
	.fini = fini,
	.place = shared_place,
	.put = put,
	.take = take,
	.ready = ready,
};
