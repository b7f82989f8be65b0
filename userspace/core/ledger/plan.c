/* SPDX-License-Identifier: GPL-2.0-only */
/* What an item's steps ask for, and with async when it is on its carrier. */
#include "core/ledger/internal.h"

static u64 add_saturating(u64 a, u64 b)
{
	return a > NEVER_NS - b ? NEVER_NS : a + b;
}

static bool is_async(const struct ledger *l)
{
	return l->cfg.executor == EXECUTOR_ASYNC;
}

/* --- phases --- */

/* Waiting for a lock: contended until it is its turn; where it is not known when it asked, as long
 * as it is another's. */
static enum phase lock_phase(const struct ledger *l, const struct plan *p, u64 t, u64 *until)
{
	const struct turn *turn;

	if (!p->queued) {
		turn = turn_at(l, p->resource, 0, t, until);
		return turn && turn->item != NONE32 && turn->item != p->item ? PHASE_CONTENDED
									     : PHASE_READY;
	}
	if (t >= p->from_ns)
		return PHASE_READY;
	*until = min_u64(*until, p->from_ns);
	return PHASE_CONTENDED;
}

static enum phase call_phase(const struct plan *p, u64 t, u64 *until)
{
	if (t < p->asked_ns) {
		*until = min_u64(*until, p->asked_ns);
		return PHASE_READY;
	}
	if (t < p->from_ns) {
		*until = min_u64(*until, p->from_ns);
		return PHASE_CONTENDED;
	}
	if (t < p->ready_ns) {
		*until = min_u64(*until, p->ready_ns);
		return PHASE_BLOCKED;
	}
	return PHASE_READY;
}

enum phase plan_phase(const struct ledger *l, const struct plan *p, u64 t, u64 *until)
{
	if (t >= p->give_up_ns)
		return PHASE_READY;
	*until = min_u64(*until, p->give_up_ns);
	if (t < p->pause_until) {
		*until = min_u64(*until, p->pause_until);
		return PHASE_PAUSED;
	}
	if (p->kind == STEP_LOCK && !p->has_lock)
		return lock_phase(l, p, t, until);
	if (p->kind == STEP_CALL)
		return call_phase(p, t, until);
	if (p->kind != STEP_WAIT || t >= p->ready_ns)
		return PHASE_READY;
	*until = min_u64(*until, p->ready_ns);
	return PHASE_BLOCKED;
}

bool plan_waited(const struct plan *p, u64 t)
{
	if (p->pause_until || t >= p->give_up_ns)
		return true;
	if (p->kind == STEP_CALL)
		return t >= p->asked_ns;
	return p->kind == STEP_WAIT || (p->kind == STEP_LOCK && !p->has_lock);
}

/* --- on the carrier, and away from it --- */

/* NULL: it had none, or it is over and forgotten. */
static struct away *away_last(const struct ledger *l, const struct inflight *x)
{
	return x->away > l->aways.first ? ring_at(&l->aways, x->away - 1) : NULL;
}

const struct away *away_at(const struct ledger *l, u64 away, u64 t)
{
	const struct away *found = NULL;

	while (away > l->aways.first) {
		const struct away *y = ring_at(&l->aways, away - 1);

		if (y->t1 <= t)
			break;
		found = y;
		away = y->prev;
	}
	return found;
}

void plan_turn(struct ledger *l, struct inflight *x, u64 t)
{
	struct away *y = away_last(l, x);

	x->plan.from_ns = t;
	if (y && y->t1 == NEVER_NS)
		y->plan.from_ns = t;
}

static void away_end(struct ledger *l, const struct inflight *x, u64 t)
{
	struct away *y = away_last(l, x);

	if (y && y->t1 == NEVER_NS)
		y->t1 = t;
}

static void aways_trim(struct ledger *l)
{
	u64 i = l->aways.first, horizon = ledger_horizon(l);

	while (i < l->aways.end && ((struct away *)ring_at(&l->aways, i))->t1 <= horizon)
		i++;
	ring_forget(&l->aways, i);
}

static void away_begin(struct ledger *l, struct inflight *x, u64 t)
{
	struct away *y;

	if (ring_full(&l->aways))
		aways_trim(l);
	y = ring_push(&l->aways);
	if (!y) {
		l->no_memory = true;
		return;
	}
	*y = (struct away){
		.t0 = t, .t1 = NEVER_NS, .prev = x->away, .plan = x->plan, .worker = x->a.worker};
	x->away = l->aways.end;
	service_away(l, x, x->away);
}

static void carrier_put(struct ledger *l, struct ledger_worker *w, struct inflight *x, bool on,
			u64 t)
{
	struct inflight *other = w->serving;

	away_end(l, x, t);
	if (on && other != x) {
		serving_set(l, w, x, t);
		if (other) { /* that it left was lost */
			l->counts.impossible++;
			away_begin(l, other, t);
		}
	} else if (!on) {
		if (other == x)
			serving_set(l, w, NULL, t);
		away_begin(l, x, t);
	}
}

void plan_end(struct ledger *l, struct ledger_worker *w, struct inflight *x, u64 t)
{
	if (l->cfg.times_only) {
		w->serving = NULL;
		return;
	}
	if (w->serving == x)
		serving_set(l, w, NULL, t);
	lock_leave(l, x, t);
	away_end(l, x, t);
	service_end(l, x, t);
	in_service_add(l, group_of(l, x->a.worker), -1, t);
}

/* --- events --- */

static void step_begin(struct ledger *l, struct ledger_worker *w, struct inflight *x, u32 step,
		       u64 t)
{
	const struct step *s = step < x->nr_steps ? &x->steps[step] : NULL;
	u32 kind = s ? s->kind : STEP_CPU;

	worker_cut(l, w, t);
	if (x->lock == LOCK_WAITS && x->plan.step == step)
		return; /* resumed: it has got it */
	lock_leave(l, x, t);
	away_end(l, x, t);
	x->plan = (struct plan){
		.kind = kind,
		.step = step,
		.item = x->a.item,
		.asked_ns = NEVER_NS,
		.from_ns = NEVER_NS,
		.give_up_ns = l->cfg.timeout_ns ? add_saturating(x->a.start_ns, l->cfg.timeout_ns)
						: NEVER_NS,
		.resource = s && step_has_resource(kind) ? (u8)s->resource : RESOURCE_NONE,
	};
	if (kind == STEP_WAIT) {
		x->plan.wait_ns = s->ns;
		x->plan.ready_ns = add_saturating(t, s->ns);
	} else if (kind == STEP_LOCK) {
		x->plan.queued = true;
		lock_join(l, x, t);
	}
	if (is_async(l))
		carrier_put(l, w, x, kind == STEP_CPU, t);
}

void plan_begin(struct ledger *l, struct ledger_worker *w, struct inflight *x)
{
	u64 t = x->a.start_ns;

	if (l->cfg.times_only) {
		w->serving = is_async(l) ? NULL : x;
		return;
	}
	service_begin(l, x);
	in_service_add(l, group_of(l, x->a.worker), 1, t);
	if (!is_async(l))
		serving_set(l, w, x, t);
	step_begin(l, w, x, 0, t);
}

struct inflight *served_item(struct ledger *l, const struct event *ev)
{
	struct inflight *x = l->workers[ev->worker].serving;

	if (x && x->a.item == ev->item)
		return x;
	x = inflight_find(l, ev->item);
	if (x && x->started && x->a.worker == ev->worker)
		return x;
	l->counts.impossible++;
	return NULL;
}

int items_step(struct ledger *l, const struct event *ev)
{
	struct inflight *x = l->cfg.times_only ? NULL : served_item(l, ev);

	if (x)
		step_begin(l, &l->workers[ev->worker], x, ev->step.index, ev->time_ns);
	return 0;
}

int items_take(struct ledger *l, const struct event *ev)
{
	struct inflight *x = l->cfg.times_only ? NULL : served_item(l, ev);
	struct ledger_worker *w = &l->workers[ev->worker];
	struct plan *p;

	if (!x)
		return 0;
	p = &x->plan;
	if (!step_has_resource(p->kind) || p->resource != ev->take.resource) {
		l->counts.impossible++;
		return 0;
	}
	worker_cut(l, w, ev->time_ns);
	if (p->kind == STEP_LOCK) {
		lock_take(l, x, ev->time_ns);
		p->has_lock = true;
		if (is_async(l))
			carrier_put(l, w, x, true, ev->time_ns);
		return 0;
	}
	p->asked_ns = ev->time_ns;
	p->from_ns = ev->take.from_ns;
	p->ready_ns = ev->take.until_ns;
	p->slot = (u16)ev->take.slot;
	if (away_last(l, x))
		away_last(l, x)->plan = *p;
	return slot_take(l, x, p->resource, p->slot, p->from_ns);
}

/* An item that waits for its carrier, and for nothing else, when all workers pause: it waits on,
 * for a carrier that is held up. So a pause is no stretch of its own for each of them. */
static bool waits_on(const struct ledger *l, const struct inflight *x, const struct event *ev)
{
	const struct plan *p = &x->plan;
	const struct away *y = away_last(l, x);
	u64 until = NEVER_NS;

	return is_async(l) && y && y->t1 == NEVER_NS && ev->pause.until_ns == l->resume_ns &&
	       (p->kind != STEP_LOCK || p->has_lock) &&
	       plan_phase(l, p, ev->time_ns, &until) == PHASE_READY;
}

int items_pause(struct ledger *l, const struct event *ev)
{
	struct ledger_worker *w = &l->workers[ev->worker];
	struct inflight *x;

	if (l->cfg.times_only)
		return 0;
	if (ev->item == NONE32) {
		workers_pause(l, ev->time_ns, ev->pause.until_ns);
		return 0;
	}
	x = served_item(l, ev);
	if (!x || waits_on(l, x, ev))
		return 0;
	worker_cut(l, w, ev->time_ns);
	/* What the step asks for has not begun yet: it begins after the pause. */
	if (x->plan.kind == STEP_WAIT && ev->time_ns < x->plan.ready_ns)
		x->plan.ready_ns = add_saturating(ev->pause.until_ns, x->plan.wait_ns);
	lock_leave(l, x, ev->time_ns); /* a pause stands between two steps */
	x->plan.queued = false;
	x->plan.pause_until = ev->pause.until_ns;
	if (is_async(l))
		carrier_put(l, w, x, false, ev->time_ns);
	return 0;
}
