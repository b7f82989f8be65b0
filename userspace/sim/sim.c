/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The virtual-time engine. At equal times ends of service come first, then arrivals, then workers
 * that ask again (by index), so a run is a function of its stream and its policy.
 */
#include "sim/sim.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/agenda.h"
#include "sim/pool.h"

struct sim {
	struct balancer *policy;
	const struct event_sink *sink;
	struct agenda agenda;
	struct pool pool;
	struct item **serving; /* per worker: its item, or NULL */
	u32 *step;	       /* per worker: which step of it is under way */
	u64 now_ns;
	u64 seq;
	u64 in_flight;
};

static int emit(struct sim *s, struct event *ev)
{
	ev->time_ns = s->now_ns;
	return s->sink->take(s->sink->ctx, ev);
}

static int emit_submit(struct sim *s, const struct item *it, u32 queue, u32 woken)
{
	struct event ev = {.seq = ++s->seq, .kind = EVENT_SUBMIT, .item = it->id};

	ev.submit.due_ns = it->due_ns;
	ev.submit.key = it->key;
	ev.submit.key_seq = it->seq;
	ev.submit.queue = queue;
	ev.submit.woken = woken;
	ev.submit.nr_steps = it->nr_steps;
	for (u32 i = 0; i < it->nr_steps; i++)
		ev.submit.steps[i] = it->steps[i];
	return emit(s, &ev);
}

/* The worker's current step ends after its time; past the last step the item ends now. */
static void begin_step(struct sim *s, u32 worker, const struct item *it)
{
	u32 i = s->step[worker];
	u64 ns = i < it->nr_steps ? it->steps[i].ns : 0;

	agenda_set(&s->agenda, worker, s->now_ns + ns, AGENDA_STEP_END);
}

static int start(struct sim *s, u32 worker, struct item *it)
{
	struct event ev = {.seq = ++s->seq, .kind = EVENT_START, .item = it->id, .worker = worker};

	s->serving[worker] = it;
	s->step[worker] = 0;
	begin_step(s, worker, it);
	return emit(s, &ev);
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
		err = emit(s, &ev);
	}
	return err;
}

/* An idle worker looks for something to steal, or notes when to look again. */
static int look_around(struct sim *s, u32 worker)
{
	u64 again_ns = balancer_ask_again(s->policy, worker, s->now_ns);
	struct steal st;
	int err;

	if (again_ns == NEVER_NS)
		return 0;
	if (again_ns > s->now_ns) {
		agenda_set(&s->agenda, worker, again_ns, AGENDA_ASK);
		return 0;
	}
	balancer_steal(s->policy, worker, s->now_ns, &st);
	if (!st.count)
		return -EPROTO; /* alone in virtual time, ask_again() is exact */
	err = emit_moves(s, worker, &st);
	return err ? err : start(s, worker, balancer_next(s->policy, worker));
}

static int ask(struct sim *s, u32 worker)
{
	struct event ev = {.kind = EVENT_IDLE, .worker = worker};
	struct item *it = balancer_next(s->policy, worker);
	int err;

	if (it)
		return start(s, worker, it);
	agenda_remove(&s->agenda, worker);
	ev.seq = ++s->seq;
	err = emit(s, &ev);
	return err ? err : look_around(s, worker);
}

static int submit(struct sim *s, struct item *it)
{
	u32 queue = balancer_place(s->policy, it), woken, thief;
	int err;

	it->arrival_ns = s->now_ns;
	s->in_flight++;
	woken = balancer_submit(s->policy, queue, it);
	err = emit_submit(s, it, it->outside ? NONE32 : queue, woken);
	if (err)
		return err;
	if (woken != NONE32)
		return ask(s, woken);
	thief = balancer_thief(s->policy, queue, s->now_ns);
	return thief == NONE32 ? 0 : look_around(s, thief);
}

static int end_item(struct sim *s, u32 worker, struct item *it)
{
	struct event ev = {.kind = EVENT_DONE, .item = it->id, .worker = worker};
	int err;

	balancer_done(s->policy, worker, it);
	s->serving[worker] = NULL;
	if (balancer_wants_done(s->policy))
		ev.seq = ++s->seq;
	s->in_flight--;
	pool_put(&s->pool, it);
	err = emit(s, &ev);
	return err ? err : ask(s, worker);
}

static int end_step(struct sim *s, u32 worker)
{
	struct item *it = s->serving[worker];
	struct event ev = {.kind = EVENT_STEP, .item = it->id, .worker = worker};

	if (++s->step[worker] >= it->nr_steps)
		return end_item(s, worker, it);
	ev.step.index = s->step[worker];
	begin_step(s, worker, it);
	return emit(s, &ev);
}

static int act(struct sim *s, const struct agenda_entry *e)
{
	u32 worker = e->worker;

	s->now_ns = e->time_ns;
	return e->kind == AGENDA_STEP_END ? end_step(s, worker) : look_around(s, worker);
}

static bool comes_before_arrival(const struct agenda_entry *e, const struct item *arrival)
{
	if (!arrival || e->time_ns < arrival->due_ns)
		return true;
	return e->time_ns == arrival->due_ns && e->kind == AGENDA_STEP_END;
}

/* The stream's next item, or NULL at its end. */
static int fetch(struct sim *s, struct workload *stream, struct item **out)
{
	struct item *it = pool_get(&s->pool);

	*out = NULL;
	if (!it)
		return -ENOMEM;
	if (workload_next(stream, it))
		*out = it;
	else
		pool_put(&s->pool, it);
	return 0;
}

static int run(struct sim *s, struct workload *stream)
{
	struct item *arrival;
	int err = fetch(s, stream, &arrival);

	for (u32 i = 0; i < balancer_workers(s->policy) && !err; i++)
		err = ask(s, i);
	while (!err && (arrival || s->in_flight)) {
		const struct agenda_entry *e = agenda_first(&s->agenda);

		if (e && comes_before_arrival(e, arrival)) {
			err = act(s, e);
			continue;
		}
		s->now_ns = arrival->due_ns;
		err = submit(s, arrival);
		if (!err)
			err = fetch(s, stream, &arrival);
	}
	return err;
}

int sim_run(const struct sim_config *cfg)
{
	struct sim s = {.policy = cfg->policy, .sink = cfg->sink};
	u32 workers = balancer_workers(cfg->policy);
	int err = agenda_init(&s.agenda, workers);

	if (err)
		return err;
	s.step = calloc(workers, sizeof(*s.step));
	s.serving = calloc(workers, sizeof(struct item *));
	err = s.step && s.serving ? run(&s, cfg->stream) : -ENOMEM;
	free(s.serving);
	free(s.step);
	pool_fini(&s.pool);
	agenda_fini(&s.agenda);
	return err;
}
