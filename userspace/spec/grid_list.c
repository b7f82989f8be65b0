/* SPDX-License-Identifier: GPL-2.0-only */
/* A grid whose cells are known one after another, as those of a search. */
#include "spec/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int grid_list_new(struct grid **out, const char *const *axes, u32 nr_axes)
{
	struct grid *g = calloc(1, sizeof(*g));

	*out = NULL;
	if (!g)
		return -ENOMEM;
	g->axes = calloc(nr_axes, sizeof(*g->axes));
	g->values = calloc(1, sizeof(*g->values));
	if (!g->axes || !g->values) {
		grid_free(g);
		return -ENOMEM;
	}
	g->nr_axes = nr_axes;
	for (u32 i = 0; i < nr_axes; i++)
		snprintf(g->axes[i].name, sizeof(g->axes[i].name), "%s", axes[i]);
	*out = g;
	return 0;
}

int grid_list_add(struct grid *g, const struct spec *cell, const char *const *values)
{
	size_t at = (size_t)g->nr_cells * g->nr_axes;
	struct spec *cells = realloc(g->cells, (g->nr_cells + 1) * sizeof(*cells));
	char **texts;
	bool all = true;

	if (cells)
		g->cells = cells;
	texts = realloc(g->values, (at + g->nr_axes) * sizeof(*texts));
	if (texts)
		g->values = texts;
	if (!cells || !texts)
		return -ENOMEM;
	cells[g->nr_cells++] = *cell;
	for (u32 i = 0; i < g->nr_axes; i++) {
		texts[at + i] = strdup(values[i]);
		all = all && texts[at + i];
	}
	return all ? 0 : -ENOMEM;
}
