/* SPDX-License-Identifier: GPL-2.0-only */
/* Who had the slots of resources and the locks, and who waited for a lock. */
#include "core/ledger/internal.h"

#include <errno.h>
#include <stdlib.h>

void resources_free(struct ledger *l)
{
	for (u32 r = 0; r < RESOURCES_MAX; r++) {
		for (u32 i = 0; i < l->resources[r].nr_slots; i++)
			ring_free(&l->resources[r].slots[i]);
		free(l->resources[r].slots);
	}
}

static struct ring *slot_ring(struct ledger *l, u32 resource, u32 slot)
{
	struct ledger_resource *r = &l->resources[resource];
	u32 nr = slot < 8 ? 8 : slot + slot / 2;
	struct ring *slots;

	if (slot < r->nr_slots)
		return &r->slots[slot];
	slots = realloc(r->slots, nr * sizeof(*slots));
	if (!slots)
		return NULL;
	r->slots = slots;
	while (r->nr_slots < nr)
		ring_init(&slots[r->nr_slots++], sizeof(struct turn));
	return &slots[slot];
}

/*
 * Add a turn. Of calls that were made at nearly the same time on two threads the later may be known
 * first, so a slot's turns are put in the order of their times.
 */
static int turn_add(struct ledger *l, u32 resource, u32 slot, const struct turn *turn)
{
	struct ring *r = slot_ring(l, resource, slot);
	u64 i;

	if (!r)
		return -ENOMEM;
	if (ring_full(r) && ring_len(r))
		ring_forget(r, ring_holding(r, ledger_horizon(l)));
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
	const struct ring *r = slot < res->nr_slots ? &res->slots[slot] : NULL;
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
	const struct inflight *x = r->holder ? r->holder : r->first;
	struct turn turn = {.t = t, .item = NONE32, .key = NONE32};
	struct ring *ring = slot_ring(l, resource, 0);
	struct turn *last = ring && ring_len(ring) ? ring_at(ring, ring->end - 1) : NULL;

	if (x)
		turn = turn_of(x, t);
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

void blame_slot(struct ledger *l, u32 resource, u32 slot, u64 a, u64 b,
		void (*add)(void *ctx, u32 culprit, u64 ns), void *ctx)
{
	while (a < b) {
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
