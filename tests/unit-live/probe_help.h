/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the probe share: threads with a place and a name, and the records they leave.
 */
#ifndef HOLBENCH_TESTS_PROBE_HELP_H
#define HOLBENCH_TESTS_PROBE_HELP_H

#include "live/probe.h"
#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RECORDS_MAX (1u << 18)

struct records {
	struct probe_event *ev;
	size_t n;
};

/* A thread's own account: proc_pid_schedstat(5). */
struct schedstat {
	u64 run_ns, wait_ns, waits;
};

/* A thread that spins on `cpu` under the name `name` until `stop`. */
struct spinner {
	pthread_t thread;
	const char *name;
	u32 cpu;
	_Atomic u32 tid;
	_Atomic bool stop;
};

static inline u64 clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

static inline void sleep_ns(u64 ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / NSEC_PER_SEC),
			      .tv_nsec = (long)(ns % NSEC_PER_SEC)};

	nanosleep(&ts, NULL);
}

/* CPU time, not wall time. */
static inline void spin_ns(u64 ns)
{
	u64 end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static inline u32 self_tid(void)
{
	return (u32)syscall(SYS_gettid);
}

/* The last CPU: timers and drains stay on the others where there are any. */
static inline u32 test_cpu(void)
{
	return (u32)sysconf(_SC_NPROCESSORS_ONLN) - 1;
}

/* The name first: on `cpu` nobody sees the thread under another. */
static inline void settle(const char *name, u32 cpu)
{
	cpu_set_t set;

	pthread_setname_np(pthread_self(), name);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static inline bool read_schedstat(u32 tid, struct schedstat *out)
{
	char path[64];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	ok = fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, &out->run_ns, &out->wait_ns,
		    &out->waits) == 3;
	fclose(f);
	return ok;
}

static inline void *spinner_main(void *arg)
{
	struct spinner *s = arg;

	settle(s->name, s->cpu);
	atomic_store(&s->tid, self_tid());
	while (!atomic_load(&s->stop))
		;
	return NULL;
}

static inline void spinner_start(struct spinner *s)
{
	pthread_create(&s->thread, NULL, spinner_main, s);
	while (!atomic_load(&s->tid))
		sched_yield();
}

static inline void spinner_end(struct spinner *s)
{
	atomic_store(&s->stop, true);
	pthread_join(s->thread, NULL);
}

static inline int records_take(void *ctx, const struct probe_event *ev)
{
	struct records *r = ctx;

	if (r->n == RECORDS_MAX)
		return -ENOSPC;
	r->ev[r->n++] = *ev;
	return 0;
}

static inline size_t count_kind(const struct records *r, u8 kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->ev[i].kind == kind;
	return n;
}

/* Open, or end the program: every test needs it. */
static inline struct probe *must_open(u64 ring_bytes, const u32 *cpus, u32 nr_cpus)
{
	struct probe_config cfg = {.ring_bytes = ring_bytes, .cpus = cpus, .nr_cpus = nr_cpus};
	struct probe *p = NULL;
	char err[512] = "";

	if (!probe_open(&p, &cfg, err, sizeof(err)))
		return p;
	printf("Bail out! %s\n", err);
	exit(EXIT_FAILURE);
}

/* These tests mean nothing without root; says so, loudly. */
static inline void need_root(void)
{
	if (!geteuid())
		return;
	printf("1..0 # skip needs root, for BPF\n");
	exit(EXIT_SUCCESS);
}

#endif
