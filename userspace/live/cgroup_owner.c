/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/cgroup_owner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * proc_pid_stat(5): field 3 is the state, field 22 the start in ticks since boot. The second is a
 * name in parentheses, which may itself hold any of them. 0, or -ESRCH when there is no such
 * process.
 */
static int read_stat(unsigned int pid, char *state, u64 *start)
{
	char path[64], text[1024];
	const char *after;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	after = strrchr(text, ')');
	if (!after)
		return -ESRCH;
	return sscanf(after + 1,
		      " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		      "%*s %" SCNu64,
		      state, start) == 2
		       ? 0
		       : -ENODATA;
}

int cgroup_owner_name(pid_t pid, char *name, size_t len)
{
	u64 start;
	char state;
	int rc = read_stat((unsigned int)pid, &state, &start);

	if (!rc)
		snprintf(name, len, "holbench-%u-%" PRIu64, (unsigned int)pid, start);
	return rc;
}

enum cgroup_owner cgroup_owner_of(const char *name)
{
	char again[64], state;
	unsigned int pid;
	u64 start, now;
	int rc;

	if (sscanf(name, "holbench-%u-%" SCNu64, &pid, &start) != 2)
		return CGROUP_NOT_OURS;
	snprintf(again, sizeof(again), "holbench-%u-%" PRIu64, pid, start);
	if (strcmp(again, name))
		return CGROUP_NOT_OURS;
	rc = read_stat(pid, &state, &now);
	if (rc == -ESRCH)
		return CGROUP_OWNER_DEAD;
	/* When in doubt, it lives. */
	if (rc)
		return CGROUP_OWNER_LIVES;
	return now != start || state == 'Z' || state == 'X' ? CGROUP_OWNER_DEAD
							    : CGROUP_OWNER_LIVES;
}
