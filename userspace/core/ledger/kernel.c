/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel did: its events become states of the workers' threads. A stretch of one state
 * ends with the next event that changes it (worker_cut).
 */
#include "core/ledger/internal.h"

static void worker_change(struct ledger *l, struct ledger_worker *w, u64 t, enum thread_state to)
{
	worker_cut(l, w, t);
	w->state = to;
	/* Awake after it was held up: from now on it sleeps for other reasons. */
	if (to == THREAD_RUNNING && w->serving && w->serving->plan.pause_until <= t)
		w->serving->plan.pause_until = 0;
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
		w->ours.waits++;
		w->state = THREAD_UNKNOWN;
	}
	worker_change(l, w, t, THREAD_RUNNING);
}

void kernel_is_running(struct ledger *l, struct ledger_worker *w, u64 t)
{
	if (l->cfg.probe && w->state != THREAD_RUNNING)
		worker_found_running(l, w, t);
}

static void off_begin(struct ledger_worker *w, u64 t, u64 throttled_ns)
{
	w->off_since = t;
	w->off_throttled_ns = throttled_ns;
}

/*
 * Until when a worker that has been off the CPU since off_since was off it by its quota, by the
 * group's throttling clock; without that clock the switch-out's flag stands for all the time up to
 * t.
 */
static u64 throttled_until(const struct ledger_worker *w, u64 t, u64 throttled_ns)
{
	u64 ns = throttled_ns > w->off_throttled_ns ? throttled_ns - w->off_throttled_ns : 0;

	if (!throttled_ns)
		return w->state == THREAD_THROTTLED ? t : w->off_since;
	return ns < t - w->off_since ? w->off_since + ns : t;
}

static void throttled_cut(struct ledger *l, struct ledger_worker *w, u64 until)
{
	w->state = THREAD_THROTTLED;
	worker_cut(l, w, until);
	if (until > w->off_since)
		cpu_throttled(cpu_get(l, w->cpu), w->off_since, until);
}

/* It was off the CPU by its quota first, then on the run queue. */
static void throttling_split(struct ledger *l, struct ledger_worker *w, u64 t, u64 throttled_ns)
{
	throttled_cut(l, w, throttled_until(w, t, throttled_ns));
	w->state = THREAD_RUNNABLE;
}

/* Its switch-in is missing, but the clock says how long its quota kept it off before. */
static void throttled_before(struct ledger *l, struct ledger_worker *w, u64 t, u64 throttled_ns)
{
	enum thread_state state = w->state;

	if (throttled_ns)
		throttled_cut(l, w, throttled_until(w, t, throttled_ns));
	w->state = state;
}

static void switch_out(struct ledger *l, struct ledger_worker *w, const struct event *ev)
{
	u32 flags = ev->sched_switch.flags;

	if (w->state == THREAD_RUNNABLE || w->state == THREAD_THROTTLED)
		throttled_before(l, w, ev->time_ns, ev->sched_switch.throttled_ns);
	kernel_is_running(l, w, ev->time_ns);
	w->cpu = ev->cpu;
	off_begin(w, ev->time_ns, ev->sched_switch.throttled_ns);
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
		/* Somebody woke it, and that is not recorded: how long it slept nobody knows. */
		l->counts.reclassified++;
		w->state = THREAD_UNKNOWN;
	}
	w->cpu = ev->cpu;
	w->ours.waits++;
	if (w->state == THREAD_RUNNABLE || w->state == THREAD_THROTTLED)
		throttling_split(l, w, ev->time_ns, ev->sched_switch.throttled_ns);
	worker_change(l, w, ev->time_ns, THREAD_RUNNING);
}

/*
 * The worker that was switched out. Normally prev is who was switched in before; if not, switches
 * of this CPU were lost and nobody knows who had it since.
 */
static struct ledger_worker *switch_prev(struct ledger *l, struct ledger_cpu *c, u32 prev_tid)
{
	struct occupant *last = occupant_last(c);
	struct ledger_worker *w;
	const struct task *t;

	if (!last || last->task >= l->cfg.nr_tasks)
		return worker_of_tid(l, prev_tid);
	t = &l->cfg.tasks[last->task];
	w = worker_of_task(l, last->task);
	if (t->tid == prev_tid)
		return w;
	l->counts.impossible++;
	last->task = CULPRIT_UNKNOWN;
	if (w && w->state == THREAD_RUNNING)
		w->state = THREAD_UNKNOWN;
	return worker_of_tid(l, prev_tid);
}

/*
 * With spawn a worker is a slot that sleeps while it has no thread, and is woken (EVENT_WAKING)
 * when somebody begins to make one: until that is switched in for the first time it is being made,
 * or waits for its first run. The thread before it may be on a CPU for a while, with nothing to do.
 */
void kernel_no_thread(struct ledger *l, struct ledger_worker *w, u64 t)
{
	if (!l->cfg.probe)
		return;
	worker_change(l, w, t, THREAD_SLEEPING);
	w->ended_tid = w->tid;
	w->tid = 0;
}

/* spawn: the slot has a new thread, now switched in for the first time. That it was to be made may
 * not have been recorded. */
static void thread_change(struct ledger *l, struct ledger_worker *w, u32 tid, u64 t)
{
	if (l->cfg.executor != EXECUTOR_SPAWN || w->tid == tid)
		return;
	w->tid = tid;
	if (w->state == THREAD_SLEEPING || w->state == THREAD_RUNNING) {
		worker_cut(l, w, t);
		w->state = THREAD_UNKNOWN;
	}
}

/* The worker whose thread a task is that is switched in, or NULL. */
static struct ledger_worker *switch_next(struct ledger *l, u32 next)
{
	u32 worker = l->task_workers[next], tid = l->cfg.tasks[next].tid;
	struct ledger_worker *w = worker < l->cfg.workers ? &l->workers[worker] : NULL;

	return w && (!w->ended_tid || w->ended_tid != tid) ? w : NULL;
}

void kernel_switch(struct ledger *l, const struct event *ev)
{
	struct ledger_cpu *c = cpu_get(l, ev->cpu);
	const struct task *next = &l->cfg.tasks[ev->sched_switch.next_task];
	struct ledger_worker *prev, *w = switch_next(l, ev->sched_switch.next_task);

	cpu_irq_exit(l, c, ev->time_ns); /* an exit was missed: no interrupt switches */
	prev = switch_prev(l, c, ev->sched_switch.prev_tid);
	if (prev)
		switch_out(l, prev, ev);
	occupant_set(l, c, ev->time_ns, ev->sched_switch.next_task);
	if (w) {
		thread_change(l, w, next->tid, ev->time_ns);
		switch_in(l, w, ev);
	}
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
	worker_change(l, w, ev->time_ns, THREAD_RUNNABLE);
	w->cpu = ev->cpu;
	off_begin(w, ev->time_ns, ev->wakeup.throttled_ns);
}

static void account_add(struct cpu_account *sum, const struct cpu_account *begin,
			const struct cpu_account *end)
{
	sum->waits += end->waits - begin->waits;
	sum->wait_ns += end->wait_ns - begin->wait_ns;
	sum->cpu_ns += end->cpu_ns - begin->cpu_ns;
}

void kernel_account(struct ledger *l, const struct event *ev)
{
	struct ledger_worker *w = &l->workers[ev->worker];
	struct cpu_account theirs = {ev->account.waits, ev->account.run_delay_ns,
				     ev->account.cpu_ns};

	kernel_is_running(l, w, ev->time_ns);
	worker_cut(l, w, ev->time_ns);
	if (ev->account.phase == ACCOUNT_BEGIN) {
		w->begun++;
		w->ours_begin = w->ours;
		w->kernel_begin = theirs;
		return;
	}
	if (w->ended == w->begun)
		return; /* its begin was not recorded */
	w->ended++;
	account_add(&w->ours_sum, &w->ours_begin, &w->ours);
	account_add(&w->kernel_sum, &w->kernel_begin, &theirs);
}
