/* SPDX-License-Identifier: GPL-2.0-only */
/* How well a few repeats pin down the median of a ratio. */
#ifndef HOLBENCH_CORE_BOOTSTRAP_H
#define HOLBENCH_CORE_BOOTSTRAP_H

#include "core/types.h"

/* Below this many repeats there is no interval. */
#define BOOTSTRAP_MIN 3

struct interval {
	double low, high;
	/*
	 * How often, at least, such an interval holds the true median, whatever the ratios'
	 * distribution. With few repeats it may be well below the level that was asked for.
	 */
	double level;
};

/*
 * The median of n > 0 positive ratios; of an even number the geometric mean of the middle two, so
 * that the median of the inverses is the inverse of the median.
 */
double ratio_median(const double *sorted, u32 n);
/* Sorts in place, ascending. */
void ratio_sort(double *ratios, u32 n);

/*
 * The percentile bootstrap of that median (Efron, "Bootstrap methods: another look at the
 * jackknife", 1979) at `level`, e.g. 0.9, from sorted ratios: resampled with a generator of its own
 * and a fixed seed, so the same ratios give the same interval.
 *
 * Its level comes from the ranks of the ratios that it holds: each ratio is below the true median
 * with a probability of a half, so the j-th of n is above it with that of fewer than j heads in n
 * throws (David and Nagaraja, "Order statistics", 7.1).
 *
 * Returns 0, -EINVAL with fewer than BOOTSTRAP_MIN ratios, or -ENOMEM.
 */
int bootstrap_interval(struct interval *out, const double *sorted, u32 n, double level);

#endif
