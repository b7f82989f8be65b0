/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel did: sched_switch, sched_waking and sched_wakeup become states of the workers'
 * threads and occupants of the CPUs. A closed stretch of one state is a segment; a stretch on a run
 * queue names who had the CPU meanwhile.
 */
#include "core/ledger/internal.h"

/* --- who had a CPU
 * ------------------------------------------------------------------------------------------------
 */

static struct ledger_cpu *cpu_get(const struct ledger *l, u32 cpu)
{
	return cpu < l->nr_cpus ? &l->cpus[cpu] : NULL;
}

static void occupants_trim(struct ledger *l, struct ring *r)
{
	u64 horizon = ledger_horizon(l), i = r->first;

	while (i + 1 < r->end && ((struct occupant *)ring_at(r, i + 1))->t <= horizon)
		i++;
	ring_forget(r, i);
}

static void occupant_set(struct ledger *l, struct ledger_cpu *c, u64 t, u32 task)
{
	struct occupant *o;

	if (ring_full(&c->occupants))
		occupants_trim(l, &c->occupants);
	o = ring_push(&c->occupants);
	if (!o)
		l->no_memory = true;
	else
		*o = (struct occupant){t, task};
}

/* Idle is never a culprit: the CPU was on its way out of idle, nobody else had it. */
static u32 culprit_of(const struct ledger *l, u32 task)
{
	if (task < l->cfg.nr_tasks && l->cfg.tasks[task].tid == 0)
		return NONE32;
	return task;
}

/* The last occupant from before or at t; r->first when all are later. */
static u64 occupant_find(const struct ring *r, u64 t)
{
	u64 lo = r->first, hi = r->end;

	while (hi - lo > 1) {
		u64 mid = lo + (hi - lo) / 2;

		if (((struct occupant *)ring_at(r, mid))->t <= t)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void blame_cpu(struct ledger *l, u32 cpu, u64 a, u64 b, void (*add)(void *ctx, u32 culprit, u64 ns),
	       void *ctx)
{
	const struct ledger_cpu *c = cpu_get(l, cpu);
	const struct ring *r = c ? &c->occupants : NULL;

	if (!r || !ring_len(r)) {
		add(ctx, CULPRIT_UNKNOWN, b - a);
		return;
	}
	for (u64 i = occupant_find(r, a); a < b; i++) {
		const struct occupant *o = ring_at(r, i);
		u64 end = i + 1 < r->end ? ((struct occupant *)ring_at(r, i + 1))->t : b;
		u64 upto = end < b ? end : b;

		if (o->t > a) { /* before the first that is known */
			add(ctx, CULPRIT_UNKNOWN, (o->t < b ? o->t : b) - a);
			a = o->t;
		}
		if (upto > a) {
			add(ctx, culprit_of(l, o->task), upto - a);
			a = upto;
		}
	}
}

/* --- stretches of a worker's time
 * --------------------------------------------------------------------------------- */

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
	if (i < w->segments.end)
		ring_forget(&w->blames, ((struct segment *)ring_at(&w->segments, i))->blame);
	else
		ring_forget(&w->blames, w->blames.end);
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
	if (front == FRONT_RUNQUEUE) {
		struct blaming to = {l, &w->blames, s->blame};

		blame_cpu(l, w->cpu, a, b, blame_add, &to);
		s->nr_blames = (u32)(w->blames.end - s->blame);
	}
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
		segment_add(l, w, a, b, FRONT_CPU);
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

static void worker_change(struct ledger *l, struct ledger_worker *w, u64 t, enum thread_state to)
{
	worker_cut(l, w, t);
	w->state = to;
}

/* --- events
 * -------------------------------------------------------------------------------------------------------
 */

static struct ledger_worker *worker_of_tid(struct ledger *l, u32 tid)
{
	for (u32 i = 0; tid && i < l->cfg.workers; i++)
		if (l->workers[i].tid == tid)
			return &l->workers[i];
	return NULL;
}

/*
 * The worker is on a CPU, though no record put it there. A kernel may hide the switches of some
 * tasks (threads that cannot be traced), so the switch after such a task is missing: it is one wait
 * more, and its length is not known.
 */
static void worker_found_running(struct ledger *l, struct ledger_worker *w, u64 t)
{
	if (w->state != THREAD_UNKNOWN) {
		l->counts.impossible++;
		w->waits++;
		w->state = THREAD_UNKNOWN;
	}
	worker_change(l, w, t, THREAD_RUNNING);
}

void kernel_is_running(struct ledger *l, struct ledger_worker *w, u64 t)
{
	if (l->cfg.probe && w->state != THREAD_RUNNING)
		worker_found_running(l, w, t);
}

static void switch_out(struct ledger *l, struct ledger_worker *w, const struct event *ev)
{
	u32 flags = ev->sched_switch.flags;

	kernel_is_running(l, w, ev->time_ns);
	w->cpu = ev->cpu;
	worker_change(l, w, ev->time_ns,
		      flags & SWITCH_PREV_THROTTLED  ? THREAD_THROTTLED
		      : flags & SWITCH_PREV_RUNNABLE ? THREAD_RUNNABLE
						     : THREAD_SLEEPING);
}

static void switch_in(struct ledger *l, struct ledger_worker *w, const struct event *ev)
{
	if (w->state == THREAD_RUNNING) {
		l->counts.impossible++;
		w->state = THREAD_UNKNOWN;
	} else if (w->state == THREAD_SLEEPING) {
		/* Switched in without a wake-up: it had been runnable all the time. */
		l->counts.reclassified++;
		w->state = THREAD_RUNNABLE;
	}
	w->cpu = ev->cpu;
	w->waits++;
	worker_change(l, w, ev->time_ns, THREAD_RUNNING);
}

/*
 * The worker that was switched out. Normally prev is who was switched in before; if not, switches
 * of this CPU were lost and nobody knows who had it since.
 */
static struct ledger_worker *switch_prev(struct ledger *l, struct ledger_cpu *c, u32 prev_tid)
{
	struct occupant *last =
		ring_len(&c->occupants) ? ring_at(&c->occupants, c->occupants.end - 1) : NULL;
	const struct task *t;

	if (!last || last->task >= l->cfg.nr_tasks)
		return worker_of_tid(l, prev_tid);
	t = &l->cfg.tasks[last->task];
	if (t->tid == prev_tid)
		return t->worker < l->cfg.workers ? &l->workers[t->worker] : NULL;
	l->counts.impossible++;
	last->task = CULPRIT_UNKNOWN;
	if (t->worker < l->cfg.workers && l->workers[t->worker].state == THREAD_RUNNING)
		l->workers[t->worker].state = THREAD_UNKNOWN;
	return worker_of_tid(l, prev_tid);
}

void kernel_switch(struct ledger *l, const struct event *ev)
{
	struct ledger_cpu *c = cpu_get(l, ev->cpu);
	const struct task *next = &l->cfg.tasks[ev->sched_switch.next_task];
	struct ledger_worker *prev = switch_prev(l, c, ev->sched_switch.prev_tid);

	if (prev)
		switch_out(l, prev, ev);
	occupant_set(l, c, ev->time_ns, ev->sched_switch.next_task);
	if (next->worker < l->cfg.workers)
		switch_in(l, &l->workers[next->worker], ev);
}

void kernel_waking(struct ledger *l, const struct event *ev)
{
	struct ledger_worker *w = &l->workers[ev->worker];

	if (w->state == THREAD_SLEEPING)
		worker_change(l, w, ev->time_ns, THREAD_WAKING);
}

void kernel_wakeup(struct ledger *l, const struct event *ev)
{
	struct ledger_worker *w = &l->workers[ev->worker];

	/* A task woken before it has left the CPU, or while it is queued, just goes on. */
	if (w->state == THREAD_RUNNING || w->state == THREAD_RUNNABLE ||
	    w->state == THREAD_THROTTLED)
		return;
	worker_cut(l, w, ev->time_ns);
	w->cpu = ev->cpu;
	w->state = THREAD_RUNNABLE;
}

void kernel_account(struct ledger *l, const struct event *ev)
{
	struct ledger_worker *w = &l->workers[ev->worker];

	kernel_is_running(l, w, ev->time_ns);
	worker_cut(l, w, ev->time_ns);
	if (ev->account.phase == ACCOUNT_BEGIN) {
		w->begun = true;
		w->base_waits = w->waits;
		w->base_wait_ns = w->wait_ns;
		w->base_cpu_ns = w->cpu_ns;
		w->kernel_waits = ev->account.waits;
		w->kernel_wait_ns = ev->account.run_delay_ns;
		w->kernel_cpu_ns = ev->account.cpu_ns;
		return;
	}
	w->ended = w->begun;
	w->base_waits = w->waits - w->base_waits;
	w->base_wait_ns = w->wait_ns - w->base_wait_ns;
	w->base_cpu_ns = w->cpu_ns - w->base_cpu_ns;
	w->kernel_waits = ev->account.waits - w->kernel_waits;
	w->kernel_wait_ns = ev->account.run_delay_ns - w->kernel_wait_ns;
	w->kernel_cpu_ns = ev->account.cpu_ns - w->kernel_cpu_ns;
}
