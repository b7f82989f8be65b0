/* SPDX-License-Identifier: GPL-2.0-only */
/* The engine itself: the order of its events, steps, ties, errors, sameness. */
#include <errno.h>

#include "core/rng.h"
#include "tally.h"
#include "tap.h"

struct log {
	struct event *events;
	u32 len, room;
	u32 stop_at; /* the sink fails at this event, from 1; 0: never */
};

static int take(void *ctx, const struct event *ev)
{
	struct log *l = ctx;

	if (l->len == l->room) {
		l->room = l->room ? 2 * l->room : 1024;
		l->events = realloc(l->events, l->room * sizeof(*l->events));
	}
	l->events[l->len++] = *ev;
	return l->len == l->stop_at ? -ENOSPC : 0;
}

static int record(const struct scenario *sc, struct log *l)
{
	struct event_sink sink = {.take = take, .ctx = l};

	l->len = 0;
	return scenario_run(sc, &sink);
}

static void check_sequence(const struct dispatch_ops *ops)
{
	struct scenario sc = scenario_ordering(ops->name, STEAL_HALF, 2.0, 1);
	u32 counts[EVENT_LOST + 1] = {0}, unnumbered = 0;
	struct log l = {0};
	bool times = true, seqs = true;
	u64 seq = 0;

	if (!CHECK(record(&sc, &l) == 0, "%s: runs", ops->name))
		return;
	for (u32 i = 0; i < l.len; i++) {
		const struct event *ev = &l.events[i];

		times &= i == 0 || ev->time_ns >= ev[-1].time_ns;
		counts[ev->kind]++;
		unnumbered += !ev->seq;
		seqs &= !ev->seq || ev->seq == ++seq;
	}
	CHECK(times, "%s: times do not go backwards", ops->name);
	CHECK(seqs, "%s: seq counts from 1 without a gap", ops->name);
	CHECK(unnumbered == (ops->traits & DISPATCH_WANTS_DONE ? 0 : counts[EVENT_DONE]),
	      "%s: only a DONE that the design is not told of has no seq", ops->name);
	CHECK(counts[EVENT_SUBMIT] == 8000 && counts[EVENT_START] == 8000 &&
		      counts[EVENT_DONE] == 8000 && counts[EVENT_STEP] == 0,
	      "%s: every item is submitted, starts and ends", ops->name);
	free(l.events);
}

static void same(const struct dispatch_ops *ops)
{
	struct scenario sc = scenario_ordering(ops->name, STEAL_HALF, 2.0, 3);
	struct log a = {0}, b = {0};

	record(&sc, &a);
	record(&sc, &b);
	CHECK(a.len == b.len && !memcmp(a.events, b.events, a.len * sizeof(*a.events)),
	      "%s: the same stream, the same events", ops->name);
	free(a.events);
	free(b.events);
}

/* Two items of 2 ms and one a ms on two workers: each end meets an arrival. */
static struct scenario ties(void)
{
	return (struct scenario){.stream = {.seed = 1,
					    .keys = 4,
					    .rate = 1000,
					    .duration_ns = 4 * NSEC_PER_MSEC,
					    .cost_ns = 2 * NSEC_PER_MSEC},
				 .design = "shared",
				 .workers = 2,
				 .neighbours = -1};
}

static void check_ties(void)
{
	static const u32 kinds[] = {
		EVENT_IDLE,   EVENT_IDLE,  EVENT_SUBMIT, EVENT_START, EVENT_SUBMIT, EVENT_START,
		EVENT_DONE,   EVENT_IDLE,  EVENT_SUBMIT, EVENT_START, EVENT_DONE,   EVENT_IDLE,
		EVENT_SUBMIT, EVENT_START, EVENT_DONE,	 EVENT_IDLE,  EVENT_DONE,   EVENT_IDLE};
	struct scenario sc = ties();
	struct log l = {0};
	bool right;

	record(&sc, &l);
	right = l.len == ARRAY_SIZE(kinds);
	for (u32 i = 0; right && i < l.len; i++)
		right = l.events[i].kind == kinds[i];
	CHECK(right, "at equal times an end comes before an arrival");
	CHECK(right && l.events[2].submit.woken == 1 && l.events[4].submit.woken == 0,
	      "the last to go idle is woken first");
	free(l.events);
}

/*
 * One key, so one queue of two workers: at 2 ms the second item gets old and the first ends; at 3
 * ms the third gets old and the fourth arrives.
 */
static void check_steal_ties(void)
{
	struct scenario sc = ties();
	const struct event *move = NULL;
	struct log l = {0};

	sc.design = "steal";
	sc.stream.keys = 1;
	sc.threshold_ns = NSEC_PER_MSEC;
	record(&sc, &l);
	for (u32 i = 0; i < l.len && !move; i++)
		move = l.events[i].kind == EVENT_MOVE ? &l.events[i] : NULL;
	CHECK(move && move->time_ns == 3 * NSEC_PER_MSEC && move->item == 3,
	      "at equal times an end and an arrival come before a steal");
	free(l.events);
}

static void check_steps(void)
{
	struct scenario sc = ties();
	struct log l = {0};
	u32 steps = 0;
	bool right = true;

	sc.stream.work = WORK_MIX;
	sc.stream.mix = 0.25;
	record(&sc, &l);
	for (u32 i = 0; i < l.len; i++) {
		const struct event *ev = &l.events[i];

		if (ev->kind != EVENT_STEP)
			continue;
		steps++;
		right &= ev->step.index == 1 && ev->seq == 0;
		right &= ev->time_ns == ev->item * NSEC_PER_MSEC + 500000;
	}
	CHECK(steps == 4 && right, "the second step is said, when the first has ended");
	sc.stream.cost_ns = 0;
	record(&sc, &l);
	for (u32 i = 0; i < l.len; i++)
		right &= l.events[i].kind != EVENT_DONE ||
			 l.events[i].time_ns == l.events[i].item * NSEC_PER_MSEC;
	CHECK(right, "an item of no cost ends when it starts");
	free(l.events);
}

static void check_error(void)
{
	struct scenario sc = ties();
	struct log l = {.stop_at = 7};

	CHECK(record(&sc, &l) == -ENOSPC && l.len == 7, "the sink's error ends the run");
	free(l.events);
}

/* Unmovable heads, several hot keys, many workers: stealing finds what its hint promises. */
static void check_steal_hints(u32 unit)
{
	struct log l = {0};
	bool right = true;

	for (u64 seed = 1; seed <= 20; seed++) {
		struct scenario sc = scenario_ordering("steal", unit, 3.0, seed);

		sc.workers = 16;
		sc.stream.hot_keys = 3;
		sc.stream.hot_pick = HOT_BERNOULLI;
		sc.stream.arrivals = ARRIVALS_POISSON;
		sc.threshold_ns = seed % 2 ? 0 : 20 * NSEC_PER_MSEC;
		right &= record(&sc, &l) == 0;
	}
	CHECK(right, "steal, unit %u: a worker that is told to steal finds something", unit);
	free(l.events);
}

/* A threshold of 0: as soon as a worker is free it takes what waits, wherever. */
static void check_no_threshold(u32 unit)
{
	struct scenario sc = scenario_ordering("steal", unit, 2.0, 1);
	struct tally t;

	sc.threshold_ns = 0;
	CHECK(scenario_tally(&sc, &t) == 0 && t.moves > 0 && tally_victims_free_ms(&t) == 0,
	      "steal, unit %u, threshold 0: nobody waits while a worker is free", unit);
	tally_fini(&t);
}

int main(void)
{
	for (u32 i = 0; dispatch_nth(i); i++) {
		check_sequence(dispatch_nth(i));
		same(dispatch_nth(i));
	}
	check_ties();
	check_steal_ties();
	check_steps();
	check_error();
	check_no_threshold(STEAL_HALF);
	check_no_threshold(STEAL_ITEM);
	check_steal_hints(STEAL_HALF);
	check_steal_hints(STEAL_ITEM);
	check_steal_hints(STEAL_KEY);
	return tap_done();
}
