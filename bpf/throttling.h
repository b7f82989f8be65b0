/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel knows of CPU quotas, from 5.15 on: whether a task is throttled, and how long its
 * group has been. Part of probe.bpf.c.
 */
#ifndef HOLBENCH_BPF_THROTTLING_H
#define HOLBENCH_BPF_THROTTLING_H

#include "kernel.h"
#include <bpf/bpf_core_read.h>

#define MAX_RT_PRIO 100 /* a lower task->prio is real-time or deadline: no CFS quota */

static __always_inline _Bool is_throttled(struct task_struct *task)
{
	struct task_struct___throttled *one = (void *)task;
	struct task_struct___group *group = (void *)task;

	if (bpf_core_field_exists(one->throttled))
		return one->throttled;
	if (bpf_core_field_exists(group->se.cfs_rq))
		return group->prio >= MAX_RT_PRIO && group->se.cfs_rq->throttle_count > 0;
	return 0;
}

/* A stretch that goes on since `since`; the clocks are of one run queue, whose lock is held. */
static __always_inline __u64 so_far(__u64 sum, __u64 since, __u64 now)
{
	return now > since ? sum + (now - since) : sum;
}

/*
 * A group is throttled when it or a group above it has used up its quota; its run queue on a CPU
 * begins to count when it has a task that wants to run (tg_throttle_down() in kernel/sched/fair.c).
 * That is the time of cpu.stat.local, and of cpu.stat for the group that has the quota. Before 6.6
 * only the load averages' clock tells: it leaves out stolen time, and runs slow on a CPU that does.
 */
static __always_inline __u64 throttled_ns(struct task_struct *task)
{
	struct task_struct___group *group = (void *)task;
	struct cfs_rq___count *count;
	struct cfs_rq___self *self;
	struct cfs_rq___pelt *pelt;
	struct cfs_rq___task *old;

	if (!bpf_core_field_exists(group->se.cfs_rq) || group->prio < MAX_RT_PRIO)
		return 0;
	count = group->se.cfs_rq;
	self = (void *)count;
	pelt = (void *)count;
	old = (void *)count;
	if (bpf_core_field_exists(self->throttled_clock_self_time)) {
		__u64 sum = self->throttled_clock_self_time, since = self->throttled_clock_self;

		return since ? so_far(sum, since, self->rq->clock) : sum;
	}
	if (bpf_core_field_exists(pelt->throttled_clock_pelt_time)) {
		__u64 sum = pelt->throttled_clock_pelt_time;

		return count->throttle_count
			       ? so_far(sum, pelt->throttled_clock_pelt,
					pelt->rq->clock_pelt - pelt->rq->lost_idle_time)
			       : sum;
	}
	if (bpf_core_field_exists(old->throttled_clock_task_time)) {
		__u64 sum = old->throttled_clock_task_time;

		return count->throttle_count
			       ? so_far(sum, old->throttled_clock_task, old->rq->clock_task)
			       : sum;
	}
	return 0;
}

#endif
