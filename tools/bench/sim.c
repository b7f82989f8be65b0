/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fast the simulator is, its events thrown away: each design on the ordering experiment's
 * stream, partition with many workers and items, light threads, and the whole ordering grid with
 * nine seeds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "core/home.h"
#include "sim/sim.h"

enum { KEYS = 200, GRID_SEEDS = 9, FEW = 8, MANY = 100000, MANY_ITEMS = 10000000 };

/* Beyond the items in flight there are the keys: 20 MB of them with MANY workers. Ten million items
 * kept would be over 1 GB. */
#define MANY_MEMORY_MB 100

struct job {
	const struct dispatch_ops *design;
	u32 workers;
	double load; /* of the hot key, in workers */
	double rate;
	u64 items, seed;
	bool light; /* async: each item waits for 1 s */
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
	struct workload_config cfg = {.seed = job->seed,
				      .keys = job->workers < FEW ? KEYS
								 : KEYS * (job->workers / FEW),
				      .rate = job->rate,
				      .duration_ns = (u64)((double)job->items / job->rate * 1e9),
				      .cost_ns = 5 * NSEC_PER_MSEC,
				      .jitter = 0.5,
				      .hot_keys = 1,
				      .hot_share = job->load / (job->rate * 0.1),
				      .hot_cost_ns = 100 * NSEC_PER_MSEC};

	if (job->light)
		cfg.cost_ns = NSEC_PER_SEC;
	return cfg;
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
	if (sim_run(&(struct sim_config){.stream = &stream,
					 .policy = &policy,
					 .sink = &sink,
					 .executor =
						 job->light ? EXECUTOR_ASYNC : EXECUTOR_THREAD}))
		fail("simulation");
	balancer_fini(&policy);
	workload_fini(&stream);
	free(home);
	return ended;
}

/* M items/s. */
static double speed(const struct job *job)
{
	double start_s = now_s();
	u64 ended = run(job);

	return (double)ended / (now_s() - start_s) / 1e6;
}

/* A figure of `make bench`: four fields. least 0: nothing is wanted of it. */
static void report_speed(const char *what, double rate, double least)
{
	printf("simulate %s\t%.2f M items/s\t", what, rate);
	if (least > 0)
		printf("at least %.0f M items/s\t%s\n", least, rate >= least ? "ok" : "not");
	else
		printf("-\t-\n");
}

static void report(const struct job *job, double least)
{
	char what[96];

	snprintf(what, sizeof(what), "%s, %u workers", job->design->name, job->workers);
	report_speed(what, speed(job), least);
}

static struct job partition_job(u32 workers, u64 items)
{
	return (struct job){
		dispatch_find("partition", 0), workers, 0.4, 50.0 * workers, items, 1, false};
}

/* An item may cost more with more workers, but not more than the logarithm of their number says. */
static void report_many(void)
{
	struct job few = partition_job(FEW, 2000000), many = partition_job(MANY, MANY_ITEMS);
	double few_rate = speed(&few), rate = speed(&many);
	double allowed = log(MANY) / log(FEW), grown = few_rate / rate;
	struct rusage usage;
	double mb;

	getrusage(RUSAGE_SELF, &usage);
	mb = (double)usage.ru_maxrss / 1024;
	report_speed("partition, 100000 workers, 10 M items", rate, 1);
	printf("simulate, the same: memory\t%.0f MB\tunder %d MB\t%s\n", mb, MANY_MEMORY_MB,
	       mb < MANY_MEMORY_MB ? "ok" : "not");
	printf("simulate, the same: time of an item, to that with %d workers\t%.1f times\t"
	       "under %.1f (log n)\t%s\n",
	       FEW, grown, allowed, grown < allowed ? "ok" : "not");
}

/* 100,000 items wait at once on two carriers. */
static void report_light(void)
{
	struct job job = {dispatch_find("shared", 0), 2, 0, 100000, 2000000, 1, true};

	report_speed("async, 2 carriers, 100000 items wait", speed(&job), 0);
}

static void report_grid(void)
{
	static const char *const designs[] = {"shared", "partition", "steal", "steal:key", "key"};
	static const double loads[] = {0.4, 1.0, 2.0};
	double start_s = now_s(), spent_s;

	for (u32 seed = 1; seed <= GRID_SEEDS; seed++) {
		for (u32 i = 0; i < ARRAY_SIZE(designs) * ARRAY_SIZE(loads); i++) {
			struct job job = {dispatch_find(designs[i % ARRAY_SIZE(designs)], 0),
					  FEW,
					  loads[i / ARRAY_SIZE(designs)],
					  400,
					  8000,
					  seed,
					  false};

			run(&job);
		}
	}
	spent_s = now_s() - start_s;
	printf("simulate the ordering grid, %d seeds\t%.2f s\tunder 2 s\t%s\n", GRID_SEEDS, spent_s,
	       spent_s < 2 ? "ok" : "not");
}

int main(void)
{
	struct job thousand = partition_job(1000, 2000000);
	const struct dispatch_ops *partition = thousand.design;

	report_many(); /* first: the memory is the process's largest */
	report(&thousand, 0);
	report_light();
	for (u32 i = 0; dispatch_nth(i); i++)
		report(&(struct job){dispatch_nth(i), FEW, 0.4, 400, 2000000, 1, false},
		       dispatch_nth(i) == partition ? 2 : 0);
	report_grid();
	return EXIT_SUCCESS;
}
