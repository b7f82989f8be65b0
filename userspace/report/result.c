/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

u32 result_repeats(const struct result *r, u32 cell)
{
	return grid_cell(r->grid, cell)->run.repeats;
}

struct run *result_run(const struct result *r, u32 cell, u32 repeat)
{
	return &r->runs[(size_t)cell * r->repeats + repeat];
}

u32 result_done(const struct result *r, u32 *all)
{
	u32 done = 0;

	*all = 0;
	for (u32 c = 0; c < r->cells; c++) {
		for (u32 i = 0; i < result_repeats(r, c); i++) {
			done += result_run(r, c, i)->done;
			++*all;
		}
	}
	return done;
}

int result_init(struct result *r, const struct grid *grid, u32 engine)
{
	*r = (struct result){.grid = grid, .engine = engine, .cells = grid_cells(grid)};
	for (u32 c = 0; c < r->cells; c++)
		if (result_repeats(r, c) > r->repeats)
			r->repeats = result_repeats(r, c);
	r->runs = calloc((size_t)r->cells * r->repeats, sizeof(*r->runs));
	return r->runs ? 0 : -ENOMEM;
}

int result_grow(struct result *r)
{
	u32 cells = grid_cells(r->grid);
	struct run *runs = realloc(r->runs, (size_t)cells * r->repeats * sizeof(*runs));

	if (!runs)
		return -ENOMEM;
	memset(&runs[(size_t)r->cells * r->repeats], 0,
	       (size_t)(cells - r->cells) * r->repeats * sizeof(*runs));
	r->runs = runs;
	r->cells = cells;
	return 0;
}

static void run_free(struct run *run)
{
	for (u32 i = 0; i < run->nr_notes; i++) {
		free(run->notes[i].name);
		free(run->notes[i].value);
	}
	free(run->notes);
	if (run->done)
		summary_free(&run->summary);
	*run = (struct run){0};
}

void result_fini(struct result *r)
{
	for (size_t i = 0; r->runs && i < (size_t)r->cells * r->repeats; i++)
		run_free(&r->runs[i]);
	free(r->runs);
	r->runs = NULL;
}

const char *result_trace_name(char *buf, size_t len, u32 cell, u32 repeat)
{
	snprintf(buf, len, "cell-%03u-r%u.hbt", cell, repeat);
	return buf;
}

static int note_add(struct run *run, const char *name, const char *value)
{
	struct note *notes = realloc(run->notes, (run->nr_notes + 1) * sizeof(*notes));
	struct note n = {strdup(name), strdup(value)};

	if (notes)
		run->notes = notes;
	if (notes && n.name && n.value) {
		notes[run->nr_notes++] = n;
		return 0;
	}
	free(n.name);
	free(n.value);
	return -ENOMEM;
}

static int notes_copy(struct run *run, const struct trace_reader *t)
{
	const char *name, *value;
	int rc = 0;

	for (u32 i = 0; !rc && trace_nth_note(t, i, &name, &value); i++)
		rc = note_add(run, name, value);
	return rc;
}

int result_read(struct result *r, u32 cell, u32 repeat, const char *path, char *err, size_t err_len)
{
	struct run *run = result_run(r, cell, repeat);
	struct trace_reader *t;
	char why[400];
	int rc = trace_open(&t, path, err, err_len);

	if (rc)
		return rc;
	trace_set_stop(t, r->stop, r->stop_ctx);
	rc = summary_read(&run->summary, t, why, sizeof(why));
	run->done = !rc;
	if (rc)
		snprintf(err, err_len, "%s: %s", path, why);
	if (!rc && notes_copy(run, t)) {
		snprintf(err, err_len, "%s: out of memory", path);
		rc = -ENOMEM;
	}
	trace_reader_free(t);
	if (rc)
		run_free(run);
	return rc;
}

enum cell_state state_worse(enum cell_state a, enum cell_state b)
{
	return a > b ? a : b;
}

const char *state_name(enum cell_state s)
{
	static const char *const names[] = {
		[CELL_VALID] = "valid",
		[CELL_INVALID] = "invalid",
		[CELL_INCOMPLETE] = "incomplete",
		[CELL_DEFECT] = "defect",
	};

	return names[s];
}

const char *state_text(char *buf, size_t len, const struct summary *s, const char *sep)
{
	snprintf(buf, len, "%s%s%s", state_name(s->state), s->why[0] ? sep : "", s->why);
	return buf;
}
