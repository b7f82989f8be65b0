/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the cgroup hierarchies are mounted, and where in them this process is. */
#ifndef HOLBENCH_LIVE_CGROUP_FIND_H
#define HOLBENCH_LIVE_CGROUP_FIND_H

#include "live/cgroup_file.h"

enum cgroup_controller { CGROUP_CPU, CGROUP_CPUSET, CGROUP_CPUACCT, CGROUP_CONTROLLERS };

struct cgroup_mount {
	char point[CGROUP_PATH_MAX]; /* empty: not mounted */
	char own[CGROUP_PATH_MAX];   /* this process's group, below point */
	char root[256];		     /* what of the hierarchy is mounted; "/" is all of it */
};

struct cgroup_mounts {
	struct cgroup_mount v2;
	struct cgroup_mount v1[CGROUP_CONTROLLERS]; /* those mounted together are equal */
	bool v2_has[CGROUP_CONTROLLERS]; /* v2 carries the controller; its own accounting stands
					    for cpuacct */
};

/* As the kernel names it. */
const char *cgroup_controller_name(enum cgroup_controller c);
/*
 * Read proc_pid_mountinfo(5) and the process's cgroups (cgroups(7)), usually /proc/self/mountinfo
 * and /proc/self/cgroup. 0 or a negative errno when they cannot be read.
 */
int cgroup_find(struct cgroup_mounts *m, const char *mountinfo, const char *self);

/*
 * From the mount point down to the process's own group: the next one after `dir`, which is "" at
 * first. False: there is none further.
 */
bool cgroup_path_down(const struct cgroup_mount *m, char dir[CGROUP_PATH_MAX]);

#endif
