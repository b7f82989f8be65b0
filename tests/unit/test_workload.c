/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "core/workload.h"
#include "tap.h"

static struct workload_config base_config(void)
{
	return (struct workload_config){.seed = 1,
					.keys = 200,
					.rate = 400,
					.duration_ns = 20 * NSEC_PER_SEC,
					.cost_ns = 5 * NSEC_PER_MSEC,
					.jitter = 0.5,
					.hot_keys = 1,
					.hot_share = 0.025,
					.hot_cost_ns = 100 * NSEC_PER_MSEC};
}

/* The whole stream; the caller frees. */
static struct item *stream_of(const struct workload_config *cfg, u32 *count)
{
	struct item *items = NULL, it;
	struct workload w;
	u32 n = 0;

	if (workload_init(&w, cfg))
		exit(EXIT_FAILURE);
	while (workload_next(&w, &it)) {
		if (!(n & (n - 1)))
			items = realloc(items, (n ? 2 * n : 1) * sizeof(*items));
		items[n++] = it;
	}
	workload_fini(&w);
	*count = n;
	return items;
}

static u64 cost_of(const struct item *it)
{
	u64 sum = 0;

	for (u32 i = 0; i < it->nr_steps; i++)
		sum += it->steps[i].ns;
	return sum;
}

static void ranks(const struct item *items, u32 n, u32 keys)
{
	u32 *seen = calloc(keys, sizeof(*seen));
	bool right = true;

	for (u32 i = 0; i < n; i++) {
		right &= items[i].id == i && items[i].key < keys;
		right &= items[i].seq == seen[items[i].key]++;
		right &= i == 0 || items[i].due_ns >= items[i - 1].due_ns;
	}
	CHECK(right, "ids, keys' seqs and due times are in order");
	free(seen);
}

static void same_seed(void)
{
	struct workload_config cfg = base_config();
	struct item *a, *b, *c;
	u32 n, m;

	cfg.arrivals = ARRIVALS_POISSON;
	cfg.cold_pick = COLD_UNIFORM;
	cfg.hot_pick = HOT_BERNOULLI;
	a = stream_of(&cfg, &n);
	b = stream_of(&cfg, &m);
	CHECK(n == m && !memcmp(a, b, n * sizeof(*a)), "same seed, same stream");
	cfg.seed = 2;
	c = stream_of(&cfg, &m);
	CHECK(m != n || memcmp(a, c, n * sizeof(*a)), "another seed, another stream");
	ranks(a, n, cfg.keys);
	free(a);
	free(b);
	free(c);
}

static void even_arrivals(void)
{
	struct workload_config cfg = base_config();
	bool right = true;
	struct item *items;
	u32 n;

	items = stream_of(&cfg, &n);
	for (u32 i = 0; i < n; i++)
		right &= items[i].due_ns == i * 2500000ull;
	CHECK(n == 8000 && right, "even: 8000 items, 2.5 ms apart from 0");
	ranks(items, n, cfg.keys);
	free(items);
	/* Rates whose product with the duration is whole, but not in binary. */
	for (u32 i = 1; i <= 100; i++) {
		double scale = i / 100.0;

		cfg.rate = 400 / scale;
		cfg.duration_ns = (u64)llround(20e9 * scale);
		free(stream_of(&cfg, &n));
		right &= n == 8000;
	}
	CHECK(right, "even: the number of items does not depend on the time scale");
	cfg.rate = 3;
	cfg.duration_ns = NSEC_PER_SEC;
	items = stream_of(&cfg, &n);
	CHECK(n == 3 && items[1].due_ns == 333333333 && items[2].due_ns == 666666667,
	      "even: due times are rounded to the nanosecond");
	free(items);
}

static void poisson_arrivals(void)
{
	struct workload_config cfg = base_config();
	double sum = 0, squares = 0, mean, variation;
	struct item *items;
	u32 n;

	cfg.arrivals = ARRIVALS_POISSON;
	cfg.rate = 10000;
	items = stream_of(&cfg, &n);
	for (u32 i = 1; i < n; i++) {
		double gap = (double)(items[i].due_ns - items[i - 1].due_ns);

		sum += gap;
		squares += gap * gap;
	}
	mean = sum / (n - 1);
	variation = sqrt(squares / (n - 1) - mean * mean) / mean;
	CHECK(fabs(mean - 1e5) < 5 * 1e5 / sqrt(n), "poisson: mean gap %.0f ns", mean);
	CHECK(fabs(variation - 1) < 0.02, "poisson: coefficient of variation %.3f", variation);
	CHECK(items[n - 1].due_ns < cfg.duration_ns, "poisson: within the duration");
	free(items);
}

/* Item i is hot when floor((i + 1) share) > floor(i share), in whole numbers. */
static void hot_every(u32 num, u32 den)
{
	struct workload_config cfg = base_config();
	struct item *items;
	u32 n, wrong = 0;

	cfg.rate = 100000;
	cfg.duration_ns = 5 * NSEC_PER_SEC;
	cfg.hot_share = (double)num / den;
	items = stream_of(&cfg, &n);
	for (u64 i = 0; i < n; i++)
		wrong += (items[i].key < cfg.hot_keys) != ((i + 1) * num / den > i * num / den);
	CHECK(wrong == 0, "every: share %u/%u is evenly spaced over %u items (%u wrong)", num, den,
	      n, wrong);
	free(items);
}

static void hot_bernoulli(void)
{
	struct workload_config cfg = base_config();
	struct item *items;
	u32 n, hot = 0, turns = 0;

	cfg.rate = 20000;
	cfg.hot_keys = 4;
	cfg.hot_pick = HOT_BERNOULLI;
	items = stream_of(&cfg, &n);
	for (u32 i = 0; i < n; i++) {
		if (items[i].key < cfg.hot_keys)
			turns += items[i].key == hot++ % cfg.hot_keys;
	}
	CHECK(fabs(hot - n * 0.025) < 4 * sqrt(n * 0.025 * 0.975), "bernoulli: %u of %u are hot",
	      hot, n);
	CHECK(turns == hot, "hot items go to the hot keys in turn");
	free(items);
}

static void cold_keys(void)
{
	struct workload_config cfg = base_config();
	u32 n, cold = 0, turns = 0, *counts = calloc(cfg.keys, sizeof(*counts));
	struct item *items = stream_of(&cfg, &n);

	for (u32 i = 0; i < n; i++) {
		if (items[i].key)
			turns += items[i].key == 1 + cold++ % 199;
	}
	CHECK(turns == cold && cold == 7800, "round robin: cold keys in turn");
	free(items);
	cfg.rate = 20000;
	cfg.cold_pick = COLD_UNIFORM;
	items = stream_of(&cfg, &n);
	for (u32 i = 0; i < n; i++)
		counts[items[i].key]++;
	for (u32 i = 1, even = 0; i < cfg.keys; i++) {
		even += fabs(counts[i] - 390000 / 199.0) < 5 * sqrt(390000 / 199.0);
		if (i == 199)
			CHECK(even == 199, "uniform: cold keys alike");
	}
	free(items);
	memset(counts, 0, cfg.keys * sizeof(*counts));
	cfg.cold_pick = COLD_ZIPF;
	cfg.zipf_s = 1;
	items = stream_of(&cfg, &n);
	for (u32 i = 0; i < n; i++)
		counts[items[i].key]++;
	CHECK(fabs((double)counts[1] / counts[2] - 2) < 0.05 &&
		      fabs((double)counts[1] / counts[10] - 10) < 0.5 && counts[199],
	      "zipf 1: the r-th key's share is 1/r of the first's");
	free(items);
	free(counts);
}

static void cost_factors(void)
{
	struct workload_config cfg = base_config();
	struct item *a, *b;
	bool same = true;
	u32 n;

	cfg.cost_ns = cfg.hot_cost_ns = 5 * NSEC_PER_MSEC;
	a = stream_of(&cfg, &n);
	cfg.hot_share = 0.5;
	cfg.cold_pick = COLD_UNIFORM;
	cfg.arrivals = ARRIVALS_POISSON;
	b = stream_of(&cfg, &n);
	for (u32 i = 0; i < n && i < 7000; i++)
		same &= cost_of(&a[i]) == cost_of(&b[i]);
	CHECK(same, "item i's factor does not depend on its key or arrival");
	free(a);
	free(b);
}

static void cost_moments(u32 dist, const char *name, double variance)
{
	struct workload_config cfg = base_config();
	double sum = 0, squares = 0, mean, got;
	struct item *items;
	u32 n;

	cfg.rate = 20000;
	cfg.hot_keys = 0;
	cfg.cost_dist = dist;
	cfg.sigma = 0.5;
	items = stream_of(&cfg, &n);
	for (u32 i = 0; i < n; i++) {
		double x = (double)cost_of(&items[i]) / 5e6;

		sum += x;
		squares += x * x;
	}
	mean = sum / n;
	got = squares / n - mean * mean;
	CHECK(fabs(mean - 1) < 0.01, "cost %s: mean %.4f of the cost", name, mean);
	CHECK(fabs(got - variance) <= 0.03 * variance, "cost %s: variance %.4f is %.4f", name, got,
	      variance);
	free(items);
}

static void steps(void)
{
	struct workload_config cfg = base_config();
	struct item *items;
	u32 n;

	cfg.jitter = 0;
	cfg.work = WORK_CPU;
	items = stream_of(&cfg, &n);
	CHECK(items[0].nr_steps == 1 && items[0].steps[0].kind == STEP_CPU &&
		      items[0].steps[0].ns == 5000000 && items[39].steps[0].ns == 100000000,
	      "cpu work: one CPU step; every 40th is hot");
	free(items);
	cfg.work = WORK_MIX;
	cfg.mix = 0.2;
	items = stream_of(&cfg, &n);
	CHECK(items[0].nr_steps == 2 && items[0].steps[0].kind == STEP_CPU &&
		      items[0].steps[0].ns == 1000000 && items[0].steps[1].kind == STEP_WAIT &&
		      items[0].steps[1].ns == 4000000,
	      "mixed work: CPU, then a wait, which together are the cost");
	free(items);
	cfg.cost_ns = 0;
	items = stream_of(&cfg, &n);
	CHECK(items[0].nr_steps == 0 && items[39].nr_steps == 2, "no cost, no step");
	free(items);
}

int main(void)
{
	same_seed();
	even_arrivals();
	poisson_arrivals();
	hot_every(1, 40);
	hot_every(1, 100);
	hot_every(7, 10);
	hot_every(3, 7);
	hot_every(1, 3);
	hot_every(1, 30000);
	hot_every(33333, 100000);
	hot_bernoulli();
	cold_keys();
	cost_factors();
	cost_moments(COST_UNIFORM, "uniform", 0.25 / 3);
	cost_moments(COST_FIXED, "fixed", 0);
	cost_moments(COST_EXPONENTIAL, "exponential", 1);
	cost_moments(COST_LOGNORMAL, "lognormal", exp(0.25) - 1);
	steps();
	return tap_done();
}
