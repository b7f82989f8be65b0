/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * steal: partition, and an idle worker whose own queue is empty takes items from the queue whose
 * head is oldest, once that head has waited for the threshold: the rear half (steal) or the last
 * item (steal:item). They go into the thief's own queue, where they can be stolen again; age counts
 * from arrival.
 *
 * Promises: while a worker is idle, no item at the head of a queue waits beyond the threshold for
 * want of a thief.
 * Does not: keep a key's order. What is stolen overtakes what stays.
 */
#include "core/dispatch/design.h"
#include "core/dispatch/queue.h"

static void steal_rear(struct dispatch *d, u32 thief, u32 from, u32 count, struct steal *st)
{
	st->from = from;
	st->count = count;
	st->since_ns = steal_allowed_ns(d, from);
	queue_split_rear(&d->queues[from], &d->queues[thief], count);
}

static void steal_half(struct dispatch *d, u32 thief, u64 now_ns, struct steal *st)
{
	u32 from = steal_source(d, thief, now_ns);

	if (from != NONE32)
		steal_rear(d, thief, from, d->queues[from].len - d->queues[from].len / 2, st);
}

static void steal_item(struct dispatch *d, u32 thief, u64 now_ns, struct steal *st)
{
	u32 from = steal_source(d, thief, now_ns);

	if (from != NONE32)
		steal_rear(d, thief, from, 1, st);
}

const struct dispatch_ops dispatch_steal_half = {
	.name = "steal",
	.help = "partition, and idle workers take the rear half of a queue that has waited",
	.traits = DISPATCH_STEALS,
	.place = partition_place,
	.put = partition_put,
	.take = partition_take,
	.steal = steal_half,
};

const struct dispatch_ops dispatch_steal_item = {
	.name = "steal:item",
	.help = "partition, and idle workers take the last item of a queue that has waited",
	.traits = DISPATCH_STEALS,
	.place = partition_place,
	.put = partition_put,
	.take = partition_take,
	.steal = steal_item,
};
