/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control groups of one run, over cgroup v2 or the v1 hierarchies, whichever carries the CPU
 * controller:
 *
 *   v2   holbench-PID-START/engine/          the run's process: generator, collector
 *                           engine/workers/  threaded: worker threads
 *                           noise/
 *   v1   holbench-PID-START/workers/         worker threads; the rest of the process stays where
 *                           noise/           it was: in a root group it may be real-time at once
 *
 * On v2 the two compete as engine and noise, on v1 as workers and noise: equal until a weight is
 * set. Nothing outside of holbench-PID-START is changed, but for controllers that v2's parent group
 * does not hand down yet: switched on for the run, and off again at its end.
 */
#ifndef HOLBENCH_LIVE_CGROUP_H
#define HOLBENCH_LIVE_CGROUP_H

#include "live/cgroup_find.h"
#include "live/cpus.h"
#include "live/message.h"

#include <sys/types.h>

enum cgroup_which { CGROUP_WORKERS, CGROUP_NOISE, CGROUP_NR };

/* Since the group was made, of all that was ever in it. */
struct cgroup_usage {
	u64 cpu_ns;
	u64 throttled_ns, nr_throttled;
};

struct cgroup_ops;

struct cgroups {
	const struct cgroup_ops *ops;
	struct cgroup_mounts mounts;
	char name[64];
	/* By controller; empty where there is none to be had. Those of v2 are all equal. */
	char parent[CGROUP_CONTROLLERS][CGROUP_PATH_MAX];
	char top[CGROUP_CONTROLLERS][CGROUP_PATH_MAX];
	char dir[CGROUP_CONTROLLERS][CGROUP_NR][CGROUP_PATH_MAX];
	char enabled[64]; /* v2: what was switched on in the parent, as it is to be undone, unless
			     its processes stepped aside: then that lasts as long */
	bool joined;	  /* this process, or a thread of it, has been moved */
};

/* What the two backends do differently. Each returns 0 or a negative errno. */
struct cgroup_ops {
	const char *name;
	/* Fills parent[], or says why it cannot. */
	int (*choose)(struct cgroups *g, bool need_cpuset, const struct message *msg);
	int (*make)(struct cgroups *g, const struct message *msg);
	int (*lowest)(struct cgroups *g, enum cgroup_which which, const char **how);
	int (*quota)(struct cgroups *g, enum cgroup_which which, u64 quota_ns, u64 period_ns);
	int (*realtime)(struct cgroups *g);
	int (*partition)(struct cgroups *g, const char *cpus, char *got, size_t len);
	int (*join)(struct cgroups *g, enum cgroup_which which, pid_t tid);
	int (*usage)(const struct cgroups *g, enum cgroup_which which, struct cgroup_usage *u);
	/* This process back to where it was: while it is in them the groups cannot be removed. */
	int (*leave)(struct cgroups *g);
};
extern const struct cgroup_ops cgroup_v1_ops, cgroup_v2_ops;

/* What was switched on in the parent of the group `dir`, as it is to be undone; "" for nothing. It
 * is kept with the group (xattr), for whoever removes it after its owner's death. */
void cgroup_undo_write(const char *dir, const char *undo);
void cgroup_undo_read(const char *dir, char *undo, size_t len);
void cgroup_undo(const char *parent, const char *undo);

/*
 * Make the groups. cpuset is asked for and used where there is one; with need_cpuset it is an error
 * when there is none. 0, or a negative errno with the line, and then nothing is left. Otherwise
 * cgroups_remove().
 */
int cgroups_make(struct cgroups *g, bool need_cpuset, const struct message *msg);
/* Does the run have a cpuset? */
bool cgroups_cpuset(const struct cgroups *g);

/*
 * Give way to everybody: an idle group (5.15), whose tasks any other task preempts at once, or the
 * lowest weight. *how says which.
 */
int cgroups_lowest(struct cgroups *g, enum cgroup_which which, const char **how,
		   const struct message *msg);
/* So much CPU time in each period, all CPUs together. */
int cgroups_quota(struct cgroups *g, enum cgroup_which which, u64 quota_ns, u64 period_ns,
		  const struct message *msg);
/* Let the workers be real-time: where the kernel accounts for real-time groups
 * (CONFIG_RT_GROUP_SCHED) a group has no such time until it is given some. */
int cgroups_realtime(struct cgroups *g, const struct message *msg);
int cgroups_cpus(struct cgroups *g, enum cgroup_which which, const struct cpu_list *cpus,
		 const struct message *msg);
/*
 * Take the CPUs away from everybody but the workers: a cpuset partition, isolated where the kernel
 * has it. `got` says "isolated" or "root", or why there is none; none is not an error.
 */
void cgroups_partition(struct cgroups *g, const struct cpu_list *cpus, char *got, size_t len);

/* Move a thread of this process to the workers, or another process to the noise. It may run on all
 * CPUs of its group then: pin it afterwards. 0 or a negative errno. */
int cgroups_join(struct cgroups *g, enum cgroup_which which, pid_t tid);
/* 0 or a negative errno. */
int cgroups_usage(const struct cgroups *g, enum cgroup_which which, struct cgroup_usage *u);
/* Kill everything in the group, and wait until it is gone. 0 or a negative errno. */
int cgroups_kill(struct cgroups *g, enum cgroup_which which);
/*
 * Kill what is in them, bring this process back to its own group, remove all. The workers have been
 * joined. 0, or a negative errno: something stays, and the next start will find it. Safe on what
 * is not made, and to run twice.
 */
int cgroups_remove(struct cgroups *g);

#endif
