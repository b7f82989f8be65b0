/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must hold in every simulated run, checked event by event by a code of its own: who serves
 * what, who has which slot, the order of numbers and times, and that a second policy, told what the
 * log says, decides the same.
 */
#ifndef HOLBENCH_TESTS_SIM_CHECKER_H
#define HOLBENCH_TESTS_SIM_CHECKER_H

#include <errno.h>
#include <string.h>

#include "tally.h"

enum { CHECKER_ITEMS = 4096, CHECKER_WORKERS = 64 };

struct checker_item {
	struct item item; /* of the second policy */
	u64 submit_ns, start_ns;
	u64 hold_ns; /* its first step does not begin before */
	u32 submits, starts, dones, step, worker, outcome;
	bool on_cpu, has_lock, outside;
};

struct checker {
	const struct scenario *sc;
	struct balancer policy; /* the second */
	struct checker_item items[CHECKER_ITEMS];
	u32 nr_items, in_service, in_system, admitted;
	u32 holding[CHECKER_WORKERS]; /* item + 1 that holds the worker; 0 */
	u64 slot_until[RESOURCES_MAX][16];
	u32 lock_holder[RESOURCES_MAX]; /* item + 1; 0 */
	u32 outcomes[OUTCOME_NR], pauses, takes, resumes, moves, admits;
	u64 last_ns, seq;
	u32 moves_left;		  /* of the steal under way */
	double area_ns, waits_ns; /* Little's law: ∫ items in the system dt, Σ time in it */
	u32 next_seq[64];	  /* per key: the highest that has ended, + 1 */
	u32 inversions;		  /* where order need not be kept */
	const struct item *admitted_item;
	const char *wrong;
	u32 wrong_item;
};

static inline void expect(struct checker *c, u32 item, bool ok, const char *what)
{
	if (ok || c->wrong)
		return;
	c->wrong = what;
	c->wrong_item = item;
}

static inline const struct step *checker_step(const struct checker *c, u32 item)
{
	const struct checker_item *it = &c->items[item];

	return it->step < it->item.nr_steps ? &it->item.steps[it->step] : NULL;
}

/* The item's step has ended, or the item: its worker and its lock are free. */
static inline void checker_release(struct checker *c, u32 item)
{
	struct checker_item *it = &c->items[item];
	const struct step *step = checker_step(c, item);

	if (it->has_lock && step)
		c->lock_holder[step->resource] = 0;
	it->has_lock = false;
	if (c->sc->executor == EXECUTOR_ASYNC && it->on_cpu)
		c->holding[it->worker] = 0;
	it->on_cpu = false;
}

static inline void checker_occupy(struct checker *c, u32 item, u32 worker)
{
	expect(c, item, !c->holding[worker] || c->holding[worker] == item + 1,
	       "a worker has one item at a time");
	c->holding[worker] = item + 1;
	c->items[item].on_cpu = true;
}

static inline void checker_begin(struct checker *c, u32 item, u32 index, u64 now)
{
	struct checker_item *it = &c->items[item];
	const struct step *step;

	it->step = index;
	step = checker_step(c, item);
	if (!step)
		return;
	if (c->sc->executor == EXECUTOR_ASYNC && step->kind == STEP_CPU && now >= it->hold_ns)
		checker_occupy(c, item, it->worker);
}

static inline void checker_submit(struct checker *c, const struct event *ev)
{
	struct checker_item *it = &c->items[ev->item];
	u32 queue, woken;

	expect(c, ev->item, ev->item == c->nr_items++, "items arrive in turn");
	expect(c, ev->item, ev->submit.due_ns == ev->time_ns, "an item arrives when it is due");
	it->submits++;
	it->submit_ns = ev->time_ns;
	it->item = (struct item){.due_ns = ev->submit.due_ns,
				 .id = ev->item,
				 .key = ev->submit.key,
				 .seq = ev->submit.key_seq,
				 .nr_steps = ev->submit.nr_steps,
				 .arrival_ns = ev->time_ns};
	memcpy(it->item.steps, ev->submit.steps, sizeof(it->item.steps));
	queue = balancer_place(&c->policy, &it->item);
	woken = balancer_submit(&c->policy, queue, &it->item);
	expect(c, ev->item, woken == ev->submit.woken, "replayed: who is woken");
	expect(c, ev->item, (it->item.outside ? NONE32 : queue) == ev->submit.queue,
	       "replayed: where it is placed");
	it->outside = it->item.outside;
	c->admitted += !it->outside;
	c->in_system++;
}

static inline void checker_next(struct checker *c, const struct event *ev)
{
	struct item *it = balancer_next(&c->policy, ev->worker);

	balancer_permit(&c->policy, ev->worker, ev->time_ns);
	expect(c, ev->worker,
	       (it ? it->id : NONE32) == (ev->kind == EVENT_START ? ev->item : NONE32),
	       "replayed: what a worker gets");
	expect(c, ev->worker, pause_workers(&c->sc->stream.pauses, ev->time_ns) == ev->time_ns,
	       "nobody asks in a pause");
}

static inline void checker_start(struct checker *c, const struct event *ev)
{
	struct checker_item *it = &c->items[ev->item];

	checker_next(c, ev);
	expect(c, ev->item, it->submits == 1 && !it->outside, "what starts has been admitted");
	it->starts++;
	it->start_ns = ev->time_ns;
	it->worker = ev->worker;
	it->hold_ns = pause_step(&c->sc->stream.pauses, it->item.key, 0, ev->time_ns);
	c->in_service++;
	if (c->sc->executor != EXECUTOR_ASYNC)
		checker_occupy(c, ev->item, ev->worker);
	checker_begin(c, ev->item, 0, ev->time_ns);
}

static inline void checker_step_event(struct checker *c, const struct event *ev)
{
	struct checker_item *it = &c->items[ev->item];
	bool same = ev->step.index == it->step;

	if (ev->seq) {
		c->resumes++;
		expect(c, ev->item, c->sc->executor == EXECUTOR_ASYNC, "only a carrier resumes");
		balancer_busy(&c->policy, ev->worker);
	}
	expect(c, ev->item, ev->worker == it->worker, "an item stays on its worker");
	expect(c, ev->item, ev->step.index == it->step + 1 || (same && ev->seq),
	       "steps follow each other");
	expect(c, ev->item, ev->step.index < it->item.nr_steps, "a step that it has");
	if (!same || !it->has_lock)
		checker_release(c, ev->item);
	if (!same || checker_step(c, ev->item)->kind != STEP_LOCK)
		expect(c, ev->item,
		       pause_step(&c->sc->stream.pauses, it->item.key, ev->step.index,
				  ev->time_ns) == ev->time_ns,
		       "no step begins in a pause of its own");
	checker_begin(c, ev->item, ev->step.index, ev->time_ns);
}

static inline void checker_take(struct checker *c, const struct event *ev)
{
	struct checker_item *it = &c->items[ev->item];
	const struct step *step = checker_step(c, ev->item);
	u64 *until = &c->slot_until[ev->take.resource][ev->take.slot];

	c->takes++;
	expect(c, ev->item,
	       step && step_has_resource(step->kind) && step->resource == ev->take.resource,
	       "it takes what its step says");
	if (step && step->kind == STEP_LOCK) {
		expect(c, ev->item, !c->lock_holder[ev->take.resource], "a lock has one holder");
		expect(c, ev->item, ev->take.from_ns == ev->time_ns && !ev->take.until_ns,
		       "a lock is taken now");
		c->lock_holder[ev->take.resource] = ev->item + 1;
		it->has_lock = true;
		checker_occupy(c, ev->item, it->worker);
		return;
	}
	expect(c, ev->item, ev->take.from_ns >= *until, "a slot serves one call at a time");
	expect(c, ev->item,
	       ev->take.from_ns >= ev->time_ns && ev->take.until_ns == ev->take.from_ns + step->ns,
	       "a call takes its time");
	*until = ev->take.until_ns;
}

static inline void checker_pause(struct checker *c, const struct event *ev)
{
	c->pauses++;
	expect(c, ev->item, ev->pause.until_ns > ev->time_ns, "a pause takes time");
	if (ev->item != NONE32)
		checker_release(c, ev->item);
}

static inline void checker_outcome(struct checker *c, const struct event *ev)
{
	struct checker_item *it = &c->items[ev->item];
	u64 timeout_ns = c->sc->stream.timeout_ns, end_ns = it->start_ns + timeout_ns;

	c->outcomes[ev->done.outcome]++;
	if (ev->done.outcome == OUTCOME_TIMED_OUT)
		expect(c, ev->item,
		       timeout_ns && (c->sc->executor == EXECUTOR_ASYNC ? ev->time_ns >= end_ns
									: ev->time_ns == end_ns),
		       "an item times out when its time is over");
	if (ev->done.outcome == OUTCOME_SUCCEEDED) {
		expect(c, ev->item, !timeout_ns || ev->time_ns <= end_ns,
		       "who succeeds is in time");
		expect(c, ev->item, it->step + 1 >= it->item.nr_steps, "who succeeds has done all");
	}
}

/* Items without a key are in order only where they count as one, and not over partitions. */
static inline void checker_order(struct checker *c, const struct item *it)
{
	u32 traits = balancer_traits(&c->policy);
	bool keyless = it->key == workload_null_key(&c->sc->stream);
	bool loose = keyless && (c->sc->null_unordered || traits & DISPATCH_PARTITION_SERIAL);
	bool inverted = it->seq < c->next_seq[it->key];

	c->inversions += inverted;
	if (!loose && dispatch_keeps_order(traits, c->sc->executor, c->sc->replicas))
		expect(c, it->id, !inverted, "a design that keeps order does");
	if (!inverted)
		c->next_seq[it->key] = it->seq + 1;
}

static inline void checker_done(struct checker *c, const struct event *ev)
{
	struct checker_item *it = &c->items[ev->item];

	expect(c, ev->item, it->starts == 1 && !it->dones++, "an item ends once");
	expect(c, ev->item, ev->worker == it->worker, "an item ends on its worker");
	checker_outcome(c, ev);
	checker_order(c, &it->item);
	checker_release(c, ev->item);
	if (c->sc->executor != EXECUTOR_ASYNC)
		c->holding[ev->worker] = 0;
	if (ev->seq)
		balancer_busy(&c->policy, ev->worker);
	c->admitted_item = balancer_done(&c->policy, ev->worker, &it->item);
	c->in_service--;
	c->in_system--;
	c->admitted--;
	c->waits_ns += (double)(ev->time_ns - it->submit_ns);
}

static inline void checker_move(struct checker *c, const struct event *ev)
{
	struct steal st;

	if (!c->moves_left) {
		balancer_steal(&c->policy, ev->move.to, ev->time_ns, &st);
		expect(c, ev->item,
		       st.count == ev->move.left + 1 && st.from == ev->move.from &&
			       st.since_ns == ev->move.since_ns,
		       "replayed: what is stolen");
	}
	c->moves_left = ev->move.left;
	c->moves++;
}

static inline void checker_admit(struct checker *c, const struct event *ev)
{
	expect(c, ev->item, c->admitted_item == &c->items[ev->item].item,
	       "replayed: what comes in");
	c->items[ev->item].outside = false;
	c->admitted++;
	c->admits++;
}

static inline void checker_limits(struct checker *c, const struct event *ev)
{
	u32 replicas = c->sc->replicas ? c->sc->replicas : 1;

	expect(c, ev->item, !c->sc->limit || c->in_service <= c->sc->limit * replicas,
	       "no more in service than the limit");
	expect(c, ev->item, !c->sc->buffer || c->admitted <= c->sc->buffer * replicas,
	       "no more admitted than the buffer holds");
}

static inline int checker_event(void *ctx, const struct event *ev)
{
	static void (*const handlers[EVENT_KIND_END])(struct checker *, const struct event *) = {
		[EVENT_SUBMIT] = checker_submit, [EVENT_START] = checker_start,
		[EVENT_IDLE] = checker_next,	 [EVENT_STEP] = checker_step_event,
		[EVENT_TAKE] = checker_take,	 [EVENT_PAUSE] = checker_pause,
		[EVENT_DONE] = checker_done,	 [EVENT_MOVE] = checker_move,
		[EVENT_ADMIT] = checker_admit};
	struct checker *c = ctx;

	expect(c, ev->item, ev->time_ns >= c->last_ns, "time does not go back");
	expect(c, ev->item, !ev->seq || ev->seq == ++c->seq, "seq counts without a gap");
	c->area_ns += (double)c->in_system * (double)(ev->time_ns - c->last_ns);
	c->last_ns = ev->time_ns;
	if (!handlers[ev->kind])
		return -EINVAL;
	handlers[ev->kind](c, ev);
	checker_limits(c, ev);
	return c->wrong ? -EINVAL : 0;
}

#endif
