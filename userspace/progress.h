/* SPDX-License-Identifier: GPL-2.0-only */
/* One line on the terminal while runs go on; nothing at all where there is no terminal. */
#ifndef HOLBENCH_PROGRESS_H
#define HOLBENCH_PROGRESS_H

#include "report/result.h"

struct progress {
	bool on;
	const struct result *result;
	double all_s, done_s; /* length of the streams of all runs, and of those that are done */
	u64 began_ns;
	int shown; /* characters on the line now */
};

/* `on`: wanted, and standard error is a terminal. */
void progress_begin(struct progress *p, const struct result *r, bool on);
/* These are the runs' streams: how long they take is the measure of the time left. */
void progress_expect(struct progress *p, u32 cell);
void progress_show(struct progress *p, u32 cell, u32 repeat, u64 done, u64 total);
void progress_done(struct progress *p, u32 cell);
/* Wipe the line. */
void progress_end(struct progress *p);

#endif
