/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/home.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

static u64 hash_key(const struct home_config *cfg, u32 key)
{
	return cfg->hash == HASH_MOD ? key : rng_mix(key);
}

/* Distinct queues with a hot key: consecutive from key 0's. */
static u32 hot_queues(const struct home_config *cfg)
{
	if (!cfg->hot_keys)
		return 0;
	if (cfg->hot_placement == HOT_TOGETHER)
		return 1;
	return cfg->hot_keys < cfg->queues ? cfg->hot_keys : cfg->queues;
}

/*
 * `need` of the cold keys become neighbours, drawn without replacement in one pass (Knuth,
 * algorithm S), the draw being a hash of the key. Queues are numbered from the first hot one.
 */
static void assign_exact(u32 *home, const struct home_config *cfg, u32 first, u32 need)
{
	u32 hot = hot_queues(cfg), taken = 0, keys = cfg->keys - cfg->null_key;

	for (u32 key = cfg->hot_keys; key < keys; key++) {
		u64 draw = rng_mix(rng_mix(key) + 1) % (keys - key);
		u32 offset;

		if (draw < need - taken)
			offset = taken++ % hot;
		else
			offset = hot + (u32)(hash_key(cfg, key) % (cfg->queues - hot));
		home[key] = (first + offset) % cfg->queues;
	}
}

/* Keys from `key` on, where nothing but the hash says. */
static void assign_hashed(u32 *home, const struct home_config *cfg, u32 key)
{
	for (; key < cfg->keys; key++)
		home[key] = (u32)(hash_key(cfg, key) % cfg->queues);
}

static void assign_partitions(u32 *home, const struct home_config *cfg)
{
	for (u32 key = 0; key < cfg->keys; key++)
		home[key] = key % cfg->partitions % cfg->queues;
}

int home_assign(u32 *home, const struct home_config *cfg)
{
	u32 hot = hot_queues(cfg), keys = cfg->keys - cfg->null_key, cold = keys - cfg->hot_keys;
	u32 first = (u32)(hash_key(cfg, 0) % cfg->queues);
	u64 need;

	if (cfg->partitions) {
		assign_partitions(home, cfg);
		return 0;
	}
	for (u32 key = 0; key < cfg->hot_keys; key++)
		home[key] = (first + (hot == 1 ? 0 : key)) % cfg->queues;
	if (cfg->neighbours < 0 || !hot) {
		assign_hashed(home, cfg, cfg->hot_keys);
		return 0;
	}
	if (cfg->neighbours > cold)
		return -EINVAL;
	need = (u64)cfg->neighbours * hot;
	if (need > cold || (need < cold && hot == cfg->queues))
		return -EINVAL;
	assign_exact(home, cfg, first, (u32)need);
	assign_hashed(home, cfg, keys);
	return 0;
}

int home_classify(u8 *class, const u32 *home, const struct home_config *cfg)
{
	bool *hot = calloc(cfg->queues, sizeof(*hot));

	if (!hot)
		return -ENOMEM;
	for (u32 key = 0; key < cfg->hot_keys; key++)
		hot[home[key]] = true;
	for (u32 key = 0; key < cfg->keys; key++) {
		if (key < cfg->hot_keys)
			class[key] = CLASS_HOT;
		else
			class[key] = hot[home[key]] ? CLASS_NEIGHBOUR : CLASS_FAR;
	}
	free(hot);
	return 0;
}
