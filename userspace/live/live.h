/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live engine: real pinned threads under an open-loop generator, one run of one cell, written
 * as a trace.
 */
#ifndef HOLBENCH_LIVE_H
#define HOLBENCH_LIVE_H

#include "spec/spec.h"

struct live_config {
	const struct spec *spec; /* one cell, as written (not scaled) */
	u32 cell, repeat;	 /* for the trace header; the seed used is spec seed + repeat */
	const char *path;	 /* the trace file to create */
	const char *noise_log;	 /* where the output of noise.command goes; NULL: nowhere */
	bool probe;		 /* false: no BPF; the kernel's parts are not measured */
	bool keep_rights;	 /* the caller goes on and needs them (tests) */
	/* Optional: called about ten times a second from the collector; done of total items. */
	void (*progress)(void *ctx, u64 done, u64 total);
	void *ctx;
};

/*
 * Run until the last item is done, or SIGINT or SIGTERM: then the stream and what is in
 * service are cut, and -EINTR is returned with the trace left *incomplete*. Other errors: a
 * negative errno with err filled with one line. The caller is single-threaded and about to exit:
 * memory is locked, signals are blocked, and once all is set up every capability is dropped. Then
 * the groups may stay for whoever may remove them: leftover_remove_of().
 */
int live_run(const struct live_config *cfg, char *err, size_t err_len);

/*
 * Could this cell run here? Checks CPUs, worker count, permissions, without starting anything. 0 or
 * a negative errno with err filled: used before a sweep starts, so that its last cell does not fail
 * after an hour.
 */
int live_check(const struct spec *spec, bool probe, char *err, size_t err_len);

#endif
