/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/stats/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct order_key {
	u64 started, done; /* highest seq + 1 */
	u64 frontier;	   /* every seq below is done */
	u32 *ahead;	   /* owned, sorted: done ones at or above the frontier */
	u32 nr, cap;
};

struct order {
	struct order_key *keys;
	u32 nr_keys, hot_keys;
	struct order_counts counts;
};

int order_new(struct order **out, u32 keys, u32 hot_keys)
{
	struct order *o = calloc(1, sizeof(*o));

	*out = NULL;
	if (!o)
		return -ENOMEM;
	o->keys = calloc(keys, sizeof(*o->keys));
	if (!o->keys) {
		free(o);
		return -ENOMEM;
	}
	o->nr_keys = keys;
	o->hot_keys = hot_keys;
	*out = o;
	return 0;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	for (u32 i = 0; i < o->nr_keys; i++)
		free(o->keys[i].ahead);
	free(o->keys);
	free(o);
}

void order_start(struct order *o, u32 key, u32 seq, bool counted)
{
	struct order_key *k = &o->keys[key];

	if (seq + 1ull < k->started)
		o->counts.start_violations += counted;
	else
		k->started = seq + 1ull;
}

/* The first place in ahead[] whose seq is above `seq`. */
static u32 ahead_above(const struct order_key *k, u32 seq)
{
	u32 lo = 0, hi = k->nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (k->ahead[mid] > seq)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static int ahead_insert(struct order_key *k, u32 at, u32 seq)
{
	if (k->nr == k->cap) {
		u32 cap = k->cap ? k->cap * 2 : 16;
		u32 *ahead = realloc(k->ahead, cap * sizeof(*ahead));

		if (!ahead)
			return -ENOMEM;
		k->ahead = ahead;
		k->cap = cap;
	}
	memmove(&k->ahead[at + 1], &k->ahead[at], (k->nr - at) * sizeof(*k->ahead));
	k->ahead[at] = seq;
	k->nr++;
	return 0;
}

static void frontier_advance(struct order_key *k)
{
	u32 n = 0;

	k->frontier++;
	while (n < k->nr && k->ahead[n] == k->frontier) {
		k->frontier++;
		n++;
	}
	if (!n)
		return;
	k->nr -= n;
	memmove(k->ahead, &k->ahead[n], k->nr * sizeof(*k->ahead));
}

static void violation_count(struct order *o, u32 key, u64 displacement)
{
	o->counts.violations++;
	if (key < o->hot_keys)
		o->counts.violations_hot++;
	if (displacement > o->counts.displacement)
		o->counts.displacement = displacement;
}

int order_done(struct order *o, u32 key, u32 seq, bool counted)
{
	struct order_key *k = &o->keys[key];
	u32 at = ahead_above(k, seq);

	if (counted)
		o->counts.inverted_pairs += k->nr - at;
	if (seq + 1ull >= k->done)
		k->done = seq + 1ull;
	else if (counted)
		violation_count(o, key, k->done - 1 - seq);
	if (seq != k->frontier)
		return ahead_insert(k, at, seq);
	frontier_advance(k);
	return 0;
}

struct order_counts order_counts(const struct order *o)
{
	return o->counts;
}
