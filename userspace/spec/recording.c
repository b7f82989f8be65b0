/* SPDX-License-Identifier: GPL-2.0-only */
#include "spec/recording.h"
#include "spec/csv.h"
#include "spec/options.h"
#include "spec/row_heap.h"
#include "spec/row_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX (1u << 24) /* as workload.keys */
#define ROWS_MAX 4000000000 /* item ids are 32 bits wide */

struct recording {
	struct csv_config cfg;
	struct csv *csv;     /* owned */
	struct names *names; /* owned */
	u32 time, key, cost; /* columns; cost may be NONE32 */
	u32 nr_columns;
	struct row_heap heap; /* read and not given yet */
	s64 latest_ns, first_ns;
	bool started; /* first_ns is known */
	bool ended;   /* no more to read */
	u64 rows;     /* read */
	int error;    /* of recording_next() */
	struct spec_error why;
};

__attribute__((format(printf, 3, 4))) static int fail(const struct recording *a,
						      struct spec_error *err, const char *fmt, ...)
{
	char what[300];
	__builtin_va_list ap;

	__builtin_va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	__builtin_va_end(ap);
	return spec_fail(err, "%s:%" PRIu64 ": %s", spec_path(a->cfg.path), csv_line(a->csv), what);
}

static int no_memory(const struct recording *a, struct spec_error *err)
{
	spec_fail(err, "%s: out of memory for its keys, and the rows within csv.window",
		  spec_path(a->cfg.path));
	return -ENOMEM;
}

/* --- columns --- */

static const char *nth_column(const void *csv, u32 i)
{
	return i < csv_fields(csv) ? csv_field(csv, i) : NULL;
}

static int no_column(const struct recording *a, const char *option, const char *name,
		     struct spec_error *err)
{
	const char *near = nearest_name(name, nth_column, a->csv), *column;
	char list[160] = "";
	size_t len = 0;

	if (near)
		return fail(a, err, "no column '%s'; did you mean csv.%s = %.60s?", name, option,
			    near);
	for (u32 i = 0; (column = nth_column(a->csv, i)) && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%.40s", i ? ", " : "",
					column);
	return fail(a, err, "no column '%s' in the header %s; name it with csv.%s", name, list,
		    option);
}

static int find_column(const struct recording *a, const char *option, const char *name, u32 *out,
		       struct spec_error *err)
{
	*out = NONE32;
	for (u32 i = 0; i < csv_fields(a->csv); i++) {
		if (strcmp(csv_field(a->csv, i), name))
			continue;
		if (*out != NONE32)
			return fail(a, err, "two columns '%s'; rename one", name);
		*out = i;
	}
	return *out == NONE32 ? no_column(a, option, name, err) : 0;
}

static int read_header(struct recording *a, struct spec_error *err)
{
	int rc = csv_next(a->csv, err);

	if (rc < 0)
		return rc;
	if (!rc)
		return spec_fail_keys(err, "workload.trace",
				      "%s: is empty; a line with the columns' names is wanted, and "
				      "rows",
				      spec_path(a->cfg.path));
	a->nr_columns = csv_fields(a->csv);
	rc = find_column(a, "time", a->cfg.time, &a->time, err);
	if (!rc)
		rc = find_column(a, "key", a->cfg.key, &a->key, err);
	a->cost = NONE32;
	if (!rc && csv_has_cost(&a->cfg))
		rc = find_column(a, "cost", a->cfg.cost, &a->cost, err);
	return rc;
}

static int start(struct recording **out, const struct csv_config *csv, struct spec_error *err)
{
	struct recording *a = calloc(1, sizeof(*a));
	int rc;

	*out = NULL;
	if (!a) {
		spec_fail(err, "%s: out of memory", spec_path(csv->path));
		return -ENOMEM;
	}
	a->cfg = *csv;
	rc = csv_open(&a->csv, a->cfg.path, err);
	a->names = names_new();
	if (!rc && !a->names)
		rc = no_memory(a, err);
	if (!rc)
		rc = read_header(a, err);
	if (rc)
		recording_close(a);
	else
		*out = a;
	return rc;
}

void recording_close(struct recording *a)
{
	if (!a)
		return;
	csv_close(a->csv);
	names_free(a->names);
	row_heap_fini(&a->heap);
	free(a);
}

/* --- rows --- */

static int read_cost(const struct recording *a, struct row *row, struct spec_error *err)
{
	const char *text = a->cost == NONE32 ? NULL : csv_field(a->csv, a->cost);
	char why[VALUE_WHY];

	row->cost_ns = COST_DRAWN;
	if (!text || !row_cost(text, a->cfg.unit_ns, &row->cost_ns, why))
		return 0;
	return fail(a, err, "%s = '%.40s' %s", a->cfg.cost, text, why);
}

/* An empty key is none: NONE32. */
static int read_key(struct recording *a, struct row *row, struct spec_error *err)
{
	const char *text = csv_field(a->csv, a->key);

	row->key = NONE32;
	if (!*text)
		return 0;
	row->key = names_number(a->names, text);
	if (row->key == NONE32)
		return no_memory(a, err);
	if (names_count(a->names) <= KEYS_MAX)
		return 0;
	return fail(a, err, "more than %u keys; name another column with csv.key", KEYS_MAX);
}

static int check_order(const struct recording *a, const struct row *row, struct spec_error *err)
{
	u64 back_ns = (u64)a->latest_ns - (u64)row->time_ns;
	char back[VALUE_TEXT], window[VALUE_TEXT];

	if (!a->rows || row->time_ns >= a->latest_ns || back_ns <= a->cfg.window_ns)
		return 0;
	value_print(VALUE_DURATION, &(struct value){.i = (s64)back_ns}, back);
	value_print(VALUE_DURATION, &(struct value){.i = (s64)a->cfg.window_ns}, window);
	return fail(a, err,
		    "time goes back by %s, more than csv.window = %s; sort the file or "
		    "raise the window",
		    back, window);
}

/* 1: a row; 0: the end; or an error. */
static int read_row(struct recording *a, struct row *row, struct spec_error *err)
{
	int rc = csv_next(a->csv, err);
	char why[VALUE_WHY];
	const char *text;

	if (rc <= 0)
		return rc;
	if (a->rows == ROWS_MAX)
		return fail(a, err, "more than %llu rows; split the file", ROWS_MAX + 0ull);
	if (csv_fields(a->csv) != a->nr_columns)
		return fail(a, err, "%u fields, and the header has %u", csv_fields(a->csv),
			    a->nr_columns);
	text = csv_field(a->csv, a->time);
	if (row_time(text, a->cfg.unit_ns, &row->time_ns, why))
		return fail(a, err, "%s = '%.40s' %s", a->cfg.time, text, why);
	rc = check_order(a, row, err);
	if (!rc)
		rc = read_cost(a, row, err);
	if (!rc)
		rc = read_key(a, row, err);
	row->order = a->rows;
	return rc ? rc : 1;
}

/* Is there a row that no later line can go before? */
static bool is_next(const struct recording *a)
{
	const struct row *top = row_heap_top(&a->heap);

	return top && (a->ended || (u64)a->latest_ns - (u64)top->time_ns >= a->cfg.window_ns);
}

/* The next row in the order of time, and in that of the file among equal times. As read_row(). */
static int next_row(struct recording *a, struct row *out, struct spec_error *err)
{
	struct row row;
	int rc;

	while (!a->ended && !is_next(a)) {
		rc = read_row(a, &row, err);
		if (rc < 0)
			return rc;
		a->ended = !rc;
		if (a->ended)
			break;
		if (!a->rows++ || row.time_ns > a->latest_ns)
			a->latest_ns = row.time_ns;
		if (!row_heap_push(&a->heap, &row))
			return no_memory(a, err);
	}
	if (!row_heap_top(&a->heap))
		return 0;
	row_heap_pop(&a->heap, out);
	if (!a->started)
		a->first_ns = out->time_ns;
	a->started = true;
	return 1;
}

/* --- the two passes --- */

static int survey(struct recording *a, struct csv_facts *f, struct spec_error *err)
{
	double costs_ns = 0;
	struct row row;
	int rc;

	*f = (struct csv_facts){0};
	while ((rc = next_row(a, &row, err)) > 0) {
		f->keyless += row.key == NONE32;
		f->span_ns = (u64)row.time_ns - (u64)a->first_ns;
		if (row.cost_ns != COST_DRAWN)
			costs_ns += (double)row.cost_ns;
	}
	if (rc)
		return rc;
	if (!a->rows)
		return spec_fail_keys(err, "workload.trace", "%s: has a header and no rows",
				      spec_path(a->cfg.path));
	f->rows = a->rows;
	f->keys = names_count(a->names);
	f->cost_ns = (u64)llround(costs_ns / (double)f->rows);
	f->bytes = csv_bytes(a->csv);
	f->crc32 = csv_crc32(a->csv);
	return 0;
}

int recording_survey(struct csv_config *csv, struct names **names, struct spec_error *err)
{
	struct recording *a;
	int rc = start(&a, csv, err);

	*names = NULL;
	if (rc)
		return rc;
	rc = survey(a, &csv->facts, err);
	if (!rc) {
		*names = a->names;
		a->names = NULL;
	}
	recording_close(a);
	return rc;
}

int recording_open(struct recording **out, const struct csv_config *csv, struct spec_error *err)
{
	return start(out, csv, err);
}

/* The file must be the one that was surveyed. */
static int check_same(struct recording *a)
{
	const struct csv_facts *f = &a->cfg.facts;

	if (a->rows == f->rows && csv_bytes(a->csv) == f->bytes && csv_crc32(a->csv) == f->crc32)
		return 0;
	return spec_fail(&a->why, "%s: has changed while it was read; run again",
			 spec_path(a->cfg.path));
}

bool recording_next(void *ctx, struct arrival *out)
{
	struct recording *a = ctx;
	u32 keys = a->cfg.facts.keys ? a->cfg.facts.keys : 1;
	struct row row;
	int rc = a->error ? a->error : next_row(a, &row, &a->why);
	u64 since_ns;

	if (rc <= 0) {
		a->error = rc ? rc : check_same(a);
		return false;
	}
	if (row.key != NONE32 && row.key >= keys) {
		a->error = spec_fail(&a->why, "%s: has changed while it was read; run again",
				     spec_path(a->cfg.path));
		return false;
	}
	since_ns = (u64)row.time_ns - (u64)a->first_ns;
	out->due_ns = a->cfg.speed == 1 ? since_ns : (u64)llround((double)since_ns / a->cfg.speed);
	out->key = row.key == NONE32 ? keys : row.key;
	out->cost_ns = row.cost_ns == COST_DRAWN
			       ? COST_DRAWN
			       : (u64)llround((double)row.cost_ns * a->cfg.cost_scale);
	return true;
}

int recording_error(const struct recording *a, struct spec_error *err)
{
	*err = a->why;
	return a->error;
}
