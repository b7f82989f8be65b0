/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the simulator count from its events, by a code of their own: latencies,
 * order violations, moves, and how long victims waited while a worker was free.
 */
#ifndef HOLBENCH_TESTS_TALLY_H
#define HOLBENCH_TESTS_TALLY_H

#include <stdlib.h>
#include <string.h>

#include "core/home.h"
#include "sim/sim.h"

struct tally_item {
	u64 due_ns, submit_ns, start_ns, done_ns;
	u64 free_ns; /* the tally's free_ns when it was submitted; at its start, the difference */
	u32 key, seq;
};

struct tally {
	u32 hot_keys, workers;
	struct tally_item *items; /* by id */
	u32 nr_items, room;
	u32 *highest; /* per key: highest seq completed + 1 */
	u32 violations, moves, done, starts;
	u32 outcomes[OUTCOME_NR];
	u64 last_ns, free_ns; /* time so far with at least one free worker */
	u32 nr_serving;
};

static inline void tally_init(struct tally *t, u32 keys, u32 hot_keys, u32 workers)
{
	*t = (struct tally){.hot_keys = hot_keys, .workers = workers};
	t->highest = calloc(keys, sizeof(*t->highest));
}

static inline void tally_fini(struct tally *t)
{
	free(t->items);
	free(t->highest);
}

static inline struct tally_item *tally_item(struct tally *t, u32 id)
{
	if (id >= t->room) {
		t->room = t->room ? 2 * t->room : 8192;
		t->items = realloc(t->items, t->room * sizeof(*t->items));
	}
	return &t->items[id];
}

static inline void tally_done(struct tally *t, struct tally_item *it)
{
	u32 rank = it->seq + 1;

	if (rank < t->highest[it->key])
		t->violations++;
	else
		t->highest[it->key] = rank;
	t->done++;
	t->nr_serving--;
}

static inline int tally_take(void *ctx, const struct event *ev)
{
	struct tally *t = ctx;
	bool nobodys = ev->kind == EVENT_IDLE || ev->kind == EVENT_PAUSE;
	struct tally_item *it = tally_item(t, nobodys ? 0 : ev->item);

	if (t->nr_serving < t->workers)
		t->free_ns += ev->time_ns - t->last_ns;
	t->last_ns = ev->time_ns;
	if (ev->kind == EVENT_SUBMIT) {
		*it = (struct tally_item){.due_ns = ev->submit.due_ns,
					  .submit_ns = ev->time_ns,
					  .free_ns = t->free_ns,
					  .key = ev->submit.key,
					  .seq = ev->submit.key_seq};
		t->nr_items = ev->item + 1;
	} else if (ev->kind == EVENT_START) {
		it->start_ns = ev->time_ns;
		it->free_ns = t->free_ns - it->free_ns;
		t->starts++;
		t->nr_serving++;
	} else if (ev->kind == EVENT_DONE) {
		it->done_ns = ev->time_ns;
		t->outcomes[ev->done.outcome]++;
		tally_done(t, it);
	} else if (ev->kind == EVENT_MOVE) {
		t->moves++;
	}
	return 0;
}

static inline int tally_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Sorted latencies of the hot items or of the victims, in ns; the caller frees. */
static inline u64 *tally_latencies(const struct tally *t, bool hot, u32 *count)
{
	u64 *out = malloc(t->nr_items * sizeof(*out));

	*count = 0;
	for (u32 i = 0; i < t->nr_items; i++) {
		if ((t->items[i].key < t->hot_keys) == hot)
			out[(*count)++] = t->items[i].done_ns - t->items[i].due_ns;
	}
	qsort(out, *count, sizeof(*out), tally_compare);
	return out;
}

/* Nearest rank, in ms: the ⌈p n⌉-th of n, p in per cent. */
static inline double tally_percentile_ms(const u64 *sorted, u32 count, u32 percent)
{
	u64 rank = ((u64)count * percent + 99) / 100;

	return (double)sorted[rank ? rank - 1 : 0] / 1e6;
}

/* Mean over the victims of the time that they waited while a worker was free, in ms. */
static inline double tally_victims_free_ms(const struct tally *t)
{
	double sum = 0;
	u32 count = 0;

	for (u32 i = 0; i < t->nr_items; i++) {
		if (t->items[i].key < t->hot_keys)
			continue;
		sum += (double)t->items[i].free_ns / 1e6;
		count++;
	}
	return sum / count;
}

struct scenario {
	struct workload_config stream;
	const char *design;
	u32 unit, workers;
	s64 neighbours;
	u64 threshold_ns;
	u32 executor, limit, buffer, balance;
	u32 replicas; /* 0: 1 */
	bool null_unordered;
	const struct arrival_source *source; /* ARRIVALS_FILE */
};

/* The source experiment: 400/s, 200 keys of which one is hot, 8 workers, 20 s. */
static inline struct scenario scenario_ordering(const char *design, u32 unit, double load, u64 seed)
{
	return (struct scenario){
		.stream = {.seed = seed,
			   .keys = 200,
			   .rate = 400,
			   .duration_ns = 20 * NSEC_PER_SEC,
			   .cost_ns = 5 * NSEC_PER_MSEC,
			   .jitter = 0.5,
			   .hot_keys = 1,
			   .hot_share = load / (400 * 0.1),
			   .hot_cost_ns = 100 * NSEC_PER_MSEC},
		.design = design,
		.unit = unit,
		.workers = 8,
		.neighbours = 19,
		.threshold_ns = 500 * NSEC_PER_MSEC,
	};
}

/* Fills home (workload_keys() entries, which *cfg borrows) and *cfg. 0 or a negative errno. */
static inline int scenario_policy(const struct scenario *sc, u32 *home, struct balancer_config *cfg)
{
	struct home_config homes = {.keys = workload_keys(&sc->stream),
				    .hot_keys = sc->stream.hot_keys,
				    .queues = sc->workers,
				    .neighbours = sc->neighbours,
				    .partitions = sc->stream.partitions,
				    .null_key = sc->stream.null_share > 0};

	*cfg = (struct balancer_config){.dispatch = {.ops = dispatch_find(sc->design, sc->unit),
						     .workers = sc->workers,
						     .keys = homes.keys,
						     .threshold_ns = sc->threshold_ns,
						     .unit = sc->unit,
						     .home = home,
						     .limit = sc->limit,
						     .buffer = sc->buffer,
						     .null_key = workload_null_key(&sc->stream),
						     .null_unordered = sc->null_unordered,
						     .partitions = sc->stream.partitions,
						     .seed = sc->stream.seed},
					.replicas = sc->replicas ? sc->replicas : 1,
					.balance = sc->balance};
	return home_assign(home, &homes);
}

/* Simulates into any sink. 0 or a negative errno. */
static inline int scenario_run(const struct scenario *sc, const struct event_sink *sink)
{
	u32 *home = calloc(workload_keys(&sc->stream), sizeof(*home));
	struct balancer_config cfg;
	struct workload stream;
	struct balancer policy;
	int err = scenario_policy(sc, home, &cfg);

	if (!err)
		err = workload_init(&stream, &sc->stream);
	if (!err) {
		stream.source = sc->source;
		err = balancer_init(&policy, &cfg);
		if (!err) {
			err = sim_run(&(struct sim_config){.stream = &stream,
							   .policy = &policy,
							   .sink = sink,
							   .executor = sc->executor});
			balancer_fini(&policy);
		}
		workload_fini(&stream);
	}
	free(home);
	return err;
}

/* Simulates and tallies; the caller calls tally_fini(). */
static inline int scenario_tally(const struct scenario *sc, struct tally *t)
{
	struct event_sink sink = {.take = tally_take, .ctx = t};

	tally_init(t, workload_keys(&sc->stream), sc->stream.hot_keys,
		   sc->workers * (sc->replicas ? sc->replicas : 1));
	return scenario_run(sc, &sink);
}

#endif
