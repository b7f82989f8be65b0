/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/cgroup_find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cgroup_controller_name(enum cgroup_controller c)
{
	static const char *const names[] = {
		[CGROUP_CPU] = "cpu", [CGROUP_CPUSET] = "cpuset", [CGROUP_CPUACCT] = "cpuacct"};

	return names[c];
}

/* mountinfo writes a blank, tab, newline or backslash of a path as \ and three octal digits. */
static void decode_path(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned int octal;

		if (from[0] == '\\' && sscanf(from, "\\%3o", &octal) == 1) {
			*to = (char)octal;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = 0;
}

/* Where a hierarchy is mounted twice, the first is taken. */
static void keep_mount(struct cgroup_mount *m, const struct cgroup_mount *found)
{
	if (!m->point[0])
		*m = *found;
}

/* ID PARENT DEVICE ROOT POINT OPTIONS … - TYPE SOURCE OPTIONS */
static void take_mount(struct cgroup_mounts *m, const char *line)
{
	char type[32], options[256];
	struct cgroup_mount found = {0};
	const char *tail = strstr(line, " - ");

	if (!tail || sscanf(line, "%*s %*s %*s %255s %511s", found.root, found.point) != 2 ||
	    sscanf(tail, " - %31s %*s %255s", type, options) != 2)
		return;
	decode_path(found.root);
	decode_path(found.point);
	if (!strcmp(type, "cgroup2"))
		keep_mount(&m->v2, &found);
	for (u32 c = 0; c < CGROUP_CONTROLLERS; c++)
		if (!strcmp(type, "cgroup") && cg_has_word(options, cgroup_controller_name(c)))
			keep_mount(&m->v1[c], &found);
}

/* `path` is the group's in its hierarchy, of which the mount may show a part. */
static void set_own(struct cgroup_mount *m, const char *path)
{
	size_t skip = strcmp(m->root, "/") ? strlen(m->root) : 0;
	const char *below = strncmp(path, m->root, skip) ? "" : path + skip;

	if (m->point[0] && snprintf(m->own, sizeof(m->own), "%s%s", m->point,
				    strcmp(below, "/") ? below : "") >= (int)sizeof(m->own))
		m->own[0] = 0;
}

/* HIERARCHY:CONTROLLERS:PATH; v2 is 0 and has no list. */
static void take_self(struct cgroup_mounts *m, char *line)
{
	char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

	if (!path)
		return;
	line[strcspn(line, "\n")] = 0;
	*path++ = 0;
	if (!list[1] && !strncmp(line, "0:", 2))
		set_own(&m->v2, path);
	for (u32 c = 0; c < CGROUP_CONTROLLERS; c++)
		if (cg_has_word(list + 1, cgroup_controller_name(c)))
			set_own(&m->v1[c], path);
}

static int read_lines(struct cgroup_mounts *m, const char *path, bool mounts)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!f)
		return -errno;
	while (getline(&line, &room, f) >= 0) {
		if (mounts)
			take_mount(m, line);
		else
			take_self(m, line);
	}
	free(line);
	fclose(f);
	return 0;
}

int cgroup_find(struct cgroup_mounts *m, const char *mountinfo, const char *self)
{
	char list[512];
	int rc;

	memset(m, 0, sizeof(*m));
	rc = read_lines(m, mountinfo, true);
	if (!rc)
		rc = read_lines(m, self, false);
	if (rc || !m->v2.point[0] || cg_read(m->v2.point, "cgroup.controllers", list, sizeof(list)))
		return rc;
	m->v2_has[CGROUP_CPU] = m->v2_has[CGROUP_CPUACCT] = cg_has_word(list, "cpu");
	m->v2_has[CGROUP_CPUSET] = cg_has_word(list, "cpuset");
	return 0;
}

bool cgroup_path_down(const struct cgroup_mount *m, char dir[CGROUP_PATH_MAX])
{
	size_t at = strlen(dir), len = strlen(m->own);

	if (!m->point[0])
		return false;
	if (!at) {
		snprintf(dir, CGROUP_PATH_MAX, "%s", m->point);
		return true;
	}
	if (at >= len)
		return false;
	at += 1 + strcspn(m->own + at + 1, "/");
	snprintf(dir, CGROUP_PATH_MAX, "%.*s", (int)at, m->own);
	return true;
}
