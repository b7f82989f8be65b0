/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel itself says about a thread and about a CPU: the other side of the checks. */
#ifndef HOLBENCH_LIVE_ACCOUNT_H
#define HOLBENCH_LIVE_ACCOUNT_H

#include "live/cpus.h"
#include "live/engine.h"

/*
 * The calling thread's account. /proc/thread-self/schedstat: time on a CPU, time waiting for one,
 * times put on one (kernel/sched/stats.c, Documentation/scheduler/sched-stats.rst). Not known on a
 * kernel without CONFIG_SCHED_INFO.
 */
void account_read(struct account_sample *a);

/* Time that the hypervisor took from each CPU of the list so far, ns, in the list's order: field
 * `steal` of /proc/stat, in ticks. 0 or a negative errno. */
int account_steal(u64 *steal_ns, const struct cpu_list *cpus);

#endif
