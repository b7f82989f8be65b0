/* SPDX-License-Identifier: GPL-2.0-only */
/* One simulated run, written as a trace: what live_run() is to the live engine. */
#ifndef HOLBENCH_SIMULATE_H
#define HOLBENCH_SIMULATE_H

#include "spec/spec.h"

struct simulate_config {
	const struct spec *spec; /* one cell, as written (not scaled) */
	u32 cell, repeat;	 /* for the trace header; the seed used is the spec's + repeat */
	const char *path;	 /* the trace file to create */
	/* Optional: called now and then; done of total items. */
	void (*progress)(void *ctx, u64 done, u64 total);
	void *ctx;
};

/* 0, or a negative errno with the line; then the trace, if there is one, is marked incomplete. */
int simulate_run(const struct simulate_config *cfg, char *err, size_t err_len);

#endif
