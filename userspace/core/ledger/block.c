/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums over many segments of a worker's history. An item that waited behind thousands of others is
 * charged a few blocks and not every instant, so a backlog costs its length times the logarithm of
 * it, not its square.
 *
 * A block knows the charges of an item without a key; of its time behind items in service (hol) it
 * also knows by whose key, since for an item of that key the same time is `order`.
 */
#include "core/ledger/internal.h"

#include <stdlib.h>
#include <string.h>

/* A sum. key is NONE32 in the totals. */
struct block_sum {
	u64 ns;
	u32 key, culprit;
	u8 part, front;
};

struct block {
	u64 end;		/* time of its last segment's end; 0: not made yet */
	struct block_sum *sums; /* owned: the totals, then the keys' share of hol, each in the order
				   of by_place() */
	u32 nr_totals, nr_sums;
	struct fronts fronts;
};

static u64 segments_in(u32 level)
{
	u64 n = BLOCK_FAN;

	while (level--)
		n *= BLOCK_FAN;
	return n;
}

void blocks_init(struct ledger_worker *w)
{
	for (u32 level = 0; level < BLOCK_LEVELS; level++)
		ring_init(&w->blocks[level], sizeof(struct block));
}

void blocks_forget(struct ledger_worker *w, u64 first)
{
	for (u32 level = 0; level < BLOCK_LEVELS; level++) {
		struct ring *r = &w->blocks[level];
		u64 upto = (first + segments_in(level) - 1) / segments_in(level);

		for (u64 i = r->first; i < r->end && i < upto; i++)
			free(((struct block *)ring_at(r, i))->sums);
		ring_forget(r, upto);
	}
}

void blocks_free(struct ledger_worker *w)
{
	blocks_forget(w, UINT64_MAX / 2);
	for (u32 level = 0; level < BLOCK_LEVELS; level++)
		ring_free(&w->blocks[level]);
}

u64 block_end(const struct block *k)
{
	return k->end;
}

static int by_place(const void *x, const void *y)
{
	const struct block_sum *a = x, *b = y;

	if (a->key != b->key) /* totals first */
		return a->key + 1 < b->key + 1 ? -1 : 1;
	if (a->part != b->part)
		return a->part - b->part;
	if (a->front != b->front)
		return a->front - b->front;
	return a->culprit < b->culprit ? -1 : a->culprit > b->culprit;
}

/* Sort, and add up what has the same place. */
static void sums_merge(struct block *k)
{
	u32 to = 0;

	if (!k->nr_sums)
		return;
	qsort(k->sums, k->nr_sums, sizeof(*k->sums), by_place);
	for (u32 i = 1; i < k->nr_sums; i++) {
		if (!by_place(&k->sums[to], &k->sums[i]))
			k->sums[to].ns += k->sums[i].ns;
		else
			k->sums[++to] = k->sums[i];
	}
	k->nr_sums = to + 1;
	for (k->nr_totals = 0; k->nr_totals < k->nr_sums && k->sums[k->nr_totals].key == NONE32;)
		k->nr_totals++;
}

static bool sums_reserve(struct ledger *l, struct block *k, u32 more)
{
	struct block_sum *sums = realloc(k->sums, (k->nr_sums + more) * sizeof(*sums));

	if (!sums && k->nr_sums + more) {
		l->no_memory = true;
		return false;
	}
	k->sums = sums;
	return true;
}

/* What an item without a key is charged for one segment, and that segment's key. */
static void add_segment(struct ledger *l, struct block *k, u32 worker, const struct segment *s)
{
	struct segment seg = *s; /* charging may move the histories */
	struct tally *to = l->to;
	const struct charges *c = &l->scratch.charges;

	l->to = &l->scratch;
	tally_reset(l->to);
	wait_charge_nobody(l, worker, seg.t0, seg.t1);
	tally_list(l, l->to);
	l->to = to;
	fronts_append(&k->fronts, &l->scratch.fronts);
	if (!sums_reserve(l, k, 2 * c->nr))
		return;
	for (u32 i = 0; i < c->nr; i++) {
		struct block_sum sum = {c->list[i].ns, NONE32, c->list[i].culprit, c->list[i].part,
					c->list[i].front};

		k->sums[k->nr_sums++] = sum;
		sum.key = seg.key;
		if (sum.part == PART_HOL && sum.key != NONE32)
			k->sums[k->nr_sums++] = sum;
	}
	k->end = seg.t1;
}

static void add_block(struct ledger *l, struct block *k, const struct block *child)
{
	fronts_append(&k->fronts, &child->fronts);
	if (!sums_reserve(l, k, child->nr_sums))
		return;
	memcpy(k->sums + k->nr_sums, child->sums, child->nr_sums * sizeof(*k->sums));
	k->nr_sums += child->nr_sums;
	k->end = child->end;
}

/* The place of a block in its ring, made empty if it is not there yet; NULL when out of memory or
 * forgotten. */
static struct block *block_place(struct ledger *l, struct ring *r, u64 index)
{
	if (!ring_len(r) && r->end < index)
		r->first = r->end = index;
	while (r->end <= index) {
		if (!ring_push(r)) {
			l->no_memory = true;
			return NULL;
		}
	}
	return index >= r->first ? ring_at(r, index) : NULL;
}

/* Make a block; those of lower levels that it needs as well. */
static const struct block *block_make(struct ledger *l, u32 worker, u32 level, u64 index)
{
	struct ledger_worker *w = &l->workers[worker];
	struct block *k = block_place(l, &w->blocks[level], index);
	struct block made = {
		.fronts = {.first.item = NONE32, .last.item = NONE32, .longest.item = NONE32}};

	if (!k || k->end)
		return k;
	for (u64 i = index * BLOCK_FAN; i < (index + 1) * BLOCK_FAN; i++) {
		const struct block *child = level ? block_make(l, worker, level - 1, i) : NULL;

		if (!level)
			add_segment(l, &made, worker, ring_at(&w->segments, i));
		else if (child)
			add_block(l, &made, child);
	}
	sums_merge(&made);
	k = block_place(l, &w->blocks[level], index);
	if (!k || l->no_memory) {
		free(made.sums);
		return NULL;
	}
	*k = made;
	return k;
}

const struct block *block_find(struct ledger *l, u32 worker, u64 index, u64 b, u64 *next)
{
	const struct ledger_worker *w = &l->workers[worker];
	u32 level = BLOCK_LEVELS;

	while (level--) {
		u64 n = segments_in(level);
		const struct segment *last;

		if (index % n || index + n > w->segments.end)
			continue;
		last = ring_at(&w->segments, index + n - 1);
		if (last->t1 > b)
			continue;
		*next = index + n;
		return block_make(l, worker, level, index / n);
	}
	return NULL;
}

/* How much of a total of hol was behind items of `key`. */
static u64 share_of_key(const struct block *k, struct block_sum total, u32 key)
{
	const struct block_sum *found;

	total.key = key;
	found = bsearch(&total, k->sums + k->nr_totals, k->nr_sums - k->nr_totals, sizeof(total),
			by_place);
	return found ? found->ns : 0;
}

void block_charge(struct ledger *l, const struct block *k, u32 key)
{
	fronts_append(&l->to->fronts, &k->fronts);
	for (u32 i = 0; i < k->nr_totals; i++) {
		const struct block_sum *s = &k->sums[i];
		u64 order = s->part == PART_HOL && key != NONE32 ? share_of_key(k, *s, key) : 0;

		if (order)
			charge_add(l, PART_ORDER, (enum front)s->front, s->culprit, order);
		if (s->ns > order)
			charge_add(l, (enum part)s->part, (enum front)s->front, s->culprit,
				   s->ns - order);
	}
}
