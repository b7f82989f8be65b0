/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole systems whose figures are known: pools before a server, a consumer of partitions,
 * replicas before a database, items without a key. */
#include "core/rng.h"
#include "tally.h"
#include "tap.h"

/* `items` at once, of one WAIT of cost_ns; further fields are the caller's. */
static struct scenario at_once(u32 items, u64 cost_ns)
{
	return (struct scenario){.stream = {.seed = 1,
					    .keys = items,
					    .rate = items,
					    .duration_ns = NSEC_PER_SEC,
					    .arrivals = ARRIVALS_BURST,
					    .burst_every_ns = NSEC_PER_SEC,
					    .cost_ns = cost_ns,
					    .cost_dist = COST_FIXED},
				 .design = "shared",
				 .workers = 1,
				 .neighbours = -1};
}

/* 1000 calls at once of a server that takes 3 s; the callers give up after 5 s. */
static struct scenario pools(u32 executor, u32 workers, u32 limit, u32 capacity)
{
	struct scenario sc = at_once(1000, 3 * NSEC_PER_SEC);

	sc.stream.nr_steps = 1;
	sc.stream.steps[0] = (struct step){.kind = STEP_CALL, .ns = 3 * NSEC_PER_SEC};
	sc.stream.nr_resources = 1;
	sc.stream.resources[0] =
		(struct resource_config){.capacity = capacity, .queue = RESOURCE_QUEUE_NEVER};
	sc.stream.timeout_ns = 5 * NSEC_PER_SEC;
	sc.executor = executor;
	sc.workers = workers;
	sc.limit = limit;
	return sc;
}

static void check_pool(struct scenario sc, u32 succeed, u32 seconds, const char *what)
{
	struct tally t;

	if (CHECK(scenario_tally(&sc, &t) == 0, "pools, %s: runs", what))
		CHECK(t.outcomes[OUTCOME_SUCCEEDED] == succeed &&
			      t.outcomes[OUTCOME_TIMED_OUT] == 1000 - succeed &&
			      t.last_ns == seconds * NSEC_PER_SEC,
		      "pools, %s: %u of 1000 succeed, the last ends at %u s", what,
		      t.outcomes[OUTCOME_SUCCEEDED], (u32)(t.last_ns / NSEC_PER_SEC));
	tally_fini(&t);
}

static void check_pools(void)
{
	struct scenario sc;

	check_pool(pools(EXECUTOR_THREAD, 100, 0, 200), 1000, 30, "100 threads");
	check_pool(pools(EXECUTOR_ASYNC, 2, 0, 200), 200, 5, "light threads without a limit");
	check_pool(pools(EXECUTOR_ASYNC, 2, 0, 400), 400, 5, "and a server of 400");
	check_pool(pools(EXECUTOR_SPAWN, 1000, 0, 200), 200, 5, "a thread an item");
	check_pool(pools(EXECUTOR_ASYNC, 2, 100, 200), 1000, 30, "a limit of 100");
	check_pool(pools(EXECUTOR_SPAWN, 1000, 100, 200), 1000, 30, "a thread an item, limited");
	sc = pools(EXECUTOR_ASYNC, 2, 100, 200);
	sc.design = "random";
	check_pool(sc, 1000, 30, "a limit of 100, unfair");
	sc = pools(EXECUTOR_THREAD, 1000, 0, 200);
	sc.stream.resources[0].queue = 0;
	{
		struct tally t;

		CHECK(scenario_tally(&sc, &t) == 0 && t.outcomes[OUTCOME_SUCCEEDED] == 200 &&
			      t.outcomes[OUTCOME_REFUSED] == 800 && t.last_ns == 3 * NSEC_PER_SEC,
		      "pools, a server that lets nobody wait refuses 800");
		tally_fini(&t);
	}
}

/* 100 items of 1 s, 2 workers: how long they take together, in s. */
static u32 consume(const char *design, u32 partitions, u32 keys)
{
	struct scenario sc = at_once(100, NSEC_PER_SEC);
	struct tally t;
	u32 seconds;

	sc.design = design;
	sc.workers = 2;
	sc.stream.keys = keys;
	sc.stream.partitions = partitions;
	if (scenario_tally(&sc, &t))
		exit(EXIT_FAILURE);
	seconds = (u32)(t.last_ns / NSEC_PER_SEC);
	tally_fini(&t);
	return seconds;
}

static void check_consumer(void)
{
	static const struct {
		const char *design;
		u32 seconds[4]; /* 1 partition, 100 keys; 1, 2; 2, 100; 2, 2 */
	} rows[] = {{"shared", {50, 50, 50, 50}},
		    {"key", {50, 50, 50, 50}},
		    {"key:partition", {100, 100, 50, 50}},
		    {"partition", {100, 100, 50, 50}}};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		for (u32 k = 0; k < 4; k++) {
			u32 partitions = 1 + k / 2, keys = k % 2 ? 2 : 100;
			u32 seconds = consume(rows[i].design, partitions, keys);

			CHECK(seconds == rows[i].seconds[k],
			      "consumer, %s, %u partitions, %u keys: %u s", rows[i].design,
			      partitions, keys, seconds);
		}
	}
}

/* Overloaded: items a second, while the stream lasts. */
static double throughput(const struct scenario *sc)
{
	struct tally t;
	u32 count = 0;

	if (scenario_tally(sc, &t))
		exit(EXIT_FAILURE);
	for (u32 i = 0; i < t.nr_items; i++)
		count += t.items[i].done_ns < sc->stream.duration_ns;
	tally_fini(&t);
	return (double)count * 1e9 / (double)sc->stream.duration_ns;
}

/* 12 workers a replica, 4 ms of CPU, then 50 ms of a database of 13 slots. */
static void check_replicas(u32 executor)
{
	struct scenario sc = {
		.stream = {.seed = 1,
			   .keys = 1000,
			   .rate = 400,
			   .duration_ns = 60 * NSEC_PER_SEC,
			   .cost_ns = 54 * NSEC_PER_MSEC,
			   .cost_dist = COST_FIXED,
			   .nr_steps = 2,
			   .steps = {{.kind = STEP_CPU, .ns = 4 * NSEC_PER_MSEC},
				     {.kind = STEP_CALL, .ns = 50 * NSEC_PER_MSEC}},
			   .nr_resources = 1,
			   .resources = {{.capacity = 13, .queue = RESOURCE_QUEUE_NEVER}}},
		.design = "shared",
		.workers = 12,
		.neighbours = -1,
		.executor = executor};
	double one = throughput(&sc), three, least;

	sc.replicas = 3;
	three = throughput(&sc);
	sc.balance = BALANCE_LEAST;
	least = throughput(&sc);
	CHECK(one > 221 && one < 223, "replicas: 1 serves %.1f/s, its workers are the wall", one);
	CHECK(three > 259 && three < 261, "replicas: 3 serve %.1f/s, the database is the wall",
	      three);
	CHECK(least > 259 && least < 261, "replicas: 3 behind the other balancer, %.1f/s", least);
}

/* 95 % of the items have no key; overloaded, 8 workers of 100 items/s each. */
static void check_null(void)
{
	struct scenario sc = {.stream = {.seed = 1,
					 .keys = 200,
					 .rate = 2000,
					 .duration_ns = 20 * NSEC_PER_SEC,
					 .cost_ns = 10 * NSEC_PER_MSEC,
					 .cost_dist = COST_FIXED,
					 .null_share = 0.95},
			      .design = "key",
			      .workers = 8,
			      .neighbours = -1};
	double as_key = throughput(&sc), unordered;

	sc.null_unordered = true;
	unordered = throughput(&sc);
	CHECK(as_key > 100 && as_key < 210,
	      "no key is a key: %.0f/s, one worker's and the other keys'", as_key);
	CHECK(unordered > 795, "no key, no order: %.0f/s, all workers'", unordered);
}

int main(void)
{
	check_pools();
	check_consumer();
	check_replicas(EXECUTOR_THREAD);
	check_null();
	return tap_done();
}
