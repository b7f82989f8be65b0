/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the verdict: what its judgement and its words share. */
#ifndef HOLBENCH_REPORT_COMPARE_VERDICT_H
#define HOLBENCH_REPORT_COMPARE_VERDICT_H

#include "report/compare.h"

/* Who stands behind a cause: culprits of one group ("noise/…") together. */
struct blame {
	const char *name; /* of the one with most; borrowed */
	size_t group;	  /* how much of the name is the group's; all of it: no group */
	bool others;	  /* there are more of the group */
	double share;	  /* of the cause's difference */
};

/* False when nobody is named. */
bool cause_blame(const struct band_pair *b, enum cause c, struct blame *worst);
/* Of the cause's difference, what stands behind the noise itself. */
double cause_noise(const struct band_pair *b, enum cause c);
/* Of the difference of the means; below 0 where the slower side has less of it. */
double cause_share(const struct band_pair *b, enum cause c);
/* The ratio the way round that makes it 1 or more. */
double slower_ratio(const struct band_pair *b);

#endif
