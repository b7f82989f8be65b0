/* SPDX-License-Identifier: GPL-2.0-only */
/* The groups in cgroup v2: Documentation/admin-guide/cgroup-v2.rst. */
#include "live/cgroup.h"
#include "live/cgroup_aside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* On the run's group: what was switched on in its parent, for whoever removes it. */
#define UNDO_XATTR "user.holbench.undo"

/* The root of the hierarchy has no type. A group that was delegated to us is our own, and its
 * processes have stepped aside. */
static bool is_root(const char *dir)
{
	return !cg_has(dir, "cgroup.type");
}

static bool is_ours_to_change(const struct cgroups *g, const char *dir)
{
	return is_root(dir) || cgroup_is_aside(&g->mounts.v2, dir);
}

/* 0 when `dir` hands the controller down, from now on if need be. */
static int enable(struct cgroups *g, const char *dir, const char *controller)
{
	char list[512];
	size_t used = strlen(g->enabled);
	int rc = cg_read(dir, "cgroup.subtree_control", list, sizeof(list));

	if (rc || cg_has_word(list, controller))
		return rc;
	if (!is_ours_to_change(g, dir))
		return -EPERM;
	rc = cg_write(dir, "cgroup.subtree_control", "+%s", controller);
	if (!rc)
		snprintf(g->enabled + used, sizeof(g->enabled) - used, "%s-%s", used ? " " : "",
			 controller);
	return rc;
}

void cgroup_undo_write(const char *dir, const char *undo)
{
	if (undo[0])
		setxattr(dir, UNDO_XATTR, undo, strlen(undo), 0);
}

void cgroup_undo_read(const char *dir, char *undo, size_t len)
{
	ssize_t n = getxattr(dir, UNDO_XATTR, undo, len - 1);

	undo[n > 0 ? n : 0] = 0;
}

/* The kernel refuses (EBUSY) while another group there uses the controller. */
void cgroup_undo(const char *parent, const char *undo)
{
	if (undo[0])
		cg_write(parent, "cgroup.subtree_control", "%s", undo);
}

static void take_parent(struct cgroups *g, enum cgroup_controller c, const char *dir)
{
	snprintf(g->parent[c], sizeof(g->parent[c]), "%s", dir);
}

/* cpuset is taken where it can be had. */
static int hand_controllers_down(struct cgroups *g, const char *dir, bool need_cpuset)
{
	int rc = enable(g, dir, "cpu"), cpuset = -ENOENT;

	if (!rc && g->mounts.v2_has[CGROUP_CPUSET])
		cpuset = enable(g, dir, "cpuset");
	if (!rc && need_cpuset)
		rc = cpuset;
	if (!rc && !cpuset)
		take_parent(g, CGROUP_CPUSET, dir);
	return rc;
}

/* Could the groups be made in `dir`? */
static int try_parent(struct cgroups *g, const char *dir, bool need_cpuset)
{
	struct cgroup_mount *m = &g->mounts.v2;
	int rc = cg_may_write(dir) ? 0 : -errno;
	bool own = !strcmp(dir, m->own) && !is_root(dir);

	if (!rc && own)
		rc = cgroup_step_aside(m, need_cpuset);
	if (!rc)
		rc = hand_controllers_down(g, dir, need_cpuset);
	if (rc) {
		cgroup_undo(dir, g->enabled);
		g->enabled[0] = 0;
		if (own)
			cgroup_step_back(m);
		return rc;
	}
	if (cgroup_is_aside(m, dir)) {
		cgroup_undo_write(m->own, g->enabled);
		g->enabled[0] = 0;
	}
	take_parent(g, CGROUP_CPU, dir);
	take_parent(g, CGROUP_CPUACCT, dir);
	return 0;
}

/*
 * The mount point if we may, so that the weights say what they say beside everything else. Else the
 * own group, which may have been delegated to us, and those around it.
 */
static int choose(struct cgroups *g, bool need_cpuset, const struct message *msg)
{
	char dir[CGROUP_PATH_MAX];
	int rc;

	if (need_cpuset && !g->mounts.v2_has[CGROUP_CPUSET])
		return message_fail(msg, -ENOENT,
				    "place.isolation = isolated: %s has no cpuset controller; run "
				    "with place.isolation = shared",
				    g->mounts.v2.point);
	rc = try_parent(g, g->mounts.v2.point, need_cpuset);
	snprintf(dir, sizeof(dir), "%s", g->mounts.v2.own);
	while (rc && strlen(dir) > strlen(g->mounts.v2.point)) {
		rc = try_parent(g, dir, need_cpuset);
		*strrchr(dir, '/') = 0;
	}
	return !rc ? 0
		   : message_fail(msg, rc,
				  "placement and noise need cgroups, and none from %s down to this "
				  "process's may be used with the controllers %s: %s; %s%s",
				  g->mounts.v2.point, need_cpuset ? "cpu and cpuset" : "cpu",
				  strerror(-rc), cg_mend(),
				  geteuid() ? ", or by systemd-run --user --scope -p Delegate=yes"
					    : "");
}

static int hand_down(const struct cgroups *g, const char *dir)
{
	return cg_write(dir, "cgroup.subtree_control", "+cpu%s",
			g->parent[CGROUP_CPUSET][0] ? " +cpuset" : "");
}

/*
 * `workers` is threaded before `engine` has a process or a controller: that makes `engine` a
 * threaded domain, in which processes and controllers may live together.
 */
static int make_dirs(struct cgroups *g)
{
	const char *top = g->top[CGROUP_CPU];
	char engine[CGROUP_PATH_MAX], noise[CGROUP_PATH_MAX], workers[CGROUP_PATH_MAX];
	int rc = cg_path(engine, top, "engine");

	if (rc || cg_path(noise, top, "noise") || cg_path(workers, engine, "workers"))
		return -ENAMETOOLONG;
	for (u32 c = 0; c < CGROUP_CONTROLLERS; c++) {
		if (!g->parent[c][0])
			continue;
		memcpy(g->dir[c][CGROUP_NOISE], noise, sizeof(noise));
		memcpy(g->dir[c][CGROUP_WORKERS], workers, sizeof(workers));
	}
	rc = cg_mkdir(top);
	if (!rc)
		cgroup_undo_write(top, g->enabled);
	if (!rc)
		rc = hand_down(g, top);
	if (!rc)
		rc = cg_mkdir(engine);
	if (!rc)
		rc = cg_mkdir(workers);
	if (!rc)
		rc = cg_mkdir(noise);
	if (!rc)
		rc = cg_write(workers, "cgroup.type", "threaded");
	return rc ? rc : hand_down(g, engine);
}

static int make(struct cgroups *g, const struct message *msg)
{
	char engine[CGROUP_PATH_MAX];
	int rc = make_dirs(g);

	if (!rc)
		rc = cg_path(engine, g->top[CGROUP_CPU], "engine");
	if (!rc)
		rc = cg_write(engine, "cgroup.procs", "%d", getpid());
	g->joined = !rc;
	return rc ? message_fail(msg, rc, "cannot make the cgroups in %s: %s; %s",
				 g->top[CGROUP_CPU], strerror(-rc), cg_mend())
		  : 0;
}

static int lowest(struct cgroups *g, enum cgroup_which which, const char **how)
{
	const char *dir = g->dir[CGROUP_CPU][which];

	*how = "cpu.idle = 1";
	if (!cg_write(dir, "cpu.idle", "1"))
		return 0;
	*how = "cpu.weight = 1";
	return cg_write(dir, "cpu.weight", "1");
}

static int quota(struct cgroups *g, enum cgroup_which which, u64 quota_ns, u64 period_ns)
{
	u64 period_us = period_ns / NSEC_PER_USEC, quota_us = quota_ns / NSEC_PER_USEC;

	return cg_write(g->dir[CGROUP_CPU][which], "cpu.max", "%" PRIu64 " %" PRIu64, quota_us,
			period_us);
}

/* v2 has no file for it: a kernel that accounts for real-time groups refuses them the class. */
static int realtime(struct cgroups *g)
{
	(void)g;
	return 0;
}

static int try_partition(const char *dir, const char *type, char *got, size_t len)
{
	int rc = cg_write(dir, "cpuset.cpus.partition", "%s", type);
	char text[256];

	if (!rc)
		rc = cg_read(dir, "cpuset.cpus.partition", text, sizeof(text));
	if (!rc && strcmp(text, type)) {
		snprintf(got, len, "none: %s", text);
		rc = -EINVAL;
	}
	if (!rc)
		snprintf(got, len, "%s", type);
	else
		cg_write(dir, "cpuset.cpus.partition", "member");
	return rc;
}

/*
 * A remote partition (6.7): its parents are none themselves, but each must hand the CPUs down in
 * cpuset.cpus.exclusive, which must lie within cpuset.cpus.
 */
static int partition(struct cgroups *g, const char *cpus, char *got, size_t len)
{
	const char *top = g->top[CGROUP_CPUSET], *workers = g->dir[CGROUP_CPUSET][CGROUP_WORKERS];
	char engine[CGROUP_PATH_MAX], all[4096];
	const char *const chain[] = {top, engine, workers};
	int rc = cg_path(engine, top, "engine");

	if (rc || !cg_has(workers, "cpuset.cpus.exclusive")) {
		snprintf(got, len, "none: this kernel has no cpuset.cpus.exclusive (6.7)");
		return -ENOTSUP;
	}
	rc = cg_read(top, "cpuset.cpus.effective", all, sizeof(all));
	for (u32 i = 0; i < ARRAY_SIZE(chain) && !rc; i++) {
		rc = cg_write(chain[i], "cpuset.cpus", "%s", chain[i] == workers ? cpus : all);
		if (!rc)
			rc = cg_write(chain[i], "cpuset.cpus.exclusive", "%s", cpus);
	}
	if (rc)
		return rc;
	rc = try_partition(workers, "isolated", got, len);
	return rc ? try_partition(workers, "root", got, len) : 0;
}

static int join(struct cgroups *g, enum cgroup_which which, pid_t tid)
{
	const char *file = which == CGROUP_WORKERS ? "cgroup.threads" : "cgroup.procs";

	return cg_write(g->dir[CGROUP_CPU][which], file, "%d", tid);
}

static int usage(const struct cgroups *g, enum cgroup_which which, struct cgroup_usage *u)
{
	const char *dir = g->dir[CGROUP_CPU][which];
	u64 us = 0, throttled_us = 0;
	int rc = cg_read_number(dir, "cpu.stat", "usage_usec", &us);

	if (!rc)
		rc = cg_read_number(dir, "cpu.stat", "nr_throttled", &u->nr_throttled);
	if (!rc)
		rc = cg_read_number(dir, "cpu.stat", "throttled_usec", &throttled_us);
	u->cpu_ns = us * NSEC_PER_USEC;
	u->throttled_ns = throttled_us * NSEC_PER_USEC;
	return rc;
}

static int leave(struct cgroups *g)
{
	return g->joined ? cg_write(g->mounts.v2.own, "cgroup.procs", "%d", getpid()) : 0;
}

const struct cgroup_ops cgroup_v2_ops = {
	.name = "cgroup v2",
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
