/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/compare_load.h"

#include "report/manifest.h"
#include "report/result.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where messages go. */
struct loading {
	struct loaded *l;
	char *err;
	size_t err_len;
};

__attribute__((format(printf, 3, 4))) static int load_fail(struct loading *x, int rc,
							   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->err, x->err_len, fmt, ap);
	va_end(ap);
	return rc;
}

static int wrong_manifest(struct loading *x, const char *what)
{
	return load_fail(x, -EINVAL,
			 "%s/manifest.json: %s: it is not as holbench wrote it; make the result "
			 "anew",
			 x->l->path, what);
}

static int read_manifest(struct loading *x)
{
	char path[PATH_MAX];
	json_error_t e;
	FILE *f;
	int rc;

	if (snprintf(path, sizeof(path), "%s/manifest.json", x->l->path) >= (int)sizeof(path))
		return load_fail(x, -ENAMETOOLONG, "%s: %s", x->l->path, strerror(ENAMETOOLONG));
	f = fopen(path, "re");
	rc = f ? 0 : -errno;
	if (rc == -ENOENT)
		return load_fail(x, rc,
				 "%s: no manifest.json: name a result's directory; where a run was "
				 "killed, repeat its command with --resume %s",
				 x->l->path, x->l->path);
	if (rc)
		return load_fail(x, rc, "%s: %s", path, strerror(-rc));
	x->l->manifest = json_loadf(f, 0, &e);
	fclose(f);
	return x->l->manifest ? 0 : wrong_manifest(x, e.text);
}

static u32 engine_of(const struct loaded *l)
{
	return strcmp(loaded_fact(l, NULL, "engine"), "sim") ? TRACE_LIVE : TRACE_SIM;
}

/* A trace of another result would be compared under a false name. */
static bool belongs(const struct loading *x, const struct trace_reader *t, u32 cell, u32 repeat)
{
	const struct trace_info *info = trace_info(t);
	json_t *cells = json_object_get(x->l->manifest, "cells");
	json_t *own = json_object_get(json_array_get(cells, cell), "spec"),
	       *its = text_json(trace_spec(t));
	bool same = json_equal(own, its) && info->cell == cell && info->repeat == repeat &&
		    info->engine == engine_of(x->l);

	json_decref(its);
	return same;
}

static int read_trace(struct loading *x, u32 cell, u32 repeat)
{
	struct loaded_run *run = &x->l->cells[cell].runs[repeat];
	char name[64], path[PATH_MAX], why[PATH_MAX + 256];
	struct trace_reader *t;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", x->l->path,
		 result_trace_name(name, sizeof(name), cell, repeat));
	rc = trace_open(&t, path, why, sizeof(why));
	if (rc)
		return load_fail(x, rc, "%s", why);
	if (!belongs(x, t, cell, repeat)) {
		rc = load_fail(x, -EINVAL, "%s is not the trace that manifest.json tells of", path);
	} else {
		rc = summary_read(&run->summary, t, why, sizeof(why));
		run->done = !rc;
		if (rc)
			load_fail(x, rc, "%s: %s", path, why);
	}
	trace_reader_free(t);
	return rc;
}

static void judge(struct loaded_cell *cell, enum cell_state state, const char *text)
{
	if (state_worse(cell->state, state) == cell->state)
		return;
	cell->state = state;
	snprintf(cell->why, sizeof(cell->why), "%s", text);
}

static int read_runs(struct loading *x, u32 c, json_t *runs)
{
	struct loaded_cell *cell = &x->l->cells[c];
	char text[200];
	int rc = 0;

	for (u32 i = 0; i < cell->nr_runs && !rc; i++) {
		const char *state =
			json_string_value(json_object_get(json_array_get(runs, i), "state"));

		if (!state)
			return wrong_manifest(x, "a run has no state");
		if (!strcmp(state, "not run")) {
			snprintf(text, sizeof(text), "repeat %u was not run", i);
			judge(cell, CELL_INCOMPLETE, text);
			continue;
		}
		rc = read_trace(x, c, i);
		if (!rc)
			judge(cell, cell->runs[i].summary.state, cell->runs[i].summary.why);
	}
	return rc;
}

static int read_cell(struct loading *x, u32 c, json_t *from)
{
	struct loaded_cell *cell = &x->l->cells[c];
	const char *text = json_string_value(json_object_get(from, "spec"));
	json_t *runs = json_object_get(from, "runs");
	struct spec_error e;

	if (!text || !json_array_size(runs))
		return wrong_manifest(x, "a cell has no spec or no runs");
	if (grid_parse(&cell->grid, text, "its spec", &e))
		return load_fail(x, -EINVAL, "%s/manifest.json: cell %u: %s", x->l->path, c,
				 e.text);
	cell->spec = grid_cell(cell->grid, 0);
	cell->runs = calloc(json_array_size(runs), sizeof(*cell->runs));
	if (!cell->runs)
		return load_fail(x, -ENOMEM, "out of memory");
	cell->nr_runs = (u32)json_array_size(runs);
	return read_runs(x, c, runs);
}

int loaded_read(struct loaded *l, const char *path, char *err, size_t err_len)
{
	struct loading x = {l, err, err_len};
	json_t *cells;
	size_t i;
	int rc;

	*l = (struct loaded){.path = path};
	rc = read_manifest(&x);
	cells = json_object_get(l->manifest, "cells");
	if (!rc && !json_array_size(cells))
		rc = wrong_manifest(&x, "no cells");
	if (!rc) {
		l->cells = calloc(json_array_size(cells), sizeof(*l->cells));
		rc = l->cells ? 0 : load_fail(&x, -ENOMEM, "out of memory");
	}
	if (!rc)
		l->nr_cells = (u32)json_array_size(cells);
	for (i = 0; !rc && i < l->nr_cells; i++)
		rc = read_cell(&x, (u32)i, json_array_get(cells, i));
	if (rc)
		loaded_free(l);
	return rc;
}

void loaded_free(struct loaded *l)
{
	for (u32 c = 0; c < l->nr_cells; c++) {
		for (u32 i = 0; i < l->cells[c].nr_runs; i++)
			if (l->cells[c].runs[i].done)
				summary_free(&l->cells[c].runs[i].summary);
		free(l->cells[c].runs);
		grid_free(l->cells[c].grid);
	}
	free(l->cells);
	json_decref(l->manifest);
	*l = (struct loaded){0};
}

const char *loaded_fact(const struct loaded *l, const char *object, const char *name)
{
	json_t *o = object ? json_object_get(l->manifest, object) : l->manifest;
	const char *text = json_string_value(json_object_get(o, name));

	return text ? text : "null";
}

u32 loaded_axes(const struct loaded *l)
{
	return (u32)json_array_size(json_object_get(l->manifest, "axes"));
}

const char *loaded_axis_name(const struct loaded *l, u32 axis)
{
	const char *name =
		json_string_value(json_array_get(json_object_get(l->manifest, "axes"), axis));

	return name ? name : "?";
}

const char *loaded_axis_value(const struct loaded *l, u32 cell, const char *name)
{
	json_t *at = json_array_get(json_object_get(l->manifest, "cells"), cell);

	return json_string_value(json_object_get(json_object_get(at, "axes"), name));
}
