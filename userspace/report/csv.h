/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables for programs: cells.csv and ledger.csv. Same result, same bytes. */
#ifndef HOLBENCH_REPORT_CSV_H
#define HOLBENCH_REPORT_CSV_H

#include "report/result.h"

/* One header line, then a row for each run that was done. */
void csv_cells(const struct result *r, FILE *f);
void csv_ledger(const struct result *r, FILE *f);

#endif
