/* SPDX-License-Identifier: GPL-2.0-only */
/* The sums of an account, and the names of its parts. */
#include "core/ledger/internal.h"

#include <stdlib.h>
#include <string.h>

const char *part_name(enum part p)
{
	static const char *const names[PART_NR] = {
		[PART_LATE] = "late",
		[PART_AGAIN] = "again",
		[PART_WAKE] = "wake",
		[PART_SATURATED] = "saturated",
		[PART_ORDER] = "order",
		[PART_HOL] = "hol",
		[PART_CPU] = "cpu",
		[PART_IRQ] = "irq",
		[PART_BLOCKED] = "blocked",
		[PART_OVERSLEPT] = "overslept",
		[PART_CONTENDED] = "contended",
		[PART_PAUSED] = "paused",
		[PART_CARRIER] = "carrier",
		[PART_RUNQUEUE] = "runqueue",
		[PART_THROTTLED] = "throttled",
		[PART_UNKNOWN] = "unknown",
	};

	return p < PART_NR ? names[p] : "?";
}

const char *front_name(enum front f)
{
	static const char *const names[FRONT_NR] = {
		[FRONT_NONE] = "",
		[FRONT_CPU] = "cpu",
		[FRONT_IRQ] = "irq",
		[FRONT_BLOCKED] = "blocked",
		[FRONT_OVERSLEPT] = "overslept",
		[FRONT_CONTENDED] = "contended",
		[FRONT_PAUSED] = "paused",
		[FRONT_CARRIER] = "carrier",
		[FRONT_RUNQUEUE] = "runqueue",
		[FRONT_THROTTLED] = "throttled",
		[FRONT_SIGNAL] = "signal",
		[FRONT_WAKEUP] = "wakeup",
		[FRONT_UNKNOWN] = "unknown",
	};

	return f < FRONT_NR ? names[f] : "?";
}

bool part_is_kernel(enum part p, enum front f)
{
	bool front = f == FRONT_IRQ || f == FRONT_OVERSLEPT || f == FRONT_RUNQUEUE ||
		     f == FRONT_THROTTLED;

	switch (p) {
	case PART_LATE:
	case PART_WAKE:
	case PART_IRQ:
	case PART_OVERSLEPT:
	case PART_RUNQUEUE:
	case PART_THROTTLED:
		return true;
	case PART_SATURATED:
	case PART_ORDER:
	case PART_HOL:
	case PART_CONTENDED:
	case PART_CARRIER:
		return front;
	default:
		return false;
	}
}

bool charge_has_resource(enum part p, enum front f)
{
	return p == PART_CONTENDED || (f == FRONT_CONTENDED && p != PART_CARRIER);
}

static struct charge *charge_slot(struct ledger *l, struct charges *c)
{
	if (c->nr == c->cap) {
		u32 cap = c->cap ? c->cap * 2 : 64;
		struct charge *list = realloc(c->list, cap * sizeof(*list));

		if (!list) {
			l->no_memory = true;
			return NULL;
		}
		c->list = list;
		c->cap = cap;
	}
	return &c->list[c->nr++];
}

static bool charge_is(const struct charge *c, enum part part, enum front front, u32 culprit)
{
	return c->culprit == culprit && c->part == part && c->front == front;
}

/* Add to the charge that is there; false when there is none. */
static bool charge_more(struct charges *c, enum part part, enum front front, u32 culprit, u64 ns)
{
	if (c->last < c->nr && charge_is(&c->list[c->last], part, front, culprit)) {
		c->list[c->last].ns += ns;
		return true;
	}
	for (c->last = 0; c->last < c->nr; c->last++) {
		if (charge_is(&c->list[c->last], part, front, culprit)) {
			c->list[c->last].ns += ns;
			return true;
		}
	}
	return false;
}

static void plain_add(struct charges *c, u32 cell, u64 ns)
{
	if (!c->plain[cell] && ns)
		c->used[c->nr_used++] = (u16)cell;
	c->plain[cell] += ns;
}

void charge_add(struct ledger *l, enum part part, enum front front, u32 culprit, u64 ns)
{
	struct charges *c = &l->to->charges;
	struct charge *slot;

	if (culprit == NONE32) {
		plain_add(c, (u32)part * FRONT_NR + front, ns);
		return;
	}
	if (charge_more(c, part, front, culprit, ns))
		return;
	if (c->nr >= NAMES_MAX && culprit_is_key(culprit)) {
		culprit = culprit_unnamed(culprit);
		if (charge_more(c, part, front, culprit, ns))
			return;
	}
	slot = charge_slot(l, c);
	if (slot)
		*slot = (struct charge){ns, culprit, (u8)part, (u8)front};
}

static void front_longest(struct fronts *f, const struct front_item *x)
{
	if (x->item != NONE32 && (f->longest.item == NONE32 || x->ns > f->longest.ns))
		f->longest = *x;
}

void fronts_add(struct ledger *l, u32 item, u32 key, u64 ns)
{
	struct fronts *f = &l->to->fronts;

	if (item != f->last.item) {
		f->last = (struct front_item){.item = item, .key = key};
		f->count++;
	}
	f->last.ns += ns;
	if (f->count == 1)
		f->first = f->last;
	front_longest(f, &f->last);
}

void fronts_append(struct fronts *f, const struct fronts *later)
{
	bool same = f->count && later->count && f->last.item == later->first.item;

	if (!later->count)
		return;
	if (!f->count) {
		*f = *later;
		return;
	}
	if (same) { /* one item, cut in two */
		f->last.ns += later->first.ns;
		if (f->count == 1)
			f->first = f->last;
		front_longest(f, &f->last);
	}
	front_longest(f, &later->longest);
	if (!same || later->count > 1)
		f->last = later->last;
	f->count += later->count - same;
}

void tally_reset(struct tally *t)
{
	for (u32 i = 0; i < t->charges.nr_used; i++)
		t->charges.plain[t->charges.used[i]] = 0;
	t->charges.nr = t->charges.last = t->charges.nr_used = 0;
	t->fronts =
		(struct fronts){.first.item = NONE32, .last.item = NONE32, .longest.item = NONE32};
}

void tally_free(struct tally *t)
{
	free(t->charges.list);
}

/* They are few, and nearly in order. */
static void used_sort(struct charges *c)
{
	for (u32 i = 1; i < c->nr_used; i++) {
		u16 cell = c->used[i];
		u32 k = i;

		for (; k && c->used[k - 1] > cell; k--)
			c->used[k] = c->used[k - 1];
		c->used[k] = cell;
	}
}

void tally_list(struct ledger *l, struct tally *t)
{
	struct charges *c = &t->charges;

	used_sort(c);
	for (u32 i = 0; i < c->nr_used; i++) {
		u32 cell = c->used[i];
		struct charge *slot = charge_slot(l, c);

		if (slot)
			*slot = (struct charge){c->plain[cell], NONE32, (u8)(cell / FRONT_NR),
						(u8)(cell % FRONT_NR)};
	}
}

bool tally_settle(struct ledger *l, struct account *a)
{
	struct tally *t = &l->account;
	u64 sum = 0;

	tally_list(l, t);
	for (u32 i = 0; i < t->charges.nr; i++)
		sum += t->charges.list[i].ns;
	a->charges = t->charges.list;
	a->nr_charges = t->charges.nr;
	a->front_item = t->fronts.longest.item;
	a->front_key = t->fronts.longest.item == NONE32 ? NONE32 : t->fronts.longest.key;
	a->front_count = t->fronts.count;
	return a->done_ns >= a->due_ns && sum == a->done_ns - a->due_ns;
}
