/* SPDX-License-Identifier: GPL-2.0-only */
/* Order counts, in every scope, against looking at all pairs. */
#include "core/item.h"
#include "core/rng.h"
#include "core/stats/order.h"
#include "tap.h"

#include <string.h>

enum { N = 120, KEYS = 7, NULL_KEY = KEYS - 1 };

struct stream {
	struct order_item it[N]; /* in the order of arrival */
	bool skipped[N];
	u32 end[N]; /* ids in the order in which they end */
	u32 partitions;
	bool unordered; /* items of NULL_KEY have no order */
};

static void draw(struct stream *s, u64 seed)
{
	u32 seq[KEYS] = {0};
	struct rng r;

	rng_init(&r, seed, 0);
	s->partitions = rng_below(&r, 4);
	s->unordered = rng_below(&r, 2);
	for (u32 i = 0; i < N; i++) {
		u32 key = rng_below(&r, KEYS);

		s->it[i] = (struct order_item){i, key, seq[key]++, i >= 10};
		s->skipped[i] = rng_below(&r, 8) == 0;
		s->end[i] = i;
	}
	for (u32 i = 0; i < N; i++) { /* mostly near its place */
		u32 j = i + rng_below(&r, 9), t = s->end[i];

		if (j < N && rng_below(&r, 3) == 0) {
			s->end[i] = s->end[j];
			s->end[j] = t;
		}
	}
}

static bool takes_part(const struct stream *s, u32 id)
{
	return !s->skipped[id] && !(s->unordered && s->it[id].key == NULL_KEY);
}

static bool same_partition(const struct stream *s, u32 a, u32 b)
{
	u32 n = s->partitions ? s->partitions : 1;

	return item_partition(s->it[a].key, a, n, NULL_KEY) ==
	       item_partition(s->it[b].key, b, n, NULL_KEY);
}

/* By definition: what ended before the n-th end and arrived after it. */
static void expect_end(const struct stream *s, u32 n, struct order_counts *want)
{
	const struct order_item *it = &s->it[s->end[n]];
	bool total = false, partition = false, key = false, across = false;
	u32 highest = 0;

	if (!takes_part(s, it->id) || !it->counted)
		return;
	for (u32 i = 0; i < n; i++) {
		const struct order_item *before = &s->it[s->end[i]];
		bool here = same_partition(s, before->id, it->id);

		if (before->id < it->id || !takes_part(s, before->id))
			continue;
		total = true;
		partition |= here;
		across |= here && before->key != it->key;
		if (before->key != it->key)
			continue;
		key = true;
		want->inverted_pairs++;
		highest = before->seq > highest ? before->seq : highest;
	}
	want->total += total;
	want->partition += partition;
	want->across += across;
	want->violations += key;
	want->violations_hot += key && it->key < 2;
	if (key && highest - it->seq > want->displacement)
		want->displacement = highest - it->seq;
}

static int differs(const struct order_counts *a, const struct order_counts *b)
{
	return (a->total != b->total) + (a->partition != b->partition) + (a->across != b->across) +
	       (a->violations != b->violations) + (a->violations_hot != b->violations_hot) +
	       (a->inverted_pairs != b->inverted_pairs) + (a->displacement != b->displacement);
}

static void test_scopes(void)
{
	struct order_counts sum = {0};
	int wrong = 0;

	for (u32 round = 0; round < 500; round++) {
		struct order_config cfg = {.keys = KEYS, .hot_keys = 2, .null_key = NULL_KEY};
		struct order_counts want = {0}, got;
		struct stream s;
		struct order *o;

		draw(&s, round);
		cfg.partitions = s.partitions;
		cfg.null_unordered = s.unordered;
		if (order_new(&o, &cfg))
			abort();
		for (u32 i = 0; i < N; i++) {
			const struct order_item *it = &s.it[s.end[i]];

			expect_end(&s, i, &want);
			wrong += s.skipped[it->id] ? order_skip(o, it) : order_done(o, it);
		}
		got = order_counts(o);
		wrong += differs(&got, &want);
		sum.across += got.across;
		sum.violations += got.violations;
		sum.total += got.total > got.partition;
		order_free(o);
	}
	CHECK(sum.across > 1000 && sum.violations > 1000 && sum.total > 100,
	      "all scopes had violations to count");
	CHECK(wrong == 0, "the counts are those of looking at all pairs (%d differ)", wrong);
}

/* One key after another's: the scopes are what they are called. */
static void test_names(void)
{
	static const struct order_item a0 = {0, 0, 0, true}, b0 = {1, 1, 0, true},
				       a1 = {2, 0, 1, true};
	struct order_config cfg = {.keys = 2, .partitions = 2, .null_key = NONE32};
	struct order_counts c;
	struct order *o;

	if (order_new(&o, &cfg))
		abort();
	order_done(o, &a1);
	order_done(o, &b0);
	order_done(o, &a0);
	c = order_counts(o);
	order_free(o);
	CHECK(c.total == 2 && c.partition == 1 && c.violations == 1 && c.across == 0,
	      "two partitions: in all 2, in a partition 1, in a key 1, across keys 0");
	cfg.partitions = 0;
	if (order_new(&o, &cfg))
		abort();
	order_done(o, &a1);
	order_done(o, &b0);
	order_done(o, &a0);
	c = order_counts(o);
	order_free(o);
	CHECK(c.total == 2 && c.partition == 2 && c.violations == 1 && c.across == 2,
	      "without partitions all items are one");
}

static void test_warmup(void)
{
	struct order_config cfg = {.keys = 1, .null_key = NONE32};
	struct order_item it[4] = {
		{0, 0, 0, false}, {1, 0, 1, false}, {2, 0, 2, true}, {3, 0, 3, true}};
	struct order *o;

	if (order_new(&o, &cfg))
		abort();
	order_done(o, &it[1]);
	order_done(o, &it[0]);
	CHECK(order_counts(o).violations == 0 && order_counts(o).total == 0,
	      "an item that is not counted is no violation");
	order_done(o, &it[3]);
	order_done(o, &it[2]);
	CHECK(order_counts(o).violations == 1 && order_counts(o).inverted_pairs == 1 &&
		      order_counts(o).total == 1,
	      "the next one is");
	order_start(o, &it[3]);
	order_start(o, &it[2]);
	CHECK(order_counts(o).start_violations == 1, "and at its start");
	order_free(o);
}

static void test_exercised(void)
{
	struct order_config cfg = {.keys = 2, .null_key = 1, .null_unordered = true};
	struct order_item a = {0, 0, 0, true}, b = {1, 0, 1, true}, n = {2, 1, 0, true};
	struct order *o;

	if (order_new(&o, &cfg))
		abort();
	order_arrive(o, &a);
	order_leave(o, &a);
	order_arrive(o, &b);
	CHECK(order_counts(o).exercised == 0, "one after the other does not put order to the test");
	order_arrive(o, &n);
	order_arrive(o, &n);
	CHECK(order_counts(o).exercised == 0, "nor do items that have no order");
	order_arrive(o, &a);
	CHECK(order_counts(o).exercised == 1, "two of a key at once do");
	order_free(o);
}

int main(void)
{
	test_scopes();
	test_names();
	test_warmup();
	test_exercised();
	return tap_done();
}
