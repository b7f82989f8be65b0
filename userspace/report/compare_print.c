/* SPDX-License-Identifier: GPL-2.0-only */
/* A comparison as people read it: what is not the same, the table, the verdicts, the ledgers. */
#include "report/compare.h"

#include "report/result.h"
#include "report/table.h"
#include "report/texttable.h"

#include <errno.h>
#include <string.h>

/* Of all differences of a band, without their signs: rows below are folded into "the rest". */
#define FOLDED 0.01

#define OUTCOME_COLUMNS 3

static const enum band bands_shown[] = {BAND_P50, BAND_P95, BAND_P99};

/* --- the table --- */

/* "hot." over "load", as in the table of a sweep. */
static bool axis_titles(struct texttable *t, const struct compare *c)
{
	bool ok = true;

	for (u32 a = 0; a < c->nr_axes && ok; a++) {
		const char *name = c->axes[a], *dot = strchr(name, '.');
		char section[64];

		snprintf(section, sizeof(section), "%.*s", dot ? (int)(dot + 1 - name) : 0, name);
		ok = texttable_title(t, a, section, dot ? dot + 1 : name, true, false);
	}
	return ok;
}

/* Where every item of every pair succeeded that is said in a line; else it has columns. */
static bool all_succeeded(const struct compare *c)
{
	for (u32 i = 0; i < c->nr_pairs; i++)
		for (u32 side = 0; side < SIDES; side++)
			if (c->pairs[i].outcomes[side].failed ||
			    c->pairs[i].outcomes[side].timed_out)
				return false;
	return true;
}

static bool outcome_titles(struct texttable *t, u32 at)
{
	return texttable_title(t, at, "items, base/other", "ok", false, true) &&
	       texttable_title(t, at + 1, "", "fail", false, false) &&
	       texttable_title(t, at + 2, "", "t-out", false, false);
}

static bool outcome_cells(struct texttable *t, const struct outcomes of[SIDES])
{
	const u64 counts[][SIDES] = {{of[BASE].succeeded, of[OTHER].succeeded},
				     {of[BASE].failed, of[OTHER].failed},
				     {of[BASE].timed_out, of[OTHER].timed_out}};
	char text[48];
	bool ok = true;

	for (u32 i = 0; i < ARRAY_SIZE(counts) && ok; i++) {
		snprintf(text, sizeof(text), "%llu/%llu", (unsigned long long)counts[i][BASE],
			 (unsigned long long)counts[i][OTHER]);
		ok = texttable_cell(t, text);
	}
	return ok;
}

static bool titles(struct texttable *t, const struct compare *c)
{
	u32 at = c->nr_axes;
	char upper[32];
	bool ok = axis_titles(t, c) &&
		  texttable_title(t, at, c->by ? c->by : "", "base", true, at > 0) &&
		  texttable_title(t, at + 1, "", "other", true, false);

	at += 2;
	if (ok && !all_succeeded(c)) {
		ok = outcome_titles(t, at);
		at += OUTCOME_COLUMNS;
	}
	for (u32 i = 0; i < ARRAY_SIZE(bands_shown) && ok; i++, at += 4) {
		snprintf(upper, sizeof(upper), "victims' %s, ms", band_name(bands_shown[i]));
		ok = texttable_title(t, at, upper, "base", false, true) &&
		     texttable_title(t, at + 1, "", "other", false, false) &&
		     texttable_title(t, at + 2, "", "ratio", false, false) &&
		     texttable_title(t, at + 3, "", "interval", false, false);
	}
	return ok && texttable_title(t, at, "", "n", false, true) &&
	       texttable_title(t, at + 1, "", "state", true, false);
}

static bool band_cells(struct texttable *t, const struct band_pair *b)
{
	char text[64];
	bool ok = true;

	if (!b->n) {
		for (u32 i = 0; i < 4 && ok; i++)
			ok = texttable_cell(t, "n/m");
		return ok;
	}
	for (u32 side = 0; side < SIDES && ok; side++)
		ok = texttable_cell(t, ms_text(text, sizeof(text), (double)b->median_ns[side]));
	ok = ok && texttable_cell(t, ratio_text(text, sizeof(text), b->ratio));
	if (!b->has_interval)
		return ok && texttable_cell(t, "n/m");
	snprintf(text, sizeof(text), "[%.3g..%.3g]", b->interval.low, b->interval.high);
	return ok && texttable_cell(t, text);
}

static bool pair_cells(struct texttable *t, const struct compare *c, const struct pair *p)
{
	char text[160];
	bool ok = true;

	for (u32 a = 0; a < c->nr_axes && ok; a++)
		ok = texttable_cell(t, compare_value(text, sizeof(text), p->of[BASE], p->cell[BASE],
						     c->axes[a]));
	for (u32 side = 0; side < SIDES && ok; side++)
		ok = texttable_cell(t, p->name[side]);
	if (ok && !all_succeeded(c))
		ok = outcome_cells(t, p->outcomes);
	for (u32 i = 0; i < ARRAY_SIZE(bands_shown) && ok; i++)
		ok = band_cells(t, &p->bands[bands_shown[i]]);
	snprintf(text, sizeof(text), "%u", p->repeats);
	return ok && texttable_cell(t, text) && texttable_cell(t, state_name(p->state));
}

/* The levels differ with the number of repeats. */
static void legend(const struct compare *c, FILE *f)
{
	double low = 1, high = 0;
	bool missing = false;

	for (u32 i = 0; i < c->nr_pairs; i++) {
		const struct band_pair *b = &c->pairs[i].bands[BAND_P95];

		missing |= !b->has_interval;
		if (b->has_interval && b->interval.level < low)
			low = b->interval.level;
		if (b->has_interval && b->interval.level > high)
			high = b->interval.level;
	}
	fputs("ratio: other / base, median over the repeats", f);
	if (high > 0 && low < high)
		fprintf(f,
			"; interval: by bootstrap, holds the true ratio in at least %.3g to %.3g "
			"%%",
			100 * low, 100 * high);
	else if (high > 0)
		fprintf(f, "; interval: by bootstrap, holds the true ratio in at least %.3g %%",
			100 * high);
	fputc('\n', f);
	if (all_succeeded(c))
		fputs("every item of every cell here succeeded\n", f);
	if (missing)
		fprintf(f, "n/m: not measured (an interval takes %d repeats)\n", BOOTSTRAP_MIN);
}

static int print_table(const struct compare *c, FILE *f)
{
	u32 outcomes = all_succeeded(c) ? 0 : OUTCOME_COLUMNS;
	struct texttable *t =
		texttable_new(c->nr_axes + 4 + outcomes + 4 * ARRAY_SIZE(bands_shown));
	bool ok = t && titles(t, c);

	for (u32 i = 0; i < c->nr_pairs && ok; i++)
		ok = pair_cells(t, c, &c->pairs[i]);
	if (ok) {
		texttable_print(t, f);
		legend(c, f);
	}
	texttable_free(t);
	return ok ? 0 : -ENOMEM;
}

/* --- the ledgers --- */

/* "shared against isolated at hot.load=1.0": the slower side first. */
static void print_pair_name(const struct compare *c, const struct pair *p,
			    const struct band_pair *b, FILE *f)
{
	u32 slow = slower_side(b);
	char text[160];

	fprintf(f, "%s against %s", p->name[slow], p->name[!slow]);
	for (u32 a = 0; a < c->nr_axes; a++)
		fprintf(f, "%s%s=%s", a ? " " : " at ", c->axes[a],
			compare_value(text, sizeof(text), p->of[BASE], p->cell[BASE], c->axes[a]));
}

/* Mean ms of an item in some rows on each side, their difference, and its share of all. */
static bool ledger_numbers(struct texttable *t, const struct band_pair *b, const u64 ns[SIDES])
{
	u32 slow = slower_side(b), side[SIDES] = {slow, !slow};
	double difference = (slow == OTHER ? 1 : -1) * (double)delta_of(b, ns) / delta_scale(b);
	char text[40], ms[24];
	bool ok = true;

	for (u32 i = 0; i < SIDES && ok; i++)
		ok = texttable_cell(t, ms_text(text, sizeof(text),
					       (double)ns[side[i]] / (double)b->items[side[i]]));
	snprintf(text, sizeof(text), "%s%s", difference < 0 ? "-" : "",
		 ms_text(ms, sizeof(ms), difference < 0 ? -difference : difference));
	ok = ok && texttable_cell(t, text);
	snprintf(text, sizeof(text), "%.1f %%",
		 100 * (double)delta_of(b, ns) / (double)delta_of(b, b->ns));
	return ok && texttable_cell(t, text);
}

static bool ledger_line(struct texttable *t, const struct band_pair *b, const char *part,
			const char *front, const char *culprit, const u64 ns[SIDES])
{
	return texttable_cell(t, part) && texttable_cell(t, front) && texttable_cell(t, culprit) &&
	       ledger_numbers(t, b, ns);
}

static double distance(const struct band_pair *b, const struct delta_row *r)
{
	double d = (double)delta_of(b, r->ns);

	return d < 0 ? -d : d;
}

/* How many rows are shown, the largest come first; one row alone is not folded. */
static u32 rows_shown(const struct band_pair *b)
{
	double all = 0;
	u32 nr = 0;

	for (u32 i = 0; i < b->nr_rows; i++)
		all += distance(b, &b->rows[i]);
	while (nr < b->nr_rows && distance(b, &b->rows[nr]) >= FOLDED * all)
		nr++;
	return nr + 1 == b->nr_rows ? b->nr_rows : nr;
}

static bool ledger_rows(struct texttable *t, const struct band_pair *b)
{
	u32 shown = rows_shown(b);
	u64 rest[SIDES] = {0};
	char text[40];
	bool ok = true;

	for (u32 i = 0; i < shown && ok; i++) {
		const struct delta_row *r = &b->rows[i];

		ok = ledger_line(t, b, part_name((enum part)r->part),
				 r->front == FRONT_NONE ? "" : front_name((enum front)r->front),
				 r->culprit ? r->culprit : "", r->ns);
	}
	for (u32 i = shown; i < b->nr_rows; i++)
		for (u32 side = 0; side < SIDES; side++)
			rest[side] += b->rows[i].ns[side];
	snprintf(text, sizeof(text), "(%u rows)", b->nr_rows - shown);
	if (ok && shown < b->nr_rows)
		ok = ledger_line(t, b, "the rest", text, "", rest);
	return ok && ledger_line(t, b, "sum", "", "", b->ns);
}

static int print_ledger(const struct compare *c, const struct pair *p, const struct band_pair *b,
			FILE *f)
{
	struct texttable *t = texttable_new(7);
	u32 slow = slower_side(b);
	bool ok = t && texttable_title(t, 0, "", "part", true, false) &&
		  texttable_title(t, 1, "", "front", true, false) &&
		  texttable_title(t, 2, "", "culprit", true, false) &&
		  texttable_title(t, 3, "mean ms of an item", p->name[slow], false, true) &&
		  texttable_title(t, 4, "", p->name[!slow], false, true) &&
		  texttable_title(t, 5, "", "difference", false, true) &&
		  texttable_title(t, 6, "", "share", false, true) && ledger_rows(t, b);

	if (ok) {
		fprintf(f, "\n%s band: ", band_name(b->band));
		print_pair_name(c, p, b, f);
		fputc('\n', f);
		texttable_print(t, f);
	}
	texttable_free(t);
	return ok ? 0 : -ENOMEM;
}

/* --- all of it --- */

static void print_head(const struct compare *c, FILE *f)
{
	if (c->nr_results == 2)
		fprintf(f, "A: %s\nB: %s\n", c->results[0].path, c->results[1].path);
	for (u32 i = 0; i < c->nr_differences; i++)
		fprintf(f, "%s\n", c->differences[i].text);
	for (u32 i = 0; i < c->nr_notes; i++)
		fprintf(f, "%s\n", c->notes[i]);
	if (c->nr_results == 2 || c->nr_differences || c->nr_notes)
		fputc('\n', f);
}

int compare_print(const struct compare *c, u32 bands, FILE *f)
{
	char text[600];
	int rc;

	print_head(c, f);
	rc = print_table(c, f);
	if (!rc)
		fputc('\n', f);
	for (u32 i = 0; i < c->nr_pairs && !rc; i++) {
		const struct band_pair *b = pair_headline(&c->pairs[i]);

		print_pair_name(c, &c->pairs[i], b, f);
		fprintf(f, ": %s\n", verdict_text(text, sizeof(text), &c->pairs[i], b));
	}
	for (u32 i = 0; i < c->nr_pairs && !rc; i++) {
		for (u32 k = 0; k < ARRAY_SIZE(bands_shown) && !rc; k++) {
			const struct band_pair *b = &c->pairs[i].bands[bands_shown[k]];

			if ((bands & 1u << b->band) && b->verdict > VERDICT_NONE)
				rc = print_ledger(c, &c->pairs[i], b, f);
		}
	}
	return rc;
}
