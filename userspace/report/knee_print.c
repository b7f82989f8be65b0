/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs of each search, the knees, and what moved them. */
#include "report/knee.h"

#include "report/table.h"
#include "report/texttable.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const struct row *row_of(const struct knee_report *k, u32 cell)
{
	for (u32 i = 0; i < k->rows->nr; i++)
		if (k->rows->list[i].cell == cell)
			return &k->rows->list[i];
	return NULL;
}

/* "workers 0.99", or n/m. */
static const char *busiest_text(char *buf, size_t len, const struct row *row)
{
	const struct row_usage *u = row ? row_busiest(row) : NULL;

	if (u)
		snprintf(buf, len, "%s %.2f", u->name, u->median);
	else
		snprintf(buf, len, "n/m");
	return buf;
}

static const char *mark(const struct knee_factor *f, u32 sample)
{
	double rate = f->search.samples[sample].rate;

	return rate == f->search.plain_rate ? "plain" : rate == f->search.high ? "knee" : "";
}

/* --- the runs --- */

static bool outcome_cells(struct texttable *t, const struct row *row)
{
	static const enum measure outcomes[] = {MEASURE_SUCCEEDED, MEASURE_FAILED,
						MEASURE_TIMED_OUT};
	char text[24];
	bool ok = true;

	for (u32 i = 0; i < ARRAY_SIZE(outcomes) && ok; i++) {
		if (row && row->m[outcomes[i]].measured)
			snprintf(text, sizeof(text), "%.0f", row->m[outcomes[i]].median);
		else
			snprintf(text, sizeof(text), "n/m");
		ok = texttable_cell(t, text);
	}
	return ok;
}

static bool sample_row(struct texttable *t, const struct knee_report *k,
		       const struct knee_factor *f, u32 i)
{
	const struct knee_sample *s = &f->search.samples[i];
	const struct row *row = row_of(k, f->first + i);
	char rate[32], p95[32] = "n/m", busiest[64], cell[16];

	snprintf(rate, sizeof(rate), "%.6g", s->rate);
	if (!isnan(s->p95))
		ms_text(p95, sizeof(p95), s->p95);
	snprintf(cell, sizeof(cell), "%u", f->first + i);
	return texttable_cell(t, f->name) && texttable_cell(t, rate) && texttable_cell(t, p95) &&
	       outcome_cells(t, row) &&
	       texttable_cell(t, busiest_text(busiest, sizeof(busiest), row)) &&
	       texttable_cell(t, mark(f, i)) && texttable_cell(t, cell) &&
	       texttable_cell(t, row ? row->state_text : "");
}

/* By rate: the order in which they were run is told by their cells. */
static bool sample_rows(struct texttable *t, const struct knee_report *k,
			const struct knee_factor *f)
{
	const struct knee *s = &f->search;
	double last = 0;
	bool ok = true;

	for (u32 n = 0; ok && n < s->nr; n++) {
		u32 next = NONE32;

		for (u32 i = 0; i < s->nr; i++)
			if (s->samples[i].rate > last &&
			    (next == NONE32 || s->samples[i].rate < s->samples[next].rate))
				next = i;
		if (next == NONE32)
			break;
		last = s->samples[next].rate;
		ok = sample_row(t, k, f, next);
	}
	return ok;
}

static int print_samples(const struct knee_report *k, FILE *f)
{
	static const char *const titles[] = {"factor", "rate/s",  "p95 ms", "ok",   "fail",
					     "t-out",  "busiest", "",	    "cell", "state"};
	static const bool left[] = {true,  false, false, false, false,
				    false, true,  true,	 false, true};
	struct texttable *t = texttable_new(ARRAY_SIZE(titles));
	bool ok = t != NULL;

	for (u32 i = 0; ok && i < ARRAY_SIZE(titles); i++)
		ok = texttable_title(t, i, "", titles[i], left[i], i == 1 || i == 3 || i == 6);
	for (u32 i = 0; ok && i < k->nr; i++)
		ok = sample_rows(t, k, &k->factors[i]);
	if (ok)
		texttable_print(t, f);
	texttable_free(t);
	return ok ? 0 : -ENOMEM;
}

/* --- the knees --- */

/* "222.6 [219.0..222.6]", "over 900", "no plain". */
static const char *knee_text(char *buf, size_t len, const struct knee_factor *f)
{
	char high[32] = "";

	if (f->high > 0)
		snprintf(high, sizeof(high), "%.6g", f->high);
	if (f->search.state == KNEE_FOUND)
		snprintf(buf, len, "%.6g [%.6g..%s]", f->search.high, f->low, high);
	else if (f->search.state == KNEE_ABOVE)
		snprintf(buf, len, "over %.6g", f->search.low);
	else
		snprintf(buf, len, "no plain");
	return buf;
}

static bool factor_row(struct texttable *t, const struct knee_report *k,
		       const struct knee_factor *f)
{
	const struct knee_factor *base = &k->factors[0];
	char before[96], after[96], wall[64];

	return texttable_cell(t, f->name) &&
	       texttable_cell(t, knee_text(before, sizeof(before), base)) &&
	       texttable_cell(t, knee_text(after, sizeof(after), f)) &&
	       texttable_cell(t, f->search.state == KNEE_NO_PLAIN ? "n/m"
				 : knee_moved(base, f)		  ? "moved"
								  : "not moved") &&
	       texttable_cell(t, busiest_text(wall, sizeof(wall), row_of(k, knee_cell(base)))) &&
	       texttable_cell(t, busiest_text(wall, sizeof(wall), row_of(k, knee_cell(f))));
}

static int print_factors(const struct knee_report *k, FILE *f)
{
	static const char *const upper[] = {"", "knee, /s", "", "", "the wall", ""};
	static const char *const titles[] = {"factor", "before", "after", "", "before", "after"};
	struct texttable *t = texttable_new(ARRAY_SIZE(titles));
	bool ok = t != NULL;

	for (u32 i = 0; ok && i < ARRAY_SIZE(titles); i++)
		ok = texttable_title(t, i, upper[i], titles[i], true, true);
	for (u32 i = 1; ok && i < k->nr; i++)
		ok = factor_row(t, k, &k->factors[i]);
	if (ok) {
		fputc('\n', f);
		texttable_print(t, f);
	}
	texttable_free(t);
	return ok ? 0 : -ENOMEM;
}

static void print_found(const struct knee_report *k, const struct knee_factor *base, FILE *f)
{
	const struct row *row = row_of(k, knee_cell(base));
	const struct row_usage *u = row ? row_busiest(row) : NULL;
	const struct knee_sample *at = &base->search.samples[knee_cell(base) - base->first];
	char knee[96], p95[32] = "n/m", plain[32];

	if (!isnan(at->p95))
		ms_text(p95, sizeof(p95), at->p95);
	ms_text(plain, sizeof(plain), base->search.plain_p95);
	fprintf(f, "The knee of %s is at %s/s: ", k->over, knee_text(knee, sizeof(knee), base));
	if (at->lost > KNEE_LOST)
		fprintf(f, "%.1f %% of the items due do not succeed there", at->lost * 100);
	else
		fprintf(f, "p95 is %s ms there, over %.6g times its plain, %s ms at %.6g/s", p95,
			k->factor, plain, base->search.plain_rate);
	if (u)
		fprintf(f, ". The busiest is %s, at %.2f of its capacity", u->name, u->median);
	fputs(".\n", f);
}

static void print_no_plain(const struct knee *s, FILE *f)
{
	const struct knee_sample *last = &s->samples[s->nr - 1];

	if (knee_fails_idle(last))
		fprintf(f,
			"No plain: over 5 %% of the items do not succeed even at %.6g/s (%.1f %%), "
			"with the busiest under half of its capacity; raise workload.timeout or "
			"what refuses them%s.\n",
			last->rate, last->lost * 100, s->cfg.fixed ? ", or lower --from" : "");
	else
		fprintf(f,
			"No plain p95: at %.6g/s the busiest is over half of its capacity; %s.\n",
			last->rate,
			s->cfg.fixed ? "lower --from"
				     : "a lower rate needs more than workload.duration can be");
}

static void print_base(const struct knee_report *k, FILE *f)
{
	const struct knee_factor *base = &k->factors[0];

	fputc('\n', f);
	if (base->search.state == KNEE_FOUND)
		print_found(k, base, f);
	else if (base->search.state == KNEE_ABOVE)
		fprintf(f, "No knee up to %.6g/s: look further up with --to.\n", base->search.low);
	else
		print_no_plain(&base->search, f);
}

int knee_print(const struct knee_report *k, FILE *f)
{
	int rc = print_samples(k, f);

	if (rc)
		return rc;
	print_base(k, f);
	return k->nr > 1 ? print_factors(k, f) : 0;
}
