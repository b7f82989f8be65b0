/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of text whose columns are as wide as what is in them. */
#ifndef HOLBENCH_REPORT_TEXTTABLE_H
#define HOLBENCH_REPORT_TEXTTABLE_H

#include "core/types.h"

#include <stdio.h>

struct texttable; /* opaque */

/* NULL when out of memory. */
struct texttable *texttable_new(u32 columns);
void texttable_free(struct texttable *t);
/*
 * Column c: a title of two lines (the upper may be empty), its side, and whether a group begins
 * here: groups stand further apart. Without an upper title a column stands under the one before it.
 * Texts are copied. False when out of memory.
 */
bool texttable_title(struct texttable *t, u32 c, const char *upper, const char *lower, bool left,
		     bool group);
/* The next cell of the current row, from the left; the text is copied. False when out of memory. */
bool texttable_cell(struct texttable *t, const char *text);
void texttable_print(const struct texttable *t, FILE *f);

#endif
