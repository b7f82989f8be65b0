/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams with listed steps, items without a key, bursts, and a recorded stream. */
#include <math.h>
#include <string.h>

#include "core/workload.h"
#include "tap.h"

static struct workload_config base_config(void)
{
	return (struct workload_config){.seed = 1,
					.keys = 200,
					.rate = 2000,
					.duration_ns = 10 * NSEC_PER_SEC,
					.cost_ns = 5 * NSEC_PER_MSEC,
					.jitter = 0.5,
					.hot_keys = 1,
					.hot_share = 0.1,
					.hot_cost_ns = 100 * NSEC_PER_MSEC};
}

/* The whole stream; the caller frees. */
static struct item *stream_of(const struct workload_config *cfg,
			      const struct arrival_source *source, u32 *count)
{
	struct item *items = NULL, it;
	struct workload w;
	u32 n = 0;

	if (workload_init(&w, cfg))
		exit(EXIT_FAILURE);
	w.source = source;
	while (workload_next(&w, &it)) {
		if (!(n & (n - 1)))
			items = realloc(items, (n ? 2 * n : 1) * sizeof(*items));
		items[n++] = it;
	}
	workload_fini(&w);
	*count = n;
	return items;
}

static struct workload_config steps_config(void)
{
	struct workload_config cfg = base_config();

	cfg.nr_steps = 3;
	cfg.steps[0] = (struct step){.kind = STEP_CPU, .ns = 4000000};
	cfg.steps[1] = (struct step){.kind = STEP_CALL, .ns = 50000000, .resource = 1};
	cfg.steps[2] = (struct step){.kind = STEP_LOCK, .ns = 1000000, .resource = 0};
	cfg.nr_resources = 2;
	cfg.resources[0] = (struct resource_config){.name = "a", .lock = true, .capacity = 1};
	cfg.resources[1] = (struct resource_config){.name = "b", .capacity = 3};
	return cfg;
}

static void fixed_steps(void)
{
	struct workload_config cfg = steps_config();
	bool right = true, hot = true;
	struct item *items;
	u32 n;

	cfg.cost_dist = COST_FIXED;
	cfg.hot_cost_ns = 110 * NSEC_PER_MSEC;
	items = stream_of(&cfg, NULL, &n);
	for (u32 i = 0; i < n; i++) {
		u64 times = items[i].key ? 1 : 2;

		right &= items[i].nr_steps == 3 && items[i].steps[0].kind == STEP_CPU &&
			 items[i].steps[1].kind == STEP_CALL && items[i].steps[1].resource == 1 &&
			 items[i].steps[2].kind == STEP_LOCK && items[i].steps[2].resource == 0;
		hot &= items[i].steps[0].ns == 4000000 * times &&
		       items[i].steps[1].ns == 50000000 * times &&
		       items[i].steps[2].ns == 1000000 * times;
	}
	CHECK(n == 20000 && right, "steps in their order, with their resources");
	CHECK(hot, "a hot item's are multiplied by its cost over their sum");
	free(items);
}

/* One number for CPU and locks, another for calls. */
static void factors(void)
{
	struct workload_config cfg = steps_config();
	double sum = 0, squares = 0;
	bool same = true, kept = true;
	struct item *a, *b;
	u32 n, m;

	cfg.hot_keys = 0;
	cfg.resources[1].dist = RESOURCE_EXPONENTIAL;
	a = stream_of(&cfg, NULL, &n);
	cfg.resources[1].dist = RESOURCE_FIXED;
	b = stream_of(&cfg, NULL, &m);
	for (u32 i = 0; i < n && n == m; i++) {
		double f = (double)a[i].steps[1].ns / 50e6;

		same &= llabs((s64)a[i].steps[0].ns - 4 * (s64)a[i].steps[2].ns) <= 4;
		kept &= a[i].steps[0].ns == b[i].steps[0].ns && b[i].steps[1].ns == 50000000;
		sum += f;
		squares += f * f;
	}
	CHECK(n == m && same, "steps of the worker have one factor");
	CHECK(kept, "which does not depend on the resource's distribution");
	CHECK(fabs(sum / n - 1) < 0.03 && fabs(squares / n - 2) < 0.15,
	      "calls have their own: mean %.3f, mean square %.3f", sum / n, squares / n);
	free(a);
	free(b);
}

static void no_step_vanishes(void)
{
	struct workload_config cfg = steps_config();
	struct item *items;
	u32 n, whole = 0;

	cfg.hot_cost_ns = 0;
	cfg.hot_share = 1;
	items = stream_of(&cfg, NULL, &n);
	for (u32 i = 0; i < n; i++)
		whole += items[i].nr_steps == 3 && items[i].steps[1].ns == 1;
	CHECK(whole == n, "a step of no cost stays a step");
	free(items);
}

static void null_keys(double null, double hot_share)
{
	struct workload_config cfg = base_config();
	u32 n, nulls = 0, hot = 0, seqs = 0, turns = 0, *seen = calloc(201, sizeof(*seen));
	struct item *items;

	cfg.null_share = null;
	cfg.hot_share = hot_share;
	items = stream_of(&cfg, NULL, &n);
	for (u32 i = 0; i < n; i++) {
		u32 key = items[i].key;

		nulls += key == 200;
		hot += key == 0;
		seqs += items[i].seq == seen[key]++;
		turns += key == 0 || key == 200 || key == 1 + (i - nulls - hot) % 199;
	}
	CHECK(fabs(nulls - n * null) < 5 * sqrt(n * null * (1 - null)) + 1,
	      "null %.2f: %u of %u items have no key", null, nulls, n);
	CHECK(fabs(hot - n * hot_share) <= 1, "null %.2f: as many are hot as without", null);
	CHECK(seqs == n && turns == n, "null %.2f: ranks, and the cold keys' turns, go on", null);
	free(seen);
	free(items);
}

/* Other draws do not move. */
static void null_draws(void)
{
	struct workload_config cfg = base_config();
	struct item *a, *b;
	u32 n, m, same = 0;

	cfg.arrivals = ARRIVALS_POISSON;
	a = stream_of(&cfg, NULL, &n);
	cfg.null_share = 0.5;
	b = stream_of(&cfg, NULL, &m);
	for (u32 i = 0; i < n && i < m; i++)
		same += a[i].due_ns == b[i].due_ns && (a[i].key == 0) == (b[i].key == 0) &&
			a[i].steps[0].ns == b[i].steps[0].ns;
	CHECK(n == m && same == n, "due times, costs and hot items are the same with null keys");
	free(a);
	free(b);
}

static void bursts(u64 for_ns)
{
	struct workload_config cfg = base_config();
	bool right = true;
	struct item *items;
	u32 n;

	cfg.arrivals = ARRIVALS_BURST;
	cfg.burst_every_ns = 500 * NSEC_PER_MSEC;
	cfg.burst_for_ns = for_ns;
	items = stream_of(&cfg, NULL, &n);
	for (u32 i = 0; i < n; i++) {
		u64 period = i / 1000, rank = i % 1000;

		right &= items[i].due_ns == period * cfg.burst_every_ns + rank * for_ns / 1000;
	}
	CHECK(n == 20000 && right, "bursts of 1000 items in %" PRIu64 " ms of 500",
	      for_ns / 1000000);
	free(items);
}

/* 2.5 items a period: in turn 3 and 2. */
static void uneven_bursts(void)
{
	struct workload_config cfg = base_config();
	u32 n, counts[4] = {0};
	struct item *items;

	cfg.arrivals = ARRIVALS_BURST;
	cfg.rate = 2.5;
	cfg.duration_ns = 4 * NSEC_PER_SEC;
	cfg.burst_every_ns = NSEC_PER_SEC;
	items = stream_of(&cfg, NULL, &n);
	for (u32 i = 0; i < n; i++)
		counts[items[i].due_ns / NSEC_PER_SEC] += items[i].due_ns % NSEC_PER_SEC == 0;
	CHECK(n == 10 && counts[0] == 3 && counts[1] == 2 && counts[2] == 3 && counts[3] == 2,
	      "the rate is kept where a period has no whole number of items");
	free(items);
}

static bool next_recorded(void *ctx, struct arrival *a)
{
	static const struct arrival all[] = {
		{5, 1, 2000000}, {7, 0, 11000000}, {7, 2, 0}, {9, 1, COST_DRAWN}};
	u32 *at = ctx;

	if (*at == ARRAY_SIZE(all))
		return false;
	*a = all[(*at)++];
	return true;
}

static void recorded(void)
{
	struct workload_config cfg = base_config();
	u32 n, at = 0;
	struct arrival_source source = {next_recorded, &at};
	struct item *items;

	cfg.arrivals = ARRIVALS_FILE;
	cfg.keys = 2;
	cfg.hot_keys = 0;
	cfg.null_share = 0.25;
	items = stream_of(&cfg, &source, &n);
	CHECK(n == 4 && items[0].due_ns == 5 && items[2].due_ns == 7 && items[2].key == 2 &&
		      items[3].key == 1 && items[3].seq == 1 && items[3].id == 3,
	      "a recorded stream: times and keys as they are");
	CHECK(items[0].nr_steps == 1 && items[0].steps[0].ns == 2000000 &&
		      items[1].steps[0].ns == 11000000 && items[2].nr_steps == 0,
	      "costs as they are, without a factor");
	CHECK(items[3].steps[0].ns >= 2500000 && items[3].steps[0].ns <= 7500000,
	      "or drawn, where it has none");
	free(items);
	cfg = steps_config();
	cfg.arrivals = ARRIVALS_FILE;
	cfg.null_share = 0.25;
	cfg.keys = 2;
	at = 0;
	items = stream_of(&cfg, &source, &n);
	CHECK(items[1].steps[0].ns == 800000 && items[1].steps[1].ns == 10000000 &&
		      items[1].steps[2].ns == 200000,
	      "listed steps are multiplied by the cost over their sum");
	free(items);
}

int main(void)
{
	fixed_steps();
	factors();
	no_step_vanishes();
	null_keys(0.95, 0.05);
	null_keys(0.95, 0);
	null_keys(0.3, 0.1);
	null_draws();
	bursts(0);
	bursts(100 * NSEC_PER_MSEC);
	bursts(500 * NSEC_PER_MSEC);
	uneven_bursts();
	recorded();
	return tap_done();
}
