/* SPDX-License-Identifier: GPL-2.0-only */
/* The noisy neighbour: a process of its own that makes load in a cgroup of its own. */
#ifndef HOLBENCH_LIVE_NOISE_H
#define HOLBENCH_LIVE_NOISE_H

#include "live/cgroup.h"
#include "spec/spec.h"

struct noise {
	const struct noise_config *cfg; /* borrowed */
	const char *log;		/* borrowed; NULL: none */
	pid_t pid;			/* 0: none */
	int go;				/* the pipe that holds it back, or -1 */
};

/*
 * Fork the process that will make the noise; it waits for noise_start() and dies with the calling
 * thread. To be called while the caller has one thread and not yet its memory: a fork would make
 * every page of it fault once more. A command's output goes to `log`, or nowhere. 0 or a negative
 * errno with the line; noise_stop() afterwards.
 */
int noise_fork(struct noise *n, const struct noise_config *cfg, const struct cpu_list *cpus,
	       const char *log, const struct message *msg);
/* Move it into its group, let it go, and wait until it has used some CPU, for a moment at most. 0,
 * or a negative errno with the line. */
int noise_start(struct noise *n, struct cgroups *g, const struct message *msg);
/* 0 while it lives; else -ECHILD with the line that says how it ended. */
int noise_check(struct noise *n, const struct message *msg);
/* Kill it, with all it started when there is a group. Safe to run twice. */
void noise_stop(struct noise *n, struct cgroups *g);

/* The CPU time that it wants in `window_ns` on `cpus` CPUs, ns; of a command nobody knows, and one
 * CPU is taken. */
u64 noise_wish_ns(const struct noise_config *cfg, u32 cpus, u64 window_ns);

/* In the noise's process: make it until killed. Returns only on failure, a positive errno. */
int noise_work(const struct noise_config *cfg, const struct cpu_list *cpus);
/* As culprits print it. */
const char *noise_name(u32 kind);

#endif
