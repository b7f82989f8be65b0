/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A carrier runs the CPU of its items, one at a time, and is free for others while they wait. It
 * asks the dispatcher for a further item, or steals, for as long as it gets one; else it resumes an
 * item whose time has come; else it parks until the next of these. An item stays on its carrier.
 *
 * That there is no item, and that the carrier goes on with an old one instead, is one decision
 * under one lock: nobody chooses the carrier for an item in between.
 */
#include "live/carrier.h"
#include "live/asking.h"
#include "live/serve.h"
#include "live/work.h"

#include <errno.h>

struct carrier {
	struct worker *worker;
	struct engine *engine;
	struct lights *lights;
	u64 ask_ns;    /* asks again then; 0: at once; NEVER_NS: when it is told */
	u64 paused_ns; /* the end of the last pause that was logged */
};

static u64 sooner(u64 a, u64 b)
{
	return a < b ? a : b;
}

static void suspend(struct carrier *c, struct light *l, u32 next, u64 until_ns)
{
	u64 due_ns = sooner(until_ns, l->deadline_ns);

	l->next = next;
	l->planned_ns = until_ns;
	if (due_ns != NEVER_NS)
		lights_wait(c->lights, l, due_ns);
}

/* Locks that were handed over: their items' time has come. */
static void take_mail(struct carrier *c)
{
	struct waiter *next;

	for (struct waiter *m = mailbox_take(&c->worker->mail); m; m = next) {
		struct light *l = (struct light *)m;

		next = m->next;
		l->planned_ns = m->granted_ns;
		lights_wait(c->lights, l, m->granted_ns);
	}
}

/* It ends while it waits for a lock, or before it has used it. */
static void leave_lock(struct carrier *c, struct light *l, u64 now_ns)
{
	struct resources *r = &c->engine->resources;

	if (l->lock == NONE32)
		return;
	if (l->planned_ns == NEVER_NS && resources_leave(r, l->lock, &l->waiter))
		return;
	take_mail(c);
	lights_wake(c->lights, l);
	resources_unlock(r, l->lock, now_ns);
}

static void ended(struct carrier *c, struct light *l)
{
	struct worker *w = c->worker;

	lights_put(c->lights, l);
	__atomic_store_n(&w->finished, w->finished + 1, __ATOMIC_RELEASE);
}

static bool is_held_up(struct carrier *c, struct light *l, u32 step, u64 now_ns)
{
	struct engine *e = c->engine;
	u64 until = step_held_until(e, l->item, step, now_ns);

	if (until <= now_ns || engine_stopped(e))
		return false;
	log_pause(c->worker, now_ns, l->item->id, until);
	suspend(c, l, step, until);
	return true;
}

/* How a step went. */
enum progress { STEP_DONE, STEP_FAILED, STEP_WAITS };

static enum progress progress_of(bool done)
{
	return done ? STEP_DONE : STEP_FAILED;
}

static enum progress use_lock(struct carrier *c, struct light *l, u64 *at_ns)
{
	const struct step *step = &l->item->steps[l->next];
	bool done;

	log_take(c->worker, *at_ns, l->item->id, step->resource,
		 &(struct grant){.from_ns = *at_ns});
	done = work_cpu(&c->worker->stop, step->ns, l->deadline_ns, at_ns);
	l->lock = NONE32;
	resources_unlock(&c->engine->resources, step->resource, *at_ns);
	return progress_of(done);
}

static enum progress lock(struct carrier *c, struct light *l, u64 *at_ns)
{
	struct worker *w = c->worker;

	l->lock = l->item->steps[l->next].resource;
	l->waiter.parker = &w->parker;
	l->waiter.mail = &w->mail;
	l->planned_ns = NEVER_NS;
	if (!resources_lock(&c->engine->resources, l->lock, &l->waiter)) {
		suspend(c, l, l->next, NEVER_NS);
		return STEP_WAITS;
	}
	*at_ns = clock_mono_ns();
	return use_lock(c, l, at_ns);
}

static enum progress call(struct carrier *c, struct light *l, u64 at_ns, enum outcome *outcome)
{
	const struct step *step = &l->item->steps[l->next];
	struct grant g = resources_call(&c->engine->resources, step->resource, at_ns, step->ns);

	if (g.slot == NONE32) {
		*outcome = OUTCOME_REFUSED;
		return STEP_FAILED;
	}
	log_take(c->worker, at_ns, l->item->id, step->resource, &g);
	suspend(c, l, l->next + 1, g.until_ns);
	return STEP_WAITS;
}

/* The step `next`, from *at_ns on; *outcome is how the item ends if it fails. */
static enum progress do_step(struct carrier *c, struct light *l, u64 *at_ns, enum outcome *outcome)
{
	const struct step *step = &l->item->steps[l->next];

	*outcome = OUTCOME_TIMED_OUT;
	switch (step->kind) {
	case STEP_CPU:
		return progress_of(work_cpu(&c->worker->stop, step->ns, l->deadline_ns, at_ns));
	case STEP_LOCK:
		return l->lock == NONE32 ? lock(c, l, at_ns) : use_lock(c, l, at_ns);
	case STEP_CALL:
		return call(c, l, *at_ns, outcome);
	case STEP_WAIT:
		suspend(c, l, l->next + 1, *at_ns + step->ns);
		return STEP_WAITS;
	}
	return STEP_DONE;
}

/* From the step `next` on, which begins or goes on at at_ns, until the item waits or has ended, or
 * the run has. */
static void run(struct carrier *c, struct light *l, u64 at_ns)
{
	struct worker *w = c->worker;
	enum outcome outcome = OUTCOME_SUCCEEDED;
	u32 first = l->next;

	while (l->next < l->item->nr_steps) {
		enum progress p;

		if (l->next > first) {
			if (is_held_up(c, l, l->next, at_ns))
				return;
			log_step(w, at_ns, 0, l->item->id, l->next);
		}
		p = do_step(c, l, &at_ns, &outcome);
		if (p == STEP_WAITS)
			return;
		if (p == STEP_FAILED && service_is_cut(c->engine, at_ns, l->deadline_ns))
			return;
		if (p == STEP_FAILED)
			break;
		outcome = OUTCOME_SUCCEEDED;
		l->next++;
	}
	end_item(w, l->item, at_ns, outcome);
	ended(c, l);
}

static void begin(struct carrier *c, struct item *it, u64 start_ns)
{
	struct light *l = lights_get(c->lights);

	c->ask_ns = 0;
	if (!l) {
		engine_fail(c->engine, "get memory for a light thread", -ENOMEM);
		return;
	}
	l->item = it;
	l->deadline_ns = service_deadline(c->engine, start_ns);
	if (!it->nr_steps || !is_held_up(c, l, 0, start_ns))
		run(c, l, start_ns);
}

/* The item that is due goes on, or ends. The carrier's lock is held. False: it is held up. */
static bool resume_locked(struct carrier *c, struct light *l, u64 now_ns, bool *ends)
{
	struct engine *e = c->engine;
	struct worker *w = c->worker;
	bool late = l->planned_ns > now_ns || now_ns > l->deadline_ns;

	*ends = late || l->next == l->item->nr_steps;
	if (!*ends && l->lock == NONE32 && is_held_up(c, l, l->next, now_ns))
		return false;
	balancer_busy(&e->policy, w->index);
	if (*ends)
		end_item_locked(w, l->item, now_ns, late ? OUTCOME_TIMED_OUT : OUTCOME_SUCCEEDED);
	else
		log_step(w, now_ns, locks_seq(&e->locks, 1), l->item->id, l->next);
	return true;
}

/* Ask, unless the run ends or the workers pause. The carrier's lock is held. */
static struct item *ask_locked(struct carrier *c, u64 now_ns, u32 *other)
{
	struct engine *e = c->engine;
	struct worker *w = c->worker;
	struct item *it;

	c->ask_ns = worker_held_until(e, now_ns);
	if (engine_stopped(e))
		c->ask_ns = NEVER_NS;
	if (c->ask_ns > now_ns) {
		if (c->ask_ns != NEVER_NS && c->ask_ns != c->paused_ns)
			log_pause(w, now_ns, NONE32, c->ask_ns);
		c->paused_ns = c->ask_ns;
		return NULL;
	}
	it = balancer_next(&e->policy, w->index);
	log_decision(w, it, now_ns, locks_seq(&e->locks, 1));
	*other = balancer_permit(&e->policy, w->index, now_ns);
	c->ask_ns = it ? 0 : NEVER_NS;
	return it;
}

/* An item from the dispatcher, else go on with `due` (NULL: none is due). */
static void take_turn(struct carrier *c, struct light *due)
{
	struct engine *e = c->engine;
	struct worker *w = c->worker;
	bool resumed = false, ends = false;
	u32 other = NONE32;
	struct item *it;
	u64 now;

	locks_lock(&e->locks, worker_lock(w));
	now = clock_mono_ns();
	it = ask_locked(c, now, &other);
	if (!it && due)
		resumed = resume_locked(c, due, now, &ends);
	locks_unlock(&e->locks, worker_lock(w));
	wake_worker(e, other);
	if (it)
		begin(c, it, now);
	if (!resumed)
		return;
	c->ask_ns = 0;
	lights_wake(c->lights, due);
	if (!ends) {
		run(c, due, now);
		return;
	}
	leave_lock(c, due, now);
	ended(c, due);
}

/* When an idle carrier asks or steals again though nobody tells it. */
static u64 again_ns(const struct carrier *c, u64 now_ns)
{
	if (c->ask_ns != NEVER_NS || engine_stopped(c->engine))
		return c->ask_ns;
	return balancer_ask_again(&c->engine->policy, c->worker->index, now_ns);
}

/* False: there was nothing to take. */
static bool steal(struct carrier *c)
{
	u64 now;
	struct item *it = steal_item(c->worker, &now);

	if (it)
		begin(c, it, now);
	return it;
}

static void sleep_until(struct carrier *c, u64 until_ns)
{
	if (park(&c->worker->parker, sooner(until_ns, lights_next_ns(c->lights))))
		c->ask_ns = 0;
}

/* The item that has waited for its time the longest, or NULL. */
static struct light *first_due(const struct carrier *c, u64 now_ns)
{
	return lights_next_ns(c->lights) <= now_ns ? c->lights->heap[0].light : NULL;
}

static void go_on(struct carrier *c)
{
	bool steals = balancer_traits(&c->engine->policy) & DISPATCH_STEALS;
	u64 now = clock_mono_ns(), again;
	struct light *due;

	take_mail(c);
	due = first_due(c, now);
	if (c->ask_ns <= now) {
		take_turn(c, steals ? NULL : due);
		return;
	}
	again = again_ns(c, now);
	if (again <= now && steal(c))
		return;
	if (due)
		take_turn(c, due);
	else if (again > now)
		sleep_until(c, again);
	else if (worker_held_until(c->engine, now) > now)
		c->ask_ns = 0; /* nobody steals: it says that it is held up, and until when */
}

void carry_items(struct worker *w)
{
	struct carrier c = {.worker = w, .engine = w->engine, .lights = &w->lights};

	while (!engine_stopped(w->engine))
		go_on(&c);
}
