/* SPDX-License-Identifier: GPL-2.0-only */
/* Who had the slots of resources and the locks, and who waited for a lock. */
#include "core/ledger/internal.h"

#include <errno.h>
#include <stdlib.h>

void resources_free(struct ledger *l)
{
	for (u32 r = 0; r < RESOURCES_MAX; r++) {
		for (u32 i = 0; i < l->resources[r].nr_slots; i++) {
			struct ledger_slot *s = &l->resources[r].slots[i];

			ring_free(&s->turns);
			blocks_free(s->blocks);
			blocks_free(s->lock_blocks);
		}
		free(l->resources[r].slots);
	}
}

static struct ledger_slot *slot_get(struct ledger *l, u32 resource, u32 slot)
{
	struct ledger_resource *r = &l->resources[resource];
	u32 nr = slot < 8 ? 8 : slot + slot / 2;
	struct ledger_slot *slots;

	if (slot < r->nr_slots)
		return &r->slots[slot];
	slots = realloc(r->slots, nr * sizeof(*slots));
	if (!slots)
		return NULL;
	r->slots = slots;
	for (; r->nr_slots < nr; r->nr_slots++) {
		slots[r->nr_slots] = (struct ledger_slot){0};
		ring_init(&slots[r->nr_slots].turns, sizeof(struct turn));
	}
	return &slots[slot];
}

static void turns_trim(struct ledger *l, struct ledger_slot *s)
{
	u64 first = ring_holding(&s->turns, ledger_horizon(l));

	ring_forget(&s->turns, first);
	blocks_forget(s->blocks, first);
	blocks_forget(s->lock_blocks, first);
}

/*
 * Add a turn. Of calls that were made at nearly the same time on two threads the later may be known
 * first, so a slot's turns are put in the order of their times.
 */
static int turn_add(struct ledger *l, u32 resource, u32 slot, const struct turn *turn)
{
	struct ledger_slot *s = slot_get(l, resource, slot);
	struct ring *r = s ? &s->turns : NULL;
	u64 i;

	if (!r)
		return -ENOMEM;
	if (ring_full(r) && ring_len(r))
		turns_trim(l, s);
	if (!ring_push(r))
		return -ENOMEM;
	for (i = r->end - 1; i > r->first; i--) {
		const struct turn *before = ring_at(r, i - 1);

		if (before->t <= turn->t)
			break;
		*(struct turn *)ring_at(r, i) = *before;
	}
	*(struct turn *)ring_at(r, i) = *turn;
	return 0;
}

static struct turn turn_of(const struct inflight *x, u64 t)
{
	return (struct turn){
		.t = t, .service = x->service, .item = x->a.item, .key = x->a.key, .lane = x->lane};
}

int slot_take(struct ledger *l, const struct inflight *x, u32 resource, u32 slot, u64 from_ns)
{
	struct turn turn = turn_of(x, from_ns);

	return turn_add(l, resource, slot, &turn);
}

const struct turn *turn_at(const struct ledger *l, u32 resource, u32 slot, u64 t, u64 *until)
{
	const struct ledger_resource *res = &l->resources[resource];
	const struct ring *r = slot < res->nr_slots ? &res->slots[slot].turns : NULL;
	const struct turn *turn;
	u64 i;

	if (!r || !ring_len(r))
		return NULL;
	i = ring_holding(r, t);
	turn = ring_at(r, i);
	if (turn->t > t) {
		*until = turn->t < *until ? turn->t : *until;
		return NULL;
	}
	if (i + 1 < r->end) {
		u64 next = ((const struct turn *)ring_at(r, i + 1))->t;

		*until = next < *until ? next : *until;
	}
	return turn;
}

/* --- locks --- */

/* Whose turn it is now. */
static void lock_note(struct ledger *l, u32 resource, u64 t)
{
	const struct ledger_resource *r = &l->resources[resource];
	struct inflight *x = r->holder ? r->holder : r->first;
	struct turn turn = {.t = t, .item = NONE32, .key = NONE32};
	struct ledger_slot *s = slot_get(l, resource, 0);
	struct turn *last = s && ring_len(&s->turns) ? ring_at(&s->turns, s->turns.end - 1) : NULL;

	if (x)
		turn = turn_of(x, t);
	if (x && x->plan.from_ns == NEVER_NS)
		plan_turn(l, x, t);
	if (last && last->item == turn.item)
		return;
	if (last && last->t == t) /* it lasted no time */
		*last = turn;
	else if (turn_add(l, resource, 0, &turn))
		l->no_memory = true;
}

static void waiter_remove(struct ledger_resource *r, struct inflight *x)
{
	*(x->lock_prev ? &x->lock_prev->lock_next : &r->first) = x->lock_next;
	*(x->lock_next ? &x->lock_next->lock_prev : &r->last) = x->lock_prev;
	x->lock_prev = x->lock_next = NULL;
}

void lock_join(struct ledger *l, struct inflight *x, u64 t)
{
	struct ledger_resource *r = &l->resources[x->plan.resource];

	r->lock = true;
	x->lock = LOCK_WAITS;
	x->lock_prev = r->last;
	*(r->last ? &r->last->lock_next : &r->first) = x;
	r->last = x;
	lock_note(l, x->plan.resource, t);
}

void lock_take(struct ledger *l, struct inflight *x, u64 t)
{
	struct ledger_resource *r = &l->resources[x->plan.resource];

	if (x->lock == LOCK_WAITS)
		waiter_remove(r, x);
	if (r->holder && r->holder != x) /* its giving back is written later than this */
		r->holder->lock = LOCK_NONE;
	r->lock = true;
	x->lock = LOCK_HAS;
	r->holder = x;
	lock_note(l, x->plan.resource, t);
}

void lock_leave(struct ledger *l, struct inflight *x, u64 t)
{
	struct ledger_resource *r;

	if (x->lock == LOCK_NONE)
		return;
	r = &l->resources[x->plan.resource];
	if (x->lock == LOCK_WAITS)
		waiter_remove(r, x);
	else
		r->holder = NULL;
	x->lock = LOCK_NONE;
	lock_note(l, x->plan.resource, t);
}

/* --- culprits --- */

u32 culprit_of_key(const struct ledger *l, u32 resource, u32 key)
{
	u32 named = key < l->cfg.named_keys && key < CULPRIT_KEYS_MAX ? key : CULPRIT_KEYS_MAX;

	return CULPRIT_KEY | resource << CULPRIT_RESOURCE_SHIFT | named;
}

struct blaming {
	void (*add)(void *ctx, u32 culprit, u64 ns);
	void *ctx;
};

static void blame_sum(void *ctx, const struct charge *sum)
{
	const struct blaming *to = ctx;

	to->add(to->ctx, sum->culprit, sum->ns);
}

/* Whole blocks from a turn that begins at a; returns to when. */
static u64 blame_blocks(struct ledger *l, const struct history *h, u64 a, u64 b, struct blaming *to)
{
	const struct ledger_resource *r = &l->resources[h->resource];
	const struct ring *turns = h->slot < r->nr_slots ? &r->slots[h->slot].turns : NULL;
	u64 i = turns && ring_len(turns) ? ring_holding(turns, a) : 0;
	const struct block *k;

	if (!turns || !ring_len(turns) || ((const struct turn *)ring_at(turns, i))->t != a)
		return a;
	while ((k = block_find(l, h, i, b, false, &i))) {
		block_each(k, blame_sum, to);
		a = block_end(k);
	}
	return a;
}

void blame_slot(struct ledger *l, u32 resource, u32 slot, u64 a, u64 b,
		void (*add)(void *ctx, u32 culprit, u64 ns), void *ctx)
{
	const struct history h = {.kind = SUMS_SLOT, .resource = resource, .slot = slot};
	struct blaming to = {add, ctx};

	while ((a = blame_blocks(l, &h, a, b, &to)) < b) {
		u64 until = b;
		const struct turn *turn = turn_at(l, resource, slot, a, &until);

		if (!turn)
			add(ctx, CULPRIT_UNKNOWN, until - a);
		else if (turn->item == NONE32)
			add(ctx, NONE32, until - a);
		else
			add(ctx, culprit_of_key(l, resource, turn->key), until - a);
		a = until;
	}
}
