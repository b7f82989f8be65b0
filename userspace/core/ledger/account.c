/* SPDX-License-Identifier: GPL-2.0-only */
/* The sums of an account, and the names of its parts. */
#include "core/ledger/internal.h"

#include <stdlib.h>
#include <string.h>

const char *part_name(enum part p)
{
	static const char *const names[PART_NR] = {
		[PART_LATE] = "late",
		[PART_WAKE] = "wake",
		[PART_SATURATED] = "saturated",
		[PART_ORDER] = "order",
		[PART_HOL] = "hol",
		[PART_CPU] = "cpu",
		[PART_IRQ] = "irq",
		[PART_BLOCKED] = "blocked",
		[PART_OVERSLEPT] = "overslept",
		[PART_CONTENDED] = "contended",
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
		return front;
	default:
		return false;
	}
}

static struct charge *charge_slot(struct ledger *l)
{
	struct charges *c = &l->charges;

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

void charge_add(struct ledger *l, enum part part, enum front front, u32 culprit, u64 ns)
{
	struct charges *c = &l->charges;
	struct charge *slot;

	if (culprit == NONE32) {
		c->plain[part][front] += ns;
		return;
	}
	if (c->last < c->nr && charge_is(&c->list[c->last], part, front, culprit)) {
		c->list[c->last].ns += ns;
		return;
	}
	for (c->last = 0; c->last < c->nr; c->last++) {
		if (charge_is(&c->list[c->last], part, front, culprit)) {
			c->list[c->last].ns += ns;
			return;
		}
	}
	slot = charge_slot(l);
	if (slot)
		*slot = (struct charge){ns, culprit, (u8)part, (u8)front};
}

void charges_reset(struct ledger *l)
{
	memset(l->charges.plain, 0, sizeof(l->charges.plain));
	l->charges.nr = l->charges.last = 0;
}

bool charges_settle(struct ledger *l, struct account *a)
{
	struct charges *c = &l->charges;
	u64 sum = 0;

	for (u32 p = 0; p < PART_NR; p++) {
		for (u32 f = 0; f < FRONT_NR; f++) {
			struct charge *slot = c->plain[p][f] ? charge_slot(l) : NULL;

			if (slot)
				*slot = (struct charge){c->plain[p][f], NONE32, (u8)p, (u8)f};
		}
	}
	for (u32 i = 0; i < c->nr; i++)
		sum += c->list[i].ns;
	a->charges = c->list;
	a->nr_charges = c->nr;
	return a->done_ns >= a->due_ns && sum == a->done_ns - a->due_ns;
}

void fronts_reset(struct ledger *l)
{
	struct fronts *f = &l->fronts;

	f->nr = f->count = 0;
	f->last_item = f->longest_item = NONE32;
	f->item_ns = f->longest_ns = 0;
}

static struct front_key *front_key_slot(struct ledger *l, u32 key)
{
	struct fronts *f = &l->fronts;

	for (u32 i = 0; i < f->nr; i++)
		if (f->keys[i].key == key)
			return &f->keys[i];
	if (f->nr == f->cap) {
		u32 cap = f->cap ? f->cap * 2 : 16;
		struct front_key *keys = realloc(f->keys, cap * sizeof(*keys));

		if (!keys) {
			l->no_memory = true;
			return NULL;
		}
		f->keys = keys;
		f->cap = cap;
	}
	f->keys[f->nr] = (struct front_key){.key = key};
	return &f->keys[f->nr++];
}

void fronts_add(struct ledger *l, u32 item, u32 key, u64 ns)
{
	struct fronts *f = &l->fronts;
	struct front_key *k = front_key_slot(l, key);

	if (item != f->last_item) {
		f->last_item = item;
		f->item_ns = 0;
		f->count++;
	}
	f->item_ns += ns;
	if (f->item_ns > f->longest_ns) {
		f->longest_ns = f->item_ns;
		f->longest_item = item;
	}
	if (k)
		k->ns += ns;
}

void fronts_settle(struct ledger *l, struct account *a)
{
	const struct fronts *f = &l->fronts;
	u64 most = 0;

	a->front_item = f->longest_item;
	a->front_count = f->count;
	a->front_key = NONE32;
	for (u32 i = 0; i < f->nr; i++) {
		if (f->keys[i].ns > most) {
			most = f->keys[i].ns;
			a->front_key = f->keys[i].key;
		}
	}
}
