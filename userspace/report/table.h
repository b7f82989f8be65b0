/* SPDX-License-Identifier: GPL-2.0-only */
/* What a person sees at the end of a run, a sweep or a simulation. */
#ifndef HOLBENCH_REPORT_TABLE_H
#define HOLBENCH_REPORT_TABLE_H

#include "report/row.h"

#include <stdio.h>

/* ns as milliseconds with the digits that matter: "23369", "437", "7.48", "0.021". Returns buf. */
const char *ms_text(char *buf, size_t len, double ns);
/* "2.0 shared", or "": a cell by its axes' values, as sentences name it. Returns buf. */
const char *cell_text(char *buf, size_t len, const struct grid *g, u32 cell);

/* A row a cell: the median over its repeats, with `ranges` min..max too. 0 or -ENOMEM. */
int table_print(const struct result *r, const struct rows *rows, bool ranges, FILE *f);

/* Is the order matrix of interest: are there partitions? */
bool order_wanted(const struct result *r);
/* The order matrix: for each cell whether order held in each scope, with the most violations that a
 * repeat had. 0 or -ENOMEM. */
int order_print(const struct result *r, const struct rows *rows, FILE *f);

/* Are threads and memory of interest: is there another executor than threads, live? */
bool threads_wanted(const struct result *r);
/* For each cell its threads at the peak, all stacks together, and what was resident beyond what the
 * process began with. 0 or -ENOMEM. */
int threads_print(const struct result *r, const struct rows *rows, FILE *f);

#define FINDINGS_MAX 8
struct findings {
	char text[FINDINGS_MAX][600];
	u32 nr;
};
/* Sentences drawn from the numbers: where the designs part, what stealing cost, what the kernel
 * added. Only what the grid's axes allow to say. */
void findings_draw(struct findings *f, const struct result *r, const struct rows *rows);

#endif
