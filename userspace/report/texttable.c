/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/texttable.h"

#include <stdlib.h>
#include <string.h>

struct text_column {
	char *upper, *lower; /* owned */
	bool left, group;
};

struct texttable {
	u32 columns;
	struct text_column *column;
	char **cells;
	size_t nr;
};

struct texttable *texttable_new(u32 columns)
{
	struct texttable *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->columns = columns;
	t->column = calloc(columns, sizeof(*t->column));
	if (t->column)
		return t;
	free(t);
	return NULL;
}

void texttable_free(struct texttable *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr; i++)
		free(t->cells[i]);
	for (u32 c = 0; c < t->columns; c++) {
		free(t->column[c].upper);
		free(t->column[c].lower);
	}
	free(t->cells);
	free(t->column);
	free(t);
}

bool texttable_title(struct texttable *t, u32 c, const char *upper, const char *lower, bool left,
		     bool group)
{
	t->column[c] = (struct text_column){strdup(upper), strdup(lower), left, group};
	return t->column[c].upper && t->column[c].lower;
}

bool texttable_cell(struct texttable *t, const char *text)
{
	char **cells = realloc(t->cells, (t->nr + 1) * sizeof(*cells));

	if (!cells)
		return false;
	t->cells = cells;
	cells[t->nr] = strdup(text);
	if (!cells[t->nr])
		return false;
	t->nr++;
	return true;
}

/* Characters, not bytes: continuation bytes of UTF-8 have no width. */
static int width(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static int column_width(const struct texttable *t, u32 c)
{
	int w = width(t->column[c].lower);

	for (size_t i = c; i < t->nr; i += t->columns)
		if (width(t->cells[i]) > w)
			w = width(t->cells[i]);
	return w;
}

static int gap(const struct texttable *t, u32 c)
{
	return c == 0 ? 0 : t->column[c].group ? 3 : 1;
}

/* Spaces at a line's end are kept back until something follows. */
static void print_row(const struct texttable *t, FILE *f, char *const *cells, const int *widths)
{
	int owed = 0;

	for (u32 c = 0; c < t->columns; c++) {
		const char *text = cells ? cells[c] : t->column[c].lower;
		int pad = widths[c] - width(text);

		owed += gap(t, c) + (t->column[c].left ? 0 : pad);
		fprintf(f, "%*s%s", owed, "", text);
		owed = t->column[c].left ? pad : 0;
	}
	fputc('\n', f);
}

/* An upper title may be wider than its columns: what follows it moves on the upper line only. */
static void print_upper(const struct texttable *t, FILE *f, const int *widths)
{
	int at = 0, printed = 0;

	for (u32 c = 0; c < t->columns; c++) {
		const char *text = t->column[c].upper;

		at += gap(t, c);
		if (*text) {
			int from = at;

			if (printed && from <= printed)
				from = printed + 1;
			fprintf(f, "%*s%s", from - printed, "", text);
			printed = from + width(text);
		}
		at += widths[c];
	}
	fputc('\n', f);
}

void texttable_print(const struct texttable *t, FILE *f)
{
	int *widths = calloc(t->columns, sizeof(*widths));
	bool upper = false;

	if (!widths)
		return;
	for (u32 c = 0; c < t->columns; c++) {
		widths[c] = column_width(t, c);
		upper |= t->column[c].upper[0] != '\0';
	}
	if (upper)
		print_upper(t, f, widths);
	print_row(t, f, NULL, widths);
	for (size_t i = 0; i + t->columns <= t->nr; i += t->columns)
		print_row(t, f, &t->cells[i], widths);
	free(widths);
}
