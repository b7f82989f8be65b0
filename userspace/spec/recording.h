/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recorded stream: the rows of a CSV file in the order of their times. Rows stream; memory is for
 * the keys, and for the rows within csv.window. The smallest time is 0.
 */
#ifndef HOLBENCH_SPEC_RECORDING_H
#define HOLBENCH_SPEC_RECORDING_H

#include "spec/error.h"
#include "spec/names.h"

/*
 * Read all of it: check every row, fill csv->facts, and *names (to be freed) with the keys by
 * number. 0, or a negative errno with err filled.
 */
int recording_survey(struct csv_config *csv, struct names **names, struct spec_error *err);

struct recording;

/* From the beginning, with speed and cost scale; csv->facts are there. 0 or a negative errno. */
int recording_open(struct recording **out, const struct csv_config *csv, struct spec_error *err);
void recording_close(struct recording *a);
/* For struct arrival_source: `a` is a struct recording. */
bool recording_next(void *a, struct arrival *out);
/*
 * Why recording_next() ended: 0 when it gave all rows of the file that csv->facts are of, else a
 * negative errno with err filled.
 */
int recording_error(const struct recording *a, struct spec_error *err);

#endif
