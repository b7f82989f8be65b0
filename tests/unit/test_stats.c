/* SPDX-License-Identifier: GPL-2.0-only */
/* Quantiles against a sorted array, order counts against counting pairs. */
#include "core/rng.h"
#include "core/stats/order.h"
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

/* Random completion orders of one key's items, against counting all pairs. */
static void test_order(void)
{
	u32 wrong = 0, some = 0;

	for (u32 round = 0; round < 200; round++) {
		enum { N = 60 };
		u32 seq[N];
		struct order_counts want = {0}, got;
		struct order *o;
		struct rng r;

		rng_init(&r, round, 0);
		for (u32 i = 0; i < N; i++)
			seq[i] = i;
		for (u32 i = 0; i < N; i++) { /* mostly near its place */
			u32 j = i + rng_below(&r, 4), t = seq[i];

			if (j < N && rng_below(&r, 3) == 0) {
				seq[i] = seq[j];
				seq[j] = t;
			}
		}
		if (order_new(&o, 2, 1))
			abort();
		for (u32 i = 0; i < N; i++) {
			u32 highest = 0;
			bool violation = false;

			for (u32 j = 0; j < i; j++) {
				want.inverted_pairs += seq[j] > seq[i];
				violation |= seq[j] > seq[i];
				highest = seq[j] > highest ? seq[j] : highest;
			}
			want.violations += violation;
			if (violation && highest - seq[i] > want.displacement)
				want.displacement = highest - seq[i];
			wrong += order_done(o, round % 2, seq[i], true) != 0;
			order_start(o, round % 2, seq[i], true);
		}
		got = order_counts(o);
		some += want.violations > 0;
		wrong += got.violations != want.violations ||
			 got.inverted_pairs != want.inverted_pairs ||
			 got.displacement != want.displacement ||
			 got.start_violations != want.violations ||
			 got.violations_hot != (round % 2 ? 0 : want.violations);
		order_free(o);
	}
	CHECK(some > 100 && wrong == 0, "order counts are those of counting pairs (%u differ)",
	      wrong);
}

static void test_order_warmup(void)
{
	struct order *o;

	if (order_new(&o, 1, 0))
		abort();
	order_done(o, 0, 1, false);
	order_done(o, 0, 0, false);
	CHECK(order_counts(o).violations == 0, "an item that is not counted is no violation");
	order_done(o, 0, 3, true);
	order_done(o, 0, 2, true);
	CHECK(order_counts(o).violations == 1 && order_counts(o).inverted_pairs == 1,
	      "the next one is");
	order_free(o);
}

int main(void)
{
	test_quantiles();
	test_order();
	test_order_warmup();
	return tap_done();
}
