/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * partition: a queue a worker, queue = hash(key) mod workers; a worker takes only from its own.
 *
 * Promises: each key's order, and that of all keys of a queue (not with carriers, which begin an
 * item while an earlier one waits); no lock is shared between workers.
 * Does not: use idle workers. An item waits behind every earlier item of its queue, of whatever
 * key, so a queue that needs more than one worker diverges.
 */
#include "core/dispatch/design.h"
#include "core/dispatch/queue.h"

u32 partition_place(const struct dispatch *d, const struct item *it)
{
	if (it->key == d->cfg.null_key && d->cfg.null_unordered)
		return it->id % d->cfg.workers;
	return __atomic_load_n(&d->cfg.home, __ATOMIC_ACQUIRE)[it->key];
}

bool partition_put(struct dispatch *d, u32 queue, struct item *it)
{
	queue_push(&d->queues[queue], it);
	return true;
}

struct item *partition_take(struct dispatch *d, u32 worker)
{
	return queue_pop(&d->queues[worker]);
}

const struct dispatch_ops dispatch_partition = {
	.name = "partition",
	.help = "a queue a worker, chosen by the key's hash",
	.traits = DISPATCH_KEEPS_ORDER,
	.place = partition_place,
	.put = partition_put,
	.take = partition_take,
};
