/* SPDX-License-Identifier: GPL-2.0-only */
/* The interval covers the true median as often as theory says, and is the same every time. */
#include "core/rng.h"
#include "core/stats/bootstrap.h"
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { DRAWS = 1000 };

/* At least k of n, each with probability p. */
static double at_least(u32 k, u32 n, double p)
{
	double sum = 0;

	for (u32 i = k; i <= n; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) +
			   (i ? i * log(p) : 0) + (i < n ? (n - i) * log1p(-p) : 0));
	return sum;
}

/*
 * For an odd n without any resampling: a resample's median is at most the j-th sample when at least
 * half of its draws are, so the lower end is the first j with a probability of (1 − level) / 2; and
 * the true median is below that sample when fewer than j samples are below the true median.
 */
static double coverage_in_theory(u32 n, double level)
{
	u32 j = 1;

	while (j < n && at_least((n + 1) / 2, n, (double)j / n) < (1 - level) / 2)
		j++;
	return 1 - 2 * (1 - at_least(j, n, 0.5));
}

/* Two cells that do not differ: each repeat's ratio scatters around 1. */
static void draw_ratios(struct rng *rng, double *ratios, u32 n)
{
	for (u32 i = 0; i < n; i++)
		ratios[i] = exp(0.2 * (rng_normal(rng) - rng_normal(rng)));
	ratio_sort(ratios, n);
}

static void check_coverage(u32 n, double level)
{
	struct rng rng;
	struct interval in = {0};
	u32 covered = 0;
	double error, got;

	rng_init(&rng, 17, n);
	for (u32 i = 0; i < DRAWS; i++) {
		double ratios[64];

		draw_ratios(&rng, ratios, n);
		if (bootstrap_interval(&in, ratios, n, level))
			break;
		covered += in.low <= 1 && 1 <= in.high;
	}
	got = (double)covered / DRAWS;
	error = sqrt(in.level * (1 - in.level) / DRAWS);
	if (n % 2) {
		CHECK(fabs(in.level - coverage_in_theory(n, level)) < 1e-9,
		      "%u repeats, %.0f %% asked for: %.3f is what theory says", n, 100 * level,
		      in.level);
		CHECK(fabs(got - in.level) <= 3 * error, "1 is covered in %.3f of %d draws", got,
		      DRAWS);
	} else {
		CHECK(got >= in.level - 3 * error && got <= in.level + 0.05,
		      "%u repeats, %.0f %% asked for: at least %.3f, and %.3f of %d draws", n,
		      100 * level, in.level, got, DRAWS);
	}
}

static void check_same(void)
{
	double ratios[9], copy[9];
	struct interval a, b;
	struct rng rng;

	rng_init(&rng, 3, 0);
	draw_ratios(&rng, ratios, 9);
	memcpy(copy, ratios, sizeof(copy));
	CHECK(!bootstrap_interval(&a, ratios, 9, 0.9) && !bootstrap_interval(&b, ratios, 9, 0.9) &&
		      !memcmp(&a, &b, sizeof(a)),
	      "the same ratios give the same interval");
	CHECK(!memcmp(copy, ratios, sizeof(copy)), "and are left as they were");
	CHECK(a.low >= ratios[0] && a.low < ratio_median(ratios, 9) &&
		      a.high > ratio_median(ratios, 9) && a.high <= ratios[8],
	      "it holds the median and lies within the ratios");
}

static void check_few(void)
{
	static const double ratios[] = {0.5, 1, 4, 8};
	struct interval in = {7, 7, 7};

	CHECK(bootstrap_interval(&in, ratios, 2, 0.9) == -EINVAL && in.low == 7,
	      "two repeats give no interval");
	CHECK(!bootstrap_interval(&in, ratios, 3, 0.9) && in.low == 0.5 && in.high == 4,
	      "of three it is their range");
	CHECK(in.level == 0.75, "which holds the true median in 75 %%, whatever was asked for");
}

static void check_median(void)
{
	static const double even[] = {0.25, 0.5, 8, 16}, inverse[] = {1. / 16, 1. / 8, 2, 4};

	CHECK(ratio_median(even, 3) == 0.5, "the median of three is the middle one");
	CHECK(ratio_median(even, 4) == 2, "of four the geometric mean of the middle two");
	CHECK(ratio_median(inverse, 4) == 0.5, "so the inverses have the inverse median");
}

int main(void)
{
	check_median();
	check_few();
	check_same();
	check_coverage(3, 0.99);
	check_coverage(8, 0.99);
	check_coverage(9, 0.90);
	check_coverage(21, 0.90);
	check_coverage(20, 0.90);
	return tap_done();
}
