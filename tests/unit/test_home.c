/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "core/home.h"
#include "tap.h"

enum { KEYS = 200, QUEUES = 8 };

static u32 home[KEYS];
static u8 class[KEYS];

static u32 count_class(enum item_class c)
{
	u32 n = 0;

	for (u32 i = 0; i < KEYS; i++)
		n += class[i] == c;
	return n;
}

static u32 keys_of(u32 queue, u32 from)
{
	u32 n = 0;

	for (u32 i = from; i < KEYS; i++)
		n += home[i] == queue;
	return n;
}

static int assign(const struct home_config *cfg)
{
	int err = home_assign(home, cfg);

	return err ? err : home_classify(class, home, cfg);
}

static void by_hash(void)
{
	struct home_config cfg = {
		.keys = KEYS, .hot_keys = 1, .queues = QUEUES, .hash = HASH_MOD, .neighbours = -1};
	bool right = true, used = true;

	assign(&cfg);
	for (u32 i = 0; i < KEYS; i++)
		right &= home[i] == i % QUEUES;
	CHECK(right, "mod: key mod queues");
	CHECK(count_class(CLASS_HOT) == 1 && count_class(CLASS_NEIGHBOUR) == 24 &&
		      count_class(CLASS_FAR) == 175,
	      "mod: 25 keys a queue, one of them hot");
	cfg.hash = HASH_MIX;
	assign(&cfg);
	for (u32 q = 0; q < QUEUES; q++)
		used &= keys_of(q, 0) > 10 && keys_of(q, 0) < 45;
	CHECK(used, "mix: every queue gets its part");
}

/* Exactly n cold keys behind each hot queue, whatever the hash and however many hot keys. */
static void exact(u32 hash, u32 placement, u32 hot_keys, u32 n)
{
	struct home_config cfg = {.keys = KEYS,
				  .hot_keys = hot_keys,
				  .queues = QUEUES,
				  .hash = hash,
				  .hot_placement = placement,
				  .neighbours = n};
	u32 hot_queues = placement == HOT_SPREAD ? hot_keys : 1;
	bool right;

	if (!CHECK(!assign(&cfg), "neighbours %u of %u hot keys: can be had", n, hot_keys))
		return;
	right = count_class(CLASS_NEIGHBOUR) == n * hot_queues;
	for (u32 i = 0; i < hot_queues; i++)
		right &= keys_of((home[0] + i) % QUEUES, hot_keys) == n;
	CHECK(right, "neighbours %u of %u hot keys: exact in each hot queue", n, hot_keys);
	right = true;
	for (u32 i = 0; i < hot_keys; i++)
		right &= home[i] == (home[0] + (placement == HOT_SPREAD ? i : 0)) % QUEUES;
	CHECK(right, "neighbours %u of %u hot keys: hot keys %s", n, hot_keys,
	      placement == HOT_SPREAD ? "spread" : "together");
}

/* Round-robin arrivals would otherwise come to the hot queue all in a row. */
static void scattered(void)
{
	struct home_config cfg = {.keys = KEYS, .hot_keys = 1, .queues = QUEUES, .neighbours = 19};
	u32 run = 0, longest = 0;

	assign(&cfg);
	for (u32 i = 1; i < KEYS; i++) {
		run = class[i] == CLASS_NEIGHBOUR ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	CHECK(longest <= 4, "neighbours are scattered over the keys: %u in a row", longest);
}

static void impossible(void)
{
	struct home_config cfg = {
		.keys = KEYS, .hot_keys = 1, .queues = QUEUES, .neighbours = KEYS};

	CHECK(home_assign(home, &cfg) == -EINVAL, "more neighbours than cold keys: refused");
	cfg.neighbours = 199;
	CHECK(!assign(&cfg) && count_class(CLASS_FAR) == 0, "every cold key a neighbour: possible");
	cfg.hot_keys = 8;
	cfg.hot_placement = HOT_SPREAD;
	cfg.neighbours = 23;
	CHECK(home_assign(home, &cfg) == -EINVAL, "every queue hot and cold keys left: refused");
	cfg.neighbours = 24;
	CHECK(!assign(&cfg) && count_class(CLASS_NEIGHBOUR) == 192,
	      "every queue hot and none left: possible");
	cfg.hot_keys = 0;
	CHECK(!assign(&cfg) && count_class(CLASS_FAR) == KEYS, "no hot key: all are far");
}

static void partitions(void)
{
	struct home_config cfg = {.keys = KEYS,
				  .hot_keys = 2,
				  .queues = QUEUES,
				  .hot_placement = HOT_TOGETHER,
				  .neighbours = -1,
				  .partitions = 12};
	bool right = !assign(&cfg), classes = true;

	for (u32 i = 0; i < KEYS; i++) {
		right &= home[i] == i % 12 % QUEUES;
		classes &= i < 2 || (class[i] == CLASS_NEIGHBOUR) == (home[i] < 2);
	}
	CHECK(right, "partitions: a key's queue is its partition's, whatever the placement");
	CHECK(classes && class[0] == CLASS_HOT && class[8] == CLASS_NEIGHBOUR &&
		      class[24] == CLASS_NEIGHBOUR && class[2] == CLASS_FAR,
	      "partitions: the neighbours of hot keys are those of their queues");
}

/* The key of items without one does not take the place of a neighbour. */
static void null_key(void)
{
	struct home_config cfg = {.keys = KEYS, .hot_keys = 1, .queues = QUEUES, .neighbours = 199};

	CHECK(!assign(&cfg), "all cold keys behind the hot one");
	cfg.null_key = true;
	CHECK(home_assign(home, &cfg) == -EINVAL, "the null key is not one of them");
	cfg.neighbours = 198;
	CHECK(!assign(&cfg) &&
		      count_class(CLASS_NEIGHBOUR) + (class[KEYS - 1] != CLASS_FAR ? 0 : 1) ==
			      199 &&
		      class[KEYS - 1] != CLASS_HOT,
	      "it is where its hash is");
}

int main(void)
{
	by_hash();
	partitions();
	null_key();
	for (u32 hash = HASH_MIX; hash <= HASH_MOD; hash++) {
		exact(hash, HOT_TOGETHER, 1, 0);
		exact(hash, HOT_TOGETHER, 1, 19);
		exact(hash, HOT_TOGETHER, 4, 150);
		exact(hash, HOT_SPREAD, 4, 19);
		exact(hash, HOT_SPREAD, 7, 27);
	}
	scattered();
	impossible();
	return tap_done();
}
