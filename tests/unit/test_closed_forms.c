/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulator against formulas: order violations of `shared`, and the mean wait of M/G/1. */
#include <math.h>

#include "tally.h"
#include "tap.h"

enum { SEEDS = 200 };

/* The costs of hot items are uniform over a range of this width, in s. */
static const double cost_width = 0.1;

struct estimate {
	double mean, error; /* standard error of the mean */
};

/* The closed forms know no other limit: workers enough that no hot item waits. */
static struct estimate violations(double load, u32 arrivals, u32 pick)
{
	double sum = 0, squares = 0;
	struct estimate e;

	for (u32 i = 0; i < SEEDS; i++) {
		struct scenario sc = scenario_ordering("shared", STEAL_HALF, load, 1 + i);
		struct tally t;

		sc.workers = 64;
		sc.stream.arrivals = arrivals;
		sc.stream.hot_pick = pick;
		if (scenario_tally(&sc, &t) || t.done != t.nr_items)
			exit(EXIT_FAILURE);
		sum += t.violations;
		squares += (double)t.violations * t.violations;
		tally_fini(&t);
	}
	e.mean = sum / SEEDS;
	e.error = sqrt((squares / SEEDS - e.mean * e.mean) / (SEEDS - 1));
	return e;
}

/* n (1 - g/Δ)² / 2 for an even gap g < Δ: only the next item can overtake. */
static double expect_even(double n, double gap)
{
	return gap < cost_width ? n * pow(1 - gap / cost_width, 2) / 2 : 0;
}

/*
 * An item whose cost lies at u of the range is not overtaken by a hot arrival τ later with
 * probability 1 - max(0, u - τ/Δ). Arrivals at any time, at rate λ: e^(-λ Δ u² / 2) of none at all.
 */
static double kept_poisson(double u, double load)
{
	return exp(-load * 10 * cost_width * u * u / 2);
}

/* Arrivals at every 2.5 ms, each hot with probability p. */
static double kept_bernoulli(double u, double load)
{
	const double gap = 1.0 / 400;
	double p = load / 40, kept = 1;

	for (double later = gap; later < u * cost_width; later += gap)
		kept *= 1 - p * (u - later / cost_width);
	return kept;
}

/* n (1 - ∫₀¹ kept du), by the midpoint rule. */
static double expect_random(double n, double load, double (*kept)(double u, double load))
{
	enum { STEPS = 10000 };
	double sum = 0;

	for (u32 i = 0; i < STEPS; i++)
		sum += kept((i + 0.5) / STEPS, load);
	return n * (1 - sum / STEPS);
}

static void check_violations(double load, u32 arrivals, u32 pick, double want)
{
	struct estimate e = violations(load, arrivals, pick);

	CHECK(fabs(e.mean - want) <= 4 * e.error,
	      "load %.1f, %s arrivals, %s hot: %.2f violations, standard error %.2f, by formula "
	      "%.2f",
	      load, arrivals == ARRIVALS_EVEN ? "even" : "poisson",
	      pick == HOT_EVERY ? "every n-th" : "bernoulli", e.mean, e.error, want);
}

static void check_load(double load)
{
	double n = load * 200, gap = 20 / n;

	check_violations(load, ARRIVALS_EVEN, HOT_EVERY, expect_even(n, gap));
	check_violations(load, ARRIVALS_EVEN, HOT_BERNOULLI,
			 expect_random(n, load, kept_bernoulli));
	check_violations(load, ARRIVALS_POISSON, HOT_BERNOULLI,
			 expect_random(n, load, kept_poisson));
}

/* Pollaczek and Khinchine: mean wait = λ E[S²] / (2 (1 - ρ)). */
static void check_wait(u32 dist, double second_moment, double load)
{
	struct scenario sc = {.stream = {.seed = 5,
					 .keys = 10,
					 .rate = load * 1000,
					 .duration_ns = (u64)(1e6 / (load * 1000) * 1e9),
					 .arrivals = ARRIVALS_POISSON,
					 .cost_ns = NSEC_PER_MSEC,
					 .cost_dist = dist,
					 .jitter = 0.5},
			      .design = "shared",
			      .workers = 1,
			      .neighbours = -1};
	double want = load * second_moment / (2 * (1 - load)), sum = 0, mean;
	struct tally t;

	if (scenario_tally(&sc, &t))
		exit(EXIT_FAILURE);
	for (u32 i = 0; i < t.done; i++)
		sum += (double)(t.items[i].start_ns - t.items[i].submit_ns) / 1e6;
	mean = sum / t.done;
	CHECK(t.done > 990000 && fabs(mean - want) < 0.02 * want,
	      "load %.1f: mean wait %.4f ms over %u items, by formula %.4f", load, mean, t.done,
	      want);
	tally_fini(&t);
}

int main(void)
{
	check_load(0.4);
	check_load(1.0);
	check_load(2.0);
	check_wait(COST_UNIFORM, 1 + 0.25 / 3, 0.5);
	check_wait(COST_UNIFORM, 1 + 0.25 / 3, 0.8);
	check_wait(COST_EXPONENTIAL, 2, 0.5);
	return tap_done();
}
