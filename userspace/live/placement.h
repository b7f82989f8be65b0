/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Placement and noise of one run: its cgroups with their weights, quotas and CPUs, and the noise in
 * them, from before the first thread to after the last.
 */
#ifndef HOLBENCH_LIVE_PLACEMENT_H
#define HOLBENCH_LIVE_PLACEMENT_H

#include "live/noise.h"
#include "live/placement_plan.h"

struct trace_writer;

struct placement {
	struct spec spec; /* scaled */
	struct placement_plan plan;
	struct cgroups groups;
	struct noise noise;
	const char *lowest; /* weighted: how the noise gives way */
	char partition[160];
	struct cgroup_usage before[CGROUP_NR]; /* placement_begin() */
	u64 begin_ns;
};

/* Plan only, for the cell as written, on the CPUs of this process. 0 or a negative errno with the
 * line. */
int placement_init(struct placement *p, const struct spec *s, const struct message *msg);
/* The same, and fork the noise, which waits (noise_fork() says when). placement_end() afterwards.
 */
int placement_fork(struct placement *p, const struct spec *s, const char *noise_log,
		   const struct message *msg);
/* Make the groups and set them up; none when nothing is to be held apart or back. */
int placement_make(struct placement *p, const struct message *msg);
/* Start the noise. */
int placement_start(struct placement *p, const struct message *msg);
/* The calling thread is a worker. It is to be pinned after this. 0 or a negative errno. */
int placement_join(struct placement *p);
/* Is the noise still there? 0, or a negative errno with the line. */
int placement_check(struct placement *p, const struct message *msg);

/* The moment before the first worker begins: from here on CPU use and throttling count. */
void placement_begin(struct placement *p);
/* After the last worker has ended: what was used since, and the placement itself, as notes. */
void placement_notes(struct placement *p, struct trace_writer *t);
/* End the noise; its groups stay, so that what they are called can be looked up. */
void placement_quiet(struct placement *p);
/* End the noise, remove the groups. 0, or a negative errno: something stays. Safe to run twice. */
int placement_end(struct placement *p);

#endif
