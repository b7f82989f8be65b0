/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/manifest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

json_t *text_json(const char *text)
{
	json_t *value = json_string(text);
	char *ascii;

	if (value)
		return value;
	ascii = strdup(text);
	for (char *c = ascii; c && *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	value = ascii ? json_string(ascii) : NULL;
	free(ascii);
	return value;
}

static json_t *real(double x)
{
	return isnan(x) ? json_null() : json_real(x);
}

static json_t *utc(time_t t)
{
	char text[32];
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return text_json(text);
}

static json_t *words(char *const *list, int nr)
{
	json_t *a = json_array();

	for (int i = 0; i < nr; i++)
		json_array_append_new(a, text_json(list[i]));
	return a;
}

static json_t *axes(const struct grid *g)
{
	json_t *a = json_array();

	for (u32 i = 0; i < grid_axes(g); i++)
		json_array_append_new(a, text_json(grid_axis_name(g, i)));
	return a;
}

static json_t *spec_text(const struct spec *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	json_t *value;

	if (!f)
		return NULL;
	spec_print(s, f);
	fclose(f);
	value = text_json(text);
	free(text);
	return value;
}

static json_t *check_json(const struct summary *s)
{
	struct check_result c = summary_check(s);

	if (!c.measured)
		return json_null();
	return json_pack("{s:I, s:b, s:o, s:b, s:o, s:b, s:o, s:b}", "runqueue_waits",
			 (json_int_t)c.waits_difference, "runqueue_waits_ok", c.waits_ok,
			 "runqueue_ratio", real(c.wait_ratio), "runqueue_ok", c.wait_ok,
			 "cpu_ratio", real(c.cpu_ratio), "cpu_ok", c.cpu_ok, "throttled_ratio",
			 real(c.throttled_ratio), "throttled_ok", c.throttled_ok);
}

static json_t *usage_json(const struct summary *s)
{
	json_t *o = json_object();

	for (u32 i = 0; i < s->nr_usage; i++)
		json_object_set_new(o, s->usage[i].name, json_real(s->usage[i].share));
	return o;
}

/* A name may stand more than once: a list of pairs. */
static json_t *notes_json(const struct run *run)
{
	json_t *a = json_array();

	for (u32 i = 0; i < run->nr_notes; i++)
		json_array_append_new(a,
				      json_pack("{s:o, s:o}", "name", text_json(run->notes[i].name),
						"value", text_json(run->notes[i].value)));
	return a;
}

static json_t *run_json(const struct result *r, u32 cell, u32 repeat)
{
	const struct run *run = result_run(r, cell, repeat);
	char trace[64], state[200];

	result_trace_name(trace, sizeof(trace), cell, repeat);
	if (!run->done)
		return json_pack("{s:i, s:s, s:s}", "repeat", (int)repeat, "trace", trace, "state",
				 "not run");
	return json_pack("{s:i, s:s, s:s, s:I, s:b, s:o, s:o, s:o}", "repeat", (int)repeat, "trace",
			 trace, "state", state_text(state, sizeof(state), &run->summary, ":"),
			 "seed", (json_int_t)run->summary.info.seed, "probe",
			 run->summary.info.probe, "checks", check_json(&run->summary),
			 "utilisation", usage_json(&run->summary), "notes", notes_json(run));
}

static json_t *cell_json(const struct result *r, u32 cell)
{
	json_t *at = json_object(), *runs = json_array();

	for (u32 a = 0; a < grid_axes(r->grid); a++)
		json_object_set_new(at, grid_axis_name(r->grid, a),
				    text_json(grid_axis_value(r->grid, a, cell)));
	for (u32 i = 0; i < result_repeats(r, cell); i++)
		json_array_append_new(runs, run_json(r, cell, i));
	return json_pack("{s:i, s:o, s:o, s:I, s:o}", "cell", (int)cell, "axes", at, "spec",
			 spec_text(grid_cell(r->grid, cell)), "seed",
			 (json_int_t)grid_cell(r->grid, cell)->workload.seed, "runs", runs);
}

/* The n-th note of name "warning" whose text no run before it has. */
static bool seen_before(const struct result *r, size_t run, u32 note)
{
	const char *text = r->runs[run].notes[note].value;

	for (size_t i = 0; i <= run; i++)
		for (u32 j = 0; j < (i == run ? note : r->runs[i].nr_notes); j++)
			if (!strcmp(r->runs[i].notes[j].name, "warning") &&
			    !strcmp(r->runs[i].notes[j].value, text))
				return true;
	return false;
}

const char *result_nth_warning(const struct result *r, u32 n)
{
	for (size_t i = 0; i < (size_t)r->cells * r->repeats; i++)
		for (u32 j = 0; j < r->runs[i].nr_notes; j++)
			if (!strcmp(r->runs[i].notes[j].name, "warning") && !seen_before(r, i, j) &&
			    n-- == 0)
				return r->runs[i].notes[j].value;
	return NULL;
}

static bool cell_unexercised(const struct result *r, u32 cell)
{
	bool any = false;

	for (u32 i = 0; i < result_repeats(r, cell); i++) {
		const struct run *run = result_run(r, cell, i);

		if (run->done && !summary_order_unexercised(&run->summary))
			return false;
		any |= run->done;
	}
	return any;
}

const char *result_order_warning(const struct result *r, char *buf, size_t len)
{
	u32 nr = 0, first = 0;

	for (u32 c = r->cells; c--;) {
		if (!cell_unexercised(r, c))
			continue;
		first = c;
		nr++;
	}
	if (!nr)
		return NULL;
	snprintf(buf, len,
		 "key order never exercised in %u of %u cells (the first is cell %u, %s): the "
		 "design "
		 "keeps it, but no item arrived while an earlier one of its key was unfinished",
		 nr, r->cells, first, grid_cell(r->grid, first)->design->name);
	return buf;
}

/* What a live run did with the CPUs; the same in every run of a cell. */
static json_t *placement(const struct result *r)
{
	static const char *const names[] = {"workers.cpus", "generator.cpu", "collector.cpu"};
	json_t *o = json_object();

	for (u32 n = 0; n < ARRAY_SIZE(names); n++) {
		json_object_set_new(o, names[n], json_null());
		for (size_t i = 0; i < (size_t)r->cells * r->repeats; i++)
			for (u32 j = 0; j < r->runs[i].nr_notes; j++)
				if (!strcmp(r->runs[i].notes[j].name, names[n]))
					json_object_set_new(o, names[n],
							    text_json(r->runs[i].notes[j].value));
	}
	return o;
}

static json_t *manifest_json(const struct manifest *m)
{
	const struct result *r = m->result;
	json_t *cells = json_array(), *warnings = json_array();
	u32 runs, done = result_done(r, &runs);
	const char *text;
	char buf[300];

	for (u32 c = 0; c < r->cells; c++)
		json_array_append_new(cells, cell_json(r, c));
	text = result_order_warning(r, buf, sizeof(buf));
	if (text)
		json_array_append_new(warnings, text_json(text));
	for (u32 i = 0; (text = result_nth_warning(r, i)); i++)
		json_array_append_new(warnings, text_json(text));
	return json_pack("{s:o, s:s, s:o, s:o, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "name", text_json(m->name), "version", m->version, "began", utc(m->began),
			 "ended", utc(time(NULL)), "engine",
			 r->engine == TRACE_SIM ? "sim" : "live", "runs", (int)runs, "runs_done",
			 (int)done, "command", words(m->command, m->nr_command), "spec",
			 m->spec ? text_json(m->spec) : json_null(), "axes", axes(r->grid), "host",
			 host_json(), "cpus", placement(r), "warnings", warnings, "cells", cells);
}

int manifest_print(const struct manifest *m, FILE *f)
{
	json_t *o = manifest_json(m);
	int rc = o ? json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : -1;

	json_decref(o);
	if (!rc)
		fputc('\n', f);
	/* A write error is found when the file is brought to disk. */
	return o ? 0 : -ENOMEM;
}
