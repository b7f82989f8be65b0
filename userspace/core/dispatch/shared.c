/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shared: one FIFO; any idle worker takes the head.
 *
 * Promises: no worker is idle while an item waits; items start in the order of arrival.
 * Does not: keep a key's order at completion. Two items of a key may be in service at once, and the
 * later may end first.
 */
#include "core/dispatch/design.h"
#include "core/dispatch/queue.h"

u32 shared_place(const struct dispatch *d, const struct item *it)
{
	(void)d;
	(void)it;
	return 0;
}

bool shared_put(struct dispatch *d, u32 queue, struct item *it)
{
	queue_push(&d->queues[queue], it);
	return true;
}

static struct item *take(struct dispatch *d, u32 worker)
{
	(void)worker;
	return queue_pop(&d->queues[0]);
}

const struct dispatch_ops dispatch_shared = {
	.name = "shared",
	.help = "one queue, any idle worker takes the head",
	.traits = DISPATCH_ONE_QUEUE,
	.place = shared_place,
	.put = shared_put,
	.take = take,
};
