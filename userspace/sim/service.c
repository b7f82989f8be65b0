/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An item's service: its steps, and what ends it early. A job's worker is its own until the end,
 * whatever the job waits for; a carrier is free as soon as its job waits for something other than
 * the CPU, and the job is ready when that is over, and runs again when the carrier comes to it.
 */
#include "sim/engine.h"

static struct worker *worker_of(struct sim *s, const struct job *j)
{
	return &s->workers[j->worker];
}

static const struct step *step_of(const struct job *j)
{
	return &j->item.steps[j->step];
}

static struct timer *timer_of(struct sim *s, struct job *j)
{
	return s->async ? &j->timer : &worker_of(s, j)->timer;
}

/* Something will be over then; NEVER_NS: somebody will say when. The caller may give up before. */
static void wait_until(struct sim *s, struct job *j, u64 time_ns)
{
	struct timer *t = timer_of(s, j);

	t->job = j;
	if (time_ns > j->deadline_ns)
		agenda_set(&s->agenda, t, j->deadline_ns, AGENDA_TIMEOUT, j->item.id);
	else if (time_ns != NEVER_NS)
		agenda_set(&s->agenda, t, time_ns, AGENDA_END, j->item.id);
	else
		agenda_remove(&s->agenda, t);
}

static void occupy(struct sim *s, struct worker *w, struct job *j)
{
	w->running = j;
	w->idle = false;
	if (s->async && !w->paused)
		agenda_remove(&s->agenda, &w->timer);
}

static void leave_carrier(struct sim *s, struct job *j)
{
	if (s->async)
		worker_of(s, j)->running = NULL;
}

static void make_ready(struct sim *s, struct job *j)
{
	agenda_remove(&s->agenda, &j->timer);
	job_push(&worker_of(s, j)->ready, j);
	sim_go_on(s, worker_of(s, j));
}

/* A resume has a place in the dispatcher's order: the carrier was idle. */
static u64 resume_seq(struct sim *s, struct job *j)
{
	bool resumed = j->resumed;

	j->resumed = false;
	return resumed ? ++s->seq : 0;
}

static int emit_step(struct sim *s, struct job *j)
{
	struct event ev = {.kind = EVENT_STEP, .item = j->item.id, .worker = j->worker};

	if (!j->step && !j->resumed)
		return 0; /* START says it */
	ev.seq = resume_seq(s, j);
	ev.step.index = j->step;
	return sim_emit(s, &ev);
}

static int emit_take(struct sim *s, const struct job *j, u32 slot, u64 from_ns, u64 until_ns)
{
	struct event ev = {.kind = EVENT_TAKE, .item = j->item.id, .worker = j->worker};

	ev.take.resource = step_of(j)->resource;
	ev.take.slot = slot;
	ev.take.from_ns = from_ns;
	ev.take.until_ns = until_ns;
	return sim_emit(s, &ev);
}

static struct lock *lock_of(struct sim *s, const struct job *j)
{
	return &s->locks[step_of(j)->resource];
}

/* Gives back the lock that the job has; whoever has it next, or NULL, is for grant(). */
static struct job *release(struct sim *s, const struct job *j)
{
	struct lock *lock;
	struct job *next;

	if (j->phase != JOB_LOCKED &&
	    (j->phase != JOB_STEP || !j->item.nr_steps || step_of(j)->kind != STEP_LOCK))
		return NULL;
	lock = lock_of(s, j);
	next = job_pop(&lock->waiters);
	lock->held = next;
	if (next)
		next->phase = JOB_LOCKED;
	return next;
}

static int take_lock(struct sim *s, struct job *j)
{
	j->phase = JOB_STEP;
	lock_of(s, j)->held = true;
	wait_until(s, j, s->now_ns + step_of(j)->ns);
	return emit_take(s, j, 0, s->now_ns, 0);
}

static int grant(struct sim *s, struct job *next)
{
	if (!next)
		return 0;
	if (worker_of(s, next)->running == next)
		return take_lock(s, next);
	make_ready(s, next);
	return 0;
}

static int lock(struct sim *s, struct job *j)
{
	if (!lock_of(s, j)->held)
		return take_lock(s, j);
	j->phase = JOB_LOCK;
	job_push(&lock_of(s, j)->waiters, j);
	leave_carrier(s, j);
	wait_until(s, j, NEVER_NS);
	return 0;
}

static int call(struct sim *s, struct job *j)
{
	const struct step *step = step_of(j);
	struct grant g = resource_call(&s->resources[step->resource], s->now_ns, step->ns);

	if (g.slot == NONE32) {
		j->outcome = OUTCOME_REFUSED;
		wait_until(s, j, s->now_ns);
		return 0;
	}
	leave_carrier(s, j);
	wait_until(s, j, g.until_ns);
	return emit_take(s, j, g.slot, g.from_ns, g.until_ns);
}

/* What the job was to do now waits until then. */
static int hold_up(struct sim *s, struct job *j, u64 until_ns)
{
	struct event ev = {.kind = EVENT_PAUSE, .item = j->item.id, .worker = j->worker};

	j->phase = JOB_BEFORE;
	leave_carrier(s, j);
	wait_until(s, j, until_ns);
	ev.pause.until_ns = until_ns;
	return sim_emit(s, &ev);
}

static int run_step(struct sim *s, struct job *j)
{
	const struct step *step = step_of(j);

	j->phase = JOB_STEP;
	switch (step->kind) {
	case STEP_CALL:
		return call(s, j);
	case STEP_LOCK:
		return lock(s, j);
	case STEP_WAIT:
		leave_carrier(s, j);
	}
	wait_until(s, j, s->now_ns + step->ns);
	return 0;
}

/* When the step may begin. */
static u64 begin_ns(const struct sim *s, const struct job *j, u32 step)
{
	return pause_step(&s->stream->pauses, j->item.key, step, s->now_ns);
}

static int begin_step(struct sim *s, struct job *j)
{
	u64 at_ns = begin_ns(s, j, j->step);
	int err;

	if (at_ns > s->now_ns)
		return hold_up(s, j, at_ns);
	err = emit_step(s, j);
	return err ? err : run_step(s, j);
}

int service_start(struct sim *s, struct worker *w, struct job *j)
{
	struct event ev = {.seq = ++s->seq,
			   .kind = EVENT_START,
			   .item = j->item.id,
			   .worker = w->timer.worker};
	u64 timeout_ns = s->stream->timeout_ns;
	int err;

	j->worker = w->timer.worker;
	j->timer = (struct timer){.job = j, .worker = j->worker, .pos = NONE32};
	j->start_ns = s->now_ns;
	j->deadline_ns = timeout_ns ? s->now_ns + timeout_ns : NEVER_NS;
	j->step = 0;
	j->outcome = OUTCOME_SUCCEEDED;
	j->resumed = false;
	occupy(s, w, j);
	err = sim_emit(s, &ev);
	if (err || j->item.nr_steps)
		return err ? err : begin_step(s, j);
	j->phase = JOB_STEP;
	wait_until(s, j, s->now_ns);
	return 0;
}

static int emit_admitted(struct sim *s, u32 worker, const struct item *it)
{
	struct event ev = {.kind = EVENT_ADMIT};

	if (!it)
		return 0;
	ev.seq = ++s->seq;
	ev.item = it->id;
	ev.admit.queue = balancer_queue_of(s->policy, worker);
	return sim_emit(s, &ev);
}

/* Will the item, which ends now, be done again when partitions move? */
static bool done_again(const struct sim *s, const struct job *j)
{
	return s->reassign && j->outcome != OUTCOME_LOST &&
	       (j->outcome == OUTCOME_ABANDONED ||
		reassign_fate(s->reassign, j->start_ns, true) == FATE_AGAIN);
}

static int end_item(struct sim *s, struct job *j)
{
	struct event ev = {.kind = EVENT_DONE, .item = j->item.id, .worker = j->worker};
	struct job *next = release(s, j);
	const struct item *admitted = balancer_done(s->policy, j->worker, &j->item);
	int err;

	ev.seq = resume_seq(s, j);
	if (!ev.seq && balancer_wants_done(s->policy))
		ev.seq = ++s->seq;
	ev.done.outcome = j->outcome;
	worker_of(s, j)->running = NULL;
	agenda_remove(&s->agenda, &j->timer);
	if (done_again(s, j))
		job_push(&s->ended, j);
	else
		job_put(&s->pool, j);
	s->in_flight--;
	err = sim_emit(s, &ev);
	if (!err)
		err = emit_admitted(s, ev.worker, admitted);
	return err ? err : grant(s, next);
}

/* What the job waited for is over, and it has its worker. */
static int proceed(struct sim *s, struct job *j)
{
	struct job *next = NULL;
	int err;

	if (j->outcome || (j->phase == JOB_STEP && j->step + 1 >= j->item.nr_steps))
		return end_item(s, j);
	if (j->phase == JOB_LOCKED) {
		err = emit_step(s, j);
		return err ? err : take_lock(s, j);
	}
	if (j->phase == JOB_STEP) {
		next = release(s, j);
		j->step++;
	}
	err = begin_step(s, j);
	return err ? err : grant(s, next);
}

int service_cut(struct sim *s, struct job *j, u32 outcome)
{
	if (j->phase == JOB_LOCK)
		job_remove(&lock_of(s, j)->waiters, j);
	agenda_remove(&s->agenda, timer_of(s, j));
	j->outcome = outcome;
	return end_item(s, j);
}

int service_fired(struct sim *s, struct job *j, u32 kind)
{
	if (kind == AGENDA_TIMEOUT) {
		j->outcome = OUTCOME_TIMED_OUT;
		if (j->phase == JOB_LOCK)
			job_remove(&lock_of(s, j)->waiters, j);
	}
	if (worker_of(s, j)->running == j)
		return proceed(s, j);
	make_ready(s, j);
	return 0;
}

int service_resume(struct sim *s, struct worker *w, struct job *j)
{
	u32 step = j->step + (j->phase == JOB_STEP);
	bool begins = j->phase != JOB_LOCKED && step < j->item.nr_steps;

	if (j->deadline_ns < s->now_ns)
		j->outcome = OUTCOME_TIMED_OUT;
	if (begins && !j->outcome && begin_ns(s, j, step) > s->now_ns) {
		j->step = step;
		return hold_up(s, j, begin_ns(s, j, step));
	}
	balancer_busy(s->policy, j->worker);
	occupy(s, w, j);
	j->resumed = true;
	return proceed(s, j);
}
