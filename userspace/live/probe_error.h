/* SPDX-License-Identifier: GPL-2.0-only */
/* One line out of what the kernel and libbpf say about a refused probe. Part of live/probe. */
#ifndef HOLBENCH_LIVE_PROBE_ERROR_H
#define HOLBENCH_LIVE_PROBE_ERROR_H

#include "core/types.h"

/*
 * The line of a verifier log that says why: the last one before the counts that end every log.
 * Cuts `log` behind it and returns where it begins; "" when there is none.
 */
const char *probe_log_reason(char *log);

struct bpf_object;

/*
 * Fill err with one line about an object that could not be loaded or attached: `logs` holds a
 * verifier log, or NULL, for each of its programs in their order, and says the most; else `code`,
 * a negative errno.
 */
void probe_refused(const struct bpf_object *obj, char *const *logs, int code, char *err,
		   size_t err_len);

/* What is open at once by it: a program and a link for each tracepoint, the maps, libbpf's own. 70
 * were counted on 6.18, whatever the number of workers. */
#define PROBE_FILES 128

/* May this process open so many? 0, or -EMFILE with one line in err. */
int probe_files(char *err, size_t err_len);

/*
 * Silence libbpf; with HOLBENCH_DEBUG_BPF in the environment it prints all to standard error.
 * Process-wide, as libbpf's own setting is.
 */
void probe_libbpf_output(void);

#endif
