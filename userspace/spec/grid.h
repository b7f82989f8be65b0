/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside a grid: grid.c makes one from a spec, grid_list.c one whose cells are added one by one. */
#ifndef HOLBENCH_SPEC_GRID_H
#define HOLBENCH_SPEC_GRID_H

#include "spec/entry.h"
#include "spec/files.h"

struct axis {
	const struct entry *entry; /* NULL in a list of cells */
	char name[KEY_TEXT];
	u32 stride; /* cells before its value changes */
};

struct grid {
	struct entries entries;
	struct axis *axes;
	struct spec *cells;
	u32 nr_axes, nr_cells;
	struct files files;
	bool reads;    /* files, also those whose facts the text has */
	char **values; /* owned, of a list of cells: nr_axes texts for each */
};

#endif
