/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/stats/quantile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Log-linear buckets: 1024 in each power of two, so a bucket is at most 1/1024 of its values wide.
 */
#define MANTISSA_BITS 10
#define SUB_BUCKETS   (1u << MANTISSA_BITS)
#define NR_BUCKETS    ((64 - MANTISSA_BITS + 1) * SUB_BUCKETS)

static u32 bucket_of(u64 value)
{
	u32 shift;

	if (value < 2 * SUB_BUCKETS)
		return (u32)value;
	shift = 63 - (u32)__builtin_clzll(value) - MANTISSA_BITS;
	return shift * SUB_BUCKETS + (u32)(value >> shift);
}

int quantile_init(struct quantile *q)
{
	*q = (struct quantile){.buckets = calloc(NR_BUCKETS, sizeof(u64))};
	return q->buckets ? 0 : -ENOMEM;
}

void quantile_fini(struct quantile *q)
{
	for (u32 i = 0; i < q->nr_wanted; i++)
		free(q->wanted[i].kept);
	free(q->buckets);
	*q = (struct quantile){0};
}

void quantile_count(struct quantile *q, u64 value)
{
	q->buckets[bucket_of(value)]++;
	q->count++;
	q->sum += value;
	if (value > q->max)
		q->max = value;
}

static void wanted_place(const struct quantile *q, struct wanted *w)
{
	u64 below = 0;

	for (u32 b = 0; b < NR_BUCKETS; b++) {
		if (below + q->buckets[b] >= w->rank) {
			w->bucket = b;
			w->below = below;
			return;
		}
		below += q->buckets[b];
	}
}

void quantile_want(struct quantile *q, const double *p, u32 nr)
{
	q->nr_wanted = nr;
	for (u32 i = 0; i < nr; i++) {
		struct wanted *w = &q->wanted[i];
		/* 0.95 × 20 must be 19, whatever the binary fraction of 0.95. */
		double rank = ceil(p[i] * (double)q->count - 1e-9);

		*w = (struct wanted){.rank = rank < 1 ? 1 : (u64)rank, .source = i};
		if (!q->count) {
			w->rank = 0;
			continue;
		}
		wanted_place(q, w);
		for (u32 j = 0; j < i; j++) {
			if (q->wanted[j].rank && q->wanted[j].bucket == w->bucket) {
				w->source = j;
				break;
			}
		}
	}
}

static int by_value(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* Sort the pairs and add up equal values: a series of few values takes little room. */
static void kept_merge(struct wanted *w)
{
	u32 to = 0;

	if (!w->nr_kept)
		return;
	qsort(w->kept, w->nr_kept, 2 * sizeof(u64), by_value);
	for (u32 i = 1; i < w->nr_kept; i++) {
		u64 *last = &w->kept[2 * to], *pair = &w->kept[2 * i];

		if (pair[0] == last[0]) {
			last[1] += pair[1];
		} else {
			to++;
			memmove(&w->kept[2 * to], pair, 2 * sizeof(u64));
		}
	}
	w->nr_kept = to + 1;
}

/* Room for one more pair: by adding up what is equal, or by growing when that does not free half.
 */
static int kept_reserve(struct wanted *w)
{
	u32 cap = w->cap_kept ? w->cap_kept * 2 : 64;
	u64 *kept;

	if (w->nr_kept < w->cap_kept)
		return 0;
	kept_merge(w);
	if (w->nr_kept * 2 < w->cap_kept)
		return 0;
	kept = realloc(w->kept, 2 * cap * sizeof(u64));
	if (!kept)
		return -ENOMEM;
	w->kept = kept;
	w->cap_kept = cap;
	return 0;
}

static int kept_add(struct wanted *w, u64 value)
{
	int err = kept_reserve(w);

	if (err)
		return err;
	w->kept[2 * w->nr_kept] = value;
	w->kept[2 * w->nr_kept + 1] = 1;
	w->nr_kept++;
	return 0;
}

int quantile_collect(struct quantile *q, u64 value)
{
	u32 bucket = bucket_of(value);

	for (u32 i = 0; i < q->nr_wanted; i++) {
		struct wanted *w = &q->wanted[i];

		if (w->rank && w->bucket == bucket && w->source == i)
			return kept_add(w, value);
	}
	return 0;
}

void quantile_finish(struct quantile *q)
{
	for (u32 i = 0; i < q->nr_wanted; i++)
		kept_merge(&q->wanted[i]);
	for (u32 i = 0; i < q->nr_wanted; i++) {
		struct wanted *w = &q->wanted[i], *from = &q->wanted[w->source];
		u64 below = w->below;

		for (u32 k = 0; w->rank && k < from->nr_kept; k++) {
			u64 n = from->kept[2 * k + 1];

			if (below + n >= w->rank) {
				w->value = from->kept[2 * k];
				w->ties = w->rank - below;
				break;
			}
			below += n;
		}
	}
}

u64 quantile_value(const struct quantile *q, u32 i)
{
	return i < q->nr_wanted ? q->wanted[i].value : 0;
}
