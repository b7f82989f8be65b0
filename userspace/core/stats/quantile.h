/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exact quantiles of a series that can be read twice, in memory that does not grow with it: the
 * first reading counts values in buckets of 0.1 % width, the second keeps just the values of the
 * buckets that a wanted rank falls into.
 *
 * Ranks are 1 … n; the quantile p is nearest-rank: the value of rank ⌈p·n⌉.
 */
#ifndef HOLBENCH_CORE_QUANTILE_H
#define HOLBENCH_CORE_QUANTILE_H

#include "core/types.h"

#define QUANTILE_WANTED_MAX 16

struct quantile {
	u64 *buckets; /* owned */
	u64 count;
	u64 sum, max;
	struct wanted {
		u64 rank;  /* 0: there are no values */
		u64 value; /* after quantile_finish() */
		u64 ties;  /* how many of the values equal to `value` have a rank ≤ rank */
		u64 below; /* values in buckets before its bucket */
		u32 bucket;
		u32 source; /* which `kept` list serves it: the first wanted with the same bucket */
		u64 *kept;  /* owned: (value, count) pairs */
		u32 nr_kept, cap_kept;
	} wanted[QUANTILE_WANTED_MAX];
	u32 nr_wanted;
};

/* 0 or -ENOMEM; on error nothing is held. */
int quantile_init(struct quantile *q);
void quantile_fini(struct quantile *q);
/* First reading. */
void quantile_count(struct quantile *q, u64 value);
/* Between the readings: which quantiles, as fractions in (0, 1], at most QUANTILE_WANTED_MAX. */
void quantile_want(struct quantile *q, const double *p, u32 nr);
/* Second reading: the same values. 0 or -ENOMEM. */
int quantile_collect(struct quantile *q, u64 value);
void quantile_finish(struct quantile *q);
/* The value of the i-th wanted quantile; 0 when count is 0: ask q->count first. */
u64 quantile_value(const struct quantile *q, u32 i);

#endif
