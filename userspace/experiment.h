/* SPDX-License-Identifier: GPL-2.0-only */
/* From the words of the command line to a result: what run, sweep and simulate share. */
#ifndef HOLBENCH_EXPERIMENT_H
#define HOLBENCH_EXPERIMENT_H

#include "command.h"
#include "report/outdir.h"
#include "report/result.h"

#include <time.h>

struct experiment_kind {
	u32 engine;	     /* enum trace_engine */
	bool one_cell;	     /* a sweep axis is a usage error */
	bool defaults;	     /* works without a spec */
	const char *example; /* a spec and words that work, or NULL: any preset does */
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
	u64 rights;  /* what the cells that were checked need: live/rights.h */
	int signal;  /* that ended it, or 0 */
	bool failed; /* a run did, and has been reported */
};

/*
 * The parts of it, each an exit status. The caller frees x->words and ends it, as experiment_main()
 * does. The first is also where the process becomes the user whom it works for.
 */
int experiment_words(struct experiment *x, const struct experiment_kind *kind);
/* Remove what a killed run left, and see whether every cell could run. */
int experiment_check(struct experiment *x, const struct grid *g);
/* To standard error, each remark on a cell once. */
void experiment_remarks(const struct grid *g);
/* All cells have been checked: give up the rights that none needs, and make the result directory,
 * or open the one to go on in. */
int experiment_open(struct experiment *x);
/* Run what is not done yet. */
int experiment_run(struct experiment *x);
/* Nothing runs any more. */
void experiment_end(const struct experiment *x);

/* Returns an exit status. */
int experiment_main(const struct command *c, const struct arguments *a,
		    const struct experiment_kind *kind);

#endif
