/* SPDX-License-Identifier: GPL-2.0-only */
/* Events written by hand, and a ledger that keeps the accounts it makes, for the ledger's tests. */
#ifndef HOLBENCH_TESTS_LEDGER_EVENTS_H
#define HOLBENCH_TESTS_LEDGER_EVENTS_H

#include "core/dispatch/dispatch.h"
#include "core/ledger.h"
#include "tap.h"

#include <string.h>

enum { IDLE, WORKER0, WORKER1, WORKER2, WORKER3, BURN, KWORKER, TIMER, NR_TASKS };
enum { TID0 = 100, TID1, TID2, TID3, TID_BURN = 200, TID_KWORKER = 300 };

#define TASK(tid_, worker_, class_, cgroup_, comm_)                                                \
	{                                                                                          \
		.tid = (tid_), .worker = (worker_), .class = (class_), .cgroup = (cgroup_),        \
		.comm = (comm_)                                                                    \
	}

static const struct task tasks[NR_TASKS] = {
	[IDLE] = TASK(0, NONE32, TASK_USER, 1, "swapper/1"),
	[WORKER0] = TASK(TID0, 0, TASK_USER, 5, "hb-worker-0"),
	[WORKER1] = TASK(TID1, 1, TASK_USER, 5, "hb-worker-1"),
	[WORKER2] = TASK(TID2, 2, TASK_USER, 5, "hb-worker-2"),
	[WORKER3] = TASK(TID3, 3, TASK_USER, 5, "hb-worker-3"),
	[BURN] = TASK(TID_BURN, NONE32, TASK_USER, 7, "burn"),
	[KWORKER] = TASK(TID_KWORKER, NONE32, TASK_KTHREAD, 1, "kworker/1:2"),
	[TIMER] = TASK(UINT32_MAX, NONE32, TASK_INTERRUPT, 0, "local_timer"),
};

#define MAX_ACCOUNTS 512
#define MAX_CHARGES  128

struct book {
	struct ledger *ledger;
	struct account accounts[MAX_ACCOUNTS]; /* by item id */
	struct charge charges[MAX_ACCOUNTS][MAX_CHARGES];
	bool have[MAX_ACCOUNTS];
	struct ledger_counts counts;
	struct ledger_check check;
	int err;
};

static int book_item(void *ctx, const struct account *a)
{
	struct book *b = ctx;

	if (a->item >= MAX_ACCOUNTS || a->nr_charges > MAX_CHARGES)
		return -1;
	b->have[a->item] = true;
	b->accounts[a->item] = *a;
	memcpy(b->charges[a->item], a->charges, a->nr_charges * sizeof(*a->charges));
	return 0;
}

/* What is not about the run is filled. */
static inline struct book *book_open_as(struct ledger_config cfg)
{
	struct book *b = calloc(1, sizeof(*b));

	cfg.keys = 16;
	cfg.tasks = tasks;
	cfg.nr_tasks = NR_TASKS;
	cfg.item = book_item;
	cfg.ctx = b;
	if (!b || ledger_new(&b->ledger, &cfg))
		abort();
	return b;
}

static inline struct book *book_open(u32 workers, u32 traits, bool probe)
{
	return book_open_as(
		(struct ledger_config){.workers = workers, .traits = traits, .probe = probe});
}

static inline void book_end(struct book *b)
{
	ledger_end(b->ledger, &b->counts, &b->check);
	ledger_free(b->ledger);
	b->ledger = NULL;
}

static inline void take(struct book *b, struct event ev)
{
	int err = ledger_take(b->ledger, &ev);

	if (err && !b->err)
		b->err = err;
}

static inline struct event ev_submit(u64 t, u32 item, u64 due, u32 key, u32 seq, u32 queue,
				     u32 woken, struct step step)
{
	struct event ev = {.time_ns = t, .kind = EVENT_SUBMIT, .item = item};

	ev.submit.due_ns = due;
	ev.submit.key = key;
	ev.submit.key_seq = seq;
	ev.submit.queue = queue;
	ev.submit.woken = woken;
	ev.submit.nr_steps = 1;
	ev.submit.steps[0] = step;
	return ev;
}

static inline struct event ev_work(u64 t, u32 kind, u32 item, u32 worker)
{
	return (struct event){.time_ns = t, .kind = kind, .item = item, .worker = worker};
}

static inline struct event ev_switch(u64 t, u32 cpu, u32 prev_tid, u32 next_task, u32 flags)
{
	struct event ev = {.time_ns = t, .kind = EVENT_SWITCH, .cpu = cpu};

	ev.sched_switch.prev_tid = prev_tid;
	ev.sched_switch.next_task = next_task;
	ev.sched_switch.flags = flags;
	return ev;
}

static inline struct event ev_wake(u64 t, u32 kind, u32 worker, u32 cpu)
{
	return (struct event){.time_ns = t, .kind = kind, .worker = worker, .cpu = cpu};
}

static inline struct event ev_irq(u64 t, u32 kind, u32 cpu)
{
	struct event ev = {.time_ns = t, .kind = kind, .cpu = cpu};

	if (kind == EVENT_IRQ_ENTER)
		ev.irq.irq_task = TIMER;
	return ev;
}

#define WAIT(ns_) ((struct step){.ns = (ns_), .kind = STEP_WAIT})
#define CPU(ns_)  ((struct step){.ns = (ns_), .kind = STEP_CPU})

/* What an item was charged; culprit NONE32 for none, -2 (any): summed over all culprits. */
#define ANY_CULPRIT (UINT32_MAX - 7)

static inline u64 charged(const struct book *b, u32 item, enum part part, enum front front,
			  u32 culprit)
{
	u64 sum = 0;

	for (u32 i = 0; i < b->accounts[item].nr_charges; i++) {
		const struct charge *c = &b->charges[item][i];

		if (c->part == part && c->front == front &&
		    (culprit == ANY_CULPRIT || c->culprit == culprit))
			sum += c->ns;
	}
	return sum;
}

/* Do the parts of this item's account add up to `latency`? */
static inline bool adds_up(const struct book *b, u32 item, u64 latency)
{
	u64 sum = 0;

	for (u32 i = 0; i < b->accounts[item].nr_charges; i++)
		sum += b->charges[item][i].ns;
	return b->have[item] && sum == latency &&
	       latency == b->accounts[item].done_ns - b->accounts[item].due_ns;
}

#endif
