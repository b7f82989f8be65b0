/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tracing adds to a round trip of `perf bench sched pipe` (two switches and two wake-ups on
 * one CPU): by the probe with both tasks marked and their CPU a worker CPU, by the probe with
 * neither, and by `perf sched record`. The ring is drained from another CPU on a timer, as a live
 * run does it. Needs root and perf; the ways take turns, round by round, so that drift hits all.
 *
 *   bench/probe [ROUNDS [ROUND_TRIPS]]
 */
#include "live/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MAX 101
#define DRAIN_NS   (10 * NSEC_PER_MSEC)
#define RING_BYTES (8ull << 20)

enum way {
	PLAIN,
	TRACED,
	UNTRACED,
	PERF,
	NR_WAYS,
};

struct bench {
	int cpu, other; /* where the round trips run, and where all else does */
	u32 rounds;
	char trips[16];
	char data[32]; /* what perf sched record writes */
	double us[NR_WAYS][ROUNDS_MAX];
	u64 records, lost;
};

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int count_record(void *ctx, const struct probe_event *ev)
{
	(void)ev;
	++*(u64 *)ctx;
	return 0;
}

/* Starts the round trips on their CPU, with *out reading what perf says. */
static pid_t start(const struct bench *b, enum way way, int *out)
{
	char cpu[16];
	int fds[2];
	pid_t pid;

	snprintf(cpu, sizeof(cpu), "%d", b->cpu);
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		run_on(b->other);
		if (way == PERF)
			execlp("perf", "perf", "sched", "record", "-q", "-o", b->data, "--",
			       "taskset", "-c", cpu, "perf", "bench", "sched", "pipe", "-l",
			       b->trips, NULL);
		run_on(b->cpu);
		execlp("perf", "perf", "bench", "sched", "pipe", "-l", b->trips, NULL);
		_exit(127);
	}
	close(fds[1]);
	*out = fds[0];
	return pid;
}

/* The one child of a process, or 0: perf makes the other end of its pipe so. */
static int child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		fclose(f);
	return child;
}

/* Both ends, once they are there; of a run of a second this is the first few milliseconds. */
static int mark_both(struct probe *p, pid_t pid)
{
	struct timespec nap = {.tv_nsec = NSEC_PER_MSEC};
	int ret = 0, child = 0;

	for (int i = 0; i < 1000 && !child; i++) {
		nanosleep(&nap, NULL);
		child = child_of(pid);
	}
	if (!child)
		return -ESRCH;
	ret = probe_mark_pid(p, pid);
	return ret ? ret : probe_mark_pid(p, child);
}

/* Drains until the round trips have ended. */
static void attend(struct probe *p, pid_t pid, u64 *records)
{
	struct timespec nap = {.tv_nsec = DRAIN_NS};

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		nanosleep(&nap, NULL);
		if (p)
			probe_drain(p, count_record, records);
	}
	if (p)
		probe_drain(p, count_record, records);
}

/* The figure in perf's output: "   8.034 usecs/op"; negative when there is none. */
static double read_us(int fd)
{
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[256];
	double us = -1;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "usecs/op") && sscanf(line, "%lf", &us) != 1)
			us = -1;
	if (f)
		fclose(f);
	return us;
}

static int one_run(struct bench *b, enum way way, u32 round)
{
	u32 cpu = (u32)(way == TRACED ? b->cpu : b->other);
	struct probe_config cfg = {.ring_bytes = RING_BYTES, .cpus = &cpu, .nr_cpus = 1};
	struct probe_losses lost = {0};
	struct probe *p = NULL;
	char err[512];
	int fd = -1, ret = 0;
	u64 records = 0;
	pid_t pid;

	if ((way == TRACED || way == UNTRACED) && probe_open(&p, &cfg, err, sizeof(err))) {
		printf("%s\n", err);
		return -EPERM;
	}
	pid = start(b, way, &fd);
	if (way == TRACED && pid > 0)
		ret = mark_both(p, pid);
	attend(p, pid, &records);
	b->us[way][round] = read_us(fd);
	unlink(b->data); /* perf would keep the last one as .old */
	if (way == TRACED) {
		probe_losses(p, &lost);
		b->records += records;
		b->lost += lost.ring_full + lost.missed;
	}
	probe_close(p);
	if (ret || b->us[way][round] < 0) {
		printf("perf bench sched pipe gave no figure: is perf installed?\n");
		return -ENOENT;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, u32 n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Of a way over plain, each pair from one round: what drifts between rounds falls out. */
static double median_added(const struct bench *b, enum way way)
{
	double added[ROUNDS_MAX];

	for (u32 r = 0; r < b->rounds; r++)
		added[r] = b->us[way][r] - b->us[PLAIN][r];
	return median(added, b->rounds);
}

static double fastest(const struct bench *b, enum way way)
{
	double least = b->us[way][0];

	for (u32 r = 1; r < b->rounds; r++)
		least = b->us[way][r] < least ? b->us[way][r] : least;
	return least;
}

static void row(const struct bench *b, const char *what, enum way way, double limit)
{
	double us = median_added(b, way), ratio = us / median_added(b, PERF);
	double best = fastest(b, way) - fastest(b, PLAIN);

	printf("pipe round trip, %s\t+%.2f us, %.2f of perf's (fastest +%.2f)\t", what, us, ratio,
	       best);
	if (limit > 0)
		printf("at most %.2f of perf's\t%s\n", limit, ratio <= limit ? "ok" : "not");
	else
		printf("\t-\n");
}

static void print(struct bench *b)
{
	double plain[ROUNDS_MAX];

	memcpy(plain, b->us[PLAIN], sizeof(plain));
	printf("pipe round trip, plain\t%.2f us (fastest %.2f)\t\t-\n", median(plain, b->rounds),
	       fastest(b, PLAIN));
	row(b, "perf sched record adds", PERF, 0);
	row(b, "probe adds, tasks traced", TRACED, 0.5);
	row(b, "probe adds, tasks not traced", UNTRACED, 0.2);
	printf("medians over %u rounds of what is added to that round's plain run; %s round trips "
	       "on CPU %d; %" PRIu64 " records, %" PRIu64 " lost\n",
	       b->rounds, b->trips, b->cpu, b->records, b->lost);
}

int main(int argc, char **argv)
{
	struct bench b = {.cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1, .rounds = 15};
	int fd, ret = 0;

	if (argc > 1)
		b.rounds = (u32)strtoul(argv[1], NULL, 10);
	if (b.rounds < 1 || b.rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: probe [ROUNDS (1 to %d) [ROUND_TRIPS]]\n", ROUNDS_MAX);
		return 2;
	}
	snprintf(b.trips, sizeof(b.trips), "%s", argc > 2 ? argv[2] : "30000");
	snprintf(b.data, sizeof(b.data), "/tmp/holbench-perf-XXXXXX");
	fd = mkstemp(b.data);
	if (fd < 0)
		return 1;
	close(fd);
	b.other = b.cpu ? 0 : b.cpu;
	run_on(b.other);
	for (u32 r = 0; r < b.rounds && !ret; r++)
		for (enum way w = 0; w < NR_WAYS && !ret; w++)
			ret = one_run(&b, r % 2 ? NR_WAYS - 1 - w : w, r);
	unlink(b.data);
	if (ret)
		return 1;
	print(&b);
	return 0;
}
