/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/stats/little.h"

#include <math.h>

static void advance(struct little *l, u64 now_ns)
{
	if (now_ns > l->now_ns) {
		l->area_ns += l->in_system * (now_ns - l->now_ns);
		l->now_ns = now_ns;
	}
}

void little_arrive(struct little *l, u64 now_ns)
{
	advance(l, now_ns);
	l->in_system++;
}

void little_depart(struct little *l, u64 now_ns)
{
	advance(l, now_ns);
	l->in_system -= l->in_system > 0;
}

void little_account(struct little *l, u64 ns)
{
	l->sum_ns += ns;
}

double little_ratio(const struct little *l)
{
	if (!l->sum_ns)
		return (double)NAN;
	return fabs((double)l->area_ns - (double)l->sum_ns) / (double)l->sum_ns;
}
