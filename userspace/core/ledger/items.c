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

struct inflight *inflight_find(const struct ledger *l, u32 item)
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

/* --- events --- */

/* A DONE was lost: the worker goes on, the item's account will not be made. */
static void serving_lost(struct ledger *l, struct ledger_worker *w, u64 t)
{
	struct inflight *x = w->serving;

	l->counts.impossible++;
	l->counts.unfinished++;
	plan_end(l, w, x, t);
	slot_unlink(l, x);
}

static bool steps_ok(const struct event *ev)
{
	for (u32 i = 0; i < ev->submit.nr_steps && i < ITEM_STEPS_MAX; i++)
		if (step_has_resource(ev->submit.steps[i].kind) &&
		    ev->submit.steps[i].resource >= RESOURCES_MAX)
			return false;
	return ev->submit.nr_steps <= ITEM_STEPS_MAX;
}

int items_submit(struct ledger *l, const struct event *ev)
{
	struct inflight *x;

	if (ev->submit.key >= l->cfg.keys || !steps_ok(ev))
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
	lane_find(l, x);
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

/* It enters a queue: it was outside a full buffer, or its partition has moved. */
int items_admit(struct ledger *l, const struct event *ev)
{
	struct inflight *x = inflight_find(l, ev->item);
	u32 queues = l->cfg.traits & DISPATCH_ONE_QUEUE ? l->cfg.replicas : l->cfg.workers;

	if (ev->admit.queue >= queues)
		return -EINVAL;
	if (!x || x->started) {
		l->counts.impossible++;
		return 0;
	}
	return place_add(x, ev->time_ns, ev->admit.queue);
}

/* A worker that must have no item has one: what took it away was lost. */
static void worker_empty(struct ledger *l, struct ledger_worker *w, u64 t)
{
	if (w->serving && l->cfg.executor != EXECUTOR_ASYNC)
		serving_lost(l, w, t);
}

int items_start(struct ledger *l, const struct event *ev)
{
	struct ledger_worker *w = &l->workers[ev->worker];
	struct inflight *x = inflight_find(l, ev->item);

	worker_empty(l, w, ev->time_ns);
	if (!x || x->started) {
		l->counts.impossible++;
		return 0;
	}
	x->started = true;
	x->a.worker = ev->worker;
	x->a.start_ns = ev->time_ns;
	plan_begin(l, w, x);
	if (l->cfg.started)
		l->cfg.started(l->cfg.ctx, &x->a);
	return 0;
}

static int item_settle(struct ledger *l, struct inflight *x)
{
	if (l->cfg.times_only)
		return l->cfg.item(l->cfg.ctx, &x->a);
	tally_reset(&l->account);
	if (x->a.submit_ns > x->a.due_ns)
		charge_add(l, x->a.delivery ? PART_AGAIN : PART_LATE, FRONT_NONE, NONE32,
			   x->a.submit_ns - x->a.due_ns);
	wait_charge(l, x, x->a.worker);
	service_charge(l, x);
	if (!tally_settle(l, &x->a))
		l->counts.sum_errors++;
	return l->cfg.item(l->cfg.ctx, &x->a);
}

int items_done(struct ledger *l, const struct event *ev)
{
	struct inflight *x = served_item(l, ev);
	int err;

	if (!x)
		return 0;
	x->a.done_ns = ev->time_ns;
	x->a.outcome = ev->done.outcome;
	plan_end(l, &l->workers[ev->worker], x, ev->time_ns);
	err = item_settle(l, x);
	slot_unlink(l, x);
	return err;
}
