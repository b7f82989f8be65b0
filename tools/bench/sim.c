/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fast the simulator is, its events thrown away: each design on the ordering experiment's
 * stream, partition with many workers, and the whole ordering grid with nine seeds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/home.h"
#include "sim/sim.h"

enum { KEYS = 200, GRID_SEEDS = 9 };

struct job {
	const struct dispatch_ops *design;
	u32 workers;
	double load; /* of the hot key, in workers */
	double rate;
	u64 items, seed;
};

static int discard(void *ctx, const struct event *ev)
{
	u64 *ended = ctx;

	*ended += ev->kind == EVENT_DONE;
	return 0;
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void fail(const char *what)
{
	fprintf(stderr, "bench sim: %s failed\n", what);
	exit(EXIT_FAILURE);
}

static struct workload_config stream_config(const struct job *job)
{
	return (struct workload_config){.seed = job->seed,
					.keys = KEYS * (job->workers / 8),
					.rate = job->rate,
					.duration_ns = (u64)((double)job->items / job->rate * 1e9),
					.cost_ns = 5 * NSEC_PER_MSEC,
					.jitter = 0.5,
					.hot_keys = 1,
					.hot_share = job->load / (job->rate * 0.1),
					.hot_cost_ns = 100 * NSEC_PER_MSEC};
}

/* Items that ended. */
static u64 run(const struct job *job)
{
	struct workload_config stream_cfg = stream_config(job);
	struct home_config home_cfg = {
		.keys = stream_cfg.keys, .hot_keys = 1, .queues = job->workers, .neighbours = 19};
	u32 *home = calloc(stream_cfg.keys, sizeof(*home));
	struct balancer_config cfg = {.dispatch = {.ops = job->design,
						   .workers = job->workers,
						   .keys = stream_cfg.keys,
						   .threshold_ns = 500 * NSEC_PER_MSEC,
						   .home = home,
						   .null_key = NONE32},
				      .replicas = 1};
	struct workload stream;
	struct balancer policy;
	u64 ended = 0;
	struct event_sink sink = {.take = discard, .ctx = &ended};

	if (!home || home_assign(home, &home_cfg))
		fail("home queues");
	if (workload_init(&stream, &stream_cfg) || balancer_init(&policy, &cfg))
		fail("set-up");
	if (sim_run(&(struct sim_config){.stream = &stream, .policy = &policy, .sink = &sink}))
		fail("simulation");
	balancer_fini(&policy);
	workload_fini(&stream);
	free(home);
	return ended;
}

/* A figure of `make bench`: four fields. least 0: nothing is wanted of it. */
static void report(const struct job *job, double least)
{
	double start_s = now_s(), rate;

	rate = (double)run(job) / (now_s() - start_s) / 1e6;
	printf("simulate %s, %u workers\t%.2f M items/s\t", job->design->name, job->workers, rate);
	if (least > 0)
		printf("at least %.0f M items/s\t%s\n", least, rate >= least ? "ok" : "not");
	else
		printf("-\t-\n");
}

static void report_grid(void)
{
	static const char *const designs[] = {"shared", "partition", "steal", "steal:key", "key"};
	static const double loads[] = {0.4, 1.0, 2.0};
	double start_s = now_s(), spent_s;

	for (u32 seed = 1; seed <= GRID_SEEDS; seed++) {
		for (u32 i = 0; i < ARRAY_SIZE(designs) * ARRAY_SIZE(loads); i++) {
			struct job job = {dispatch_find(designs[i % ARRAY_SIZE(designs)], 0),
					  8,
					  loads[i / ARRAY_SIZE(designs)],
					  400,
					  8000,
					  seed};

			run(&job);
		}
	}
	spent_s = now_s() - start_s;
	printf("simulate the ordering grid, %d seeds\t%.2f s\tunder 2 s\t%s\n", GRID_SEEDS, spent_s,
	       spent_s < 2 ? "ok" : "not");
}

int main(void)
{
	const struct dispatch_ops *partition = dispatch_find("partition", 0);

	for (u32 i = 0; dispatch_nth(i); i++)
		report(&(struct job){dispatch_nth(i), 8, 0.4, 400, 2000000, 1},
		       dispatch_nth(i) == partition ? 2 : 0);
	for (u32 workers = 800; workers <= 80000; workers *= 100)
		report(&(struct job){partition, workers, 0.4, 50.0 * workers, 2000000, 1}, 0);
	report_grid();
	return EXIT_SUCCESS;
}
