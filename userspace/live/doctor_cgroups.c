/* SPDX-License-Identifier: GPL-2.0-only */
/* The control groups: which there are, and whether a run may make its own. */
#include "live/cgroup.h"
#include "live/cgroup_aside.h"
#include "live/cgroup_file.h"
#include "live/cgroup_owner.h"
#include "live/doctor_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DELEGATED  "systemd-run --user --scope -p Delegate=yes holbench"
#define NO_ACCOUNT "the CPU time of the noise is not known: its cgroup has no accounting"
#define BOOT_V2	   "boot with systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all"
#define MOUNT_V2   "mount -t cgroup2 none /sys/fs/cgroup"

static void check_version(struct doctor *d, const struct cgroup_mounts *m)
{
	const char *v1 = m->v1[CGROUP_CPU].point, *v2 = m->v2.point;
	struct doctor_finding *f;

	if (m->v2_has[CGROUP_CPU]) {
		doctor_found(d, "cgroups", "v2 at %s", v2);
	} else if (v1[0]) {
		f = doctor_found(d, "cgroups", "the cpu controller is in v1, at %s%s%s", v1,
				 v2[0] ? "; v2 is at " : "", v2);
		doctor_lost(f, DOCTOR_LIMITED, "no cpuset partitions: isolation is by cpuset.cpus");
		doctor_mend(f, BOOT_V2);
	} else {
		/* The words of a run that needs it. */
		f = doctor_found(d, "cgroups",
				 "no hierarchy with the cpu controller is mounted%s%s",
				 v2[0] ? "; v2 without it is at " : "", v2);
		doctor_lost(f, DOCTOR_LIMITED, "no place.isolation, no noise, no workers.cpu_max");
		doctor_mend(f, MOUNT_V2);
	}
}

/* As a run does: where cpu is in v2, the others are asked for there. */
static bool controller_there(const struct cgroup_mounts *m, enum cgroup_controller c)
{
	return m->v2_has[CGROUP_CPU] ? m->v2_has[c] : m->v1[c].point[0] != 0;
}

static void check_controller(struct doctor *d, const struct cgroup_mounts *m,
			     enum cgroup_controller c, const char *what, const char *lost)
{
	const char *name = cgroup_controller_name(c);
	struct doctor_finding *f;

	if (controller_there(m, c)) {
		doctor_found(d, what, "%s", m->v2_has[CGROUP_CPU] ? m->v2.point : m->v1[c].point);
		return;
	}
	/* The words of a run that needs it. */
	if (m->v2_has[CGROUP_CPU])
		f = doctor_found(d, what, "%s has no %s controller", m->v2.point, name);
	else
		f = doctor_found(d, what, "no v1 hierarchy has the %s controller", name);
	doctor_lost(f, DOCTOR_LIMITED, "%s", lost);
	if (m->v2_has[CGROUP_CPU])
		doctor_mend(f, "boot with cgroup_no_v1=%s", name);
	else
		doctor_mend(f, "mount -t cgroup -o %s none /sys/fs/cgroup/%s", name, name);
}

/* Nobody delegates groups of v1 to a user: systemd.resource-control(5), Delegate=. */
static void mend_groups(struct doctor_finding *f, const struct cgroup_mounts *m)
{
	if (!geteuid())
		doctor_mend(f, "%s", cg_mend());
	else
		doctor_mend(f, "%s, or %s", cg_mend(),
			    m->v2_has[CGROUP_CPU] ? DELEGATED : BOOT_V2 " and then " DELEGATED);
}

/* Could groups be made here without a change to what is there? A run may have to hand controllers
 * down first; before 6.2 that takes the CPU affinity from every task below. */
static bool may_make_in(const struct cgroup_mounts *m, const char *dir)
{
	char list[512];

	if (!cg_may_write(dir))
		return false;
	/* v1, and the root of v2, which root may always do it in. */
	if (!m->v2_has[CGROUP_CPU] || !cg_has(dir, "cgroup.type"))
		return true;
	return !cg_read(dir, "cgroup.subtree_control", list, sizeof(list)) &&
	       cg_has_word(list, "cpu");
}

/* Only where v1 has it may it be out of reach when cpu is not. Said after the other groups are
 * tried: without them there is no noise. */
static void check_account(struct doctor *d, const struct cgroup_mounts *m)
{
	const struct cgroup_mount *v1 = &m->v1[CGROUP_CPUACCT];
	char dir[CGROUP_PATH_MAX] = "";
	struct doctor_finding *f;

	if (m->v2_has[CGROUP_CPU] || !v1->point[0])
		return;
	while (cgroup_path_down(v1, dir))
		if (cg_may_write(dir))
			return;
	f = doctor_found(d, "own cpuacct", "nothing below %s may be written to", v1->point);
	doctor_lost(f, DOCTOR_LIMITED, NO_ACCOUNT);
	mend_groups(f, m);
}

/* Make a group of the run's name and remove it. */
static int try_group(const char *parent)
{
	char name[64], dir[CGROUP_PATH_MAX];
	int rc = cgroup_owner_name(getpid(), name, sizeof(name));

	if (!rc)
		rc = cg_path(dir, parent, name);
	if (!rc)
		rc = cg_mkdir(dir);
	return rc ? rc : cg_remove(dir);
}

/* All of it as a run does, in groups that are this process's own or not to be had at all. Its
 * processes step aside for it and come back. */
static int try_run(bool isolated, char *parent, const struct message *msg)
{
	enum cgroup_controller c = isolated ? CGROUP_CPUSET : CGROUP_CPU;
	struct cgroups *g = calloc(1, sizeof(*g));
	int rc = g ? cgroups_make(g, isolated, msg) : message_fail(msg, -ENOMEM, "out of memory");

	if (!rc) {
		snprintf(parent, CGROUP_PATH_MAX, "%s", g->parent[c]);
		rc = cgroups_remove(g);
	}
	cgroup_step_back_own();
	free(g);
	return rc;
}

static int try_delegation(const struct cgroup_mounts *m, char *parent, const struct message *msg)
{
	const char *point = m->v2_has[CGROUP_CPU] ? m->v2.point : m->v1[CGROUP_CPU].point;
	int rc;

	if (!may_make_in(m, point))
		return try_run(false, parent, msg);
	snprintf(parent, CGROUP_PATH_MAX, "%s", point);
	rc = try_group(point);
	return rc ? message_fail(msg, rc, "cannot make a cgroup in %s: %s", point, strerror(-rc))
		  : 0;
}

/* May a run make its groups? */
static bool check_delegation(struct doctor *d, const struct cgroup_mounts *m)
{
	char err[512], parent[CGROUP_PATH_MAX];
	struct message msg = {err, sizeof(err)};
	struct doctor_finding *f;
	int rc = try_delegation(m, parent, &msg);

	f = rc ? doctor_found(d, "own cgroups", "%s", err)
	       : doctor_found(d, "own cgroups", "can be made below %s", parent);
	if (!rc)
		return true;
	doctor_lost(f, DOCTOR_LIMITED,
		    "no place.isolation, no noise, no workers.cpu_max: such a run fails with "
		    "these words");
	mend_groups(f, m);
	return false;
}

/* And with CPUs of their own? Not tried where a run would change what is there: at the root of v2
 * it hands cpuset down, which root may always do. */
static void check_isolation(struct doctor *d, const struct cgroup_mounts *m)
{
	bool v2 = m->v2_has[CGROUP_CPU];
	char err[512], parent[CGROUP_PATH_MAX], list[512];
	struct message msg = {err, sizeof(err)};
	struct doctor_finding *f;

	if (v2 && may_make_in(m, m->v2.point) &&
	    (cg_read(m->v2.point, "cgroup.subtree_control", list, sizeof(list)) ||
	     !cg_has_word(list, "cpuset")))
		return;
	if (!try_run(true, parent, &msg)) {
		doctor_found(d, "own cpusets", "can be made below %s", parent);
		return;
	}
	f = doctor_found(d, "own cpusets", "%s", err);
	doctor_lost(f, DOCTOR_LIMITED,
		    "no place.isolation = isolated: such a run fails with these words");
	mend_groups(f, m);
}

void doctor_check_cgroups(struct doctor *d)
{
	struct cgroup_mounts m;
	int rc = cgroup_find(&m, "/proc/self/mountinfo", "/proc/self/cgroup");

	if (rc) {
		struct doctor_finding *f =
			doctor_found(d, "cgroups", "cannot read /proc: %s", strerror(-rc));

		doctor_lost(f, DOCTOR_MISSING, "a run reads its mounts, CPUs and accounts there");
		doctor_mend(f, "mount -t proc proc /proc");
		return;
	}
	check_version(d, &m);
	if (!m.v2_has[CGROUP_CPU] && !m.v1[CGROUP_CPU].point[0])
		return;
	check_controller(d, &m, CGROUP_CPUSET, "cpuset", "no place.isolation = isolated");
	check_controller(d, &m, CGROUP_CPUACCT, "cpuacct", NO_ACCOUNT);
	if (!check_delegation(d, &m))
		return;
	check_account(d, &m);
	if (controller_there(&m, CGROUP_CPUSET))
		check_isolation(d, &m);
}
