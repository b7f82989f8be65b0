/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of the runs: files, table, exit status; and how an interrupted result is taken up.
 */
#ifndef HOLBENCH_OUTCOME_H
#define HOLBENCH_OUTCOME_H

#include "experiment.h"
#include "report/row.h"

/* Read the traces of an earlier run that are complete. An exit status: a trace of another spec is a
 * usage error. */
int outcome_resume(struct experiment *x);
/* The same of one cell. */
int outcome_resume_cell(struct experiment *x, u32 cell);
/* cells.csv, ledger.csv, manifest.json: all that was done. When nothing was, the directory goes if
 * it is ours. An exit status. */
int outcome_write(struct experiment *x);
/* The exit status that the states of the cells make. */
int outcome_status(const struct rows *rows);
/* Of an interrupted or failed run: how much is done, and the command that goes on; all 0: nobody
 * knows of how many. */
void outcome_print_again(const struct experiment *x, u32 done, u32 all);
/* As a shell takes it. */
void outcome_print_word(const char *word, FILE *f);
/* Table or JSON document, and what to do next. The exit status of the whole. */
int outcome_show(struct experiment *x);

#endif
