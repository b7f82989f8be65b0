/* SPDX-License-Identifier: GPL-2.0-only */
/* A finished result read back from its directory: manifest.json says what was run, the traces how
 * it went. */
#ifndef HOLBENCH_REPORT_COMPARE_LOAD_H
#define HOLBENCH_REPORT_COMPARE_LOAD_H

#include "report/summary.h"
#include "spec/spec.h"

#include <jansson.h>

struct loaded_run {
	bool done; /* the summary is there */
	struct summary summary;
};

struct loaded_cell {
	struct grid *grid; /* owned: of this one cell */
	const struct spec *spec;
	struct loaded_run *runs; /* owned: a repeat each */
	u32 nr_runs;
	/* The gravest of its runs, one that was never done included, and the words for it. */
	enum cell_state state;
	char why[200];
};

struct loaded {
	const char *path; /* borrowed */
	json_t *manifest; /* owned */
	struct loaded_cell *cells;
	u32 nr_cells;
};

/*
 * Returns 0, or a negative errno with the line: -ENOENT when the directory is no result, -EINVAL
 * when its files do not belong together. On error nothing is held. Free with loaded_free().
 */
int loaded_read(struct loaded *l, const char *path, char *err, size_t err_len);
void loaded_free(struct loaded *l);

/* A text of the manifest by its name, in `object` ("host") or at the top with NULL: "null" for what
 * was not known. */
const char *loaded_fact(const struct loaded *l, const char *object, const char *name);

u32 loaded_axes(const struct loaded *l);
const char *loaded_axis_name(const struct loaded *l, u32 axis);
/* A cell's value of an axis as written, or NULL when the result has no such axis. */
const char *loaded_axis_value(const struct loaded *l, u32 cell, const char *name);

#endif
