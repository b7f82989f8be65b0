/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A delegated group of v2 has processes in it: this one, and whoever started it. Controllers are
 * handed down to groups of processes only where there are none (Documentation/admin-guide/
 * cgroup-v2.rst, "No Internal Process Constraint"), so all of them step aside, into a group below,
 * for as long as there are runs, and back when the last has ended.
 */
#ifndef HOLBENCH_LIVE_CGROUP_ASIDE_H
#define HOLBENCH_LIVE_CGROUP_ASIDE_H

#include "live/cgroup_find.h"

/* Did those of `dir`, this process with them, step aside? */
bool cgroup_is_aside(const struct cgroup_mount *m, const char *dir);
/*
 * Move every process of the own group aside, if it was given the controllers to hand down; m->own
 * is the new one then. 0 or a negative errno: cgroup_step_back() then all the same.
 */
int cgroup_step_aside(struct cgroup_mount *m, bool need_cpuset);
/*
 * Undo it: what is handed down no more, the processes, the group. As far as it goes: it stays where
 * another run in the same group goes on.
 */
void cgroup_step_back(struct cgroup_mount *m);
/* The same for this process, wherever it is: at its end. */
void cgroup_step_back_own(void);

#endif
