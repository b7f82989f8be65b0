/* SPDX-License-Identifier: GPL-2.0-only */
/* From the words of the command line to a result: what run, sweep and simulate share. */
#ifndef HOLBENCH_EXPERIMENT_H
#define HOLBENCH_EXPERIMENT_H

#include "command.h"
#include "report/outdir.h"
#include "report/result.h"

#include <time.h>

struct experiment_kind {
	u32 engine;    /* enum trace_engine */
	bool one_cell; /* a sweep axis is a usage error */
	bool defaults; /* works without a spec */
};

struct experiment {
	const struct command *command;
	const struct arguments *args;
	u32 engine; /* enum trace_engine */
	time_t began;
	char name[64];
	const char *spec_path; /* or a preset's name, or NULL */
	char **words;	       /* owned array: section.key=value */
	int nr_words;
	struct grid *grid; /* owned */
	struct result result;
	struct outdir dir;
	int signal;  /* that ended it, or 0 */
	bool failed; /* a run did, and has been reported */
};

/* Returns an exit status. */
int experiment_main(const struct command *c, const struct arguments *a,
		    const struct experiment_kind *kind);

#endif
