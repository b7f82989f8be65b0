/* SPDX-License-Identifier: GPL-2.0-only */
/* From the words of the command line to a result: what run, sweep and simulate share. */
#ifndef HOLBENCH_EXPERIMENT_H
#define HOLBENCH_EXPERIMENT_H

#include "command.h"

struct experiment_kind {
	u32 engine;    /* enum trace_engine */
	bool one_cell; /* a sweep axis is a usage error */
	bool defaults; /* works without a spec */
};

/* Returns an exit status. */
int experiment_main(const struct command *c, const struct arguments *a,
		    const struct experiment_kind *kind);

#endif
