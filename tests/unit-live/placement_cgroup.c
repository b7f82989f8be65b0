/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The groups on the real kernel, by the backend that this machine's CPU controller wants; and on
 * v2, with or without controllers, what needs none: move, kill, remove.
 */
#include "live/cgroup.h"
#include "live/clock.h"
#include "live/leftover.h"
#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[512];
static const struct message msg = {text, sizeof(text)};

static void sleep_ns(u64 ns)
{
	struct timespec ts = clock_timespec(ns);

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* A process that is stopped; once it goes on (SIGCONT), it spins, with a child that does: so the
 * child is where its parent is by then. */
static pid_t start_spinners(void)
{
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, NULL, WUNTRACED);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	raise(SIGSTOP);
	fork();
	for (;;)
		__asm__ volatile("");
}

/* The calling thread's group by /proc, for the controller ("" for v2). */
static void own_group(const char *controller, char *path, size_t len)
{
	char line[512], list[128];
	FILE *f = fopen("/proc/thread-self/cgroup", "re");

	path[0] = 0;
	while (f && fgets(line, sizeof(line), f)) {
		char *second = strchr(line, ':') + 1, *third = strchr(second, ':');

		snprintf(list, sizeof(list), "%.*s", (int)(third - second), second);
		line[strcspn(line, "\n")] = 0;
		if (*controller ? cg_has_word(list, controller) : !list[0])
			snprintf(path, len, "%s", third + 1);
	}
	if (f)
		fclose(f);
}

static const char *controller_of(const struct cgroups *g)
{
	return g->ops == &cgroup_v2_ops ? "" : "cpu";
}

struct joiner {
	struct cgroups *g;
	int rc, policy_rc;
	char path[256];
};

static void *joiner_main(void *arg)
{
	struct joiner *j = arg;
	struct sched_param param = {.sched_priority = 1};

	j->rc = cgroups_join(j->g, CGROUP_WORKERS, gettid());
	own_group(controller_of(j->g), j->path, sizeof(j->path));
	j->policy_rc = sched_setscheduler(0, SCHED_FIFO, &param) ? errno : 0;
	return NULL;
}

static void check_threads(struct cgroups *g, const char *before)
{
	struct joiner j = {.g = g};
	char now[256];
	pthread_t thread;

	CHECK(!cgroups_realtime(g, &msg), "the workers may be real-time: %s", text);
	pthread_create(&thread, NULL, joiner_main, &j);
	pthread_join(thread, NULL);
	CHECK(!j.rc && strstr(j.path, g->name) && strstr(j.path, "/workers"),
	      "a thread joins the workers: %s", j.path);
	CHECK(!j.policy_rc || g->ops == &cgroup_v2_ops, "and is real-time there: %s",
	      strerror(j.policy_rc));
	own_group(controller_of(g), now, sizeof(now));
	CHECK(!strstr(now, "/workers") && (g->ops == &cgroup_v2_ops || !strcmp(now, before)),
	      "the thread that made them does not: %s", now);
}

static void check_noise(struct cgroups *g, u32 cpu)
{
	struct cpu_list one = {.nr = 1, .cpu = {cpu}};
	struct cgroup_usage before, after;
	pid_t pid = start_spinners();
	cpu_set_t set;
	u64 wall;

	CHECK(!cgroups_quota(g, CGROUP_NOISE, 20 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC, &msg),
	      "a quota of a fifth: %s", text);
	if (cgroups_cpuset(g))
		CHECK(!cgroups_cpus(g, CGROUP_NOISE, &one, &msg), "CPU %u alone: %s", cpu, text);
	CHECK(!cgroups_join(g, CGROUP_NOISE, pid), "a process joins the noise");
	kill(pid, SIGCONT);
	sleep_ns(100 * NSEC_PER_MSEC);
	sched_getaffinity(pid, sizeof(set), &set);
	CHECK(!cgroups_cpuset(g) || (CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set)),
	      "and may run there only");
	cgroups_usage(g, CGROUP_NOISE, &before);
	wall = clock_mono_ns();
	sleep_ns(NSEC_PER_SEC);
	CHECK(!cgroups_usage(g, CGROUP_NOISE, &after), "usage can be read");
	wall = clock_mono_ns() - wall;
	after.cpu_ns -= before.cpu_ns;
	after.nr_throttled -= before.nr_throttled;
	CHECK(after.cpu_ns > wall / 20 && after.cpu_ns < wall * 26 / 100 + 20 * NSEC_PER_MSEC,
	      "two spinners get %.1f %% of a CPU", 100 * (double)after.cpu_ns / (double)wall);
	CHECK(after.nr_throttled >= 5 && after.throttled_ns > before.throttled_ns,
	      "throttled %" PRIu64 " times, for %.0f ms", after.nr_throttled,
	      (double)(after.throttled_ns - before.throttled_ns) / (double)NSEC_PER_MSEC);
	CHECK(!cgroups_kill(g, CGROUP_NOISE) && cg_empty(g->dir[CGROUP_CPU][CGROUP_NOISE]),
	      "all of it is killed");
	waitpid(pid, NULL, 0);
}

static void check_weight(struct cgroups *g)
{
	const char *how = "", *dir = g->dir[CGROUP_CPU][CGROUP_NOISE];
	u64 idle = 0;

	int rc = cgroups_lowest(g, CGROUP_NOISE, &how, &msg);

	CHECK(!rc, "the lowest weight: %s", how);
	cg_read_number(dir, "cpu.idle", "", &idle);
	CHECK(idle == 1 || !cg_has(dir, "cpu.idle"), "which is idle where the kernel has it");
}

static void check_partition(struct cgroups *g, u32 cpu, u32 other_cpu)
{
	struct cpu_list one = {.nr = 1, .cpu = {cpu}}, other = {.nr = 1, .cpu = {other_cpu}};
	char got[160], all[256], root[256];

	CHECK(!cgroups_cpus(g, CGROUP_NOISE, &other, &msg), "the noise elsewhere: %s", text);
	cgroups_partition(g, &one, got, sizeof(got));
	if (!strncmp(got, "none: ", 6)) {
		CHECK(strlen(got) > 6, "no partition, and why: %s", got);
		return;
	}
	cg_read(g->dir[CGROUP_CPUSET][CGROUP_WORKERS], "cpuset.cpus.partition", all, sizeof(all));
	CHECK(!strcmp(all, got), "a partition: %s", got);
	cg_read(g->parent[CGROUP_CPUSET], "cpuset.cpus.effective", root, sizeof(root));
	snprintf(all, sizeof(all), "%u", cpu);
	CHECK(!cg_has_word(root, all), "everybody else has CPUs %s, and not %u", root, cpu);
}

static void check_groups(void)
{
	struct cpu_list allowed;
	struct cgroups g = {0};
	char before[256], after[256], top[CGROUP_PATH_MAX], parent[CGROUP_PATH_MAX];
	char handed[256] = "", now[256];
	bool v2;
	u32 cpu;
	int rc;

	if (cpu_list_allowed(&allowed))
		abort();
	cpu = allowed.cpu[allowed.nr - 1];
	own_group("cpu", before, sizeof(before));
	if (!before[0])
		own_group("", before, sizeof(before));
	cg_read("/sys/fs/cgroup", "cgroup.subtree_control", handed, sizeof(handed));
	rc = cgroups_make(&g, false, &msg);
	CHECK(!rc, "the groups are made: %s%s", rc ? text : g.ops->name, g.top[CGROUP_CPU]);
	if (rc)
		return;
	check_threads(&g, before);
	check_noise(&g, cpu);
	check_weight(&g);
	if (cgroups_cpuset(&g) && allowed.nr > 1)
		check_partition(&g, cpu, allowed.cpu[0]);
	strcpy(top, g.top[CGROUP_CPU]);
	strcpy(parent, g.parent[CGROUP_CPU]);
	v2 = g.ops == &cgroup_v2_ops;
	CHECK(!cgroups_remove(&g) && access(top, F_OK) && errno == ENOENT, "and removed");
	CHECK(!cgroups_remove(&g), "twice");
	own_group(v2 ? "" : "cpu", after, sizeof(after));
	if (v2 && !strcmp(parent, "/sys/fs/cgroup")) {
		cg_read(parent, "cgroup.subtree_control", now, sizeof(now));
		CHECK(!strcmp(handed, now), "its parent hands down what it did: %s", now);
	}
	CHECK(!strcmp(before, after), "this process is where it was: %s", after);
}

/* A run that is killed, with its noise in its groups. */
static void check_leftover(void)
{
	char before[256] = "", after[256] = "";
	pid_t pid, spinner;
	int status;

	cg_read("/sys/fs/cgroup", "cgroup.subtree_control", before, sizeof(before));
	pid = fork();
	if (!pid) {
		struct cgroups g;

		if (cgroups_make(&g, false, &msg))
			_exit(1);
		spinner = fork();
		if (!spinner)
			for (;;)
				pause();
		cgroups_join(&g, CGROUP_NOISE, spinner);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status), "a run is killed in the middle");
	CHECK(!leftover_remove(text, sizeof(text)) && strstr(text, " killed run"), "%s", text);
	cg_read("/sys/fs/cgroup", "cgroup.subtree_control", after, sizeof(after));
	CHECK(!strcmp(before, after), "what it switched on is off again: '%s'", after);
	CHECK(!leftover_remove(text, sizeof(text)) && !text[0], "and then there is nothing: %s",
	      text);
}

/* In a subtree of our own: what the v2 files do, whatever controllers there are. */
static void check_v2(const char *root)
{
	char top[CGROUP_PATH_MAX], engine[CGROUP_PATH_MAX], workers[CGROUP_PATH_MAX], type[64];
	pid_t pid;
	int status;

	snprintf(text, sizeof(text), "holbench-test-%d", getpid());
	if (cg_path(top, root, text) || cg_path(engine, top, "engine") ||
	    cg_path(workers, engine, "workers"))
		abort();
	CHECK(!cg_mkdir(top) && !cg_mkdir(engine) && !cg_mkdir(workers) &&
		      !cg_write(workers, "cgroup.type", "threaded"),
	      "v2: a threaded group is made");
	cg_read(engine, "cgroup.type", type, sizeof(type));
	CHECK(!strcmp(type, "domain threaded"), "the group around it is a %s", type);
	pid = start_spinners();
	CHECK(!cg_write(engine, "cgroup.procs", "%d", pid) &&
		      !cg_write(workers, "cgroup.threads", "%d", pid),
	      "a process joins the one, its thread the other");
	kill(pid, SIGCONT);
	sleep_ns(100 * NSEC_PER_MSEC);
	CHECK(!cg_empty(engine) && cg_visible(engine), "they are seen");
	CHECK(!cg_kill_all(top) && cg_empty(top), "killed, with a child that it forked");
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	      "by SIGKILL");
	CHECK(!cg_remove(top) && access(top, F_OK), "removed");
	CHECK(!cg_remove(top), "twice");
}

int main(void)
{
	struct cgroup_mounts m;

	if (getuid()) {
		printf("1..0 # skip needs root: run make test with sudo\n");
		return EXIT_SUCCESS;
	}
	check_groups();
	check_leftover();
	if (!cgroup_find(&m, "/proc/self/mountinfo", "/proc/self/cgroup") && m.v2.point[0])
		check_v2(m.v2.point);
	else
		CHECK(true, "v2 # skip no cgroup v2 is mounted");
	return tap_done();
}
