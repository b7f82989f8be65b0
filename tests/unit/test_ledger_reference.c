/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger against a slow reference that shares nothing with it: random runs of a few hundred
 * nanoseconds, one event a nanosecond, every instant of every item classified by the definition,
 * from full knowledge of the run.
 */
#include "core/rng.h"
#include "ledger_events.h"

enum { TICKS = 700, WORKERS = 3, ITEMS = 200, CPUS = 3 };
enum thread { RUNNING, SLEEPING, WAKING, RUNNABLE };

static const u32 cpu_of[WORKERS] = {1, 1, 2};

/* The state after the event of each tick. */
struct instant {
	int serving[WORKERS]; /* item or -1 */
	enum thread thread[WORKERS];
	u32 occupant[CPUS]; /* task index */
	bool irq[CPUS];	    /* an interrupt has the CPU from its occupant */
};

struct world {
	struct rng rng;
	u32 traits;
	struct instant at[TICKS + 1];
	struct ref_item {
		u32 key, seq, queue, woken;
		int worker;
		u64 due, submit, start, done, wait_ns; /* wait_ns 0: CPU work */
	} items[ITEMS];
	u32 nr_items, seqs[8];
	struct book *book;
};

static int queue_head(const struct world *w, u32 worker, const struct instant *now)
{
	for (u32 i = 0; i < w->nr_items; i++) {
		const struct ref_item *x = &w->items[i];
		bool key_busy = false;

		for (u32 v = 0; v < WORKERS; v++)
			key_busy |= now->serving[v] >= 0 && w->items[now->serving[v]].key == x->key;
		if (x->start == NEVER_NS &&
		    ((w->traits & DISPATCH_ONE_QUEUE) || x->queue == worker) &&
		    !((w->traits & DISPATCH_KEY_SERIAL) && key_busy))
			return (int)i;
	}
	return -1;
}

static void do_submit(struct world *w, u64 t)
{
	struct ref_item *x = &w->items[w->nr_items];
	struct step step = rng_below(&w->rng, 2) ? WAIT(1 + rng_below(&w->rng, 30)) : CPU(10);

	if (w->nr_items == ITEMS)
		return;
	*x = (struct ref_item){
		.key = rng_below(&w->rng, 4), .start = NEVER_NS, .done = NEVER_NS, .worker = -1};
	x->seq = w->seqs[x->key]++;
	x->queue = (w->traits & DISPATCH_ONE_QUEUE) ? 0 : x->key % WORKERS;
	x->woken = rng_below(&w->rng, 2) ? rng_below(&w->rng, WORKERS) : NONE32;
	x->submit = t;
	x->due = t - rng_below(&w->rng, 5);
	x->wait_ns = step.kind == STEP_WAIT ? step.ns : 0;
	take(w->book,
	     ev_submit(t, w->nr_items++, x->due, x->key, x->seq, x->queue, x->woken, step));
}

/* A running worker starts, ends or leaves. */
static void do_run(struct world *w, u64 t, u32 v, struct instant *now)
{
	int head = queue_head(w, v, now);
	u32 cpu = cpu_of[v];

	if (now->serving[v] < 0 && head >= 0 && rng_below(&w->rng, 2)) {
		w->items[head].start = t;
		w->items[head].worker = (int)v;
		now->serving[v] = head;
		take(w->book, ev_work(t, EVENT_START, (u32)head, v));
	} else if (now->serving[v] >= 0 && rng_below(&w->rng, 4) == 0) {
		w->items[now->serving[v]].done = t;
		take(w->book, ev_work(t, EVENT_DONE, (u32)now->serving[v], v));
		now->serving[v] = -1;
	} else {
		bool runnable = rng_below(&w->rng, 2);
		u32 next = rng_below(&w->rng, 3) ? BURN : IDLE;

		now->thread[v] = runnable ? RUNNABLE : SLEEPING;
		now->occupant[cpu] = next;
		take(w->book, ev_switch(t, cpu, tasks[WORKER0 + v].tid, next,
					runnable ? SWITCH_PREV_RUNNABLE : 0));
	}
}

static void do_worker(struct world *w, u64 t, u32 v, struct instant *now)
{
	u32 cpu = cpu_of[v], occupant = now->occupant[cpu];

	if (now->irq[cpu] && (now->thread[v] == RUNNING || now->thread[v] == RUNNABLE)) {
		now->irq[cpu] = false;
		take(w->book, ev_irq(t, EVENT_IRQ_EXIT, cpu));
	} else if (now->thread[v] != SLEEPING && rng_below(&w->rng, 6) == 0 && !now->irq[cpu]) {
		now->irq[cpu] = true;
		take(w->book, ev_irq(t, EVENT_IRQ_ENTER, cpu));
	} else if (now->thread[v] == RUNNING) {
		do_run(w, t, v, now);
	} else if (now->thread[v] == SLEEPING) {
		now->thread[v] = WAKING;
		take(w->book, ev_wake(t, EVENT_WAKING, v, 0));
	} else if (now->thread[v] == WAKING) {
		now->thread[v] = RUNNABLE;
		take(w->book, ev_wake(t, EVENT_WAKEUP, v, cpu));
	} else if (occupant == BURN || occupant == IDLE || occupant == KWORKER) {
		now->thread[v] = RUNNING;
		now->occupant[cpu] = WORKER0 + v;
		take(w->book,
		     ev_switch(t, cpu, tasks[occupant].tid, WORKER0 + v, SWITCH_PREV_RUNNABLE));
	} else { /* the other worker of this CPU goes */
		now->thread[occupant - WORKER0] = RUNNABLE;
		now->occupant[cpu] = KWORKER;
		take(w->book,
		     ev_switch(t, cpu, tasks[occupant].tid, KWORKER, SWITCH_PREV_RUNNABLE));
	}
}

static void world_run(struct world *w)
{
	struct instant now = {.serving = {-1, -1, -1}, .occupant = {IDLE, WORKER0, WORKER2}};

	now.thread[1] = SLEEPING;
	/* The start, said by events that leave no doubt. */
	take(w->book, ev_switch(10, 1, TID_BURN, WORKER1, SWITCH_PREV_RUNNABLE));
	take(w->book, ev_switch(11, 1, TID1, WORKER0, 0));
	take(w->book, ev_switch(12, 2, TID_BURN, WORKER2, SWITCH_PREV_RUNNABLE));
	for (u64 t = 20; t < TICKS; t++) {
		u32 what = rng_below(&w->rng, 8);

		if (what < 2)
			do_submit(w, t);
		else if (what < 7)
			do_worker(w, t, rng_below(&w->rng, WORKERS), &now);
		w->at[t] = now;
	}
}

/* --- the definition --- */

struct cell {
	enum part part;
	enum front front;
	u32 culprit;
};

static u32 culprit_at(const struct instant *now, u32 v)
{
	u32 o = now->irq[cpu_of[v]] ? TIMER : now->occupant[cpu_of[v]];

	return o == IDLE ? NONE32 : o;
}

static struct cell serving_cell(const struct world *w, u32 v, u64 t)
{
	const struct instant *now = &w->at[t];
	const struct ref_item *x = &w->items[now->serving[v]];

	if (now->thread[v] == RUNNING && now->irq[cpu_of[v]])
		return (struct cell){PART_IRQ, FRONT_IRQ, TIMER};
	if (now->thread[v] == RUNNING)
		return (struct cell){PART_CPU, FRONT_CPU, NONE32};
	if (now->thread[v] == RUNNABLE)
		return (struct cell){PART_RUNQUEUE, FRONT_RUNQUEUE, culprit_at(now, v)};
	if (!x->wait_ns)
		return (struct cell){PART_CONTENDED, FRONT_CONTENDED, NONE32};
	if (t < x->start + x->wait_ns)
		return (struct cell){PART_BLOCKED, FRONT_BLOCKED, NONE32};
	return (struct cell){PART_OVERSLEPT, FRONT_OVERSLEPT, NONE32};
}

static struct cell free_cell(const struct world *w, u32 v, u64 t)
{
	static const enum front fronts[] = {FRONT_CPU, FRONT_SIGNAL, FRONT_WAKEUP, FRONT_RUNQUEUE};
	const struct instant *now = &w->at[t];

	if (now->serving[v] >= 0)
		return (struct cell){PART_WAKE, FRONT_UNKNOWN, NONE32};
	if (now->thread[v] == RUNNING && now->irq[cpu_of[v]])
		return (struct cell){PART_WAKE, FRONT_IRQ, TIMER};
	return (struct cell){PART_WAKE, fronts[now->thread[v]],
			     now->thread[v] == RUNNABLE ? culprit_at(now, v) : NONE32};
}

static struct cell behind_cell(const struct world *w, u32 v, u64 t, enum part part)
{
	struct cell c = serving_cell(w, v, t);

	c.part = part;
	return c;
}

/* Its taker serves: the free worker that was woken for it, else the free one that has come
 * furthest. */
static u32 coming_at(const struct instant *now, const struct ref_item *x)
{
	static const int progress[] = {[RUNNING] = 3, [RUNNABLE] = 2, [WAKING] = 1, [SLEEPING] = 0};
	u32 found = (u32)x->worker;
	int best = -1;

	if (x->woken != NONE32 && now->serving[x->woken] < 0)
		return x->woken;
	for (u32 v = 0; v < WORKERS; v++) {
		if (now->serving[v] < 0 && progress[now->thread[v]] > best) {
			best = progress[now->thread[v]];
			found = v;
		}
	}
	return found;
}

static struct cell wait_cell(const struct world *w, const struct ref_item *x, u64 t)
{
	const struct instant *now = &w->at[t];
	bool one_queue = w->traits & DISPATCH_ONE_QUEUE, all = true, free_for_it;
	u32 owner = one_queue ? (u32)x->worker : x->queue;
	int earlier = -1;

	for (u32 v = 0; v < WORKERS; v++) {
		const struct ref_item *y = now->serving[v] >= 0 ? &w->items[now->serving[v]] : NULL;

		all &= y != NULL;
		if (y && y->key == x->key && y->seq < x->seq &&
		    (earlier < 0 || y->start < w->items[now->serving[earlier]].start))
			earlier = (int)v;
	}
	free_for_it = one_queue ? !all && !((w->traits & DISPATCH_KEY_SERIAL) && earlier >= 0)
				: now->serving[owner] < 0;
	if (free_for_it && one_queue && now->serving[owner] >= 0)
		return free_cell(w, coming_at(now, x), t);
	if (free_for_it)
		return free_cell(w, owner, t);
	if (all)
		return behind_cell(w, owner, t, PART_SATURATED);
	if (earlier >= 0)
		return behind_cell(w, (u32)earlier, t, PART_ORDER);
	return behind_cell(w, owner, t, PART_HOL);
}

/* The item whose worker's state counts at t while x waits, or NONE32: nobody in front. */
static u32 front_at(const struct world *w, const struct ref_item *x, u64 t)
{
	const struct instant *now = &w->at[t];
	struct cell c = wait_cell(w, x, t);
	u32 owner = (w->traits & DISPATCH_ONE_QUEUE) ? (u32)x->worker : x->queue;
	int earlier = -1;

	if (c.part == PART_WAKE)
		return NONE32;
	for (u32 v = 0; c.part == PART_ORDER && v < WORKERS; v++) {
		int i = now->serving[v];

		if (i >= 0 && w->items[i].key == x->key && w->items[i].seq < x->seq &&
		    (earlier < 0 || w->items[i].start < w->items[earlier].start))
			earlier = i;
	}
	return (u32)(earlier >= 0 ? earlier : now->serving[owner]);
}

/* How many different items were in front, one after another, and is the one the account names among
 * the longest? */
static bool fronts_differ(const struct world *w, u32 item)
{
	const struct ref_item *x = &w->items[item];
	const struct account *a = &w->book->accounts[item];
	u32 count = 0, last = NONE32, run = 0, longest = 0, named = 0;

	for (u64 t = x->submit; t < x->start; t++) {
		u32 front = front_at(w, x, t);

		if (front == NONE32)
			continue;
		run = front == last ? run + 1 : 1;
		count += front != last;
		last = front;
		longest = run > longest ? run : longest;
		if (front == a->front_item && run > named)
			named = run;
	}
	return a->front_count != count || named != longest ||
	       (count == 0) != (a->front_item == NONE32);
}

/* Compare one item's account with the definition; the number of cells that differ. */
static u32 item_differs(const struct world *w, u32 item)
{
	static u64 want[PART_NR][FRONT_NR][NR_TASKS + 1];
	const struct ref_item *x = &w->items[item];
	u32 wrong = 0;

	memset(want, 0, sizeof(want));
	want[PART_LATE][FRONT_NONE][NR_TASKS] = x->submit - x->due;
	for (u64 t = x->submit; t < x->done; t++) {
		struct cell c =
			t < x->start ? wait_cell(w, x, t) : serving_cell(w, (u32)x->worker, t);
		enum front f = t < x->start ? c.front : FRONT_NONE;

		want[c.part][f][c.culprit == NONE32 ? NR_TASKS : c.culprit]++;
	}
	for (u32 p = 0; p < PART_NR; p++)
		for (u32 f = 0; f < FRONT_NR; f++)
			for (u32 c = 0; c <= NR_TASKS; c++)
				wrong += charged(w->book, item, (enum part)p, (enum front)f,
						 c == NR_TASKS ? NONE32 : c) != want[p][f][c];
	return wrong;
}

static void test_design(const char *name, u32 traits, u32 rounds)
{
	static struct world w;
	u32 items = 0, wrong = 0, sums = 0, fronts = 0;

	for (u32 round = 0; round < rounds; round++) {
		w = (struct world){.traits = traits, .book = book_open(WORKERS, traits, true)};
		rng_init(&w.rng, round, traits);
		world_run(&w);
		book_end(w.book);
		sums += w.book->counts.sum_errors || w.book->err || w.book->counts.impossible;
		for (u32 i = 0; i < w.nr_items; i++) {
			if (w.items[i].done == NEVER_NS)
				continue;
			items++;
			sums += !adds_up(w.book, i, w.items[i].done - w.items[i].due);
			wrong += item_differs(&w, i) > 0;
			fronts += fronts_differ(&w, i);
		}
		free(w.book);
	}
	CHECK(items > rounds * 5, "%s: %u items had an end in %u random runs", name, items, rounds);
	CHECK(sums == 0, "%s: every account adds up", name);
	CHECK(fronts == 0, "%s: who was in front is what the definition says (%u differ)", name,
	      fronts);
	CHECK(wrong == 0, "%s: every account is what the definition says (%u differ)", name, wrong);
}

int main(void)
{
	test_design("partition", 0, 400);
	test_design("shared", DISPATCH_ONE_QUEUE, 400);
	test_design("key", DISPATCH_ONE_QUEUE | DISPATCH_KEY_SERIAL, 400);
	return tap_done();
}
