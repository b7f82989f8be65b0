/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The virtual-time engine: arrivals, workers that ask, time. A run is a function of its stream and
 * its policy, because what happens at the same time has an order: what jobs wait for is over, by
 * worker and then by item; callers give up, likewise; items arrive, in the stream's order; workers
 * ask again, by index. Whoever can go on after any of these does so before the next.
 */
#include "sim/sim.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/engine.h"

int sim_emit(struct sim *s, struct event *ev)
{
	ev->time_ns = s->now_ns;
	return s->sink->take(s->sink->ctx, ev);
}

void sim_go_on(struct sim *s, struct worker *w)
{
	if (w->queued)
		return;
	w->queued = true;
	w->next = NULL;
	*s->todo_end = w;
	s->todo_end = &w->next;
}

static void wake(struct sim *s, u32 worker)
{
	if (worker == NONE32)
		return;
	s->workers[worker].idle = false;
	sim_go_on(s, &s->workers[worker]);
}

static int emit_submit(struct sim *s, const struct item *it, u32 delivery, u32 queue, u32 woken)
{
	struct event ev = {.seq = ++s->seq, .kind = EVENT_SUBMIT, .item = it->id};

	ev.submit.due_ns = it->due_ns;
	ev.submit.key = it->key;
	ev.submit.key_seq = it->seq;
	ev.submit.queue = it->outside ? NONE32 : queue;
	ev.submit.woken = woken;
	ev.submit.delivery = delivery;
	ev.submit.nr_steps = it->nr_steps;
	for (u32 i = 0; i < it->nr_steps; i++)
		ev.submit.steps[i] = it->steps[i];
	return sim_emit(s, &ev);
}

static int emit_moves(struct sim *s, u32 thief, const struct steal *st)
{
	const struct item *it = balancer_head(s->policy, thief);
	u32 left = st->count;
	int err = 0;

	for (; it && !err; it = it->next) {
		struct event ev = {.seq = ++s->seq, .kind = EVENT_MOVE, .item = it->id};

		ev.move.from = st->from;
		ev.move.to = thief;
		ev.move.left = --left;
		ev.move.since_ns = st->since_ns;
		err = sim_emit(s, &ev);
	}
	return err;
}

int sim_pause(struct sim *s, struct worker *w, u64 until_ns)
{
	struct event ev = {.kind = EVENT_PAUSE, .item = NONE32, .worker = w->timer.worker};

	w->paused = true;
	agenda_set(&s->agenda, &w->timer, until_ns, AGENDA_ASK, 0);
	ev.pause.until_ns = until_ns;
	return sim_emit(s, &ev);
}

/* A worker that would take an item now may be held up; it asks when that is over. */
static bool may_ask(struct sim *s, struct worker *w, int *err)
{
	u64 until_ns = pause_workers(&s->stream->pauses, s->now_ns);

	*err = until_ns == s->now_ns ? 0 : sim_pause(s, w, until_ns);
	return until_ns == s->now_ns;
}

/* Another worker may go on, too: see dispatch_permit(). */
static struct item *next_item(struct sim *s, u32 worker)
{
	struct item *it = balancer_next(s->policy, worker);

	wake(s, balancer_permit(s->policy, worker, s->now_ns));
	return it;
}

/* An idle worker looks for something to steal, or notes when to look again. */
static int look_around(struct sim *s, struct worker *w)
{
	u32 index = w->timer.worker;
	u64 again_ns = balancer_ask_again(s->policy, index, s->now_ns);
	struct steal st;
	int err;

	if (again_ns == NEVER_NS) {
		agenda_remove(&s->agenda, &w->timer);
		return 0;
	}
	if (again_ns > s->now_ns) {
		agenda_set(&s->agenda, &w->timer, again_ns, AGENDA_ASK, 0);
		return 0;
	}
	if (balancer_head(s->policy, index)) { /* its own, for which there was no permit */
		wake(s, index);
		return 0;
	}
	if (!may_ask(s, w, &err))
		return err;
	balancer_steal(s->policy, index, s->now_ns, &st);
	if (!st.count)
		return -EPROTO; /* alone in virtual time, ask_again() is exact */
	err = emit_moves(s, index, &st);
	return err ? err : service_start(s, w, job_of(next_item(s, index)));
}

static int ask(struct sim *s, struct worker *w)
{
	struct event ev = {.kind = EVENT_IDLE, .worker = w->timer.worker};
	struct item *it;
	int err;

	if (!may_ask(s, w, &err))
		return err;
	w->idle = true; /* unless there is an item, or it is itself the other worker */
	it = next_item(s, ev.worker);
	if (it)
		return service_start(s, w, job_of(it));
	ev.seq = ++s->seq;
	err = sim_emit(s, &ev);
	return err ? err : look_around(s, w);
}

/* A carrier may run meanwhile: what had begun before. */
static void end_pause(struct sim *s, struct worker *w)
{
	agenda_remove(&s->agenda, &w->timer);
	w->paused = false;
	w->idle = false;
}

/* New items first, then those that are ready. */
static int go_on(struct sim *s, struct worker *w)
{
	struct job *j;
	int err = 0;

	/* At the pause's last moment what is over by then comes before its timer. */
	if (w->paused && agenda_time(&s->agenda, &w->timer) == s->now_ns)
		end_pause(s, w);
	while (!err && !w->running) {
		if (!w->idle && !w->paused)
			err = ask(s, w);
		else if ((j = job_pop(&w->ready)))
			err = service_resume(s, w, j);
		else
			break;
	}
	return err;
}

static int settle(struct sim *s)
{
	int err = 0;

	while (s->todo && !err) {
		struct worker *w = s->todo;

		s->todo = w->next;
		if (!s->todo)
			s->todo_end = &s->todo;
		w->queued = false;
		err = go_on(s, w);
	}
	return err;
}

int sim_submit(struct sim *s, struct item *it, u32 delivery, u32 *queue, u32 *woken)
{
	int err;

	*queue = balancer_place(s->policy, it);
	it->arrival_ns = s->now_ns;
	s->in_flight++;
	*woken = balancer_submit(s->policy, *queue, it);
	err = emit_submit(s, it, delivery, *queue, *woken);
	wake(s, *woken);
	return err;
}

static int submit(struct sim *s, struct item *it)
{
	u32 queue, woken, thief;
	int err = sim_submit(s, it, DELIVERY_FIRST, &queue, &woken);

	if (err || woken != NONE32)
		return err;
	thief = balancer_thief(s->policy, queue, s->now_ns);
	if (thief == NONE32 || s->workers[thief].paused)
		return 0;
	sim_go_on(s, &s->workers[thief]);
	return look_around(s, &s->workers[thief]);
}

static int act(struct sim *s, const struct agenda_entry *e)
{
	struct worker *w = &s->workers[e->timer->worker];
	u32 kind = agenda_kind(e);

	s->now_ns = e->time_ns;
	sim_go_on(s, w);
	if (kind != AGENDA_ASK)
		return service_fired(s, e->timer->job, kind);
	if (!w->paused)
		return look_around(s, w);
	end_pause(s, w);
	return 0;
}

static bool comes_before_arrival(const struct agenda_entry *e, const struct item *arrival)
{
	if (!arrival || e->time_ns < arrival->due_ns)
		return true;
	return e->time_ns == arrival->due_ns && agenda_kind(e) != AGENDA_ASK;
}

/* Partitions move after what ends at that time, and before what arrives. */
static bool moves_now(const struct sim *s, const struct agenda_entry *e, const struct item *arrival)
{
	u64 at_ns = s->reassign ? s->reassign->at_ns : NEVER_NS;

	if (!s->reassign || (arrival && arrival->due_ns < at_ns))
		return false;
	return !e || e->time_ns > at_ns || (e->time_ns == at_ns && agenda_kind(e) == AGENDA_ASK);
}

/* The stream's next item, or NULL at its end. */
static int fetch(struct sim *s, struct workload *stream, struct item **out)
{
	struct job *j = job_get(&s->pool);

	*out = NULL;
	if (!j)
		return -ENOMEM;
	if (!workload_next(stream, &j->item)) {
		job_put(&s->pool, j);
		return 0;
	}
	*out = &j->item;
	return s->async ? agenda_reserve(&s->agenda, balancer_workers(s->policy) + s->pool.made)
			: 0;
}

static int run(struct sim *s, struct workload *stream)
{
	struct item *arrival;
	int err = fetch(s, stream, &arrival);

	for (u32 i = 0; i < balancer_workers(s->policy); i++)
		wake(s, i);
	if (!err)
		err = settle(s);
	while (!err && (arrival || s->in_flight)) {
		const struct agenda_entry *e = agenda_first(&s->agenda);

		if (!e && !arrival && !s->reassign)
			return -EPROTO; /* items wait, and nobody will ever take them */
		if (moves_now(s, e, arrival)) {
			s->now_ns = s->reassign->at_ns;
			err = reassign_now(s);
		} else if (e && comes_before_arrival(e, arrival)) {
			err = act(s, e);
		} else {
			s->now_ns = arrival->due_ns;
			err = submit(s, arrival);
			if (!err)
				err = fetch(s, stream, &arrival);
		}
		if (!err)
			err = settle(s);
	}
	return err;
}

static int init(struct sim *s)
{
	u32 workers = balancer_workers(s->policy);
	const struct workload_config *stream = s->stream;
	int err = agenda_init(&s->agenda, workers);

	s->todo_end = &s->todo;
	s->workers = calloc(workers, sizeof(*s->workers));
	if (!s->workers)
		return -ENOMEM;
	for (u32 i = 0; i < workers; i++)
		s->workers[i].timer = (struct timer){.worker = i, .pos = NONE32};
	for (u32 i = 0; i < stream->nr_resources && !err; i++)
		if (!stream->resources[i].lock)
			err = resource_init(&s->resources[i], &stream->resources[i]);
	return err;
}

static void fini(struct sim *s)
{
	for (u32 i = 0; i < s->stream->nr_resources; i++)
		resource_fini(&s->resources[i]);
	free(s->home);
	free(s->workers);
	job_pool_fini(&s->pool);
	agenda_fini(&s->agenda);
}

int sim_run(const struct sim_config *cfg)
{
	struct sim s = {.policy = cfg->policy,
			.sink = cfg->sink,
			.stream = &cfg->stream->cfg,
			.reassign = cfg->reassign,
			.async = cfg->executor == EXECUTOR_ASYNC};
	int err = init(&s);

	if (!err)
		err = run(&s, cfg->stream);
	fini(&s);
	return err;
}
