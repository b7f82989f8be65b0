/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Order within keys. A violation is an item whose seq is below the highest seq of its key that came
 * before it (at completion; the same count is made at start). Memory is proportional to what is out
 * of order.
 */
#ifndef HOLBENCH_CORE_ORDER_H
#define HOLBENCH_CORE_ORDER_H

#include "core/types.h"

struct order_counts {
	u64 violations;	      /* at completion */
	u64 violations_hot;   /* of them, hot keys' */
	u64 start_violations; /* at start */
	u64 inverted_pairs;   /* pairs of a key completed the wrong way round */
	u64 displacement;     /* largest distance of a violation from the highest seq before it */
};

struct order;

/* Keys 0 … hot_keys-1 are the hot ones. 0 or -ENOMEM. */
int order_new(struct order **out, u32 keys, u32 hot_keys);
void order_free(struct order *o);
/* An item that is not `counted` (the warm-up's) takes its place in the order but is never a
 * violation itself. */
void order_start(struct order *o, u32 key, u32 seq, bool counted);
/* 0 or -ENOMEM. */
int order_done(struct order *o, u32 key, u32 seq, bool counted);
struct order_counts order_counts(const struct order *o);

#endif
