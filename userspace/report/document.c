/* SPDX-License-Identifier: GPL-2.0-only */
/* The table as one JSON document: --json. Its form is in holbench(1). */
#include "report/manifest.h"

#include "report/table.h"

#include <errno.h>

/* Whole numbers stay whole; a mean does not pretend to more digits than ns. */
static json_t *whole(double x)
{
	return json_integer((json_int_t)(x + 0.5));
}

static json_t *measured_json(const struct measured *m)
{
	if (!m->measured)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "median", whole(m->median), "min", whole(m->min), "max",
			 whole(m->max));
}

static json_t *axes_json(const struct grid *g, u32 cell)
{
	json_t *o = json_object();

	for (u32 a = 0; a < grid_axes(g); a++)
		json_object_set_new(o, grid_axis_name(g, a),
				    text_json(grid_axis_value(g, a, cell)));
	return o;
}

static json_t *culprit_json(const struct row *row)
{
	if (!row->probed || !row->culprit[0])
		return json_null();
	return json_pack("{s:o, s:I}", "name", text_json(row->culprit), "ns_mean",
			 (json_int_t)row->culprit_ns);
}

static json_t *usage_json(const struct row *row)
{
	json_t *o = json_object();

	for (u32 i = 0; i < row->nr_usage; i++) {
		const struct row_usage *u = &row->usage[i];

		json_object_set_new(o, u->name,
				    json_pack("{s:f, s:f, s:f}", "median", u->median, "min", u->min,
					      "max", u->max));
	}
	return o;
}

static json_t *busiest_json(const struct row *row)
{
	const struct row_usage *u = row_busiest(row);

	return u ? text_json(u->name) : json_null();
}

static json_t *row_json(const struct document *d, const struct row *row)
{
	char check[32];
	json_t *m = json_object();

	for (u32 i = 0; i < MEASURE_NR; i++)
		json_object_set_new(m, measure_name((enum measure)i), measured_json(&row->m[i]));
	return json_pack("{s:i, s:o, s:s, s:i, s:o, s:o, s:o, s:o, s:s, s:s, s:s}", "cell",
			 (int)row->cell, "axes", axes_json(d->result->grid, row->cell), "design",
			 grid_cell(d->result->grid, row->cell)->design->name, "repeats",
			 (int)row->repeats, "measures", m, "utilisation", usage_json(row),
			 "busiest", busiest_json(row), "worst_culprit", culprit_json(row), "checks",
			 row->checked ? row_check_text(check, sizeof(check), row) : "not measured",
			 "state", state_name(row->state), "state_text", row->state_text);
}

int document_print(const struct document *d, FILE *f)
{
	json_t *cells = json_array(), *sentences = json_array(), *warnings = json_array(), *o;
	struct findings found;
	const char *text;
	char buf[300];

	for (u32 i = 0; i < d->rows->nr; i++)
		json_array_append_new(cells, row_json(d, &d->rows->list[i]));
	findings_draw(&found, d->result, d->rows);
	for (u32 i = 0; i < found.nr; i++)
		json_array_append_new(sentences, text_json(found.text[i]));
	text = result_order_warning(d->result, buf, sizeof(buf));
	if (text)
		json_array_append_new(warnings, text_json(text));
	for (u32 i = 0; (text = result_nth_warning(d->result, i)); i++)
		json_array_append_new(warnings, text_json(text));
	o = json_pack("{s:o, s:s, s:i, s:i, s:o, s:o, s:o}", "result", text_json(d->path), "engine",
		      d->result->engine == TRACE_SIM ? "sim" : "live", "runs", (int)d->runs,
		      "runs_done", (int)d->runs_done, "cells", cells, "findings", sentences,
		      "warnings", warnings);
	if (!o)
		return -ENOMEM;
	json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	fputc('\n', f);
	json_decref(o);
	return 0;
}
