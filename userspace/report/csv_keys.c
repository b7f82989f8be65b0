/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/csv.h"

#include "report/field.h"

#include <string.h>

/* A file that was read twice, as with another window, has the same keys. */
static bool seen_before(const struct grid *g, u32 file)
{
	const struct csv_config *csv = grid_file(g, file), *other;

	for (u32 i = 0; i < file; i++) {
		other = grid_file(g, i);
		if (!strcmp(csv->path, other->path) && !strcmp(csv->key, other->key))
			return true;
	}
	return false;
}

void csv_keys(const struct grid *g, FILE *f)
{
	const struct csv_config *csv;
	const char *name;

	fputs("trace,column,key,name\n", f);
	for (u32 i = 0; (csv = grid_file(g, i)); i++) {
		for (u32 k = 0; !seen_before(g, i) && (name = grid_file_key(g, i, k)); k++) {
			field_text(f, csv->path);
			fputc(',', f);
			field_text(f, csv->key);
			fprintf(f, ",%u,", k);
			field_text(f, name);
			fputc('\n', f);
		}
	}
}
