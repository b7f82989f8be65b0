/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Order, by completion. A violation of a scope is an item that ends although one that arrived after
 * it has ended before it, both within the scope: the whole stream, a partition, a key, or a
 * partition's other keys ("across"). Memory is proportional to what is out of order within keys.
 */
#ifndef HOLBENCH_CORE_ORDER_H
#define HOLBENCH_CORE_ORDER_H

#include "core/types.h"

struct order_config {
	u32 keys, hot_keys;  /* keys 0 … hot_keys-1 are the hot ones */
	u32 partitions;	     /* see item_partition(); 0: all items are one partition */
	u32 null_key;	     /* the key of items that have none, or NONE32 */
	bool null_unordered; /* such items have no order to keep: they are no violation, and make
				none */
};

struct order_counts {
	u64 total, partition, across; /* violations within the stream, a partition, its other keys
				       */
	u64 violations;		      /* within the key */
	u64 violations_hot;	      /* of them, hot keys' */
	u64 start_violations;	      /* within the key, at start */
	u64 inverted_pairs;	      /* pairs of a key completed the wrong way round */
	u64 displacement; /* largest distance of a violation within its key from the highest seq
			     before it */
	/*
	 * Items that arrived while an earlier one of their key was unfinished. Without any, no
	 * design could have broken the order within a key, and none had to keep it.
	 */
	u64 exercised;
};

/* What order goes by. */
struct order_item {
	u32 id;	      /* arrival rank */
	u32 key, seq; /* arrival rank within the key */
	bool counted; /* else (the warm-up's) it takes its place but is never a violation itself */
};

struct order;

/* 0 or -ENOMEM. */
int order_new(struct order **out, const struct order_config *cfg);
void order_free(struct order *o);
/* It arrives; each arrival is followed by one order_leave(). */
void order_arrive(struct order *o, const struct order_item *it);
void order_start(struct order *o, const struct order_item *it);
void order_leave(struct order *o, const struct order_item *it);
/* It is completed, or never will be (a refused one): once for an item. 0 or -ENOMEM. O(1) but for
 * what is out of order within its key. */
int order_done(struct order *o, const struct order_item *it);
int order_skip(struct order *o, const struct order_item *it);
struct order_counts order_counts(const struct order *o);

#endif
