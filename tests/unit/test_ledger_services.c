/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger against a second slow reference: slots, locks, pauses, light threads, limits,
 * replicas, partitions, a buffer. Every instant of every item is classified by the definition, from
 * full knowledge of a random run.
 */
#include "ledger_world.h"

/* --- the run --- */

static u32 serving_in(const struct world *w, u32 group, u64 t)
{
	u32 nr = 0;

	for (u32 i = 0; i < w->nr_items; i++)
		nr += in_service(w, i, t) && group_of_item(w, i) == group;
	return nr;
}

static u32 unfinished(const struct world *w)
{
	u32 nr = 0;

	for (u32 i = 0; i < w->nr_items; i++)
		nr += w->items[i].admit != NEVER_NS && w->items[i].done == NEVER_NS;
	return nr;
}

/* The first item that the worker may take, or -1. */
static int head_for(const struct world *w, u32 v, u64 t)
{
	u32 traits = w->v.traits;
	bool serial = traits & (DISPATCH_KEY_SERIAL | DISPATCH_PARTITION_SERIAL);

	if (w->v.limit && serving_in(w, v / each(w), t) >= w->v.limit)
		return -1;
	for (u32 i = 0; i < w->nr_items; i++) {
		const struct ref_item *x = &w->items[i];
		bool held = false;

		for (u32 k = 0; k < i && serial; k++)
			held |= in_service(w, k, t) && before(w, k, i);
		if (x->start == NEVER_NS && x->admit != NEVER_NS && !held &&
		    x->queue == (traits & DISPATCH_ONE_QUEUE ? v / each(w) : v))
			return (int)i;
	}
	return -1;
}

static struct step random_step(struct world *w)
{
	static const u32 kinds[] = {STEP_CPU, STEP_WAIT, STEP_CALL, STEP_LOCK, STEP_CALL};
	struct step s = {.ns = 1 + rng_below(&w->rng, 20),
			 .kind = kinds[rng_below(&w->rng, ARRAY_SIZE(kinds))]};

	s.resource = s.kind == STEP_LOCK ? LOCK : DB;
	return s;
}

static void do_submit(struct world *w, u64 t)
{
	struct ref_item *x = &w->items[w->nr_items];
	bool one_queue = w->v.traits & DISPATCH_ONE_QUEUE;
	struct event ev;

	if (w->nr_items == ITEMS)
		return;
	*x = (struct ref_item){.key = rng_below(&w->rng, 4),
			       .start = NEVER_NS,
			       .done = NEVER_NS,
			       .submit = t,
			       .admit = NEVER_NS,
			       .worker = -1};
	x->seq = w->seqs[x->key]++;
	x->queue = one_queue ? rng_below(&w->rng, w->v.replicas) : x->key % WORKERS;
	x->woken = rng_below(&w->rng, 4) ? NONE32 : x->queue * each(w);
	x->due = t - rng_below(&w->rng, 5);
	x->nr_steps = 1 + rng_below(&w->rng, 3);
	if (!w->v.buffer || unfinished(w) < w->v.buffer)
		x->admit = t;
	ev = ev_submit(t, w->nr_items, x->due, x->key, x->seq, x->admit == t ? x->queue : NONE32,
		       x->woken, CPU(1));
	ev.submit.nr_steps = x->nr_steps;
	for (u32 i = 0; i < x->nr_steps; i++)
		ev.submit.steps[i] = x->steps[i] = random_step(w);
	w->nr_items++;
	take(w->book, ev);
}

static void do_admit(struct world *w, u64 t)
{
	for (u32 i = 0; i < w->nr_items; i++) {
		struct event ev = {.time_ns = t, .kind = EVENT_ADMIT, .item = i};

		if (w->items[i].admit != NEVER_NS)
			continue;
		if (unfinished(w) >= w->v.buffer)
			return;
		w->items[i].admit = t;
		ev.admit.queue = w->items[i].queue;
		take(w->book, ev);
		return;
	}
}

static void switch_to(struct world *w, u64 t, u32 v, enum thread to)
{
	u32 next = to == RUNNING ? WORKER0 + v : rng_below(&w->rng, 3) ? BURN : IDLE;
	u32 prev = w->now.occupant[v];
	int item = w->now.serving[v];

	w->now.occupant[v] = next;
	w->now.thread[v] = to;
	if (to == RUNNING && item >= 0 && w->now.doing[item].pause_until <= t)
		w->now.doing[item].pause_until = 0;
	take(w->book, ev_switch(t, v + 1, tasks[prev].tid, next,
				to == RUNNABLE || to == RUNNING ? SWITCH_PREV_RUNNABLE : 0));
}

static int some_item_of(struct world *w, u32 v, u64 t)
{
	u32 from = rng_below(&w->rng, ITEMS);

	for (u32 i = 0; i < ITEMS; i++) {
		u32 k = (from + i) % ITEMS;

		if (k < w->nr_items && in_service(w, k, t) && w->items[k].worker == (int)v)
			return (int)k;
	}
	return -1;
}

static void pause_all(struct world *w, u64 t, u32 v)
{
	struct event ev = ev_work(t, EVENT_PAUSE, NONE32, v);

	if (w->now.paused_until > t || rng_below(&w->rng, 8))
		return;
	ev.pause.until_ns = w->now.paused_until = t + 1 + rng_below(&w->rng, 30);
	take(w->book, ev);
}

static void do_run(struct world *w, u64 t, u32 v)
{
	int head = head_for(w, v, t), item = w->now.serving[v];

	if (is_async(w) && item < 0)
		item = some_item_of(w, v, t);
	if (w->now.serving[v] < 0 && head >= 0 && w->now.paused_until <= t && rng_below(&w->rng, 2))
		do_start(w, (u32)head, v, t);
	else if (item >= 0 && rng_below(&w->rng, 2))
		do_item(w, (u32)item, t);
	else if (w->now.serving[v] < 0 && rng_below(&w->rng, 4) == 0)
		pause_all(w, t, v);
	else if (!w->v.simulated)
		switch_to(w, t, v, rng_below(&w->rng, 2) ? RUNNABLE : SLEEPING);
}

static void do_worker(struct world *w, u64 t, u32 v)
{
	if (w->v.simulated || w->now.thread[v] == RUNNING) {
		do_run(w, t, v);
	} else if (w->now.thread[v] == SLEEPING) {
		w->now.thread[v] = RUNNABLE;
		take(w->book, ev_wake(t, EVENT_WAKEUP, v, v + 1));
	} else {
		switch_to(w, t, v, RUNNING);
	}
}

static void world_run(struct world *w)
{
	w->holder = w->now.turn = -1;
	memset(w->slot_key, 0xff, sizeof(w->slot_key));
	for (u32 v = 0; v < WORKERS; v++) {
		w->now.serving[v] = -1;
		w->now.occupant[v] = WORKER0 + v;
		if (!w->v.simulated)
			take(w->book,
			     ev_switch(10 + v, v + 1, TID_BURN, WORKER0 + v, SWITCH_PREV_RUNNABLE));
	}
	for (u64 t = 20; t < TICKS; t++) {
		u32 what = rng_below(&w->rng, 8);

		if (what < 1)
			do_submit(w, t);
		else if (what < 2 && w->v.buffer)
			do_admit(w, t);
		else
			do_worker(w, t, rng_below(&w->rng, WORKERS));
		w->at[t] = w->now;
	}
}

/* --- the definition --- */

struct cell {
	enum part part;
	enum front front;
	u32 culprit;
	int item; /* whose state it is */
};

enum phase { READY, PAUSED, CONTENDED, BLOCKED };

static enum phase phase_at(const struct world *w, u32 i, u64 t)
{
	const struct doing *d = &w->at[t].doing[i];

	if (w->v.timeout && t >= w->items[i].start + w->v.timeout)
		return READY;
	if (t < d->pause_until)
		return PAUSED;
	if (d->kind == STEP_LOCK)
		return !d->has_lock && w->at[t].turn >= 0 && w->at[t].turn != (int)i ? CONTENDED
										     : READY;
	if (d->kind == STEP_CALL && d->asked && t < d->from)
		return CONTENDED;
	return d->kind != STEP_CPU && t < d->ready && (d->kind == STEP_WAIT || d->asked) ? BLOCKED
											 : READY;
}

static bool waited(const struct world *w, u32 i, u64 t)
{
	const struct doing *d = &w->at[t].doing[i];

	return d->pause_until || (w->v.timeout && t >= w->items[i].start + w->v.timeout) ||
	       d->kind == STEP_WAIT || (d->kind == STEP_CALL && d->asked) ||
	       (d->kind == STEP_LOCK && !d->has_lock);
}

/* Keys 0 and 1 have names. */
static u32 key_culprit(u32 resource, u32 key)
{
	return CULPRIT_KEY | resource << CULPRIT_RESOURCE_SHIFT |
	       (key < 2 ? key : CULPRIT_KEYS_MAX);
}

static struct cell runqueue_cell(const struct world *w, u32 v, u64 t)
{
	u32 o = w->at[t].occupant[v];

	return (struct cell){PART_RUNQUEUE, FRONT_RUNQUEUE, o == IDLE ? NONE32 : o, -1};
}

static struct cell contended_cell(const struct world *w, u32 i, u64 t)
{
	const struct doing *d = &w->at[t].doing[i];
	u32 key = d->kind == STEP_LOCK ? w->items[w->at[t].turn].key : w->slot_key[d->slot][t];

	return (struct cell){PART_CONTENDED, FRONT_CONTENDED,
			     key_culprit(d->kind == STEP_LOCK ? LOCK : DB, key), -1};
}

/* An item that its thread, or its carrier, is with. */
static struct cell on_cell(const struct world *w, u32 i, u64 t)
{
	u32 v = (u32)w->items[i].worker;
	struct cell c = {PART_OVERSLEPT, FRONT_OVERSLEPT, NONE32, -1};

	if (!w->v.simulated && w->at[t].thread[v] == RUNNABLE)
		return runqueue_cell(w, v, t);
	if (!w->v.simulated && w->at[t].thread[v] == RUNNING)
		return (struct cell){PART_CPU, FRONT_CPU, NONE32, -1};
	switch (phase_at(w, i, t)) {
	case PAUSED:
		return (struct cell){PART_PAUSED, FRONT_PAUSED, NONE32, -1};
	case BLOCKED:
		return (struct cell){PART_BLOCKED, FRONT_BLOCKED, NONE32, -1};
	case CONTENDED:
		return contended_cell(w, i, t);
	default:
		if (w->v.simulated)
			return (struct cell){PART_CPU, FRONT_CPU, NONE32, -1};
		return waited(w, i, t) ? c
				       : (struct cell){PART_CONTENDED, FRONT_CONTENDED, NONE32, -1};
	}
}

/* A carrier that serves nobody, as seen by an item that could go on. */
static struct cell way_cell(const struct world *w, u32 v, u64 t)
{
	if (t < w->at[t].paused_until)
		return (struct cell){PART_PAUSED, FRONT_PAUSED, NONE32, -1};
	if (w->v.simulated || w->at[t].thread[v] == SLEEPING)
		return (struct cell){PART_OVERSLEPT, FRONT_OVERSLEPT, NONE32, -1};
	if (w->at[t].thread[v] == RUNNING)
		return (struct cell){PART_CPU, FRONT_CPU, NONE32, -1};
	return runqueue_cell(w, v, t);
}

/* What an item in service does; as a part and as a front. */
static struct cell item_cell(const struct world *w, u32 i, u64 t)
{
	u32 v = (u32)w->items[i].worker;
	int on = w->at[t].serving[v];

	if (!w->at[t].doing[i].away)
		return on_cell(w, i, t);
	switch (phase_at(w, i, t)) {
	case PAUSED:
		return (struct cell){PART_PAUSED, FRONT_PAUSED, NONE32, -1};
	case BLOCKED:
		return (struct cell){PART_BLOCKED, FRONT_BLOCKED, NONE32, -1};
	case CONTENDED:
		return contended_cell(w, i, t);
	default:
		if (on < 0)
			return way_cell(w, v, t);
		return (struct cell){PART_CARRIER, FRONT_CARRIER, key_culprit(0, w->items[on].key),
				     -1};
	}
}

/* Its own account's: what it waits for has a state of its own. */
static struct cell service_cell(const struct world *w, u32 i, u64 t)
{
	struct cell c = item_cell(w, i, t);
	int on = w->at[t].serving[w->items[i].worker];
	bool lock = c.part == PART_CONTENDED && c.culprit != NONE32 &&
		    w->at[t].doing[i].kind == STEP_LOCK;

	c.front = lock			   ? item_cell(w, (u32)w->at[t].turn, t).front
		  : c.part == PART_CARRIER ? on_cell(w, (u32)on, t).front
					   : FRONT_NONE;
	return c;
}

#include "ledger_waiting.h"

int main(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(variants); i++)
		test_variant(&variants[i], 150);
	return tap_done();
}
