/* SPDX-License-Identifier: GPL-2.0-only */
/* How a group ends: its processes are killed, its directories removed, the innermost first. */
#include "live/cgroup_file.h"
#include "live/clock.h"

#include <errno.h>
#include <fts.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define LOOK_AGAIN_NS NSEC_PER_MSEC

/* Call `each` for the group and all below it: a directory after those inside. */
static int walk(const char *dir, int (*each)(void *ctx, const char *dir), void *ctx)
{
	char *roots[] = {(char *)(uintptr_t)dir, NULL};
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *ent;
	int rc = 0;

	if (!fts)
		return -errno;
	while (!rc && (ent = fts_read(fts)))
		if (ent->fts_info == FTS_DP)
			rc = each(ctx, ent->fts_path);
	fts_close(fts);
	return rc;
}

/*
 * The processes of one group. A threaded group of v2 lists none: they are in the list of the domain
 * around it. A process of another pid namespace reads as 0.
 */
static int each_pid(const char *dir, int (*each)(void *ctx, pid_t pid), void *ctx)
{
	char path[CGROUP_PATH_MAX];
	FILE *f;
	int pid, rc = cg_path(path, dir, "cgroup.procs");

	if (rc)
		return rc;
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? 0 : -errno;
	while (!rc && fscanf(f, "%d", &pid) == 1)
		rc = each(ctx, pid);
	fclose(f);
	return rc;
}

static int kill_pid(void *error, pid_t pid)
{
	if (pid > 1 && pid != getpid() && kill(pid, SIGKILL) && errno == EPERM)
		*(int *)error = -EPERM;
	return 0;
}

static int kill_dir(void *error, const char *dir)
{
	each_pid(dir, kill_pid, error);
	return 0;
}

int cg_kill(const char *dir)
{
	int error = 0;

	if (cg_write(dir, "cgroup.kill", "1"))
		walk(dir, kill_dir, &error);
	return error;
}

static int found_pid(void *ctx, pid_t pid)
{
	(void)ctx;
	(void)pid;
	return 1;
}

static int find_pid(void *ctx, const char *dir)
{
	return each_pid(dir, found_pid, ctx);
}

bool cg_empty(const char *dir)
{
	return walk(dir, find_pid, NULL) <= 0;
}

static int hidden_pid(void *ctx, pid_t pid)
{
	(void)ctx;
	return !pid;
}

static int find_hidden(void *ctx, const char *dir)
{
	return each_pid(dir, hidden_pid, ctx);
}

bool cg_visible(const char *dir)
{
	return walk(dir, find_hidden, NULL) <= 0;
}

static void pause_a_little(void)
{
	struct timespec ts = clock_timespec(LOOK_AGAIN_NS);

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

int cg_kill_all(const char *dir)
{
	u64 until = clock_mono_ns() + CG_PATIENCE_NS;
	int rc;

	/* Who may not write there may not end what is in it, however often it tries. */
	if (!cg_may_write(dir) && errno != ENOENT)
		return -errno;
	while (!(rc = cg_kill(dir)) && !cg_empty(dir)) {
		if (clock_mono_ns() > until)
			return -ETIMEDOUT;
		pause_a_little();
	}
	return rc;
}

/*
 * A v1 group that had real-time is accounted for until an RCU grace period after its end, and the
 * next one would be refused as much: it is given back first.
 */
static int remove_dir(void *ctx, const char *dir)
{
	(void)ctx;
	cg_write(dir, "cpu.rt_runtime_us", "0");
	return rmdir(dir) && errno != ENOENT ? -errno : 0;
}

int cg_remove(const char *dir)
{
	u64 until = clock_mono_ns() + CG_PATIENCE_NS;
	int rc;

	if (access(dir, F_OK))
		return errno == ENOENT ? 0 : -errno;
	/* Busy: a killed process counts until it has ended. */
	while ((rc = walk(dir, remove_dir, NULL)) == -EBUSY && clock_mono_ns() < until) {
		cg_kill(dir);
		pause_a_little();
	}
	return rc;
}
