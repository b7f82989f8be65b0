/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/stats/order.h"

#include "core/item.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One that is done out of turn; a skipped one is no party to a pair. */
struct ahead {
	u32 seq;
	bool skipped;
};

struct order_key {
	u64 started, done;   /* highest seq + 1 */
	u64 frontier;	     /* every seq below is done */
	u32 unfinished;	     /* arrived and not left */
	struct ahead *ahead; /* owned, sorted: done ones at or above the frontier */
	u32 nr, cap;
	u32 skipped; /* of them */
};

/* The highest arrival rank that has ended, + 1, and that of the keys other than its own. */
struct scope {
	u64 top, other;
	u32 top_key;
};

struct order {
	struct order_config cfg;
	struct order_key *keys;
	struct scope whole, *partitions;
	struct order_counts counts;
};

int order_new(struct order **out, const struct order_config *cfg)
{
	struct order *o = calloc(1, sizeof(*o));

	*out = NULL;
	if (!o)
		return -ENOMEM;
	o->cfg = *cfg;
	if (!o->cfg.partitions)
		o->cfg.partitions = 1;
	o->keys = calloc(cfg->keys, sizeof(*o->keys));
	o->partitions = calloc(o->cfg.partitions, sizeof(*o->partitions));
	if (!o->keys || !o->partitions) {
		free(o->keys);
		free(o->partitions);
		free(o);
		return -ENOMEM;
	}
	*out = o;
	return 0;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	for (u32 i = 0; i < o->cfg.keys; i++)
		free(o->keys[i].ahead);
	free(o->partitions);
	free(o->keys);
	free(o);
}

static bool has_order(const struct order *o, const struct order_item *it)
{
	return !o->cfg.null_unordered || it->key != o->cfg.null_key;
}

void order_arrive(struct order *o, const struct order_item *it)
{
	u32 *unfinished = &o->keys[it->key].unfinished;

	o->counts.exercised += *unfinished > 0 && it->counted && has_order(o, it);
	++*unfinished;
}

void order_leave(struct order *o, const struct order_item *it)
{
	u32 *unfinished = &o->keys[it->key].unfinished;

	*unfinished -= *unfinished > 0;
}

void order_start(struct order *o, const struct order_item *it)
{
	struct order_key *k = &o->keys[it->key];

	if (!has_order(o, it))
		return;
	if (it->seq + 1ull < k->started)
		o->counts.start_violations += it->counted;
	else
		k->started = it->seq + 1ull;
}

/* --- the stream and the partitions --- */

static void scope_note(struct scope *s, u64 rank, u32 key)
{
	if (rank > s->top) {
		if (key != s->top_key)
			s->other = s->top;
		s->top = rank;
		s->top_key = key;
	} else if (key != s->top_key && rank > s->other) {
		s->other = rank;
	}
}

static void scopes_done(struct order *o, const struct order_item *it)
{
	u64 rank = it->id + 1ull;
	u32 p = item_partition(it->key, it->id, o->cfg.partitions, o->cfg.null_key);
	struct scope *s = &o->partitions[p];

	if (it->counted) {
		o->counts.total += o->whole.top > rank;
		o->counts.partition += s->top > rank;
		o->counts.across += (it->key == s->top_key ? s->other : s->top) > rank;
	}
	scope_note(&o->whole, rank, it->key);
	scope_note(s, rank, it->key);
}

/* --- the keys --- */

/* The first place in ahead[] whose seq is above `seq`. */
static u32 ahead_above(const struct order_key *k, u32 seq)
{
	u32 lo = 0, hi = k->nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (k->ahead[mid].seq > seq)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static int ahead_insert(struct order_key *k, u32 at, struct ahead new)
{
	if (k->nr == k->cap) {
		u32 cap = k->cap ? k->cap * 2 : 16;
		struct ahead *ahead = realloc(k->ahead, cap * sizeof(*ahead));

		if (!ahead)
			return -ENOMEM;
		k->ahead = ahead;
		k->cap = cap;
	}
	memmove(&k->ahead[at + 1], &k->ahead[at], (k->nr - at) * sizeof(*k->ahead));
	k->ahead[at] = new;
	k->nr++;
	k->skipped += new.skipped;
	return 0;
}

static void frontier_advance(struct order_key *k)
{
	u32 n = 0;

	k->frontier++;
	while (n < k->nr && k->ahead[n].seq == k->frontier) {
		k->skipped -= k->ahead[n].skipped;
		k->frontier++;
		n++;
	}
	if (!n)
		return;
	k->nr -= n;
	memmove(k->ahead, &k->ahead[n], k->nr * sizeof(*k->ahead));
}

/* It ends: in its turn, or ahead of others. */
static int key_end(struct order_key *k, u32 at, struct ahead end)
{
	if (end.seq != k->frontier)
		return ahead_insert(k, at, end);
	frontier_advance(k);
	return 0;
}

static void violation_count(struct order *o, u32 key, u64 displacement)
{
	o->counts.violations++;
	if (key < o->cfg.hot_keys)
		o->counts.violations_hot++;
	if (displacement > o->counts.displacement)
		o->counts.displacement = displacement;
}

static u32 pairs_at(const struct order_key *k, u32 at)
{
	u32 pairs = k->nr - at;

	for (u32 i = at; k->skipped && i < k->nr; i++)
		pairs -= k->ahead[i].skipped;
	return pairs;
}

int order_done(struct order *o, const struct order_item *it)
{
	struct order_key *k = &o->keys[it->key];
	u32 at = ahead_above(k, it->seq);

	if (!has_order(o, it))
		return 0;
	scopes_done(o, it);
	if (it->counted)
		o->counts.inverted_pairs += pairs_at(k, at);
	if (it->seq + 1ull >= k->done)
		k->done = it->seq + 1ull;
	else if (it->counted)
		violation_count(o, it->key, k->done - 1 - it->seq);
	return key_end(k, at, (struct ahead){it->seq, false});
}

int order_skip(struct order *o, const struct order_item *it)
{
	struct order_key *k = &o->keys[it->key];

	if (!has_order(o, it))
		return 0;
	return key_end(k, ahead_above(k, it->seq), (struct ahead){it->seq, true});
}

struct order_counts order_counts(const struct order *o)
{
	return o->counts;
}
