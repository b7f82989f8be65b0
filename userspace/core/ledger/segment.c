/* SPDX-License-Identifier: GPL-2.0-only */
/* Closed stretches of a worker's time, and whom a stretch on a run queue is blamed on. */
#include "core/ledger/internal.h"

struct blaming {
	struct ledger *l;
	struct ring *blames;
	u64 first;
};

static bool blame_more(struct blaming *to, u32 culprit, u64 ns)
{
	for (u64 i = to->blames->end; i > to->first; i--) {
		struct blame *b = ring_at(to->blames, i - 1);

		if (b->culprit == culprit) {
			b->ns += ns;
			return true;
		}
	}
	return false;
}

static void blame_add(void *ctx, u32 culprit, u64 ns)
{
	struct blaming *to = ctx;
	struct blame *b;

	if (blame_more(to, culprit, ns))
		return;
	if (to->blames->end - to->first >= NAMES_MAX && culprit_is_key(culprit)) {
		culprit = culprit_unnamed(culprit);
		if (blame_more(to, culprit, ns))
			return;
	}
	b = ring_push(to->blames);
	if (!b)
		to->l->no_memory = true;
	else
		*b = (struct blame){culprit, ns};
}

static void segments_trim(struct ledger *l, struct ledger_worker *w)
{
	u64 horizon = ledger_horizon(l), i = w->segments.first;

	while (i < w->segments.end && ((struct segment *)ring_at(&w->segments, i))->t1 <= horizon)
		i++;
	ring_forget(&w->segments, i);
	blocks_forget(w->queue_blocks, i);
	blocks_forget(w->carrier_blocks, i);
	if (i < w->segments.end)
		ring_forget(&w->blames, ((struct segment *)ring_at(&w->segments, i))->blame);
	else
		ring_forget(&w->blames, w->blames.end);
}

static void segment_blame(struct ledger *l, struct ledger_worker *w, struct segment *s)
{
	struct blaming to = {l, &w->blames, s->blame};

	if (s->front == FRONT_RUNQUEUE)
		blame_cpu(l, w->cpu, s->t0, s->t1, blame_add, &to);
	else if (s->resource != RESOURCE_NONE)
		blame_slot(l, s->resource, s->slot, s->t0, s->t1, blame_add, &to);
	else if (s->front == FRONT_IRQ)
		blame_add(&to, w->irq_task, s->t1 - s->t0);
	s->nr_blames = (u32)(w->blames.end - s->blame);
}

/* `waits`: for the slot or lock of the plan. */
static void segment_add_as(struct ledger *l, struct ledger_worker *w, u64 a, u64 b,
			   enum front front, bool waits)
{
	struct segment *s;

	if (a >= b)
		return;
	if (ring_full(&w->segments))
		segments_trim(l, w);
	s = ring_push(&w->segments);
	if (!s) {
		l->no_memory = true;
		return;
	}
	*s = (struct segment){.t0 = a,
			      .t1 = b,
			      .item = NONE32,
			      .key = NONE32,
			      .front = (u8)front,
			      .resource = RESOURCE_NONE};
	s->blame = w->blames.end;
	if (w->serving) {
		s->item = w->serving->a.item;
		s->key = w->serving->a.key;
		if (waits) {
			s->resource = w->serving->plan.resource;
			s->slot = w->serving->plan.slot;
		}
	}
	segment_blame(l, w, s);
}

static void segment_add(struct ledger *l, struct ledger_worker *w, u64 a, u64 b, enum front front)
{
	segment_add_as(l, w, a, b, front, false);
}

/* Nothing that was asked for: in virtual time it works, a real thread that sleeps does not. */
static enum front ready_front(const struct ledger *l, const struct plan *p, u64 t)
{
	if (l->cfg.simulated)
		return FRONT_CPU;
	return plan_waited(p, t) ? FRONT_OVERSLEPT : FRONT_CONTENDED;
}

/* Serving, and asleep or in virtual time: by what the step asked for. */
static void segment_add_plan(struct ledger *l, struct ledger_worker *w, u64 a, u64 b)
{
	const struct plan *p = &w->serving->plan;

	while (a < b) {
		u64 until = b;

		switch (plan_phase(l, p, a, &until)) {
		case PHASE_PAUSED:
			segment_add(l, w, a, until, FRONT_PAUSED);
			break;
		case PHASE_CONTENDED:
			segment_add_as(l, w, a, until, FRONT_CONTENDED, true);
			break;
		case PHASE_BLOCKED:
			segment_add(l, w, a, until, FRONT_BLOCKED);
			break;
		default:
			segment_add(l, w, a, until, ready_front(l, p, a));
		}
		a = until;
	}
}

static void segment_add_state(struct ledger *l, struct ledger_worker *w, u64 a, u64 b)
{
	bool asleep = w->state == THREAD_SLEEPING || w->state == THREAD_WAKING;

	if (!w->serving && w->paused_until != NEVER_NS)
		segment_add(l, w, a, b, FRONT_PAUSED);
	else if (w->serving && l->cfg.simulated)
		segment_add_plan(l, w, a, b);
	else if (l->cfg.simulated)
		segment_add(l, w, a, b, FRONT_SIGNAL);
	else if (w->state == THREAD_UNKNOWN)
		segment_add(l, w, a, b, FRONT_UNKNOWN);
	else if (w->state == THREAD_RUNNING)
		segment_add(l, w, a, b, w->irq_task == NONE32 ? FRONT_CPU : FRONT_IRQ);
	else if (w->state == THREAD_RUNNABLE)
		segment_add(l, w, a, b, FRONT_RUNQUEUE);
	else if (w->state == THREAD_THROTTLED)
		segment_add(l, w, a, b, FRONT_THROTTLED);
	else if (asleep && w->serving)
		segment_add_plan(l, w, a, b);
	else
		segment_add(l, w, a, b, w->state == THREAD_WAKING ? FRONT_WAKEUP : FRONT_SIGNAL);
}

void worker_cut(struct ledger *l, struct ledger_worker *w, u64 t)
{
	u64 ns = t - w->since;

	if (t <= w->since)
		return;
	if (w->state == THREAD_RUNNING)
		w->ours.cpu_ns += ns;
	else if (w->state == THREAD_RUNNABLE || w->state == THREAD_THROTTLED)
		w->ours.wait_ns += ns;
	if (!l->cfg.times_only)
		segment_add_state(l, w, w->since, t);
	w->since = t;
}

/* --- read --- */

u64 segment_find(const struct ledger_worker *w, u64 t)
{
	const struct ring *r = &w->segments;
	u64 lo = r->first, hi = r->end;

	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (((struct segment *)ring_at(r, mid))->t1 <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct segment *segment_at(const struct ledger_worker *w, u64 t)
{
	u64 i = segment_find(w, t);
	const struct segment *s = i < w->segments.end ? ring_at(&w->segments, i) : NULL;

	return s && s->t0 <= t ? s : NULL;
}

struct charging {
	struct ledger *l;
	enum part part;
	enum front front;
};

static void charge_culprit(void *ctx, u32 culprit, u64 ns)
{
	struct charging *c = ctx;

	charge_add(c->l, c->part, c->front, culprit, ns);
}

void segment_charge(struct ledger *l, struct ledger_worker *w, const struct segment *s, u64 a,
		    u64 b, enum part part, enum front front)
{
	struct charging c = {l, part, front};
	bool whole = a == s->t0 && b == s->t1;

	if (s->front == FRONT_RUNQUEUE && !whole) {
		/* A worker is pinned: it waited on the CPU that it is on now. */
		blame_cpu(l, w->cpu, a, b, charge_culprit, &c);
	} else if (s->resource != RESOURCE_NONE && !whole) {
		blame_slot(l, s->resource, s->slot, a, b, charge_culprit, &c);
	} else if (s->nr_blames == 1) {
		charge_add(l, part, front, ((struct blame *)ring_at(&w->blames, s->blame))->culprit,
			   b - a);
	} else if (s->nr_blames) {
		for (u32 i = 0; i < s->nr_blames; i++) {
			const struct blame *blame = ring_at(&w->blames, s->blame + i);

			charge_add(l, part, front, blame->culprit, blame->ns);
		}
	} else {
		charge_add(l, part, front, NONE32, b - a);
	}
}
