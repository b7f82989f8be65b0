/* SPDX-License-Identifier: GPL-2.0-only */
/* The groups in the hierarchies of cgroup v1: Documentation/admin-guide/cgroup-v1. */
#include "live/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The mount point if we may write there, so that the groups lie where their weights say what they
 * say; else the process's own group or one between. */
static bool choose_one(struct cgroups *g, enum cgroup_controller c)
{
	char dir[CGROUP_PATH_MAX] = "";

	while (cgroup_path_down(&g->mounts.v1[c], dir)) {
		if (!cg_may_write(dir))
			continue;
		snprintf(g->parent[c], sizeof(g->parent[c]), "%s", dir);
		return true;
	}
	return false;
}

static int choose(struct cgroups *g, bool need_cpuset, const struct message *msg)
{
	const char *where = g->mounts.v1[CGROUP_CPU].point;

	if (!choose_one(g, CGROUP_CPU))
		return message_fail(msg, -EACCES,
				    "placement and noise need cgroups, and nothing below %s may "
				    "be written to; %s",
				    where, cg_mend());
	choose_one(g, CGROUP_CPUACCT);
	if (choose_one(g, CGROUP_CPUSET) || !need_cpuset)
		return 0;
	if (!g->mounts.v1[CGROUP_CPUSET].point[0])
		return message_fail(msg, -ENOENT,
				    "place.isolation = isolated: no v1 hierarchy has the cpuset "
				    "controller; run with place.isolation = shared");
	return message_fail(
		msg, -EACCES,
		"place.isolation = isolated: nothing below %s may be written to; %s, or run with "
		"place.isolation = shared",
		g->mounts.v1[CGROUP_CPUSET].point, cg_mend());
}

/* A cpuset takes nobody until it has CPUs and memory nodes: those of its parent. */
static int inherit_cpuset(const char *dir, const char *parent)
{
	static const char *const files[] = {"cpuset.cpus", "cpuset.mems"};
	char text[4096];
	int rc = 0;

	for (u32 i = 0; i < ARRAY_SIZE(files) && !rc; i++) {
		rc = cg_read(parent, files[i], text, sizeof(text));
		if (!rc)
			rc = cg_write(dir, files[i], "%s", text);
	}
	return rc;
}

static int make_dir(enum cgroup_controller c, const char *dir, const char *parent)
{
	int rc = cg_mkdir(dir);

	return rc || c != CGROUP_CPUSET ? rc : inherit_cpuset(dir, parent);
}

static int make_hierarchy(struct cgroups *g, enum cgroup_controller c)
{
	int rc = make_dir(c, g->top[c], g->parent[c]);

	for (u32 w = 0; w < CGROUP_NR && !rc; w++) {
		rc = cg_path(g->dir[c][w], g->top[c], w == CGROUP_NOISE ? "noise" : "workers");
		if (!rc)
			rc = make_dir(c, g->dir[c][w], g->top[c]);
	}
	return rc;
}

static int make(struct cgroups *g, const struct message *msg)
{
	for (u32 c = 0; c < CGROUP_CONTROLLERS; c++) {
		int rc = g->parent[c][0] ? make_hierarchy(g, c) : 0;

		if (rc)
			return message_fail(msg, rc, "cannot make the cgroups in %s: %s; %s",
					    g->top[c], strerror(-rc), cg_mend());
	}
	return 0;
}

/* sched_group_set_idle() in kernel/sched/fair.c; 2 is the least of cpu.shares. */
static int lowest(struct cgroups *g, enum cgroup_which which, const char **how)
{
	const char *dir = g->dir[CGROUP_CPU][which];

	*how = "cpu.idle = 1";
	if (!cg_write(dir, "cpu.idle", "1"))
		return 0;
	*how = "cpu.shares = 2";
	return cg_write(dir, "cpu.shares", "2");
}

static int quota(struct cgroups *g, enum cgroup_which which, u64 quota_ns, u64 period_ns)
{
	const char *dir = g->dir[CGROUP_CPU][which];
	u64 period_us = period_ns / NSEC_PER_USEC, quota_us = quota_ns / NSEC_PER_USEC;
	int rc = cg_write(dir, "cpu.cfs_period_us", "%" PRIu64, period_us);

	return rc ? rc : cg_write(dir, "cpu.cfs_quota_us", "%" PRIu64, quota_us);
}

/* As much as the parent has: the file is there with CONFIG_RT_GROUP_SCHED only. */
static int realtime(struct cgroups *g)
{
	const char *top = g->top[CGROUP_CPU], *workers = g->dir[CGROUP_CPU][CGROUP_WORKERS];
	u64 us;
	int rc;

	if (!cg_has(top, "cpu.rt_runtime_us"))
		return 0;
	rc = cg_read_number(g->parent[CGROUP_CPU], "cpu.rt_runtime_us", "", &us);
	if (!rc)
		rc = cg_write(top, "cpu.rt_runtime_us", "%" PRIu64, us);
	return rc ? rc : cg_write(workers, "cpu.rt_runtime_us", "%" PRIu64, us);
}

static int partition(struct cgroups *g, const char *cpus, char *got, size_t len)
{
	(void)g;
	(void)cpus;
	snprintf(got, len, "none: cgroup v1 has no cpuset partitions");
	return -ENOTSUP;
}

/* A tid in `tasks` is that thread alone. */
static int join(struct cgroups *g, enum cgroup_which which, pid_t tid)
{
	const char *file = which == CGROUP_WORKERS ? "tasks" : "cgroup.procs";
	int rc = 0;

	for (u32 c = 0; c < CGROUP_CONTROLLERS && !rc; c++)
		if (g->parent[c][0])
			rc = cg_write(g->dir[c][which], file, "%d", tid);
	return rc;
}

static int usage(const struct cgroups *g, enum cgroup_which which, struct cgroup_usage *u)
{
	const char *cpu = g->dir[CGROUP_CPU][which];
	int rc = cg_read_number(cpu, "cpu.stat", "nr_throttled", &u->nr_throttled);

	if (!rc)
		rc = cg_read_number(cpu, "cpu.stat", "throttled_time", &u->throttled_ns);
	if (rc || !g->parent[CGROUP_CPUACCT][0])
		return rc ? rc : -ENODATA;
	return cg_read_number(g->dir[CGROUP_CPUACCT][which], "cpuacct.usage", "", &u->cpu_ns);
}

/* Only threads that have ended were moved, or the one that asks. */
static int leave(struct cgroups *g)
{
	for (u32 c = 0; c < CGROUP_CONTROLLERS && g->joined; c++)
		if (g->parent[c][0])
			cg_write(g->mounts.v1[c].own, "tasks", "%d", gettid());
	return 0;
}

const struct cgroup_ops cgroup_v1_ops = {
	.name = "cgroup v1",
	.choose = choose,
	.make = make,
	.lowest = lowest,
	.quota = quota,
	.realtime = realtime,
	.partition = partition,
	.join = join,
	.usage = usage,
	.leave = leave,
};
