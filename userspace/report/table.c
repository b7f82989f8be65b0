/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/table.h"

#include "report/texttable.h"

#include <errno.h>
#include <string.h>

#define COLUMNS_OF_MEASURES (MEASURE_UNKNOWN + 1)

static const struct {
	const char *upper, *lower;
	bool group;
} titles[COLUMNS_OF_MEASURES] = {
	[MEASURE_SUCCEEDED] = {"items", "ok", true},
	[MEASURE_FAILED] = {"", "fail", false},
	[MEASURE_TIMED_OUT] = {"", "t-out", false},
	[MEASURE_VIOLATIONS] = {"order", "viol", true},
	[MEASURE_MOVES] = {"", "moves", false},
	[MEASURE_VICTIM_P50] = {"victims, ms", "p50", true},
	[MEASURE_VICTIM_P95] = {"", "p95", false},
	[MEASURE_VICTIM_P99] = {"", "p99", false},
	[MEASURE_NEIGHBOUR_P99] = {"neighb", "p99 ms", true},
	[MEASURE_HOT_P99] = {"hot", "p99 ms", false},
	[MEASURE_HOL] = {"the victims' slowest 1 %: mean ms in", "hol", true},
	[MEASURE_ORDER] = {"", "order", false},
	[MEASURE_SATURATED] = {"", "satur", false},
	[MEASURE_WAKE] = {"", "wake", false},
	[MEASURE_RUNQUEUE] = {"", "runq", false},
	[MEASURE_WORK] = {"", "work", false},
	[MEASURE_CONTENDED] = {"", "contd", false},
	[MEASURE_REST] = {"", "rest", false},
	[MEASURE_UNKNOWN] = {"", "unkn", false},
};

const char *ms_text(char *buf, size_t len, double ns)
{
	double ms = ns / (double)NSEC_PER_MSEC;

	if (ns <= 0)
		snprintf(buf, len, "0");
	else if (ms >= 99.95)
		snprintf(buf, len, "%.0f", ms);
	else if (ms >= 9.995)
		snprintf(buf, len, "%.1f", ms);
	else if (ms >= 0.9995)
		snprintf(buf, len, "%.2f", ms);
	else if (ms >= 0.0005)
		snprintf(buf, len, "%.3f", ms);
	else
		snprintf(buf, len, "<.001");
	return buf;
}

const char *cell_text(char *buf, size_t len, const struct grid *g, u32 cell)
{
	size_t n = 0;

	buf[0] = '\0';
	for (u32 a = 0; a < grid_axes(g) && n < len; a++)
		n += (size_t)snprintf(buf + n, len - n, "%s%s=%s", a ? " " : "",
				      grid_axis_name(g, a), grid_axis_value(g, a, cell));
	return buf;
}

/* Waits for a slot, a lock or a page have a column where there is one to wait for, or a wait. */
static bool has_column(const struct result *r, const struct rows *rows, enum measure m)
{
	bool shown = m != MEASURE_CONTENDED;

	for (u32 i = 0; i < rows->nr && !shown; i++) {
		const struct row *row = &rows->list[i];

		shown = grid_cell(r->grid, row->cell)->workload.nr_resources || row->m[m].max > 0;
	}
	return shown;
}

static u32 columns_of_measures(const struct result *r, const struct rows *rows)
{
	u32 nr = 0;

	for (u32 m = 0; m < COLUMNS_OF_MEASURES; m++)
		nr += has_column(r, rows, (enum measure)m);
	return nr;
}

static const char *number(char *buf, size_t len, enum measure m, double v)
{
	if (measure_is_time(m))
		return ms_text(buf, len, v);
	snprintf(buf, len, "%.0f", v);
	return buf;
}

static bool measure_cell(struct texttable *t, const struct row *row, enum measure m, bool ranges)
{
	const struct measured *v = &row->m[m];
	char text[80], median[24], min[24], max[24];

	if (!v->measured)
		return texttable_cell(t, "n/m");
	number(median, sizeof(median), m, v->median);
	number(min, sizeof(min), m, v->min);
	number(max, sizeof(max), m, v->max);
	if (!ranges || !strcmp(min, max))
		return texttable_cell(t, median);
	snprintf(text, sizeof(text), "%s [%s..%s]", median, min, max);
	return texttable_cell(t, text);
}

/* A row is named by its axes' values; without an axis by its design. */
static bool row_name(struct texttable *t, const struct result *r, const struct row *row)
{
	u32 axes = grid_axes(r->grid);
	bool ok = true;

	for (u32 a = 0; a < axes; a++)
		ok = ok && texttable_cell(t, grid_axis_value(r->grid, a, row->cell));
	return axes ? ok : texttable_cell(t, grid_cell(r->grid, row->cell)->design->name);
}

static bool table_row(struct texttable *t, const struct result *r, const struct rows *rows,
		      const struct row *row, bool ranges)
{
	char check[32];
	bool ok = row_name(t, r, row);

	for (u32 m = 0; m < COLUMNS_OF_MEASURES; m++)
		if (has_column(r, rows, (enum measure)m))
			ok = ok && measure_cell(t, row, (enum measure)m, ranges);
	return ok &&
	       texttable_cell(t, !row->probed	   ? "n/m"
				 : row->culprit[0] ? row->culprit
						   : "none") &&
	       texttable_cell(t, row_check_text(check, sizeof(check), row)) &&
	       texttable_cell(t, row->state_text);
}

/* "hot." over "load": a column as narrow as its values. */
static bool axis_title(struct texttable *t, const struct grid *g, u32 axis)
{
	const char *name = grid_axis_name(g, axis), *dot = strchr(name, '.');
	char section[64] = "";

	if (!dot)
		return texttable_title(t, axis, "", name, true, false);
	snprintf(section, sizeof(section), "%.*s", (int)(dot + 1 - name), name);
	return texttable_title(t, axis, section, dot + 1, true, false);
}

static u32 row_titles_nr(const struct grid *g)
{
	return grid_axes(g) ? grid_axes(g) : 1;
}

static bool row_titles(struct texttable *t, const struct grid *g)
{
	bool ok = true;

	for (u32 c = 0; ok && c < grid_axes(g); c++)
		ok = axis_title(t, g, c);
	return grid_axes(g) ? ok : texttable_title(t, 0, "dispatch.", "design", true, false);
}

static bool table_titles(struct texttable *t, const struct result *r, const struct rows *rows)
{
	u32 c = row_titles_nr(r->grid);
	bool ok = row_titles(t, r->grid);

	for (u32 m = 0; ok && m < COLUMNS_OF_MEASURES; m++)
		if (has_column(r, rows, (enum measure)m))
			ok = texttable_title(t, c++, titles[m].upper, titles[m].lower, false,
					     titles[m].group);
	return ok && texttable_title(t, c, "worst", "culprit", true, true) &&
	       texttable_title(t, c + 1, "", "checks", true, false) &&
	       texttable_title(t, c + 2, "", "state", true, false);
}

static void legend(const struct result *r, const struct rows *rows, FILE *f)
{
	bool blank = false, probed = true;

	for (u32 i = 0; i < rows->nr; i++) {
		probed &= rows->list[i].probed;
		blank |= !rows->list[i].probed || !rows->list[i].checked;
		for (u32 m = 0; m < COLUMNS_OF_MEASURES; m++)
			blank |= !rows->list[i].m[m].measured;
	}
	if (blank)
		fprintf(f, "n/m: not measured%s\n",
			r->engine == TRACE_SIM ? " (a simulation has no kernel)"
			: probed	       ? ", or nothing there to measure"
				 : " (no probe; rest is the generator's lateness only)");
}

/* --- the tables beside it: a row a cell, a column a measure --- */

struct column {
	const char *upper, *lower;
	enum measure m;
};

typedef const char *(*column_text)(char *buf, size_t len, enum measure m, const struct measured *v);

static bool beside_row(struct texttable *t, const struct result *r, const struct row *row,
		       const struct column *columns, u32 nr, column_text text_of)
{
	bool ok = row_name(t, r, row);
	char text[40];

	for (u32 i = 0; i < nr; i++) {
		const struct measured *v = &row->m[columns[i].m];

		ok = ok &&
		     texttable_cell(t, v->measured ? text_of(text, sizeof(text), columns[i].m, v)
						   : "n/m");
	}
	return ok;
}

static int beside_print(const struct result *r, const struct rows *rows,
			const struct column *columns, u32 nr, bool left, column_text text_of,
			FILE *f)
{
	u32 lead = row_titles_nr(r->grid);
	struct texttable *t = texttable_new(lead + nr);
	bool ok = t && row_titles(t, r->grid);

	for (u32 i = 0; ok && i < nr; i++)
		ok = texttable_title(t, lead + i, columns[i].upper, columns[i].lower, left, !i);
	for (u32 i = 0; ok && i < rows->nr; i++)
		ok = beside_row(t, r, &rows->list[i], columns, nr, text_of);
	if (ok)
		texttable_print(t, f);
	texttable_free(t);
	return ok ? 0 : -ENOMEM;
}

/* It held if it held in every repeat. */
static const char *order_text(char *buf, size_t len, enum measure m, const struct measured *v)
{
	(void)m;
	if (v->max <= 0)
		return "yes";
	snprintf(buf, len, "no (%.0f)", v->max);
	return buf;
}

bool order_wanted(const struct result *r)
{
	for (u32 c = 0; c < r->cells; c++)
		if (grid_cell(r->grid, c)->workload.partitions)
			return true;
	return false;
}

int order_print(const struct result *r, const struct rows *rows, FILE *f)
{
	static const struct column scopes[] = {
		{"order held (violations) within", "all", MEASURE_ORDER_TOTAL},
		{"", "a partition", MEASURE_ORDER_PARTITION},
		{"", "a key", MEASURE_VIOLATIONS},
		{"", "across keys", MEASURE_ORDER_ACROSS},
	};

	return beside_print(r, rows, scopes, ARRAY_SIZE(scopes), true, order_text, f);
}

static const char *threads_text(char *buf, size_t len, enum measure m, const struct measured *v)
{
	if (m == MEASURE_THREADS_PEAK)
		snprintf(buf, len, "%.0f", v->median);
	else
		snprintf(buf, len, "%.1f", v->median / 1e6);
	return buf;
}

bool threads_wanted(const struct result *r)
{
	for (u32 c = 0; c < r->cells; c++)
		if (r->engine == TRACE_LIVE && grid_cell(r->grid, c)->executor != EXECUTOR_THREAD)
			return true;
	return false;
}

int threads_print(const struct result *r, const struct rows *rows, FILE *f)
{
	static const struct column held[] = {
		{"at the peak", "threads", MEASURE_THREADS_PEAK},
		{"", "stacks, MB", MEASURE_STACK},
		{"", "resident, MB", MEASURE_MEMORY_PEAK},
	};

	return beside_print(r, rows, held, ARRAY_SIZE(held), false, threads_text, f);
}

/* --- the table --- */

int table_print(const struct result *r, const struct rows *rows, bool ranges, FILE *f)
{
	u32 lead = row_titles_nr(r->grid);
	struct texttable *t = texttable_new(lead + columns_of_measures(r, rows) + 3);
	bool ok = t && table_titles(t, r, rows);

	for (u32 i = 0; ok && i < rows->nr; i++)
		ok = table_row(t, r, rows, &rows->list[i], ranges);
	if (ok) {
		texttable_print(t, f);
		legend(r, rows, f);
	}
	texttable_free(t);
	return ok ? 0 : -ENOMEM;
}
