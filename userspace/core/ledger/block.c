/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums over many entries of a history. An item that waited behind thousands of others is charged a
 * few blocks and not every instant, so a backlog costs its length times the logarithm of it, not
 * its square.
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
	bool saturated; /* there are no other totals */
	struct fronts fronts;
};

/* A block of level n holds BLOCK_FAN to the power of n+1 entries. */
#define BLOCK_LEVELS 5

struct blocks {
	struct ring level[BLOCK_LEVELS]; /* struct block */
};

static u64 entries_in(u32 level)
{
	u64 n = BLOCK_FAN;

	while (level--)
		n *= BLOCK_FAN;
	return n;
}

void blocks_forget(struct blocks *b, u64 first)
{
	for (u32 level = 0; b && level < BLOCK_LEVELS; level++) {
		struct ring *r = &b->level[level];
		u64 upto = (first + entries_in(level) - 1) / entries_in(level);

		for (u64 i = r->first; i < r->end && i < upto; i++)
			free(((struct block *)ring_at(r, i))->sums);
		ring_forget(r, upto);
	}
}

void blocks_free(struct blocks *b)
{
	blocks_forget(b, UINT64_MAX / 2);
	for (u32 level = 0; b && level < BLOCK_LEVELS; level++)
		ring_free(&b->level[level]);
	free(b);
}

/* --- histories --- */

static struct ledger_slot *slot_of(const struct ledger *l, const struct history *h)
{
	return &l->resources[h->resource].slots[h->slot];
}

static bool of_segments(const struct history *h)
{
	return h->kind == SUMS_QUEUE || h->kind == SUMS_CARRIER;
}

/* Its blocks, made empty if there are none yet; NULL when out of memory. */
static struct blocks *blocks_of(struct ledger *l, const struct history *h)
{
	struct ledger_worker *w = &l->workers[h->worker];
	struct blocks **b = h->kind == SUMS_QUEUE     ? &w->queue_blocks
			    : h->kind == SUMS_CARRIER ? &w->carrier_blocks
			    : h->kind == SUMS_SLOT    ? &slot_of(l, h)->blocks
						      : &slot_of(l, h)->lock_blocks;

	if (*b)
		return *b;
	*b = calloc(1, sizeof(**b));
	for (u32 level = 0; *b && level < BLOCK_LEVELS; level++)
		ring_init(&(*b)->level[level], sizeof(struct block));
	l->no_memory |= !*b;
	return *b;
}

/* Entries before it are forgotten, and blocks that hold one of them are not asked for. */
static u64 entries_first(const struct ledger *l, const struct history *h)
{
	return of_segments(h) ? l->workers[h->worker].segments.first : slot_of(l, h)->turns.first;
}

/* Entries from here on are not closed. The last turn has no end yet. */
static u64 entries_end(const struct ledger *l, const struct history *h)
{
	return of_segments(h) ? l->workers[h->worker].segments.end : slot_of(l, h)->turns.end - 1;
}

static u64 entry_begin(const struct ledger *l, const struct history *h, u64 i)
{
	if (of_segments(h))
		return ((struct segment *)ring_at(&l->workers[h->worker].segments, i))->t0;
	return ((struct turn *)ring_at(&slot_of(l, h)->turns, i))->t;
}

static u64 entry_end(const struct ledger *l, const struct history *h, u64 i)
{
	if (of_segments(h))
		return ((struct segment *)ring_at(&l->workers[h->worker].segments, i))->t1;
	return entry_begin(l, h, i + 1);
}

static void turn_sum(struct ledger *l, const struct history *h, u64 i)
{
	const struct turn *turn = ring_at(&slot_of(l, h)->turns, i);

	charge_add(l, PART_CONTENDED, FRONT_NONE,
		   turn->item == NONE32 ? NONE32 : culprit_of_key(l, h->resource, turn->key),
		   entry_end(l, h, i) - turn->t);
}

/* Charge an entry to l->to. */
static void entry_charge(struct ledger *l, const struct history *h, u64 i)
{
	u64 a = entry_begin(l, h, i), b = entry_end(l, h, i);

	switch (h->kind) {
	case SUMS_QUEUE:
		wait_charge_nobody(l, h->worker, a, b);
		break;
	case SUMS_CARRIER:
		carrier_charge(l, h->worker, a, &b, SERVICE);
		break;
	case SUMS_SLOT:
		turn_sum(l, h, i);
		break;
	default:
		lock_turn_charge(l, h->resource, a, b);
	}
}

/* --- blocks --- */

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
	k->saturated = true;
	for (k->nr_totals = 0; k->nr_totals < k->nr_sums && k->sums[k->nr_totals].key == NONE32;)
		k->saturated &= k->sums[k->nr_totals++].part == PART_SATURATED;
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

/* What an item without a key is charged for one entry, and with a queue that segment's key. */
static void add_entry(struct ledger *l, struct block *k, const struct history *h, u64 index)
{
	struct tally *to = l->to, *mine = &l->scratch[h->kind];
	u64 end = entry_end(l, h, index);
	u32 key = NONE32;

	if (h->kind == SUMS_QUEUE)
		key = ((struct segment *)ring_at(&l->workers[h->worker].segments, index))->key;
	l->to = mine;
	tally_reset(mine);
	entry_charge(l, h, index);
	tally_list(l, mine);
	l->to = to;
	fronts_append(&k->fronts, &mine->fronts);
	if (!sums_reserve(l, k, 2 * mine->charges.nr))
		return;
	for (u32 i = 0; i < mine->charges.nr; i++) {
		const struct charge *c = &mine->charges.list[i];
		struct block_sum sum = {c->ns, NONE32, c->culprit, c->part, c->front};

		k->sums[k->nr_sums++] = sum;
		sum.key = key;
		if (sum.part == PART_HOL && key != NONE32)
			k->sums[k->nr_sums++] = sum;
	}
	k->end = end;
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
 * forgotten. Those before it have a place, too, since any of them may be asked for later. */
static struct block *block_place(struct ledger *l, const struct history *h, u32 level, u64 index)
{
	struct ring *r = &blocks_of(l, h)->level[level];
	u64 oldest = entries_first(l, h) / entries_in(level);

	if (!ring_len(r) && r->end < oldest)
		r->first = r->end = oldest;
	while (r->end <= index) {
		if (!ring_push(r)) {
			l->no_memory = true;
			return NULL;
		}
	}
	return index >= r->first ? ring_at(r, index) : NULL;
}

/* Make a block; those of lower levels that it needs as well. */
static const struct block *block_make(struct ledger *l, const struct history *h, u32 level,
				      u64 index)
{
	struct block *k = blocks_of(l, h) ? block_place(l, h, level, index) : NULL;
	struct block made = {
		.fronts = {.first.item = NONE32, .last.item = NONE32, .longest.item = NONE32}};
	bool whole = true;

	if (!k || k->end)
		return k;
	for (u64 i = index * BLOCK_FAN; i < (index + 1) * BLOCK_FAN; i++) {
		const struct block *child = level ? block_make(l, h, level - 1, i) : NULL;

		if (!level)
			add_entry(l, &made, h, i);
		else if (child)
			add_block(l, &made, child);
		whole &= !level || child;
	}
	sums_merge(&made);
	k = block_place(l, h, level, index);
	if (!k || !whole || l->no_memory) {
		free(made.sums);
		return NULL;
	}
	*k = made;
	return k;
}

const struct block *block_find(struct ledger *l, const struct history *h, u64 index, u64 b,
			       bool saturated, u64 *next)
{
	const struct block *k;
	u64 end = entries_end(l, h);
	u32 level = BLOCK_LEVELS;

	while (level--) {
		u64 n = entries_in(level);

		if (index % n || index + n > end || entry_end(l, h, index + n - 1) > b)
			continue;
		k = block_make(l, h, level, index / n);
		if (k && saturated && !k->saturated)
			continue;
		*next = index + n;
		return k;
	}
	return NULL;
}

void block_each(const struct block *k, void (*add)(void *ctx, const struct charge *sum), void *ctx)
{
	for (u32 i = 0; i < k->nr_totals; i++) {
		const struct block_sum *s = &k->sums[i];
		const struct charge sum = {s->ns, s->culprit, s->part, s->front};

		add(ctx, &sum);
	}
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
