/* SPDX-License-Identifier: GPL-2.0-only */
/* Time of service, as the item's own and as that of who waits behind it. */
#include "core/ledger/internal.h"

static enum part part_of_service(enum front f)
{
	switch (f) {
	case FRONT_CPU:
		return PART_CPU;
	case FRONT_IRQ:
		return PART_IRQ;
	case FRONT_BLOCKED:
		return PART_BLOCKED;
	case FRONT_OVERSLEPT:
		return PART_OVERSLEPT;
	case FRONT_CONTENDED:
		return PART_CONTENDED;
	case FRONT_PAUSED:
		return PART_PAUSED;
	case FRONT_CARRIER:
		return PART_CARRIER;
	case FRONT_RUNQUEUE:
		return PART_RUNQUEUE;
	case FRONT_THROTTLED:
		return PART_THROTTLED;
	default:
		return PART_UNKNOWN;
	}
}

/* Charge a state to the item itself, or to one that waits behind it. */
static void state_charge(struct ledger *l, int part, enum front state, u32 culprit, u64 ns)
{
	if (part == SERVICE)
		charge_add(l, part_of_service(state), FRONT_NONE, culprit, ns);
	else
		charge_add(l, (enum part)part, state, culprit, ns);
}

/* The worker's segment at t; *until its end, or the next one's begin. */
static const struct segment *segment_until(struct ledger *l, u32 worker, u64 t, u64 *until)
{
	const struct segment *s;

	worker_cut(l, &l->workers[worker], *until);
	s = segment_at(&l->workers[worker], t);
	if (s)
		*until = min_u64(*until, s->t1);
	return s;
}

/* What a carrier that is free does on its way to an item that could go on: it sleeps too long. */
static enum front way_front(const struct segment *s)
{
	return s->front == FRONT_SIGNAL || s->front == FRONT_WAKEUP ? FRONT_OVERSLEPT
								    : (enum front)s->front;
}

/* --- what the holder of a lock does --- */

static enum front away_front(struct ledger *l, const struct away *y, u64 t, u64 *until)
{
	const struct segment *s;

	switch (plan_phase(l, &y->plan, t, until)) {
	case PHASE_PAUSED:
		return FRONT_PAUSED;
	case PHASE_CONTENDED:
		return FRONT_CONTENDED;
	case PHASE_BLOCKED:
		return FRONT_BLOCKED;
	default:
		s = segment_until(l, y->worker, t, until);
		return !s ? FRONT_UNKNOWN : s->item != NONE32 ? FRONT_CARRIER : way_front(s);
	}
}

static enum front holder_front(struct ledger *l, const struct turn *turn, u64 t, u64 *until)
{
	const struct services *v = &l->lanes[turn->lane];
	const struct service *h;
	const struct away *y;
	const struct segment *s;

	if (turn->service < v->ring.first || turn->service >= v->ring.end)
		return FRONT_UNKNOWN;
	h = service_at(v, turn->service);
	y = away_at(l, h->away, t);
	if (y && y->t0 <= t) {
		*until = min_u64(*until, y->t1);
		return away_front(l, y, t, until);
	}
	if (y)
		*until = min_u64(*until, y->t0);
	s = segment_until(l, h->worker, t, until);
	return s && s->item == h->item ? (enum front)s->front : FRONT_UNKNOWN;
}

/* --- waiting for a slot or a lock --- */

struct blaming {
	struct ledger *l;
	int part;
};

static void contended_blame(void *ctx, u32 culprit, u64 ns)
{
	struct blaming *to = ctx;

	state_charge(to->l, to->part, FRONT_CONTENDED, culprit, ns);
}

static void lock_sum(void *ctx, const struct charge *sum)
{
	charge_add(ctx, (enum part)sum->part, (enum front)sum->front, sum->culprit, sum->ns);
}

u64 lock_turn_charge(struct ledger *l, u32 resource, u64 a, u64 b)
{
	u64 until = b;
	const struct turn *turn = turn_at(l, resource, 0, a, &until);
	bool known = turn && turn->item != NONE32;
	u32 culprit = !turn   ? CULPRIT_UNKNOWN
		      : known ? culprit_of_key(l, resource, turn->key)
			      : NONE32;
	struct turn copy = known ? *turn : (struct turn){0};

	while (a < until) {
		u64 upto = until;
		enum front front = known ? holder_front(l, &copy, a, &upto) : FRONT_UNKNOWN;

		charge_add(l, PART_CONTENDED, front, culprit, upto - a);
		a = upto;
	}
	return until;
}

static void lock_charge(struct ledger *l, u32 resource, u64 a, u64 b)
{
	const struct history h = {.kind = SUMS_LOCK, .resource = resource};
	const struct ring *turns = &l->resources[resource].slots[0].turns;
	const struct block *k;
	u64 i;

	while (a < b) {
		i = ring_len(turns) ? ring_holding(turns, a) : 0;
		k = ring_len(turns) && ((const struct turn *)ring_at(turns, i))->t == a
			    ? block_find(l, &h, i, b, false, &i)
			    : NULL;
		if (k) {
			block_each(k, lock_sum, l);
			a = block_end(k);
		} else {
			a = lock_turn_charge(l, resource, a, b);
		}
	}
}

void contended_charge(struct ledger *l, u32 resource, u32 slot, u64 a, u64 b, int part)
{
	struct blaming to = {l, part};

	if (part == SERVICE && l->resources[resource].lock)
		lock_charge(l, resource, a, b);
	else
		blame_slot(l, resource, slot, a, b, contended_blame, &to);
}

/* --- async: off the carrier --- */

void carrier_charge(struct ledger *l, u32 worker, u64 t, u64 *until, int part)
{
	const struct segment *s = segment_until(l, worker, t, until);
	u64 ns = *until - t;

	if (!s) {
		state_charge(l, part, FRONT_UNKNOWN, NONE32, ns);
	} else if (s->item == NONE32) {
		enum front front = way_front(s);

		segment_charge(l, &l->workers[worker], s, t, *until,
			       part == SERVICE ? part_of_service(front) : (enum part)part,
			       part == SERVICE ? FRONT_NONE : front);
	} else if (part == SERVICE) {
		charge_add(l, PART_CARRIER, (enum front)s->front, culprit_of_key(l, 0, s->key), ns);
	} else {
		charge_add(l, (enum part)part, FRONT_CARRIER, culprit_of_key(l, 0, s->key), ns);
	}
}

struct readying {
	struct ledger *l;
	int part;
};

static enum front front_of_service(enum part p)
{
	static const u8 fronts[PART_NR] = {
		[PART_CPU] = FRONT_CPU,
		[PART_IRQ] = FRONT_IRQ,
		[PART_OVERSLEPT] = FRONT_OVERSLEPT,
		[PART_PAUSED] = FRONT_PAUSED,
		[PART_CARRIER] = FRONT_CARRIER,
		[PART_RUNQUEUE] = FRONT_RUNQUEUE,
		[PART_THROTTLED] = FRONT_THROTTLED,
		[PART_UNKNOWN] = FRONT_UNKNOWN,
	};

	return (enum front)fronts[p];
}

static void ready_sum(void *ctx, const struct charge *sum)
{
	const struct readying *to = ctx;
	bool own = to->part == SERVICE;

	charge_add(to->l, own ? (enum part)sum->part : (enum part)to->part,
		   own ? (enum front)sum->front : front_of_service((enum part)sum->part),
		   sum->culprit, sum->ns);
}

/* It could go on in [a, b), if its carrier came. */
static void ready_charge(struct ledger *l, u32 worker, u64 a, u64 b, int part)
{
	const struct history h = {.kind = SUMS_CARRIER, .worker = worker};
	struct ledger_worker *w = &l->workers[worker];
	struct readying to = {l, part};
	u64 i;

	worker_cut(l, w, b);
	i = segment_find(w, a);
	while (a < b) {
		const struct segment *s = i < w->segments.end ? ring_at(&w->segments, i) : NULL;
		const struct block *k = s && s->t0 == a ? block_find(l, &h, i, b, false, &i) : NULL;
		u64 until = b;

		if (k) {
			block_each(k, ready_sum, &to);
			a = block_end(k);
			continue;
		}
		carrier_charge(l, worker, a, &until, part);
		a = until;
		i = segment_find(w, a);
	}
}

void away_charge(struct ledger *l, const struct away *y, u64 a, u64 b, int part)
{
	struct away copy = *y; /* charging may move the histories */

	while (a < b) {
		u64 until = b;

		switch (plan_phase(l, &copy.plan, a, &until)) {
		case PHASE_PAUSED:
			state_charge(l, part, FRONT_PAUSED, NONE32, until - a);
			break;
		case PHASE_BLOCKED:
			state_charge(l, part, FRONT_BLOCKED, NONE32, until - a);
			break;
		case PHASE_CONTENDED:
			contended_charge(l, copy.plan.resource, copy.plan.slot, a, until, part);
			break;
		default:
			ready_charge(l, copy.worker, a, until, part);
		}
		a = until;
	}
}

/* --- service --- */

/* Of the item's own worker's states. */
static void segment_service(struct ledger *l, const struct inflight *x, u64 t, u64 *until)
{
	struct ledger_worker *w = &l->workers[x->a.worker];
	const struct segment *s = segment_until(l, x->a.worker, t, until);

	if (!s || s->item != x->a.item)
		charge_add(l, PART_UNKNOWN, FRONT_NONE, NONE32, *until - t);
	else if (s->front == FRONT_CONTENDED && s->resource != RESOURCE_NONE)
		contended_charge(l, s->resource, s->slot, t, *until, SERVICE);
	else
		segment_charge(l, w, s, t, *until, part_of_service((enum front)s->front),
			       FRONT_NONE);
}

/* Service, start … done. */
void service_charge(struct ledger *l, const struct inflight *x)
{
	u64 t = x->a.start_ns, until;

	while (t < x->a.done_ns) {
		const struct away *y = away_at(l, x->away, t);

		until = x->a.done_ns;
		if (y && y->t0 <= t) {
			until = min_u64(until, y->t1);
			away_charge(l, y, t, until, SERVICE);
		} else {
			until = y ? min_u64(until, y->t0) : until;
			segment_service(l, x, t, &until);
		}
		t = until;
	}
}
