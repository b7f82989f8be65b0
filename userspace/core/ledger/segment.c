/* SPDX-License-Identifier: GPL-2.0-only */
/* Closed stretches of a worker's time, and whom a stretch on a run queue is blamed on. */
#include "core/ledger/internal.h"

struct blaming {
	struct ledger *l;
	struct ring *blames;
	u64 first;
};

static void blame_add(void *ctx, u32 culprit, u64 ns)
{
	struct blaming *to = ctx;
	struct blame *b;

	for (u64 i = to->blames->end; i > to->first; i--) {
		b = ring_at(to->blames, i - 1);
		if (b->culprit == culprit) {
			b->ns += ns;
			return;
		}
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
	blocks_forget(w, i);
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
	else if (s->front == FRONT_IRQ)
		blame_add(&to, w->irq_task, s->t1 - s->t0);
	s->nr_blames = (u32)(w->blames.end - s->blame);
}

static void segment_add(struct ledger *l, struct ledger_worker *w, u64 a, u64 b, enum front front)
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
	*s = (struct segment){.t0 = a, .t1 = b, .item = NONE32, .key = NONE32, .front = (u8)front};
	s->blame = w->blames.end;
	if (w->serving) {
		s->item = w->serving->a.item;
		s->key = w->serving->a.key;
	}
	segment_blame(l, w, s);
}

/* Asleep while serving: what the step asked for ends at its deadline. */
static void segment_add_sleep(struct ledger *l, struct ledger_worker *w, u64 a, u64 b)
{
	u64 split = w->deadline_ns < a ? a : w->deadline_ns > b ? b : w->deadline_ns;

	if (!w->deadline_ns) {
		segment_add(l, w, a, b, FRONT_CONTENDED);
		return;
	}
	segment_add(l, w, a, split, FRONT_BLOCKED);
	segment_add(l, w, split, b, FRONT_OVERSLEPT);
}

static void segment_add_state(struct ledger *l, struct ledger_worker *w, u64 a, u64 b)
{
	bool asleep = w->state == THREAD_SLEEPING || w->state == THREAD_WAKING;

	if (l->cfg.simulated)
		segment_add(l, w, a, b,
			    !w->serving	     ? FRONT_SIGNAL
			    : w->deadline_ns ? FRONT_BLOCKED
					     : FRONT_CPU);
	else if (w->state == THREAD_UNKNOWN)
		segment_add(l, w, a, b, FRONT_UNKNOWN);
	else if (w->state == THREAD_RUNNING)
		segment_add(l, w, a, b, w->irq_task == NONE32 ? FRONT_CPU : FRONT_IRQ);
	else if (w->state == THREAD_RUNNABLE)
		segment_add(l, w, a, b, FRONT_RUNQUEUE);
	else if (w->state == THREAD_THROTTLED)
		segment_add(l, w, a, b, FRONT_THROTTLED);
	else if (asleep && w->serving)
		segment_add_sleep(l, w, a, b);
	else
		segment_add(l, w, a, b, w->state == THREAD_WAKING ? FRONT_WAKEUP : FRONT_SIGNAL);
}

void worker_cut(struct ledger *l, struct ledger_worker *w, u64 t)
{
	u64 ns = t - w->since;

	if (t <= w->since)
		return;
	if (w->state == THREAD_RUNNING)
		w->cpu_ns += ns;
	else if (w->state == THREAD_RUNNABLE || w->state == THREAD_THROTTLED)
		w->wait_ns += ns;
	if (!l->cfg.times_only)
		segment_add_state(l, w, w->since, t);
	w->since = t;
}
