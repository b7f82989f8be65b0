/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/cgroup.h"
#include "live/cgroup_owner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int find(struct cgroups *g, const struct message *msg)
{
	int rc = cgroup_find(&g->mounts, "/proc/self/mountinfo", "/proc/self/cgroup");

	if (!rc)
		rc = cgroup_owner_name(getpid(), g->name, sizeof(g->name));
	if (rc)
		return message_fail(msg, rc, "cannot find the cgroups: %s; mount /proc",
				    strerror(-rc));
	if (g->mounts.v2_has[CGROUP_CPU])
		g->ops = &cgroup_v2_ops;
	else if (g->mounts.v1[CGROUP_CPU].point[0])
		g->ops = &cgroup_v1_ops;
	else
		return message_fail(msg, -ENOENT,
				    "placement and noise need cgroups, and no hierarchy with the "
				    "cpu controller is mounted; mount -t cgroup2 none "
				    "/sys/fs/cgroup");
	return 0;
}

int cgroups_make(struct cgroups *g, bool need_cpuset, const struct message *msg)
{
	int rc;

	memset(g, 0, sizeof(*g));
	rc = find(g, msg);
	if (!rc)
		rc = g->ops->choose(g, need_cpuset, msg);
	for (u32 c = 0; c < CGROUP_CONTROLLERS && !rc; c++)
		if (g->parent[c][0] && cg_path(g->top[c], g->parent[c], g->name))
			rc = message_fail(msg, -ENAMETOOLONG, "%s: this path is too long",
					  g->parent[c]);
	if (!rc)
		rc = g->ops->make(g, msg);
	if (rc)
		cgroups_remove(g);
	return rc;
}

bool cgroups_cpuset(const struct cgroups *g)
{
	return g->parent[CGROUP_CPUSET][0];
}

static const char *name_of(enum cgroup_which which)
{
	return which == CGROUP_NOISE ? "noise" : "workers";
}

static int cannot(const struct cgroups *g, enum cgroup_which which, const char *what, int rc,
		  const struct message *msg)
{
	return rc ? message_fail(msg, rc, "%s: cannot set the %s of the cgroup %s below %s: %s",
				 g->ops->name, what, name_of(which), g->parent[CGROUP_CPU],
				 strerror(-rc))
		  : 0;
}

int cgroups_lowest(struct cgroups *g, enum cgroup_which which, const char **how,
		   const struct message *msg)
{
	return cannot(g, which, "weight", g->ops->lowest(g, which, how), msg);
}

int cgroups_quota(struct cgroups *g, enum cgroup_which which, u64 quota_ns, u64 period_ns,
		  const struct message *msg)
{
	return cannot(g, which, "quota", g->ops->quota(g, which, quota_ns, period_ns), msg);
}

int cgroups_realtime(struct cgroups *g, const struct message *msg)
{
	return cannot(g, CGROUP_WORKERS, "real-time share", g->ops->realtime(g), msg);
}

int cgroups_cpus(struct cgroups *g, enum cgroup_which which, const struct cpu_list *cpus,
		 const struct message *msg)
{
	char list[4096];

	cpu_list_print(cpus, list, sizeof(list));
	return cannot(g, which, "CPUs",
		      cg_write(g->dir[CGROUP_CPUSET][which], "cpuset.cpus", "%s", list), msg);
}

void cgroups_partition(struct cgroups *g, const struct cpu_list *cpus, char *got, size_t len)
{
	char list[4096];
	int rc;

	cpu_list_print(cpus, list, sizeof(list));
	got[0] = 0;
	rc = g->ops->partition(g, list, got, len);
	if (rc && !got[0])
		snprintf(got, len, "none: %s", strerror(-rc));
}

int cgroups_join(struct cgroups *g, enum cgroup_which which, pid_t tid)
{
	if (which == CGROUP_WORKERS)
		__atomic_store_n(&g->joined, true, __ATOMIC_RELAXED);
	return g->ops->join(g, which, tid);
}

int cgroups_usage(const struct cgroups *g, enum cgroup_which which, struct cgroup_usage *u)
{
	memset(u, 0, sizeof(*u));
	return g->ops->usage(g, which, u);
}

int cgroups_kill(struct cgroups *g, enum cgroup_which which)
{
	return cg_kill_all(g->dir[CGROUP_CPU][which]);
}

int cgroups_remove(struct cgroups *g)
{
	int rc = 0, error;

	if (!g->ops)
		return 0;
	if (g->dir[CGROUP_CPU][CGROUP_NOISE][0])
		rc = cg_kill_all(g->dir[CGROUP_CPU][CGROUP_NOISE]);
	error = g->ops->leave(g);
	for (u32 c = 0; c < CGROUP_CONTROLLERS && !error; c++)
		if (g->top[c][0])
			error = cg_remove(g->top[c]);
	rc = rc ? rc : error;
	cgroup_undo(g->parent[CGROUP_CPU], g->enabled);
	memset(g, 0, sizeof(*g));
	return rc;
}
