/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs the noise gets, and which are to be the workers' alone. */
#ifndef HOLBENCH_LIVE_PLACEMENT_PLAN_H
#define HOLBENCH_LIVE_PLACEMENT_PLAN_H

#include "live/cpus.h"
#include "spec/spec.h"

struct placement_plan {
	struct cpu_list noise; /* empty: no noise */
	/* Isolated: the workers' cores with all their hardware threads, less the generator's and
	 * the collector's CPUs. */
	struct cpu_list reserved;
	bool groups;	   /* something has to be held apart or back: the run needs cgroups */
	char warning[256]; /* what isolation could not get; empty: nothing */
};

/* What the host has: `core` is cpu_list_core() but in tests. */
struct placement_host {
	const struct cpu_list *allowed;
	void (*core)(struct cpu_list *out, u32 cpu);
};

/*
 * The plan for the cell on the CPUs that `cpus` gave to workers, generator and collector. Worker
 * CPUs are the same in every placement; only the noise's differ. 0, or -EINVAL with the line:
 * isolated where no CPU is left, noise.cpus that are not there or that are the workers'.
 */
int placement_plan(struct placement_plan *p, const struct spec *s, const struct cpu_plan *cpus,
		   const struct placement_host *host, const struct message *msg);

#endif
