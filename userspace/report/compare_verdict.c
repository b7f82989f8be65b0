/* SPDX-License-Identifier: GPL-2.0-only */
/* Is there a difference, and what makes it. The words for it are in compare_words.c. */
#include "report/compare_verdict.h"

#include <math.h>
#include <string.h>

/* The probe may move a percentile by this much (the project's own limit for it), so a live run that
 * differs less says nothing about its cell; nor does one of another stream. Simulations of one
 * stream are exact. */
#define SAME_RATIO 1.02
/* An interval that holds the true ratio less often than this calls equal cells different too often
 * (of three repeats it is one of 75 %): then the ranges over the repeats must be apart as well. */
#define LEVEL_ALONE 0.95
/* Above this the unknown could be a cause of its own. */
#define UNKNOWN_MAX 0.2

enum cause delta_cause(enum part part, enum front front)
{
	static const u8 of_front[FRONT_NR] = {
		[FRONT_NONE] = CAUSE_QUEUE,
		[FRONT_CPU] = CAUSE_QUEUE,
		[FRONT_IRQ] = CAUSE_IRQ,
		[FRONT_BLOCKED] = CAUSE_QUEUE,
		[FRONT_OVERSLEPT] = CAUSE_OVERSLEPT,
		[FRONT_CONTENDED] = CAUSE_CONTENDED,
		[FRONT_PAUSED] = CAUSE_PAUSED,
		[FRONT_CARRIER] = CAUSE_QUEUE,
		[FRONT_RUNQUEUE] = CAUSE_RUNQUEUE,
		[FRONT_THROTTLED] = CAUSE_THROTTLED,
		[FRONT_SIGNAL] = CAUSE_WAKE,
		[FRONT_WAKEUP] = CAUSE_WAKE,
		[FRONT_UNKNOWN] = CAUSE_UNKNOWN,
	};
	static const u8 of_part[PART_NR] = {
		[PART_LATE] = CAUSE_LATE,
		[PART_AGAIN] = CAUSE_WORK,
		[PART_WAKE] = CAUSE_WAKE,
		[PART_SATURATED] = CAUSE_QUEUE,
		[PART_ORDER] = CAUSE_QUEUE,
		[PART_HOL] = CAUSE_QUEUE,
		[PART_CPU] = CAUSE_WORK,
		[PART_IRQ] = CAUSE_IRQ,
		[PART_BLOCKED] = CAUSE_WORK,
		[PART_OVERSLEPT] = CAUSE_OVERSLEPT,
		[PART_CONTENDED] = CAUSE_CONTENDED,
		[PART_PAUSED] = CAUSE_PAUSED,
		[PART_CARRIER] = CAUSE_QUEUE,
		[PART_RUNQUEUE] = CAUSE_RUNQUEUE,
		[PART_THROTTLED] = CAUSE_THROTTLED,
		[PART_UNKNOWN] = CAUSE_UNKNOWN,
	};

	if (of_part[part] == CAUSE_QUEUE && part != PART_CARRIER)
		return (enum cause)of_front[front];
	/* Being woken is a cause of its own but for what the kernel has a better name for. */
	if (part == PART_WAKE && of_front[front] != CAUSE_QUEUE)
		return (enum cause)of_front[front];
	return (enum cause)of_part[part];
}

__int128 cause_delta(const struct band_pair *b, enum cause c)
{
	__int128 sum = 0;

	for (u32 i = 0; i < b->nr_rows; i++)
		if (delta_cause((enum part)b->rows[i].part, (enum front)b->rows[i].front) == c)
			sum += delta_of(b, b->rows[i].ns);
	return sum;
}

double cause_share(const struct band_pair *b, enum cause c)
{
	return (double)cause_delta(b, c) / (double)delta_of(b, b->ns);
}

u32 slower_side(const struct band_pair *b)
{
	return b->ratio < 1 ? BASE : OTHER;
}

double slower_ratio(const struct band_pair *b)
{
	return b->ratio < 1 ? 1 / b->ratio : b->ratio;
}

static bool ranges_overlap(const struct band_pair *b)
{
	return b->min_ns[OTHER] <= b->max_ns[BASE] && b->min_ns[BASE] <= b->max_ns[OTHER];
}

static bool beyond_noise(const struct pair *p, const struct band_pair *b)
{
	bool exact = p->simulated && !(p->differs & DIFFER_STREAM);

	if (slower_ratio(b) <= (exact ? 1 : SAME_RATIO))
		return false;
	if (b->has_interval && b->interval.low <= 1 && b->interval.high >= 1)
		return false;
	return (b->has_interval && b->interval.level >= LEVEL_ALONE) || !ranges_overlap(b);
}

void verdict_judge(const struct pair *p, struct band_pair *b)
{
	__int128 total = delta_of(b, b->ns);

	if (!b->n)
		b->verdict = VERDICT_NOT_MEASURED;
	else if (!beyond_noise(p, b))
		b->verdict = VERDICT_NONE;
	else if (total == 0 || (total > 0) != (b->ratio > 1))
		b->verdict = VERDICT_UNCLEAR;
	else if (fabs(cause_share(b, CAUSE_UNKNOWN)) > UNKNOWN_MAX)
		b->verdict = VERDICT_UNKNOWN;
	else
		b->verdict = VERDICT_EXPLAINED;
}

static bool differs(const struct band_pair *b)
{
	return b->verdict > VERDICT_NONE;
}

const struct band_pair *pair_headline(const struct pair *p)
{
	static const enum band order[] = {BAND_P95, BAND_P99, BAND_P50};

	for (u32 i = 0; i < ARRAY_SIZE(order); i++)
		if (differs(&p->bands[order[i]]))
			return &p->bands[order[i]];
	return &p->bands[BAND_P95];
}

/* --- which culprits --- */

static size_t group_length(const char *culprit)
{
	return strcspn(culprit, "/");
}

static bool same_group(const char *a, const char *b)
{
	size_t n = group_length(a);

	return n == group_length(b) && !memcmp(a, b, n);
}

/* Is this row the cause's, behind somebody of the culprit's group? */
static bool row_of_group(const struct delta_row *r, enum cause c, const char *culprit)
{
	return r->culprit && same_group(r->culprit, culprit) &&
	       delta_cause((enum part)r->part, (enum front)r->front) == c;
}

/* The delta of those rows; blame gets the name of the largest of them. */
static __int128 group_delta(const struct band_pair *b, enum cause c, const char *culprit,
			    struct blame *blame)
{
	__int128 sum = 0, sign = delta_of(b, b->ns) < 0 ? -1 : 1, own, most = 0;

	for (u32 i = 0; i < b->nr_rows; i++) {
		if (!row_of_group(&b->rows[i], c, culprit))
			continue;
		own = sign * delta_of(b, b->rows[i].ns);
		sum += own;
		if (!blame->name || own > most) {
			most = own;
			blame->name = b->rows[i].culprit;
		}
	}
	for (u32 i = 0; i < b->nr_rows; i++)
		blame->others |= row_of_group(&b->rows[i], c, culprit) &&
				 strcmp(b->rows[i].culprit, blame->name) != 0;
	return sum;
}

double cause_noise(const struct band_pair *b, enum cause c)
{
	__int128 all = cause_delta(b, c), noise = 0;

	for (u32 i = 0; i < b->nr_rows; i++) {
		const struct delta_row *row = &b->rows[i];

		if (row->culprit && !strncmp(row->culprit, "noise/", 6) &&
		    delta_cause((enum part)row->part, (enum front)row->front) == c)
			noise += delta_of(b, row->ns);
	}
	return all ? (double)noise / (double)all : 0;
}

bool cause_blame(const struct band_pair *b, enum cause c, struct blame *worst)
{
	__int128 most = 0, all = cause_delta(b, c);

	for (u32 i = 0; i < b->nr_rows; i++) {
		struct blame blame = {0};
		__int128 sum;

		if (!b->rows[i].culprit)
			continue;
		sum = group_delta(b, c, b->rows[i].culprit, &blame);
		if (sum <= most)
			continue;
		most = sum;
		*worst = blame;
		worst->group = group_length(blame.name);
		worst->share = (double)sum / (double)(all < 0 ? -all : all);
	}
	return most > 0;
}
