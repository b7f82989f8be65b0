/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of recorded streams that a grid's cells have: each is read once. */
#ifndef HOLBENCH_SPEC_FILES_H
#define HOLBENCH_SPEC_FILES_H

#include "spec/error.h"
#include "spec/names.h"

struct files {
	struct file {
		struct csv_config csv;
		struct names *names; /* owned */
	} * list;		     /* owned */
	u32 nr;
};

/*
 * Fill csv->facts from its file. A CRC-32 that is there already must be the file's. 0, or a
 * negative errno with err filled.
 */
int files_read(struct files *f, struct csv_config *csv, struct spec_error *err);
void files_free(struct files *f);

#endif
