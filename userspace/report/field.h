/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOLBENCH_REPORT_FIELD_H
#define HOLBENCH_REPORT_FIELD_H

#include <stdio.h>

/* One field of a CSV file, quoted where it must be. */
void field_text(FILE *f, const char *text);

#endif
