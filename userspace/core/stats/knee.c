/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/stats/knee.h"

#include <math.h>

/* Rates have 4 digits: 0.1 % is finer than any tolerance. */
#define RATE_MAX 10000.0

/* How a rate that is not plain is lowered: to where its busiest resource should be at this share,
 * and by half at least, since an overloaded one is at 1 however far it is over. */
#define PLAIN_AIM 0.4

/* What is lost at a lower rate is hardly less when it is this share of what was lost before. */
#define STALLED 0.75

static double rounded(double rate)
{
	double unit = 1;

	while (rate / unit >= RATE_MAX)
		unit *= 10;
	while (rate / unit < RATE_MAX / 10)
		unit /= 10;
	return round(rate / unit) * unit;
}

static bool beyond(const struct knee_sample *s, double plain_p95, double factor)
{
	return s->lost > KNEE_LOST || isnan(s->p95) || s->p95 > factor * plain_p95;
}

static bool plain(const struct knee_sample *s)
{
	return !(s->busy >= KNEE_PLAIN_BUSY) && s->lost <= KNEE_LOST && !isnan(s->p95);
}

void knee_bracket(const struct knee_sample *samples, u32 nr, double plain_rate, double factor,
		  double *low, double *high)
{
	double plain_p95 = 0;

	*low = *high = 0;
	for (u32 i = 0; i < nr; i++)
		if (samples[i].rate == plain_rate && !isnan(samples[i].p95))
			plain_p95 = samples[i].p95;
	for (u32 i = 0; i < nr; i++)
		if (samples[i].rate >= plain_rate && (*high == 0 || samples[i].rate < *high) &&
		    beyond(&samples[i], plain_p95, factor))
			*high = samples[i].rate;
	for (u32 i = 0; i < nr; i++)
		if (samples[i].rate >= plain_rate && (*high == 0 || samples[i].rate < *high) &&
		    samples[i].rate > *low)
			*low = samples[i].rate;
}

void knee_begin(struct knee *k, const struct knee_config *cfg)
{
	*k = (struct knee){.cfg = *cfg};
}

static double lower(const struct knee_sample *s)
{
	double share = isnan(s->busy) || s->busy <= 0 ? 0.5 : PLAIN_AIM / s->busy;

	return rounded(s->rate * (share < 0.5 ? share : 0.5));
}

/* Between the ends of the bracket; 0: they are close enough, or no rate of our digits is between.
 */
static double between(const struct knee *k)
{
	double middle = rounded(sqrt(k->low * k->high));

	if (k->high <= k->low * (1 + k->cfg.tolerance) || middle <= k->low || middle >= k->high)
		return 0;
	return middle;
}

static double doubled(const struct knee *k)
{
	double next = rounded(k->low * 2);

	return next < k->cfg.to ? next : k->cfg.to;
}

double knee_next(const struct knee *k)
{
	if (k->state != KNEE_SEARCHING)
		return 0;
	if (!k->nr)
		return k->cfg.from;
	if (k->plain_rate == 0)
		return lower(&k->samples[k->nr - 1]);
	return k->high == 0 ? doubled(k) : between(k);
}

bool knee_fails_idle(const struct knee_sample *s)
{
	return !(s->busy >= KNEE_PLAIN_BUSY) && s->lost > KNEE_LOST;
}

/* No lower rate makes more of them succeed. */
static bool stalled(const struct knee *k)
{
	const struct knee_sample *s = &k->samples[k->nr - 1];

	if (k->nr <= KNEE_STALLED || !knee_fails_idle(s - KNEE_STALLED))
		return false;
	for (u32 i = 0; i < KNEE_STALLED; i++, s--)
		if (!knee_fails_idle(s) || s->lost < STALLED * s[-1].lost)
			return false;
	return true;
}

static void settle(struct knee *k)
{
	if (k->plain_rate == 0) {
		if (k->cfg.fixed || k->nr == KNEE_PROBES_MAX || stalled(k) ||
		    lower(&k->samples[k->nr - 1]) < k->cfg.least)
			k->state = KNEE_NO_PLAIN;
		return;
	}
	knee_bracket(k->samples, k->nr, k->plain_rate, k->cfg.factor, &k->low, &k->high);
	if (k->high == 0)
		k->state = k->low >= k->cfg.to ? KNEE_ABOVE : KNEE_SEARCHING;
	else if (between(k) == 0 || k->nr == KNEE_PROBES_MAX)
		k->state = KNEE_FOUND;
}

void knee_put(struct knee *k, const struct knee_sample *s)
{
	k->samples[k->nr++] = *s;
	if (k->plain_rate == 0 && plain(s)) {
		k->plain_rate = s->rate;
		k->plain_p95 = s->p95;
	}
	settle(k);
}
