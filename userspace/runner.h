/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs the repeats of all cells, interleaved: the first repeat of every cell, then the second. Each
 * run is a process of its own; live runs one at a time, simulations as many as there are CPUs. A
 * run that has ended is analysed at once, by reading its trace.
 */
#ifndef HOLBENCH_RUNNER_H
#define HOLBENCH_RUNNER_H

#include "progress.h"
#include "report/outdir.h"
#include "report/result.h"

struct runner {
	struct result *result; /* runs that are done already are left out */
	const struct outdir *dir;
	bool no_bpf, quiet;
	int signal; /* set when a signal ended it: what is finished is kept */
};

/*
 * 0 when all are done or a signal came (r->signal); else a negative errno with the line: then the
 * trace of the run that failed is removed, and those before it are kept.
 */
int runner_run(struct runner *r, char *err, size_t err_len);

/* Is the probe wanted for this cell? */
bool runner_probe(const struct spec *s, bool no_bpf);

#endif
