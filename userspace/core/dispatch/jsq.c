/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jsq: join the shortest queue; p2c: the shorter of two queues drawn for the item. A queue a
 * worker; an item counts in its queue until its service has ended.
 *
 * Promises: an item joins a queue that nobody in view is shorter than.
 * Does not: look at what an item will cost, or move it later; keep a key's order.
 *
 * The lengths of all queues are looked at together, so one lock covers them.
 */
#include "core/dispatch/design.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dispatch/queue.h"
#include "core/rng.h"

/* d->state: per worker, its unfinished items. Read without the lock for a first guess. */
static u32 length(const struct dispatch *d, u32 queue)
{
	const u32 *unfinished = d->state;

	return __atomic_load_n(&unfinished[queue], __ATOMIC_RELAXED);
}

static void change(struct dispatch *d, u32 queue, u32 by)
{
	u32 *unfinished = d->state;

	__atomic_store_n(&unfinished[queue], unfinished[queue] + by, __ATOMIC_RELAXED);
}

static int init(struct dispatch *d)
{
	d->state = calloc(d->cfg.workers, sizeof(u32));
	return d->state ? 0 : -ENOMEM;
}

static void fini(struct dispatch *d)
{
	free(d->state);
	d->state = NULL;
}

/* Of equals the first, counted from a queue that differs from item to item. */
static u32 shortest(const struct dispatch *d, const struct item *it)
{
	u32 n = d->cfg.workers, found = it->id % n;

	for (u32 i = 1; i < n; i++) {
		u32 queue = (it->id + i) % n;

		if (length(d, queue) < length(d, found))
			found = queue;
	}
	return found;
}

/* A function of the item and the seed, so that asking twice draws the same two. */
static u32 shorter_of_two(const struct dispatch *d, const struct item *it)
{
	u64 draw = rng_mix(d->cfg.seed ^ rng_mix(it->id));
	u32 n = d->cfg.workers, a = (u32)((draw >> 32) % n), b;

	if (n == 1)
		return 0;
	b = (u32)((draw & UINT32_MAX) % (n - 1));
	b += b >= a;
	return length(d, b) < length(d, a) ? b : a;
}

static bool put(struct dispatch *d, u32 queue, struct item *it)
{
	change(d, queue, 1);
	return partition_put(d, queue, it);
}

static struct item *done(struct dispatch *d, u32 worker, struct item *it)
{
	(void)it;
	change(d, worker, (u32)-1);
	return NULL;
}

#define LENGTH_TRAITS (DISPATCH_ONE_LOCK | DISPATCH_WANTS_DONE)

const struct dispatch_ops dispatch_jsq = {
	.name = "jsq",
	.help = "a queue a worker, an item joins the shortest",
	.traits = LENGTH_TRAITS,
	.init = init,
	.fini = fini,
	.place = shortest,
	.put = put,
	.take = partition_take,
	.done = done,
};

const struct dispatch_ops dispatch_p2c = {
	.name = "p2c",
	.help = "a queue a worker, an item joins the shorter of two drawn for it",
	.traits = LENGTH_TRAITS,
	.init = init,
	.fini = fini,
	.place = shorter_of_two,
	.put = put,
	.take = partition_take,
	.done = done,
};
