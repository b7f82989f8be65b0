/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/knee.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static struct knee_sample sample_of(const struct summary *s, double rate)
{
	const struct group_summary *all = &s->groups[GROUP_ALL];
	const struct usage *busiest = summary_busiest(s);

	return (struct knee_sample){
		.rate = rate,
		.p95 = all->items ? (double)all->p95_ns : (double)NAN,
		.lost = s->items_due ? 1 - (double)s->succeeded / (double)s->items_due : 0,
		.busy = busiest ? busiest->share : (double)NAN,
	};
}

/* Not measured comes last. */
static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

/* Nearest rank, as in the table. */
static double median(double *values, u32 nr)
{
	if (!nr)
		return (double)NAN;
	qsort(values, nr, sizeof(*values), ascending);
	return values[(nr + 1) / 2 - 1];
}

int knee_sample(struct knee_sample *s, const struct result *r, u32 cell, double rate)
{
	u32 repeats = result_repeats(r, cell), nr = 0;
	double *values = calloc(3ul * repeats, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (u32 i = 0; i < repeats; i++) {
		const struct run *run = result_run(r, cell, i);
		struct knee_sample one;

		if (!run->done)
			continue;
		one = sample_of(&run->summary, rate);
		values[nr] = one.p95;
		values[repeats + nr] = one.lost;
		values[2 * repeats + nr++] = one.busy;
	}
	*s = (struct knee_sample){rate, median(values, nr), median(values + repeats, nr),
				  median(values + 2 * repeats, nr)};
	free(values);
	return 0;
}

int knee_interval(struct knee_factor *f, const struct result *r)
{
	const struct knee *k = &f->search;
	struct knee_sample *one = calloc(k->nr + 1, sizeof(*one));
	double low, high;

	if (!one)
		return -ENOMEM;
	f->low = k->low;
	f->high = k->high;
	for (u32 i = 0; k->plain_rate > 0 && i < result_repeats(r, f->first); i++) {
		for (u32 s = 0; s < k->nr; s++)
			one[s] = sample_of(&result_run(r, f->first + s, i)->summary,
					   k->samples[s].rate);
		knee_bracket(one, k->nr, k->plain_rate, k->cfg.factor, &low, &high);
		f->low = low < f->low ? low : f->low;
		f->high = high == 0 || f->high == 0 ? 0 : high > f->high ? high : f->high;
	}
	free(one);
	return 0;
}

static double upper(const struct knee_factor *f)
{
	return f->high > 0 ? f->high : INFINITY;
}

bool knee_moved(const struct knee_factor *base, const struct knee_factor *f)
{
	double a = base->search.high > 0 ? base->search.high : base->search.low;
	double b = f->search.high > 0 ? f->search.high : f->search.low;

	if (base->search.state == KNEE_NO_PLAIN || f->search.state == KNEE_NO_PLAIN)
		return false;
	return (f->low > upper(base) || upper(f) < base->low) && fabs(b - a) > KNEE_MOVED * a;
}

u32 knee_cell(const struct knee_factor *f)
{
	if (f->search.state != KNEE_FOUND)
		return NONE32;
	for (u32 i = 0; i < f->search.nr; i++)
		if (f->search.samples[i].rate == f->search.high)
			return f->first + i;
	return NONE32;
}
