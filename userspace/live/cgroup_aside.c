/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/cgroup_aside.h"

#include "live/cgroup.h"
#include "live/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ASIDE "/holbench-aside"
/* Processes that are forked while others are moved stay behind, and are moved the next time. */
#define MOVES_MAX 100
/* How long a process may take to end. */
#define LEAVE_NS NSEC_PER_SEC

static bool is_aside(const char *dir)
{
	const char *tail = strrchr(dir, '/');

	return tail && !strcmp(tail, ASIDE);
}

bool cgroup_is_aside(const struct cgroup_mount *m, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(m->own, dir, len) && !strcmp(m->own + len, ASIDE);
}

/* One process after another; who has ended meanwhile is no reason to stop. */
static int move_listed(const char *from, const char *to, u32 *moved)
{
	char path[CGROUP_PATH_MAX];
	int pid, rc = cg_path(path, from, "cgroup.procs");
	FILE *f = rc ? NULL : fopen(path, "re");

	if (!f)
		return rc ? rc : -errno;
	*moved = 0;
	while (!rc && fscanf(f, "%d", &pid) == 1) {
		rc = cg_write(to, "cgroup.procs", "%d", pid);
		rc = rc == -ESRCH ? 0 : rc;
		++*moved;
	}
	fclose(f);
	return rc;
}

static int move_all(const char *from, const char *to)
{
	u32 moved = 1;
	int rc = 0;

	for (u32 i = 0; i < MOVES_MAX && moved && !rc; i++)
		rc = move_listed(from, to, &moved);
	return rc ? rc : moved ? -EBUSY : 0;
}

int cgroup_step_aside(struct cgroup_mount *m, bool need_cpuset)
{
	char list[512], aside[CGROUP_PATH_MAX];
	int rc = cg_read(m->own, "cgroup.controllers", list, sizeof(list));

	if (rc || is_aside(m->own))
		return rc;
	if (!cg_has_word(list, "cpu") || (need_cpuset && !cg_has_word(list, "cpuset")))
		return -ENOENT;
	rc = cg_path(aside, m->own, ASIDE + 1);
	if (!rc)
		rc = cg_mkdir(aside);
	if (rc)
		return rc;
	rc = move_all(m->own, aside);
	memcpy(m->own, aside, sizeof(m->own));
	return rc;
}

/* Busy: a process that is ending is listed no more, and counts until it has ended. */
static int leave(const char *aside, const char *own)
{
	struct timespec ms = clock_timespec(NSEC_PER_MSEC);
	u64 until = clock_mono_ns() + LEAVE_NS;
	int rc;

	do {
		rc = move_all(aside, own);
		if (!rc && rmdir(aside))
			rc = -errno;
	} while (rc == -EBUSY && clock_mono_ns() < until &&
		 !clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL));
	return rc;
}

void cgroup_step_back(struct cgroup_mount *m)
{
	char aside[CGROUP_PATH_MAX], undo[64];

	if (!is_aside(m->own))
		return;
	memcpy(aside, m->own, sizeof(aside));
	*strrchr(m->own, '/') = 0;
	cgroup_undo_read(aside, undo, sizeof(undo));
	cgroup_undo(m->own, undo);
	if (leave(aside, m->own))
		memcpy(m->own, aside, sizeof(aside));
}

void cgroup_step_back_own(void)
{
	struct cgroup_mounts m;

	if (!cgroup_find(&m, "/proc/self/mountinfo", "/proc/self/cgroup"))
		cgroup_step_back(&m.v2);
}
