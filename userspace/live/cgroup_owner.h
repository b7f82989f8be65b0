/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose group is it? A run's group is named holbench-PID-START after the process that made it and
 * the time at which that process started, so that a later start can tell whether its owner lives,
 * also when the pid has been given again.
 */
#ifndef HOLBENCH_LIVE_CGROUP_OWNER_H
#define HOLBENCH_LIVE_CGROUP_OWNER_H

#include "core/types.h"

#include <stddef.h>
#include <sys/types.h>

/* The name of the group that the process has or would have. 0 or a negative errno when /proc does
 * not say. */
int cgroup_owner_name(pid_t pid, char *name, size_t len);

enum cgroup_owner { CGROUP_NOT_OURS, CGROUP_OWNER_LIVES, CGROUP_OWNER_DEAD };

/* Only a name exactly of our form is ours. A zombie is dead: it holds nothing any more. */
enum cgroup_owner cgroup_owner_of(const char *name);

#endif
