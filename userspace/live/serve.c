/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/serve.h"
#include "live/asking.h"
#include "live/work.h"

struct service {
	struct worker *worker;
	const struct item *item;
	u64 deadline_ns;
	u64 at_ns;
};

static u64 sooner(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* A pause may end within another. */
static void hold_up(struct service *s, u32 index)
{
	struct engine *e = s->worker->engine;
	u64 until;

	while (s->at_ns < s->deadline_ns && !engine_stopped(e)) {
		until = step_held_until(e, s->item, index, s->at_ns);
		if (until <= s->at_ns)
			return;
		log_pause(s->worker, s->at_ns, s->item->id, until);
		s->at_ns = engine_sleep(e, sooner(until, s->deadline_ns));
	}
}

static enum outcome outcome_of(bool done)
{
	return done ? OUTCOME_SUCCEEDED : OUTCOME_TIMED_OUT;
}

/* The call is made at the step's beginning, whatever came between it and here. */
static enum outcome call(struct service *s, const struct step *step)
{
	struct worker *w = s->worker;
	struct grant g = resources_call(&w->engine->resources, step->resource, s->at_ns, step->ns);

	if (g.slot == NONE32)
		return OUTCOME_REFUSED;
	log_take(w, s->at_ns, s->item->id, step->resource, &g);
	return outcome_of(work_wait(&w->stop, g.until_ns, s->deadline_ns, &s->at_ns));
}

/* True: the lock is held; it may have come too late, or when the run has ended. */
static bool wait_for_lock(struct service *s, const struct step *step)
{
	struct worker *w = s->worker;
	struct resources *r = &w->engine->resources;
	struct waiter me = {.parker = &w->parker, .mail = &w->mail};
	bool mine = resources_lock(r, step->resource, &me);

	/* Others have reasons of their own to unpark us: none is lost, we ask again when we are
	 * done. */
	while (!mine && !mailbox_take(&w->mail)) {
		if ((park(&w->parker, s->deadline_ns) || clock_mono_ns() < s->deadline_ns) &&
		    !engine_stopped(w->engine))
			continue;
		if (resources_leave(r, step->resource, &me))
			return false;
	}
	return true;
}

static enum outcome lock(struct service *s, const struct step *step)
{
	struct worker *w = s->worker;
	bool held = wait_for_lock(s, step), done = false;

	s->at_ns = clock_mono_ns();
	if (!held)
		return OUTCOME_TIMED_OUT;
	if (s->at_ns <= s->deadline_ns && !engine_stopped(w->engine)) {
		log_take(w, s->at_ns, s->item->id, step->resource,
			 &(struct grant){.from_ns = s->at_ns});
		done = work_cpu(&w->stop, step->ns, s->deadline_ns, &s->at_ns);
	}
	resources_unlock(&w->engine->resources, step->resource, s->at_ns);
	return outcome_of(done);
}

static enum outcome do_step(struct service *s, const struct step *step)
{
	u32 *stop = &s->worker->stop;

	switch (step->kind) {
	case STEP_WAIT:
		return outcome_of(work_wait(stop, s->at_ns + step->ns, s->deadline_ns, &s->at_ns));
	case STEP_CPU:
		return outcome_of(work_cpu(stop, step->ns, s->deadline_ns, &s->at_ns));
	case STEP_CALL:
		return call(s, step);
	case STEP_LOCK:
		return lock(s, step);
	}
	return OUTCOME_SUCCEEDED;
}

enum outcome serve_item(struct worker *w, const struct item *it, u64 *at_ns)
{
	u64 moves_ns = reassign_at_ns(w->engine);
	struct service s = {.worker = w,
			    .item = it,
			    .deadline_ns = sooner(service_deadline(w->engine, *at_ns), moves_ns),
			    .at_ns = *at_ns};
	enum outcome outcome = OUTCOME_SUCCEEDED;

	for (u32 i = 0; i < it->nr_steps && outcome == OUTCOME_SUCCEEDED; i++) {
		hold_up(&s, i);
		if (s.at_ns > s.deadline_ns) {
			outcome = OUTCOME_TIMED_OUT;
			break;
		}
		if (i)
			log_step(w, s.at_ns, 0, it->id, i);
		outcome = do_step(&s, &it->steps[i]);
	}
	*at_ns = s.at_ns;
	if (outcome == OUTCOME_TIMED_OUT && service_is_cut(w->engine, s.at_ns, s.deadline_ns))
		return SERVICE_CUT;
	if (outcome == OUTCOME_TIMED_OUT && s.deadline_ns == moves_ns)
		return reassign_outcome(w->engine, it);
	return outcome;
}
