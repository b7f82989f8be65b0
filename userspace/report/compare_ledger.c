/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of a pair: percentiles of each repeat, their ratios, and the two ledgers in one. */
#include "report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Asked for. Three percentiles a pair and several pairs a result are looked at: at 95 % about every
 * seventh pair of equal cells would differ by chance in one of them, at 99 % every thirty-third.
 */
#define LEVEL 0.99

static u64 percentile(const struct summary *s, enum band b)
{
	const struct group_summary *g = &s->groups[GROUP_VICTIM];

	return b == BAND_P50 ? g->p50_ns : b == BAND_P95 ? g->p95_ns : g->p99_ns;
}

static const struct summary *side_summary(const struct pair *p, u32 side, u32 repeat)
{
	const struct loaded_cell *cell = &p->of[side]->cells[p->cell[side]];
	const struct loaded_run *run = &cell->runs[repeat];

	return repeat < cell->nr_runs && run->done ? &run->summary : NULL;
}

static u32 repeats_max(const struct pair *p)
{
	u32 a = p->of[BASE]->cells[p->cell[BASE]].nr_runs,
	    b = p->of[OTHER]->cells[p->cell[OTHER]].nr_runs;

	return a < b ? a : b;
}

/* Both sides of a repeat, when both are done and have victims in the band. */
static bool both(const struct pair *p, u32 repeat, enum band b, const struct summary *s[SIDES])
{
	for (u32 side = 0; side < SIDES; side++) {
		s[side] = side_summary(p, side, repeat);
		if (!s[side] || !s[side]->groups[GROUP_VICTIM].band_items[b] ||
		    !percentile(s[side], b))
			return false;
	}
	return true;
}

/* --- the ledgers --- */

static bool same_culprit(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct delta_row *row_for(struct band_pair *b, const struct ledger_row *row,
				 const char *culprit)
{
	struct delta_row *rows;

	for (u32 i = 0; i < b->nr_rows; i++) {
		struct delta_row *r = &b->rows[i];

		if (r->part == row->part && r->front == row->front &&
		    same_culprit(r->culprit, culprit))
			return r;
	}
	rows = realloc(b->rows, (b->nr_rows + 1) * sizeof(*rows));
	if (!rows)
		return NULL;
	b->rows = rows;
	rows[b->nr_rows] =
		(struct delta_row){.culprit = culprit, .part = row->part, .front = row->front};
	return &rows[b->nr_rows++];
}

static int add_ledger(struct band_pair *b, u32 side, const struct summary *s)
{
	b->items[side] += s->groups[GROUP_VICTIM].band_items[b->band];
	for (u32 i = 0; i < s->nr_rows; i++) {
		const struct ledger_row *from = &s->rows[i];
		struct delta_row *to;

		if (from->group != GROUP_VICTIM || from->band != b->band)
			continue;
		to = row_for(b, from,
			     from->culprit == NONE32 ? NULL : s->culprits[from->culprit].name);
		if (!to)
			return -ENOMEM;
		to->ns[side] += from->ns;
		b->ns[side] += from->ns;
	}
	return 0;
}

__int128 delta_of(const struct band_pair *b, const u64 ns[SIDES])
{
	return (__int128)ns[OTHER] * b->items[BASE] - (__int128)ns[BASE] * b->items[OTHER];
}

double delta_scale(const struct band_pair *b)
{
	return (double)b->items[BASE] * (double)b->items[OTHER];
}

static __int128 magnitude(__int128 x)
{
	return x < 0 ? -x : x;
}

static int by_delta(const void *x, const void *y, void *band)
{
	const struct delta_row *a = x, *b = y;
	__int128 p = magnitude(delta_of(band, a->ns)), q = magnitude(delta_of(band, b->ns));

	if (p != q)
		return p < q ? 1 : -1;
	if (a->part != b->part)
		return a->part - b->part;
	if (a->front != b->front)
		return a->front - b->front;
	return strcmp(a->culprit ? a->culprit : "", b->culprit ? b->culprit : "");
}

/* --- percentiles and ratios --- */

static int ascending(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void settle_percentiles(struct band_pair *b, u64 *values[SIDES])
{
	for (u32 side = 0; side < SIDES; side++) {
		qsort(values[side], b->n, sizeof(u64), ascending);
		b->median_ns[side] = values[side][(b->n - 1) / 2];
		b->min_ns[side] = values[side][0];
		b->max_ns[side] = values[side][b->n - 1];
	}
}

static int settle_ratios(struct band_pair *b)
{
	int rc;

	ratio_sort(b->ratios, b->n);
	b->ratio = ratio_median(b->ratios, b->n);
	rc = bootstrap_interval(&b->interval, b->ratios, b->n, LEVEL);
	b->has_interval = !rc;
	return rc == -EINVAL ? 0 : rc;
}

/* Repeat r has the same stream on both sides, so a ratio is made of what met the same items. */
static int add_repeat(struct band_pair *b, const struct summary *const s[SIDES], u64 *values[SIDES])
{
	int rc = 0;

	for (u32 side = 0; side < SIDES && !rc; side++) {
		values[side][b->n] = percentile(s[side], b->band);
		rc = add_ledger(b, side, s[side]);
	}
	b->ratios[b->n] = (double)values[OTHER][b->n] / (double)values[BASE][b->n];
	b->n++;
	return rc;
}

static int band_measure(struct pair *p, struct band_pair *b)
{
	const struct summary *s[SIDES];
	u32 max = repeats_max(p);
	u64 *values[SIDES] = {calloc(max, sizeof(u64)), calloc(max, sizeof(u64))};
	int rc = values[BASE] && values[OTHER] ? 0 : -ENOMEM;

	b->ratios = calloc(max, sizeof(*b->ratios));
	if (!b->ratios)
		rc = -ENOMEM;
	for (u32 r = 0; r < max && !rc; r++)
		if (both(p, r, b->band, s))
			rc = add_repeat(b, s, values);
	if (!rc && b->n) {
		settle_percentiles(b, values);
		rc = settle_ratios(b);
		qsort_r(b->rows, b->nr_rows, sizeof(*b->rows), by_delta, b);
	}
	free(values[BASE]);
	free(values[OTHER]);
	if (!rc)
		verdict_judge(p, b);
	return rc;
}

static void outcomes_add(struct outcomes *o, const struct summary *s)
{
	o->succeeded += s->succeeded;
	o->failed += s->refused + s->lost;
	o->timed_out += s->timed_out;
}

static void look_at_runs(struct pair *p)
{
	p->probed = p->simulated = true;
	for (u32 r = 0; r < repeats_max(p); r++) {
		const struct summary *s[SIDES] = {side_summary(p, BASE, r),
						  side_summary(p, OTHER, r)};

		if (!s[BASE] || !s[OTHER])
			continue;
		p->repeats++;
		for (u32 side = 0; side < SIDES; side++) {
			bool sim = s[side]->info.engine == TRACE_SIM;

			outcomes_add(&p->outcomes[side], s[side]);
			p->simulated &= sim;
			p->probed &= sim || s[side]->info.probe;
		}
	}
}

int pair_measure(struct pair *p)
{
	int rc = 0;

	look_at_runs(p);
	for (u32 i = BAND_P50; i < BAND_NR && !rc; i++) {
		p->bands[i].band = (enum band)i;
		rc = band_measure(p, &p->bands[i]);
	}
	return rc;
}

void pair_free(struct pair *p)
{
	for (u32 i = 0; i < BAND_NR; i++) {
		free(p->bands[i].ratios);
		free(p->bands[i].rows);
	}
}
