/* SPDX-License-Identifier: GPL-2.0-only */
/* Quantiles against a sorted array; Little's law as an identity. */
#include "core/rng.h"
#include "core/stats/little.h"
#include "core/stats/quantile.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Values of different spreads: ties, tiny, huge. */
static u64 draw(struct rng *r, u32 kind)
{
	switch (kind) {
	case 0:
		return 42;
	case 1:
		return rng_below(r, 5);
	case 2:
		return 5000000 + rng_below(r, 3000);
	case 3:
		return (u64)(1e6 * rng_exponential(r));
	default:
		return rng_u64(r) >> rng_below(r, 64);
	}
}

static const double p[] = {.01, .45, .50, .55, .94, .95, .96, .99, 1};

static u32 quantiles_wrong(u64 seed, u32 kind, u32 n)
{
	u64 *v = malloc(n * sizeof(*v) + 1);
	struct quantile q;
	struct rng r;
	u32 wrong = 0;

	rng_init(&r, seed, kind);
	if (!v || quantile_init(&q))
		abort();
	for (u32 i = 0; i < n; i++)
		quantile_count(&q, v[i] = draw(&r, kind));
	quantile_want(&q, p, ARRAY_SIZE(p));
	for (u32 i = 0; i < n; i++)
		wrong += quantile_collect(&q, v[i]) != 0;
	quantile_finish(&q);
	qsort(v, n, sizeof(*v), by_value);
	for (u32 i = 0; i < ARRAY_SIZE(p); i++) {
		u64 rank = (u64)ceil(p[i] * n - 1e-9), below = 0;
		u64 want = n ? v[rank ? rank - 1 : 0] : 0;

		for (u32 k = 0; k < n; k++)
			below += v[k] < want;
		wrong += quantile_value(&q, i) != want;
		wrong += n && q.wanted[i].ties != (rank ? rank : 1) - below;
	}
	quantile_fini(&q);
	free(v);
	return wrong;
}

static void test_quantiles(void)
{
	static const u32 sizes[] = {0, 1, 2, 3, 19, 20, 99, 100, 101, 1000, 20000};

	for (u32 kind = 0; kind < 5; kind++) {
		u32 wrong = 0;

		for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
			for (u32 seed = 0; seed < 20; seed++)
				wrong += quantiles_wrong(seed, kind, sizes[i]);
		CHECK(wrong == 0, "quantiles of kind %u are those of a sorted array (%u differ)",
		      kind, wrong);
	}
}

/* A run of three items, and what an account that is wrong makes of it. */
static void test_little(void)
{
	struct little l = {0};

	CHECK(isnan(little_ratio(&l)), "without items Little's law says nothing");
	little_arrive(&l, 100);
	little_arrive(&l, 150);
	little_depart(&l, 250);
	little_account(&l, 150);
	little_arrive(&l, 250);
	little_depart(&l, 250);
	little_account(&l, 0);
	little_depart(&l, 1000);
	little_account(&l, 850);
	CHECK(little_ratio(&l) == 0, "items x time in the system is the sum of their times there");
	little_account(&l, 10);
	CHECK(fabs(little_ratio(&l) - 10.0 / 1010) < 1e-12, "10 ns too much of 1010 are told");
}

int main(void)
{
	test_quantiles();
	test_little();
	return tap_done();
}
