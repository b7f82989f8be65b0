/* SPDX-License-Identifier: GPL-2.0-only */
/* The knees of a result whose cells are the runs of searches: which rate, how sure, what the wall
 * was. */
#ifndef HOLBENCH_REPORT_KNEE_H
#define HOLBENCH_REPORT_KNEE_H

#include "core/stats/knee.h"
#include "report/row.h"

#include <jansson.h>

#define KNEE_MOVED 0.05 /* knees nearer to each other than this share have not moved */

/* One search: the base's, or that of one factor with another value. */
struct knee_factor {
	char name[160]; /* "base", "workers.count=24" */
	struct knee search;
	u32 first; /* its cells are first … first + search.nr - 1, in the order of the samples */
	/* Of the bracket, and of each repeat's own; 0: none on that side in some repeat. */
	double low, high;
};

struct knee_report {
	const struct result *result;
	const struct rows *rows;
	const char *path; /* of the result directory */
	const char *over; /* "workload.rate" */
	double factor;
	const struct knee_factor *factors; /* the first is the base */
	u32 nr;
};

/* What a cell says at a rate: the median over the repeats that are done. 0 or -ENOMEM. */
int knee_sample(struct knee_sample *s, const struct result *r, u32 cell, double rate);
/* Once its search has ended: fills low and high. 0 or -ENOMEM. */
int knee_interval(struct knee_factor *f, const struct result *r);
/* Do the intervals not overlap, and the knees lie more than KNEE_MOVED apart? Of two found ones, or
 * a found one and one above all rates. */
bool knee_moved(const struct knee_factor *base, const struct knee_factor *f);
/* The cell of the knee, NONE32: there is none. */
u32 knee_cell(const struct knee_factor *f);

/* 0 or -ENOMEM. */
int knee_print(const struct knee_report *k, FILE *f);
int knee_print_json(const struct knee_report *k, FILE *f);

#endif
