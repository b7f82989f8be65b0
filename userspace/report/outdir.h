/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result directory and the files in it. A file appears under its name when all of it is on
 * disk, or not at all.
 */
#ifndef HOLBENCH_REPORT_OUTDIR_H
#define HOLBENCH_REPORT_OUTDIR_H

#include "core/types.h"

#include <limits.h>
#include <stdio.h>

struct outdir {
	char path[PATH_MAX];
	bool made; /* by us: may be removed by us */
};

/*
 * Make the directory `out`, or with NULL `results/<UTC time>-<name>`. An existing one is taken when
 * it is empty. Returns 0, or a negative errno with the line: -EEXIST when something is in it.
 */
int outdir_make(struct outdir *d, const char *out, const char *name, char *err, size_t err_len);
/* A directory that a run was interrupted in. 0 or a negative errno with the line. */
int outdir_open(struct outdir *d, const char *path, char *err, size_t err_len);
/* Remove the directory if it is ours and empty. */
void outdir_discard(const struct outdir *d);
/* PATH/NAME in buf. -ENAMETOOLONG when it does not fit. */
int outdir_path(const struct outdir *d, const char *name, char buf[PATH_MAX]);

struct outfile {
	FILE *f;
	char path[PATH_MAX];
	char temporary[PATH_MAX];
};

/* Start to write a file of the directory. 0 or a negative errno. */
int outfile_open(struct outfile *o, const struct outdir *d, const char *name);
/* Bring it to disk under its name. On an error (a full disk) nothing is left, and what was there
 * before stays. 0 or a negative errno. */
int outfile_commit(struct outfile *o);

#endif
