/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/leftover.h"

#include "live/cgroup.h"
#include "live/cgroup_owner.h"
#include "live/rights.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct leftover {
	char last[256]; /* the name that was removed last: v1 has it in several hierarchies */
	char stays[CGROUP_PATH_MAX];
	const char *only; /* this name; NULL: all of dead owners */
	u32 runs;
	int error;
};

static void remove_one(struct leftover *l, const char *parent, const char *name)
{
	char dir[CGROUP_PATH_MAX], undo[64];
	int rc = cg_path(dir, parent, name);

	if (rc || !cg_visible(dir))
		return;
	cgroup_undo_read(dir, undo, sizeof(undo));
	rc = cg_kill_all(dir);
	if (!rc)
		rc = cg_remove(dir);
	cgroup_undo(parent, undo);
	if (rc) {
		l->error = rc;
		snprintf(l->stays, sizeof(l->stays), "%s", dir);
	} else if (strcmp(l->last, name)) {
		snprintf(l->last, sizeof(l->last), "%s", name);
		l->runs++;
	}
}

/* The names are collected by the directory's stream: what is removed meanwhile does not upset it.
 */
static void search(struct leftover *l, const char *parent)
{
	DIR *d = opendir(parent);
	const struct dirent *ent;

	while (d && (ent = readdir(d)))
		if (l->only ? !strcmp(ent->d_name, l->only)
			    : cgroup_owner_of(ent->d_name) == CGROUP_OWNER_DEAD)
			remove_one(l, parent, ent->d_name);
	if (d)
		closedir(d);
}

static void search_mount(struct leftover *l, const struct cgroup_mount *m)
{
	char dir[CGROUP_PATH_MAX] = "";

	while (cgroup_path_down(m, dir))
		search(l, dir);
}

/*
 * In a pid namespace of its own this process cannot tell whether a group's owner lives. The initial
 * namespace has a fixed inode (PROC_PID_INIT_INO, include/linux/proc_ns.h).
 */
static bool sees_owners(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == 0xEFFFFFFCul;
}

static int remove_all(struct leftover *l, char *text, size_t len)
{
	struct cgroup_mounts mounts;
	u64 before = rights_raise();

	text[0] = 0;
	/* Whoever needs cgroups will say that they cannot be found. */
	if (!cgroup_find(&mounts, "/proc/self/mountinfo", "/proc/self/cgroup")) {
		search_mount(l, &mounts.v2);
		for (u32 c = 0; c < CGROUP_CONTROLLERS; c++)
			search_mount(l, &mounts.v1[c]);
	}
	rights_restore(before);
	if (l->error)
		snprintf(text, len,
			 "%s was left behind by a run that was killed and cannot be removed: %s; "
			 "remove it as root",
			 l->stays, strerror(-l->error));
	return l->error;
}

int leftover_remove(char *text, size_t len)
{
	struct leftover l = {0};

	text[0] = 0;
	if (!sees_owners())
		return 0;
	remove_all(&l, text, len);
	if (!l.error && l.runs)
		snprintf(text, len,
			 "removed the cgroups that %u killed run%s left behind, and what ran in "
			 "them",
			 l.runs, l.runs == 1 ? "" : "s");
	return l.error;
}

int leftover_remove_of(const char *name, char *text, size_t len)
{
	struct leftover l = {.only = name};

	return remove_all(&l, text, len);
}
