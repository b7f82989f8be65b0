/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>

#include "core/rng.h"
#include "tap.h"

enum { DRAWS = 1000000 };

/* The first outputs of the published generators: splitmix64 from state 0, xoshiro256** from 1 2
 * 3 4. */
static void known_answers(void)
{
	static const u64 splitmix[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f};
	static const u64 xoshiro[] = {11520, 0, 1509978240, 1215971899390074240,
				      1216172134540287360};
	struct rng r = {{1, 2, 3, 4}};

	for (u32 i = 0; i < ARRAY_SIZE(splitmix); i++)
		CHECK(rng_mix(i * 0x9e3779b97f4a7c15) == splitmix[i], "splitmix64, output %u", i);
	for (u32 i = 0; i < ARRAY_SIZE(xoshiro); i++)
		CHECK(rng_u64(&r) == xoshiro[i], "xoshiro256**, output %u", i);
}

static void streams(void)
{
	struct rng a, b, other_stream, other_seed;
	bool same = true, differs = true;

	rng_init(&a, 1, 0);
	rng_init(&b, 1, 0);
	rng_init(&other_stream, 1, 1);
	rng_init(&other_seed, 2, 0);
	for (u32 i = 0; i < 1000; i++) {
		u64 x = rng_u64(&a);

		same &= x == rng_u64(&b);
		differs &= x != rng_u64(&other_stream) && x != rng_u64(&other_seed);
	}
	CHECK(same, "same seed and stream, same numbers");
	CHECK(differs, "another stream or another seed gives others");
}

struct moments {
	double mean, variance, low, high;
};

static struct moments moments(double (*draw)(struct rng *), struct rng *r)
{
	struct moments m = {.low = INFINITY, .high = -INFINITY};
	double sum = 0, squares = 0;

	for (u32 i = 0; i < DRAWS; i++) {
		double x = draw(r);

		sum += x;
		squares += x * x;
		m.low = fmin(m.low, x);
		m.high = fmax(m.high, x);
	}
	m.mean = sum / DRAWS;
	m.variance = squares / DRAWS - m.mean * m.mean;
	return m;
}

static void check_moments(const char *name, const struct moments *m, double mean, double variance)
{
	double error = sqrt(variance / DRAWS);

	CHECK(fabs(m->mean - mean) < 5 * error, "%s: mean %.4f is %.4f", name, m->mean, mean);
	CHECK(fabs(m->variance - variance) < 0.02 * variance, "%s: variance %.4f is %.4f", name,
	      m->variance, variance);
}

static void distributions(void)
{
	struct moments m;
	struct rng r;

	rng_init(&r, 7, 0);
	m = moments(rng_double, &r);
	check_moments("uniform", &m, 0.5, 1.0 / 12);
	CHECK(m.low >= 0 && m.high < 1, "uniform: in [0, 1)");
	m = moments(rng_exponential, &r);
	check_moments("exponential", &m, 1, 1);
	CHECK(m.low >= 0 && isfinite(m.high), "exponential: not negative, finite");
	m = moments(rng_normal, &r);
	check_moments("normal", &m, 0, 1);
}

/* Chi-squared with 6 degrees of freedom: 0.1 % lie above 22.5. */
static void below(void)
{
	u32 counts[7] = {0};
	double chi2 = 0, expect = DRAWS / 7.0;
	bool in_range = true;
	struct rng r;

	rng_init(&r, 3, 0);
	for (u32 i = 0; i < DRAWS; i++)
		counts[rng_below(&r, 7)]++;
	for (u32 i = 0; i < 7; i++)
		chi2 += (counts[i] - expect) * (counts[i] - expect) / expect;
	CHECK(chi2 < 22.5, "below 7: chi squared %.1f", chi2);
	for (u32 i = 0; i < 1000; i++)
		in_range &= rng_below(&r, 1) == 0 && rng_below(&r, 3000000000u) < 3000000000u;
	CHECK(in_range, "below n is below n, for 1 and for more than 2^31");
}

int main(void)
{
	known_answers();
	streams();
	distributions();
	below();
	return tap_done();
}
