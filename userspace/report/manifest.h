/* SPDX-License-Identifier: GPL-2.0-only */
/* What was run, on what, and how it went, as JSON. What cannot be read is null. */
#ifndef HOLBENCH_REPORT_MANIFEST_H
#define HOLBENCH_REPORT_MANIFEST_H

#include "report/row.h"

#include <jansson.h>

struct manifest {
	const char *name;     /* preset, or the spec file without its ending */
	const char *version;  /* of this program */
	const char *spec;     /* the text that was read, or NULL: defaults */
	char *const *command; /* the words of the command line */
	int nr_command;
	const struct result *result;
	time_t began;
};

/* Writes one JSON object. 0 or -ENOMEM. */
int manifest_print(const struct manifest *m, FILE *f);
/* The host as an object; NULL when out of memory. */
json_t *host_json(void);

struct document {
	const struct result *result;
	const struct rows *rows;
	const char *path; /* of the result directory */
	u32 runs, runs_done;
};
/* The table and its sentences as one JSON document. 0 or -ENOMEM. */
int document_print(const struct document *d, FILE *f);

/* Text from outside as a JSON string: bytes that are no UTF-8 become '?'. NULL when out of memory.
 */
json_t *text_json(const char *text);

/* "key order never exercised …", for the cells that this is true of in every repeat; NULL: there is
 * none. Else returns buf. */
const char *result_order_warning(const struct result *r, char *buf, size_t len);
/* Warnings of all runs, each text once, in order. The strings are borrowed. NULL past the last. */
const char *result_nth_warning(const struct result *r, u32 i);

#endif
