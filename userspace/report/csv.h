/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables for programs: cells.csv, ledger.csv and keys.csv. Same result, same bytes. */
#ifndef HOLBENCH_REPORT_CSV_H
#define HOLBENCH_REPORT_CSV_H

#include "report/result.h"

/* One header line, then a row for each run that was done. */
void csv_cells(const struct result *r, FILE *f);
void csv_ledger(const struct result *r, FILE *f);
/* What the numbers of keys mean, for each file of a recorded stream that the grid has read. */
void csv_keys(const struct grid *g, FILE *f);

#endif
