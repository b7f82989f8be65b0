/* SPDX-License-Identifier: GPL-2.0-only */
/* Home queues: which queue each key hashes to, and with it who is a neighbour of a hot key. */
#ifndef HOLBENCH_CORE_HOME_H
#define HOLBENCH_CORE_HOME_H

#include "core/types.h"

enum hash_kind { HASH_MIX, HASH_MOD };
enum hot_placement { HOT_TOGETHER, HOT_SPREAD };

struct home_config {
	u32 keys; /* hot ones included; hot keys are 0 … hot_keys-1 */
	u32 hot_keys;
	u32 queues;	   /* one a worker */
	u32 hash;	   /* enum hash_kind */
	u32 hot_placement; /* TOGETHER: all hot keys share key 0's queue; SPREAD: one queue after
			      another from there */
	s64 neighbours; /* exact number of cold keys behind each hot queue; -1: the hash decides */
	u32 partitions; /* a key's queue is its partition (key mod partitions) mod queues, whatever
			   the hash, the placement and neighbours say; 0: there are none */
	bool null_key;	/* the last key is that of items without one: cold, and never drawn as a
			   neighbour */
};

enum item_class {
	CLASS_HOT,
	CLASS_NEIGHBOUR, /* not hot; its home queue is also a hot key's */
	CLASS_FAR,	 /* not hot; its home queue is not */
	CLASS_NR,
};

/*
 * Fills home[0 … keys-1] with queue indices. With exact neighbours, which cold keys they are is
 * drawn by a hash of the key (in no order, so that round-robin arrivals do not come to one queue in
 * a row), and the others are hashed over the queues that are not hot. -EINVAL when `neighbours`
 * cannot be had: fewer cold keys than asked for, or cold keys left over and every queue hot.
 */
int home_assign(u32 *home, const struct home_config *cfg);
/* Fills class[0 … keys-1] (enum item_class) from a home table. 0 or -ENOMEM. */
int home_classify(u8 *class, const u32 *home, const struct home_config *cfg);

#endif
