/* SPDX-License-Identifier: GPL-2.0-only */
/* What the designs share among themselves, and the designs. */
#ifndef HOLBENCH_CORE_DESIGN_H
#define HOLBENCH_CORE_DESIGN_H

#include "core/dispatch/dispatch.h"

/* Each design's `struct dispatch_ops dispatch_NAME`, a line a design, in the order of the help. */
#define DISPATCH_DESIGNS(DESIGN)                                                                   \
	DESIGN(shared)                                                                             \
	DESIGN(partition)                                                                          \
	DESIGN(steal_half)                                                                         \
	DESIGN(steal_item)                                                                         \
	DESIGN(steal_key)                                                                          \
	DESIGN(key)                                                                                \
	DESIGN(key_partition)                                                                      \
	DESIGN(jsq)                                                                                \
	DESIGN(p2c)                                                                                \
	DESIGN(random)

#define DISPATCH_DECLARE(name) extern const struct dispatch_ops dispatch_##name;
DISPATCH_DESIGNS(DISPATCH_DECLARE)
#undef DISPATCH_DECLARE

/* One queue for all: it takes every item, and any worker takes from it. */
u32 shared_place(const struct dispatch *d, const struct item *it);
bool shared_put(struct dispatch *d, u32 queue, struct item *it);

/* A queue a worker, in the order of arrival. */
u32 partition_place(const struct dispatch *d, const struct item *it);
bool partition_put(struct dispatch *d, u32 queue, struct item *it);
struct item *partition_take(struct dispatch *d, u32 worker);

/*
 * The queue that `thief` may steal from: of those with something to give whose head has waited at
 * least the threshold, the one with the oldest head (the lowest index of equals). NONE32: none.
 */
u32 steal_source(const struct dispatch *d, u32 thief, u64 now_ns);
/* When the queue's head has waited for the threshold; NEVER_NS when it is empty. No lock. */
u64 steal_allowed_ns(const struct dispatch *d, u32 queue);

#endif
