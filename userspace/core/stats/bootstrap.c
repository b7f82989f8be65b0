/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/stats/bootstrap.h"

#include "core/rng.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESAMPLES 4000
#define SEED	  0x626f6f74ull
#define STREAM	  0

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void ratio_sort(double *ratios, u32 n)
{
	qsort(ratios, n, sizeof(*ratios), ascending);
}

double ratio_median(const double *sorted, u32 n)
{
	double low = sorted[(n - 1) / 2], high = sorted[n / 2];

	return low == high ? low : sqrt(low * high);
}

/* Of samples 0 … n-1, given how often each was drawn: the one of this rank, from 1. */
static u32 drawn_at(const u32 *count, u32 rank)
{
	u32 i = 0;

	for (u32 below = count[0]; below < rank; below += count[i])
		i++;
	return i;
}

/* The samples are sorted, so the middle of a resample is found by counting, without sorting it. */
static double resample(struct rng *rng, const double *sorted, u32 n, u32 *count)
{
	double middle[2];

	memset(count, 0, n * sizeof(*count));
	for (u32 i = 0; i < n; i++)
		count[rng_below(rng, n)]++;
	middle[0] = sorted[drawn_at(count, (n - 1) / 2 + 1)];
	middle[1] = sorted[drawn_at(count, n / 2 + 1)];
	return ratio_median(middle, 2);
}

/* Fewer than j heads in n throws of a fair coin. */
static double fewer_heads(u32 j, u32 n)
{
	double term = exp2(-(double)n), sum = 0;

	for (u32 i = 0; i < j; i++) {
		sum += term;
		term *= (double)(n - i) / (i + 1);
	}
	return sum;
}

/* The ends may lie between two ratios: count from the next one inside. */
static double level_of(const struct interval *in, const double *sorted, u32 n)
{
	u32 below = 0, above = 0;

	for (u32 i = 0; i < n; i++) {
		below += sorted[i] < in->low;
		above += sorted[i] > in->high;
	}
	return fmax(0, 1 - fewer_heads(below + 1, n) - fewer_heads(above + 1, n));
}

int bootstrap_interval(struct interval *out, const double *sorted, u32 n, double level)
{
	/* Ranks from both ends alike. */
	u32 from_end = (u32)ceil((1 - level) / 2 * RESAMPLES);
	double *medians = calloc(RESAMPLES, sizeof(*medians));
	u32 *count = calloc(n ? n : 1, sizeof(*count));
	int rc = n < BOOTSTRAP_MIN ? -EINVAL : medians && count ? 0 : -ENOMEM;
	struct rng rng;

	rng_init(&rng, SEED, STREAM);
	for (u32 i = 0; !rc && i < RESAMPLES; i++)
		medians[i] = resample(&rng, sorted, n, count);
	if (!rc) {
		if (!from_end)
			from_end = 1;
		ratio_sort(medians, RESAMPLES);
		out->low = medians[from_end - 1];
		out->high = medians[RESAMPLES - from_end];
		out->level = level_of(out, sorted, n);
	}
	free(medians);
	free(count);
	return rc;
}
