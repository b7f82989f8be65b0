/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A random world for the ledger's second reference: workers or carriers, items with steps, slots, a
 * lock, pauses, a limit, replicas, a buffer. One event a nanosecond at the most; what everybody did
 * after each is kept, so that every instant can be judged from full knowledge.
 */
#ifndef HOLBENCH_TESTS_LEDGER_WORLD_H
#define HOLBENCH_TESTS_LEDGER_WORLD_H

#include "core/rng.h"
#include "ledger_events.h"

enum { TICKS = 600, WORKERS = 4, ITEMS = 160, SLOTS = 2, LATER = 400 };
enum { DB, LOCK }; /* resources */
enum thread { RUNNING, SLEEPING, RUNNABLE };
enum away { ON, AWAY };

/* What an item's step asks for, and where it is. */
struct doing {
	u32 step, kind;
	u64 pause_until, asked, from, ready;
	u32 slot;
	bool has_lock, away;
};

/* The state after the event of each tick. */
struct instant {
	int serving[WORKERS]; /* item or -1; async: on the carrier */
	enum thread thread[WORKERS];
	u32 occupant[WORKERS];
	u64 paused_until;
	int turn; /* whose the lock is, or -1 */
	struct doing doing[ITEMS];
};

struct ref_item {
	u32 key, seq, queue, woken;
	int worker;
	u64 due, submit, admit, start, done; /* admit: when it entered its queue */
	u32 nr_steps;
	struct step steps[3];
};

struct variant {
	const char *name;
	u32 traits, executor, replicas, limit, partitions, buffer;
	bool simulated, null_unordered;
	u64 timeout;
};

struct world {
	struct rng rng;
	struct variant v;
	struct instant now, at[TICKS + 1];
	struct ref_item items[ITEMS];
	u32 nr_items, seqs[8];
	int lock_queue[ITEMS]; /* waiters, in their order */
	u32 nr_waiters;
	int holder;
	u64 slot_free[SLOTS];
	u32 slot_key[SLOTS][TICKS + LATER]; /* who has it; NONE32: nobody */
	struct book *book;
};

static inline bool is_async(const struct world *w)
{
	return w->v.executor == EXECUTOR_ASYNC;
}

static inline u32 each(const struct world *w)
{
	return WORKERS / w->v.replicas;
}

static inline u32 lane_of(const struct world *w, u32 item)
{
	const struct ref_item *x = &w->items[item];

	return w->v.traits & DISPATCH_PARTITION_SERIAL
		       ? item_partition(x->key, item, w->v.partitions, 3)
		       : x->key;
}

/* Is y, of x's lane, before it? */
static inline bool before(const struct world *w, u32 y, u32 x)
{
	if (!(w->v.traits & DISPATCH_PARTITION_SERIAL) && w->v.null_unordered &&
	    w->items[x].key == 3)
		return false;
	return lane_of(w, x) == lane_of(w, y) && y < x;
}

static inline bool in_service(const struct world *w, u32 i, u64 t)
{
	return w->items[i].start <= t && t < w->items[i].done;
}

static inline u32 group_of_item(const struct world *w, u32 i)
{
	return (u32)w->items[i].worker / each(w);
}

/* --- what happens --- */

static inline void lock_turn(struct world *w)
{
	w->now.turn = w->holder >= 0 ? w->holder : w->nr_waiters ? w->lock_queue[0] : -1;
}

static inline void lock_drop(struct world *w, int item)
{
	u32 to = 0;

	for (u32 i = 0; i < w->nr_waiters; i++)
		if (w->lock_queue[i] != item)
			w->lock_queue[to++] = w->lock_queue[i];
	w->nr_waiters = to;
	if (w->holder == item)
		w->holder = -1;
	lock_turn(w);
}

static inline void put_on(struct world *w, u32 item, bool on)
{
	int *serving = &w->now.serving[w->items[item].worker];

	if (!is_async(w))
		on = true;
	w->now.doing[item].away = !on;
	if (on)
		*serving = (int)item;
	else if (*serving == (int)item)
		*serving = -1;
}

static inline void begin_step(struct world *w, u32 item, u32 step, u64 t)
{
	const struct step *s = &w->items[item].steps[step];

	lock_drop(w, (int)item);
	w->now.doing[item] = (struct doing){.step = step, .kind = s->kind};
	if (s->kind == STEP_WAIT)
		w->now.doing[item].ready = t + s->ns;
	if (s->kind == STEP_LOCK) {
		w->lock_queue[w->nr_waiters++] = (int)item;
		lock_turn(w);
	}
	put_on(w, item, s->kind == STEP_CPU);
}

static inline void do_take(struct world *w, u32 item, u64 t)
{
	struct doing *d = &w->now.doing[item];
	struct event ev = ev_work(t, EVENT_TAKE, item, (u32)w->items[item].worker);
	u32 slot = rng_below(&w->rng, SLOTS);

	if (d->kind == STEP_LOCK) {
		if (is_async(w)) { /* its carrier goes on with it */
			struct event step = ev_work(t, EVENT_STEP, item, ev.worker);

			step.step.index = d->step;
			take(w->book, step);
		}
		lock_drop(w, (int)item);
		w->holder = (int)item;
		lock_turn(w);
		d->has_lock = true;
		ev.take.resource = LOCK;
		ev.take.from_ns = t;
		put_on(w, item, true);
	} else {
		d->asked = t;
		d->from = w->slot_free[slot] > t ? w->slot_free[slot] : t;
		d->ready = d->from + 1 + rng_below(&w->rng, 25);
		d->slot = ev.take.slot = slot;
		w->slot_free[slot] = d->ready;
		for (u64 i = d->from; i < TICKS + LATER; i++) /* until somebody else has it */
			w->slot_key[slot][i] = w->items[item].key;
		ev.take.resource = DB;
		ev.take.from_ns = d->from;
		ev.take.until_ns = d->ready;
	}
	take(w->book, ev);
}

static inline bool may_take(const struct world *w, u32 item)
{
	const struct doing *d = &w->now.doing[item];

	if (d->kind == STEP_LOCK)
		return !d->has_lock && w->now.turn == (int)item && w->holder < 0 &&
		       (!is_async(w) || w->now.serving[w->items[item].worker] < 0);
	return d->kind == STEP_CALL && !d->asked;
}

/* It waits for its carrier, and for nothing else. */
static inline bool only_waits(const struct world *w, u32 item, u64 t)
{
	const struct doing *d = &w->now.doing[item];
	bool asked = d->kind == STEP_WAIT || (d->kind == STEP_CALL && d->asked);

	return d->away && t >= d->pause_until && !(asked && t < d->ready) &&
	       (d->kind != STEP_LOCK || d->has_lock);
}

static inline void do_pause(struct world *w, u32 item, u64 t)
{
	struct doing *d = &w->now.doing[item];
	struct event ev = ev_work(t, EVENT_PAUSE, item, (u32)w->items[item].worker);

	ev.pause.until_ns = t + 1 + rng_below(&w->rng, 40);
	if (t < w->now.paused_until && rng_below(&w->rng, 2))
		ev.pause.until_ns = w->now.paused_until;
	if (ev.pause.until_ns == w->now.paused_until && only_waits(w, item, t)) {
		take(w->book, ev); /* it does so through the pause */
		return;
	}
	lock_drop(w, (int)item);
	if (d->kind == STEP_WAIT && t < d->ready)
		d->ready = ev.pause.until_ns + w->items[item].steps[d->step].ns;
	d->pause_until = ev.pause.until_ns;
	put_on(w, item, false);
	take(w->book, ev);
}

static inline void do_step(struct world *w, u32 item, u64 t)
{
	struct event ev = ev_work(t, EVENT_STEP, item, (u32)w->items[item].worker);

	ev.step.index = w->now.doing[item].step + 1;
	begin_step(w, item, ev.step.index, t);
	take(w->book, ev);
}

static inline void do_done(struct world *w, u32 item, u64 t)
{
	struct ref_item *x = &w->items[item];

	x->done = t;
	lock_drop(w, (int)item);
	if (w->now.serving[x->worker] == (int)item)
		w->now.serving[x->worker] = -1;
	take(w->book, ev_work(t, EVENT_DONE, item, (u32)x->worker));
}

/* Something of an item that is in service at its worker. */
static inline void do_item(struct world *w, u32 item, u64 t)
{
	u32 what = rng_below(&w->rng, 8);

	if (what < 3 && may_take(w, item))
		do_take(w, item, t);
	else if (what < 5 && w->now.doing[item].step + 1 < w->items[item].nr_steps &&
		 (!is_async(w) || w->now.serving[w->items[item].worker] < 0 ||
		  w->now.serving[w->items[item].worker] == (int)item))
		do_step(w, item, t);
	else if (what == 5)
		do_pause(w, item, t);
	else if (what == 6)
		do_done(w, item, t);
}

static inline void do_start(struct world *w, u32 item, u32 v, u64 t)
{
	w->items[item].start = t;
	w->items[item].worker = (int)v;
	begin_step(w, item, 0, t);
	take(w->book, ev_work(t, EVENT_START, item, v));
}

#endif
