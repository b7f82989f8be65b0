/* SPDX-License-Identifier: GPL-2.0-only */
/* The items in flight: what the dispatcher's events say of them. */
#include "core/ledger/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- slots --- */

u64 ledger_horizon(const struct ledger *l)
{
	return l->oldest ? l->oldest->a.submit_ns : l->now;
}

static struct inflight *inflight_find(const struct ledger *l, u32 item)
{
	struct inflight *x = l->nr_buckets ? l->buckets[item & (l->nr_buckets - 1)] : NULL;

	while (x && x->a.item != item)
		x = x->chain;
	return x;
}

static int buckets_grow(struct ledger *l)
{
	u32 nr = l->nr_buckets ? l->nr_buckets * 2 : 64;
	struct inflight **buckets = calloc(nr, sizeof(struct inflight *));

	if (!buckets)
		return -ENOMEM;
	for (struct inflight *x = l->oldest; x; x = x->next) {
		struct inflight **b = &buckets[x->a.item & (nr - 1)];

		x->chain = *b;
		*b = x;
	}
	free(l->buckets);
	l->buckets = buckets;
	l->nr_buckets = nr;
	return 0;
}

static struct inflight *slot_new(struct ledger *l)
{
	struct inflight *x = l->free_slots;
	struct place *places;
	u32 cap_places;

	if (l->nr_inflight >= l->nr_buckets && buckets_grow(l))
		return NULL;
	if (!x)
		return calloc(1, sizeof(*x));
	l->free_slots = x->chain;
	places = x->places;
	cap_places = x->cap_places;
	*x = (struct inflight){.places = places, .cap_places = cap_places};
	return x;
}

static void slot_link(struct ledger *l, struct inflight *x)
{
	struct inflight **b = &l->buckets[x->a.item & (l->nr_buckets - 1)];

	x->chain = *b;
	*b = x;
	x->prev = l->newest;
	*(l->newest ? &l->newest->next : &l->oldest) = x;
	l->newest = x;
	l->nr_inflight++;
}

static void slot_unlink(struct ledger *l, struct inflight *x)
{
	struct inflight **b = &l->buckets[x->a.item & (l->nr_buckets - 1)];

	while (*b != x)
		b = &(*b)->chain;
	*b = x->chain;
	*(x->prev ? &x->prev->next : &l->oldest) = x->next;
	*(x->next ? &x->next->prev : &l->newest) = x->prev;
	l->nr_inflight--;
	x->chain = l->free_slots;
	l->free_slots = x;
}

static int place_add(struct inflight *x, u64 from_ns, u32 queue)
{
	if (x->nr_places == x->cap_places) {
		u32 cap = x->cap_places ? x->cap_places * 2 : 2;
		struct place *places = realloc(x->places, cap * sizeof(*places));

		if (!places)
			return -ENOMEM;
		x->places = places;
		x->cap_places = cap;
	}
	x->places[x->nr_places++] = (struct place){from_ns, NEVER_NS, queue, NONE32};
	return 0;
}

static void slots_free(struct inflight *x, bool by_chain)
{
	while (x) {
		struct inflight *next = by_chain ? x->chain : x->next;

		free(x->places);
		free(x);
		x = next;
	}
}

void items_free(struct ledger *l)
{
	slots_free(l->oldest, false);
	slots_free(l->free_slots, true);
	free(l->buckets);
}

/* --- who serves --- */

static void saturation_note(struct ledger *l, u64 t)
{
	struct ring *r = &l->saturation;
	bool all = l->nr_serving == l->cfg.workers;
	struct saturation *last = ring_at(r, r->end - 1), *s;

	if (last->t == t && ring_len(r) > 1) { /* it lasted no time */
		ring_pop_back(r);
		last = ring_at(r, r->end - 1);
	}
	if (last->all_serving == all)
		return;
	if (ring_full(r))
		ring_forget(r, ring_holding(r, ledger_horizon(l)));
	s = ring_push(r);
	if (!s)
		l->no_memory = true;
	else
		*s = (struct saturation){t, all};
}

static void service_begin(struct ledger *l, struct inflight *x)
{
	struct ledger_key *k = &l->keys[x->a.key];
	struct ring *r = &k->services;
	struct key_service *s;

	if (!k->served)
		k->served_by = x->a.worker;
	else if (k->served_by != x->a.worker)
		k->served_by = NONE32;
	k->served = true;
	if (ring_full(r)) {
		u64 i = r->first, horizon = ledger_horizon(l);

		while (i < r->end && ((struct key_service *)ring_at(r, i))->done_ns <= horizon)
			i++;
		ring_forget(r, i);
	}
	x->service = r->end;
	s = ring_push(r);
	if (!s)
		l->no_memory = true;
	else
		*s = (struct key_service){x->a.start_ns, NEVER_NS, x->a.key_seq, x->a.worker,
					  x->a.item};
}

static void serving_set(struct ledger *l, struct ledger_worker *w, struct inflight *x, u64 t)
{
	worker_cut(l, w, t);
	if (w->serving)
		l->nr_serving--;
	if (x)
		l->nr_serving++;
	w->serving = x;
	w->deadline_ns = 0;
	if (!x)
		w->free_since = t;
	saturation_note(l, t);
}

/* A DONE was lost: the worker goes on, the item's account will not be made. */
static void serving_lost(struct ledger *l, struct ledger_worker *w, u64 t)
{
	struct inflight *x = w->serving;

	l->counts.impossible++;
	l->counts.unfinished++;
	((struct key_service *)ring_at(&l->keys[x->a.key].services, x->service))->done_ns = t;
	serving_set(l, w, NULL, t);
	slot_unlink(l, x);
}

/* --- events --- */

int items_submit(struct ledger *l, const struct event *ev)
{
	struct inflight *x;

	if (ev->submit.key >= l->cfg.keys || ev->submit.nr_steps > ITEM_STEPS_MAX)
		return -EINVAL;
	if (inflight_find(l, ev->item)) {
		l->counts.impossible++;
		return 0;
	}
	x = slot_new(l);
	if (!x)
		return -ENOMEM;
	x->a = (struct account){.item = ev->item,
				.key = ev->submit.key,
				.key_seq = ev->submit.key_seq,
				.worker = NONE32,
				.due_ns = ev->submit.due_ns,
				.submit_ns = ev->time_ns,
				.delivery = ev->submit.delivery};
	x->nr_steps = ev->submit.nr_steps;
	memcpy(x->steps, ev->submit.steps, x->nr_steps * sizeof(x->steps[0]));
	x->woken = ev->submit.woken;
	slot_link(l, x);
	return place_add(x, ev->time_ns, ev->submit.queue);
}

int items_move(struct ledger *l, const struct event *ev)
{
	struct inflight *x = inflight_find(l, ev->item);
	struct place *p;
	u64 wake = ev->move.since_ns;

	if (ev->move.to >= l->cfg.workers)
		return -EINVAL;
	if (!x || x->started) {
		l->counts.impossible++;
		return 0;
	}
	p = &x->places[x->nr_places - 1];
	if (wake < l->workers[ev->move.to].free_since)
		wake = l->workers[ev->move.to].free_since;
	p->thief_wake_ns = wake < p->from_ns ? p->from_ns : wake > ev->time_ns ? ev->time_ns : wake;
	p->thief = ev->move.to;
	x->a.moves++;
	return place_add(x, ev->time_ns, ev->move.to);
}

static void step_begin(struct ledger_worker *w, const struct inflight *x, u32 step, u64 t)
{
	bool waits = step < x->nr_steps && x->steps[step].kind == STEP_WAIT;

	w->deadline_ns = waits ? t + x->steps[step].ns : 0;
}

int items_start(struct ledger *l, const struct event *ev)
{
	struct ledger_worker *w = &l->workers[ev->worker];
	struct inflight *x = inflight_find(l, ev->item);

	if (w->serving)
		serving_lost(l, w, ev->time_ns);
	if (!x || x->started) {
		l->counts.impossible++;
		return 0;
	}
	x->started = true;
	x->a.worker = ev->worker;
	x->a.start_ns = ev->time_ns;
	service_begin(l, x);
	serving_set(l, w, x, ev->time_ns);
	step_begin(w, x, 0, ev->time_ns);
	if (l->cfg.started)
		l->cfg.started(l->cfg.ctx, &x->a);
	return 0;
}

int items_step(struct ledger *l, const struct event *ev)
{
	struct ledger_worker *w = &l->workers[ev->worker];

	if (!w->serving || w->serving->a.item != ev->item) {
		l->counts.impossible++;
		return 0;
	}
	worker_cut(l, w, ev->time_ns);
	step_begin(w, w->serving, ev->step.index, ev->time_ns);
	return 0;
}

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
	case FRONT_RUNQUEUE:
		return PART_RUNQUEUE;
	case FRONT_THROTTLED:
		return PART_THROTTLED;
	default:
		return PART_UNKNOWN;
	}
}

/* Service, start … done, by the states of the item's own worker. */
static void service_charge(struct ledger *l, const struct inflight *x)
{
	struct ledger_worker *w = &l->workers[x->a.worker];
	u64 t = x->a.start_ns;

	while (t < x->a.done_ns) {
		const struct segment *s = segment_at(w, t);

		if (!s) {
			charge_add(l, PART_UNKNOWN, FRONT_NONE, NONE32, x->a.done_ns - t);
			return;
		}
		segment_charge(l, w, s, t, s->t1 < x->a.done_ns ? s->t1 : x->a.done_ns,
			       part_of_service((enum front)s->front), FRONT_NONE);
		t = s->t1;
	}
}

static int item_settle(struct ledger *l, struct inflight *x)
{
	if (l->cfg.times_only)
		return l->cfg.item(l->cfg.ctx, &x->a);
	tally_reset(&l->account);
	if (x->a.submit_ns > x->a.due_ns)
		charge_add(l, PART_LATE, FRONT_NONE, NONE32, x->a.submit_ns - x->a.due_ns);
	wait_charge(l, x, x->a.worker);
	service_charge(l, x);
	if (!tally_settle(l, &x->a))
		l->counts.sum_errors++;
	return l->cfg.item(l->cfg.ctx, &x->a);
}

int items_done(struct ledger *l, const struct event *ev)
{
	struct ledger_worker *w = &l->workers[ev->worker];
	struct inflight *x = w->serving;
	int err;

	if (!x || x->a.item != ev->item) {
		l->counts.impossible++;
		return 0;
	}
	x->a.done_ns = ev->time_ns;
	x->a.outcome = ev->done.outcome;
	((struct key_service *)ring_at(&l->keys[x->a.key].services, x->service))->done_ns =
		ev->time_ns;
	serving_set(l, w, NULL, ev->time_ns);
	err = item_settle(l, x);
	slot_unlink(l, x);
	return err;
}
