/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger on events written by hand: what random runs of the reference do not meet. */
#include "ledger_events.h"

#include <malloc.h>

static struct event ev_take(u64 t, u32 item, u32 worker, u32 slot, u64 from, u64 until)
{
	struct event ev = ev_work(t, EVENT_TAKE, item, worker);

	ev.take.slot = slot;
	ev.take.from_ns = from;
	ev.take.until_ns = until;
	return ev;
}

static struct event ev_done(u64 t, u32 item, u32 worker, u32 outcome)
{
	struct event ev = ev_work(t, EVENT_DONE, item, worker);

	ev.done.outcome = outcome;
	return ev;
}

static struct event ev_pause(u64 t, u32 item, u32 worker, u64 until)
{
	struct event ev = ev_work(t, EVENT_PAUSE, item, worker);

	ev.pause.until_ns = until;
	return ev;
}

#define CALL(ns_) ((struct step){.ns = (ns_), .kind = STEP_CALL})

static struct book *book_simulated(u32 workers, u32 named_keys)
{
	return book_open_as((struct ledger_config){
		.workers = workers, .simulated = true, .named_keys = named_keys});
}

static void start(struct book *b, u64 t, u32 item, u32 key, u32 worker, struct step step)
{
	take(b, ev_submit(t, item, t, key, 0, worker, NONE32, step));
	take(b, ev_work(t, EVENT_START, item, worker));
}

/* Of two calls made on two threads, the one that came later may be known first. */
static void test_slot_out_of_order(void)
{
	struct book *b = book_simulated(3, 16);

	start(b, 100, 0, 1, 0, CALL(50));
	start(b, 100, 1, 2, 1, CALL(50));
	start(b, 100, 2, 3, 2, CALL(50));
	take(b, ev_take(100, 0, 0, 0, 100, 150));
	take(b, ev_take(101, 2, 2, 0, 200, 250));
	take(b, ev_take(102, 1, 1, 0, 150, 200));
	take(b, ev_work(150, EVENT_DONE, 0, 0));
	take(b, ev_work(200, EVENT_DONE, 1, 1));
	take(b, ev_work(250, EVENT_DONE, 2, 2));
	book_end(b);

	CHECK(adds_up(b, 2, 150) && charged(b, 2, PART_BLOCKED, FRONT_NONE, NONE32) == 50,
	      "the call itself is blocked");
	CHECK(charged(b, 2, PART_CONTENDED, FRONT_NONE, CULPRIT_KEY | 1) == 49 &&
		      charged(b, 2, PART_CONTENDED, FRONT_NONE, CULPRIT_KEY | 2) == 50,
	      "contended: each who had the slot, for its time");
	free(b);
}

static void test_outcomes(void)
{
	struct book *b = book_open_as(
		(struct ledger_config){.workers = 1, .simulated = true, .timeout_ns = 30});
	struct event again = ev_submit(300, 1, 200, 2, 1, 0, NONE32, CPU(5));

	start(b, 100, 0, 1, 0, CALL(50));
	take(b, ev_take(100, 0, 0, 0, 110, 160));
	take(b, ev_done(130, 0, 0, OUTCOME_TIMED_OUT));
	start(b, 200, 1, 2, 0, CALL(50));
	take(b, ev_done(200, 1, 0, OUTCOME_REFUSED));
	CHECK(b->accounts[0].outcome == OUTCOME_TIMED_OUT &&
		      b->accounts[1].outcome == OUTCOME_REFUSED,
	      "an account says how its item ended");
	CHECK(adds_up(b, 0, 30) && adds_up(b, 1, 0), "given up or refused, its parts add up");
	again.submit.delivery = DELIVERY_ABANDONED;
	take(b, again);
	take(b, ev_work(300, EVENT_START, 1, 0));
	take(b, ev_work(305, EVENT_DONE, 1, 0));
	book_end(b);
	CHECK(adds_up(b, 1, 105) && charged(b, 1, PART_AGAIN, FRONT_NONE, NONE32) == 100 &&
		      charged(b, 1, PART_LATE, FRONT_NONE, NONE32) == 0,
	      "what went before a further delivery is not the generator's lateness");
	CHECK(b->accounts[1].delivery == DELIVERY_ABANDONED && !b->counts.unfinished,
	      "and the account says that it is one");
	free(b);
}

/* One worker says that it is held up: nobody is free then, those that were idle included. */
static void test_pause_of_all(void)
{
	struct book *b = book_simulated(2, 0);

	take(b, ev_submit(100, 0, 100, 1, 0, 0, 0, CPU(10)));
	take(b, ev_submit(102, 1, 102, 2, 0, 1, 1, CPU(10)));
	take(b, ev_pause(103, NONE32, 0, 150));
	take(b, ev_work(150, EVENT_START, 0, 0));
	take(b, ev_work(151, EVENT_START, 1, 1));
	take(b, ev_work(160, EVENT_DONE, 0, 0));
	take(b, ev_work(161, EVENT_DONE, 1, 1));
	book_end(b);

	CHECK(adds_up(b, 1, 59) && charged(b, 1, PART_SATURATED, FRONT_PAUSED, NONE32) == 47,
	      "saturated, and what the worker did is paused");
	CHECK(charged(b, 1, PART_WAKE, FRONT_SIGNAL, NONE32) == 2, "before and after it is free");
	CHECK(!part_is_kernel(PART_SATURATED, FRONT_PAUSED) &&
		      !part_is_kernel(PART_PAUSED, FRONT_NONE) &&
		      part_is_kernel(PART_CARRIER, FRONT_RUNQUEUE) &&
		      !part_is_kernel(PART_CARRIER, FRONT_CPU) &&
		      part_is_kernel(PART_CONTENDED, FRONT_RUNQUEUE) &&
		      !part_is_kernel(PART_CONTENDED, FRONT_NONE),
	      "what was asked for is not the kernel's; a holder that is kept off its CPU is");
	free(b);
}

/* spawn, a probe, and the slot of worker 0, which TID0, TID1 and TID2 have one after another; the
 * last is known as such by its second task only. */
static struct book *book_slot(struct task of_slot[NR_TASKS])
{
	struct ledger_config cfg = {.workers = 1,
				    .keys = 16,
				    .executor = EXECUTOR_SPAWN,
				    .probe = true,
				    .tasks = of_slot,
				    .nr_tasks = NR_TASKS,
				    .item = book_item};
	struct book *b = calloc(1, sizeof(*b));

	memcpy(of_slot, tasks, sizeof(tasks));
	of_slot[WORKER1].worker = 0;
	of_slot[WORKER2].worker = NONE32;
	of_slot[WORKER3].worker = 0;
	of_slot[WORKER3].tid = of_slot[WORKER2].tid;
	cfg.ctx = b;
	if (ledger_new(&b->ledger, &cfg))
		abort();
	return b;
}

static void test_threads_of_a_slot(void)
{
	struct task of_slot[NR_TASKS];
	struct book *b = book_slot(of_slot);

	take(b, ev_switch(10, 1, TID_BURN, WORKER0, SWITCH_PREV_RUNNABLE));
	start(b, 20, 0, 1, 0, CPU(10));
	take(b, ev_work(30, EVENT_DONE, 0, 0));
	take(b, ev_submit(35, 1, 35, 1, 1, 0, 0, CPU(10)));
	take(b, ev_switch(40, 2, TID_BURN, WORKER1, 0)); /* the new one is there */
	take(b, ev_work(42, EVENT_START, 1, 0));
	take(b, ev_switch(45, 1, TID0, BURN, 0)); /* before the old one has gone */
	take(b, ev_switch(46, 2, TID1, BURN, SWITCH_PREV_RUNNABLE));
	take(b, ev_switch(50, 2, TID_BURN, WORKER1, SWITCH_PREV_RUNNABLE));
	take(b, ev_work(52, EVENT_DONE, 1, 0));
	book_end(b);

	CHECK(adds_up(b, 1, 17) && charged(b, 1, PART_RUNQUEUE, FRONT_NONE, BURN) == 4 &&
		      charged(b, 1, PART_CPU, FRONT_NONE, NONE32) == 6,
	      "the states are those of the slot's own thread");
	CHECK(!b->counts.impossible && !b->counts.reclassified && !b->check.measured,
	      "nothing contradicts; without accounts of the kernel's there is no check");
	free(b);
}

/* What is known of a slot before its thread runs, the first one and the next. */
static void test_thread_is_made(void)
{
	struct task of_slot[NR_TASKS];
	struct book *b = book_slot(of_slot);

	take(b, ev_work(5, EVENT_IDLE, NONE32, 0));
	take(b, ev_submit(20, 0, 18, 1, 0, 0, 0, CPU(10)));
	take(b, ev_wake(21, EVENT_WAKING, 0, 2));
	take(b, ev_switch(35, 1, TID_BURN, WORKER0, SWITCH_PREV_RUNNABLE));
	take(b, ev_work(42, EVENT_START, 0, 0));
	take(b, ev_work(50, EVENT_DONE, 0, 0));
	take(b, ev_work(51, EVENT_IDLE, NONE32, 0));
	take(b, ev_submit(60, 1, 60, 1, 1, 0, 0, CPU(10)));
	take(b, ev_wake(60, EVENT_WAKING, 0, 2));
	take(b, ev_switch(62, 1, TID0, BURN, SWITCH_PREV_RUNNABLE)); /* the old one ends … */
	take(b, ev_switch(66, 1, TID_BURN, WORKER0, SWITCH_PREV_RUNNABLE));
	take(b, ev_switch(70, 2, TID_BURN, WORKER1, 0));
	take(b, ev_switch(71, 1, TID0, BURN, 0)); /* … when the new one is there */
	take(b, ev_work(73, EVENT_START, 1, 0));
	take(b, ev_switch(75, 2, TID1, BURN, SWITCH_PREV_RUNNABLE));
	take(b, ev_switch(79, 2, TID_BURN, WORKER1, SWITCH_PREV_RUNNABLE));
	take(b, ev_work(90, EVENT_DONE, 1, 0));
	take(b, ev_work(91, EVENT_IDLE, NONE32, 0));
	take(b, ev_submit(100, 2, 100, 1, 2, 0, 0, CPU(10)));
	take(b, ev_wake(100, EVENT_WAKING, 0, 2));
	take(b, ev_switch(104, 1, TID_BURN, WORKER2, 0)); /* it has not said yet whose it is */
	take(b, ev_work(107, EVENT_START, 2, 0));
	take(b, ev_switch(110, 1, TID2, BURN, SWITCH_PREV_RUNNABLE));
	take(b, ev_switch(115, 1, TID_BURN, WORKER3, SWITCH_PREV_RUNNABLE));
	take(b, ev_work(120, EVENT_DONE, 2, 0));
	book_end(b);

	CHECK(adds_up(b, 0, 32) && charged(b, 0, PART_WAKE, FRONT_SIGNAL, NONE32) == 1 &&
		      charged(b, 0, PART_WAKE, FRONT_WAKEUP, NONE32) == 14 &&
		      charged(b, 0, PART_WAKE, FRONT_CPU, NONE32) == 7,
	      "the first thread: nobody is told, it is being made, it comes");
	CHECK(adds_up(b, 1, 30) && charged(b, 1, PART_WAKE, FRONT_WAKEUP, NONE32) == 10 &&
		      charged(b, 1, PART_WAKE, FRONT_CPU, NONE32) == 3 &&
		      charged(b, 1, PART_RUNQUEUE, FRONT_NONE, BURN) == 4 &&
		      charged(b, 1, PART_CPU, FRONT_NONE, NONE32) == 13,
	      "the next: what the one before it does says nothing of it");
	CHECK(adds_up(b, 2, 20) && charged(b, 2, PART_WAKE, FRONT_WAKEUP, NONE32) == 4 &&
		      charged(b, 2, PART_WAKE, FRONT_CPU, NONE32) == 3 &&
		      charged(b, 2, PART_RUNQUEUE, FRONT_NONE, BURN) == 5 &&
		      charged(b, 2, PART_CPU, FRONT_NONE, NONE32) == 8,
	      "a thread that has said later whose it is");
	CHECK(!b->counts.impossible && !b->counts.reclassified, "nothing contradicts");
	free(b);
}

struct longest {
	u32 lines;
	u64 others, sum;
};

static int count_lines(void *ctx, const struct account *a)
{
	struct longest *l = ctx;

	l->lines = a->nr_charges;
	for (u32 i = 0; i < a->nr_charges; i++) {
		u32 culprit = a->charges[i].culprit;

		l->sum += a->charges[i].ns;
		if (culprit_is_key(culprit) && culprit_key(culprit) == NONE32)
			l->others += a->charges[i].ns;
	}
	return 0;
}

/* A list of culprits stays short, whatever the number of keys. */
static void test_many_culprits(void)
{
	enum { CALLS = 1000 };
	struct longest l = {0};
	struct book b = {0};
	struct ledger_config cfg = {.workers = CALLS + 1,
				    .keys = CALLS + 1,
				    .simulated = true,
				    .named_keys = CALLS + 1,
				    .item = count_lines,
				    .ctx = &l};

	if (ledger_new(&b.ledger, &cfg))
		abort();
	for (u32 i = 0; i <= CALLS; i++) {
		start(&b, 10, i, i, i, CALL(3));
		take(&b, ev_take(10, i, i, 0, 10 + 3 * i, 13 + 3 * i));
	}
	take(&b, ev_work(13 + 3 * CALLS, EVENT_DONE, CALLS, CALLS));
	book_end(&b);
	CHECK(!b.err && l.sum == 3 * CALLS + 3, "an item that waited behind %u others", CALLS);
	CHECK(l.lines < 300 && l.others > 3 * CALLS / 2,
	      "its account has %u lines, and %" PRIu64 " ns by keys without a name", l.lines,
	      l.others);
}

/* Behind so many that whole blocks of turns are charged: threads that wait for a lock, one after
 * another. */
static void test_many_holders(void)
{
	enum { THREADS = 300, HELD = 5 };
	struct book *b = book_simulated(THREADS, 2);
	const struct step lock = {.ns = HELD, .kind = STEP_LOCK};
	u64 sum = 0, want[3] = {0};
	const u32 last = THREADS - 1;

	for (u32 i = 0; i < THREADS; i++)
		start(b, 10, i, i % 4, i, lock);
	for (u32 i = 0; i < THREADS; i++) {
		u32 key = i % 4;

		take(b, ev_take(10 + HELD * i, i, i, 0, 10 + HELD * i, 0));
		take(b, ev_work(10 + HELD * (i + 1), EVENT_DONE, i, i));
		if (i != last)
			want[key < 2 ? key : 2] += HELD;
	}
	book_end(b);
	for (u32 key = 0; key < 3; key++)
		sum += charged(b, last, PART_CONTENDED, FRONT_CPU,
			       CULPRIT_KEY | (key < 2 ? key : CULPRIT_KEYS_MAX)) == want[key];
	CHECK(adds_up(b, last, HELD * THREADS) && sum == 3,
	      "the last of %u waiters: by whose key, each on the CPU meanwhile", THREADS);
	free(b);
}

static int ignore(void *ctx, const struct account *a)
{
	(void)ctx;
	(void)a;
	return 0;
}

/* One item of a stream without end, each with a call, a lock and a pause, at carriers in turn. */
static void one_of_many(struct book *b, u32 i)
{
	u64 t = 1000 + 100ull * i;
	u32 worker = i % 4;
	struct event step = ev_work(t + 40, EVENT_STEP, i, worker), submit;
	struct event lock = ev_work(t + 41, EVENT_TAKE, i, worker);

	step.step.index = 1;
	lock.take.resource = 1;
	lock.take.from_ns = t + 41;
	submit = ev_submit(t, i, t, i % 16, i / 16, worker, NONE32, CALL(30));
	submit.submit.nr_steps = 2;
	submit.submit.steps[1] = (struct step){.ns = 5, .kind = STEP_LOCK, .resource = 1};
	take(b, submit);
	take(b, ev_work(t, EVENT_START, i, worker));
	take(b, ev_take(t, i, worker, i % 64, t, t + 30));
	take(b, ev_pause(t + 35, i, worker, t + 38));
	take(b, step);
	take(b, lock);
	take(b, ev_pause(t + 50, NONE32, worker, t + 60));
	take(b, ev_work(t + 90, EVENT_DONE, i, worker));
}

static void test_memory(u32 executor)
{
	enum { FEW = 20000, MANY = 200000 };
	struct book b = {0};
	struct ledger_config cfg = {.workers = 4,
				    .keys = 16,
				    .executor = executor,
				    .limit = 3,
				    .simulated = true,
				    .item = ignore};
	size_t few = 0, many;

	if (ledger_new(&b.ledger, &cfg))
		abort();
	for (u32 i = 0; i < MANY; i++) {
		one_of_many(&b, i);
		few = i == FEW ? mallinfo2().uordblks : few;
	}
	many = mallinfo2().uordblks;
	book_end(&b);
	CHECK(!b.err && !b.counts.impossible && !b.counts.sum_errors, "%u items, executor %u", MANY,
	      executor);
	CHECK(many <= few + few / 100, "take no more memory than %u (%zu and %zu bytes)", FEW, many,
	      few);
}

int main(void)
{
	test_slot_out_of_order();
	test_outcomes();
	test_pause_of_all();
	test_threads_of_a_slot();
	test_thread_is_made();
	test_many_culprits();
	test_many_holders();
	test_memory(EXECUTOR_THREAD);
	test_memory(EXECUTOR_ASYNC);
	return tap_done();
}
