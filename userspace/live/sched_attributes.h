/* SPDX-License-Identifier: GPL-2.0-only */
/* A task's scheduling class with all that belongs to it: sched_setattr(2), which glibc has
 * since 2.41 only. */
#ifndef HOLBENCH_LIVE_SCHED_ATTRIBUTES_H
#define HOLBENCH_LIVE_SCHED_ATTRIBUTES_H

#include "core/types.h"

#include <sys/types.h>

/* struct sched_attr of the kernel, as Linux 3.14 had it first. */
struct sched_attributes {
	u32 size; /* filled in by the functions below */
	u32 policy;
	u64 flags;
	int nice;
	u32 priority; /* of SCHED_FIFO and SCHED_RR */
	/*
	 * Since 6.12 the request size of a task of the fair class, its slice, from 0.1 to 100 ms; 0
	 * gives it the kernel's own (__setparam_fair() in kernel/sched/syscalls.c). Before, it is
	 * dropped.
	 */
	u64 runtime_ns;
	u64 deadline_ns, period_ns;
};

/* Those of a task; pid 0 is the calling thread. 0 or a negative errno. */
int sched_attributes_get(pid_t pid, struct sched_attributes *a);
/* Give them to a task. 0 or a negative errno. */
int sched_attributes_set(pid_t pid, const struct sched_attributes *a);

#endif
