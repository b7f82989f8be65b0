/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probe must not record, what it may lose, and what it leaves behind. */
#include "probe_help.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#define SLEEPS 50

static void *sleeper_main(void *arg)
{
	settle("hb-sleeper", *(u32 *)arg);
	for (int i = 0; i < SLEEPS; i++)
		sleep_ns(NSEC_PER_MSEC);
	return NULL;
}

static void sleep_on(u32 cpu)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleeper_main, &cpu);
	pthread_join(thread, NULL);
}

static u32 count_strangers(const struct records *r, u32 worker)
{
	u32 n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->ev[i].other_tid != worker;
	return n;
}

/* A mark is one probe's: a task that some other tool keeps data on is no worker. */
static void test_two_probes(struct records *r)
{
	struct probe *mine = must_open(1 << 20, NULL, 0), *other = must_open(1 << 20, NULL, 0);
	int ret = probe_mark_self(other);

	sleep_ns(NSEC_PER_MSEC);
	r->n = 0;
	probe_drain(other, records_take, r);
	CHECK(!ret && r->n, "marked for one probe: %zu records there", r->n);
	r->n = 0;
	probe_drain(mine, records_take, r);
	CHECK(!r->n, "and none in another's ring: %zu", r->n);
	probe_close(other);
	probe_close(mine);
}

/* No worker CPU: only wake-ups of marked threads are left to record. */
static void test_unmarked(struct records *r)
{
	struct probe *p = must_open(1 << 20, NULL, 0);
	int ret;

	r->n = 0;
	sleep_on(test_cpu());
	ret = probe_drain(p, records_take, r);
	CHECK(!ret && !r->n, "threads that are not marked leave no records: %zu", r->n);
	ret = probe_mark_self(p);
	sleep_on(test_cpu());
	sleep_ns(NSEC_PER_MSEC);
	probe_drain(p, records_take, r);
	CHECK(!ret && r->n > 0, "a marked main thread leaves some: %zu", r->n);
	ret = (int)count_strangers(r, self_tid());
	CHECK(!ret, "and no other thread does: %d", ret);
	probe_close(p);
}

static void test_mark_pid(struct records *r)
{
	struct probe *p = must_open(1 << 20, NULL, 0);
	pid_t child = fork();
	int ret;

	if (!child)
		for (;;)
			sleep_ns(NSEC_PER_MSEC);
	ret = probe_mark_pid(p, child);
	r->n = 0;
	/* A busy machine wakes it less often. */
	for (u32 i = 0; i < 100 && r->n <= SLEEPS; i++) {
		sleep_ns(SLEEPS * NSEC_PER_MSEC);
		probe_drain(p, records_take, r);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	probe_drain(p, records_take, r);
	CHECK(!ret && r->n > SLEEPS, "another process's wake-ups: %zu records", r->n);
	CHECK(!count_strangers(r, (u32)child), "all of them its own");
	ret = probe_mark_pid(p, child);
	CHECK(ret == -ESRCH, "a process that is gone cannot be marked: %s", strerror(-ret));
	probe_close(p);
}

static void test_full(struct records *r)
{
	u32 cpu = test_cpu();
	struct probe *p = must_open(1, &cpu, 1);
	size_t room = (size_t)sysconf(_SC_PAGESIZE) / (sizeof(struct probe_event) + 8);
	struct probe_losses lost;
	size_t kept;
	int ret;

	r->n = 0;
	sleep_on(cpu);
	sleep_on(cpu);
	probe_drain(p, records_take, r);
	kept = r->n;
	CHECK(kept && kept <= room, "a ring of one page keeps %zu records of at most %zu", kept,
	      room);
	ret = probe_losses(p, &lost);
	CHECK(!ret && lost.ring_full + kept >= 4 * SLEEPS,
	      "and counts those that it lost: %" PRIu64, lost.ring_full);
	sleep_on(cpu);
	probe_drain(p, records_take, r);
	CHECK(r->n > kept, "drained, it records again");
	probe_close(p);
}

static int refuse(void *ctx, const struct probe_event *ev)
{
	(void)ev;
	++*(u32 *)ctx;
	return -EPIPE;
}

static void test_taker_stops(struct records *r)
{
	u32 cpu = test_cpu(), calls = 0;
	struct probe *p = must_open(1 << 20, &cpu, 1);
	int ret;

	sleep_on(cpu);
	ret = probe_drain(p, refuse, &calls);
	CHECK(ret == -EPIPE && calls == 1, "the taker's error ends the drain and is returned");
	r->n = 0;
	ret = probe_drain(p, records_take, r);
	CHECK(!ret && r->n, "the rest stays in the ring: %zu", r->n);
	probe_close(p);
}

static u32 count_entries(const char *path)
{
	DIR *dir = opendir(path);
	u32 n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static u64 resident_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (f && fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (u64)sysconf(_SC_PAGESIZE) / 1024;
}

/* No descriptor and no pin left: the kernel frees programs and maps with their last user. */
static void test_leaves_nothing(void)
{
	u32 cpu = test_cpu(), fds = count_entries("/proc/self/fd");
	u32 pins = count_entries("/sys/fs/bpf");
	u64 memory = resident_kib(), grown;

	for (int i = 0; i < 5; i++)
		probe_close(must_open(16 << 20, &cpu, 1));
	probe_close(NULL);
	grown = resident_kib() - memory;
	CHECK(count_entries("/proc/self/fd") == fds, "no descriptor is left");
	CHECK(count_entries("/sys/fs/bpf") == pins, "nothing is pinned");
	CHECK((int64_t)grown < 16 << 10, "no ring stays mapped: %" PRIu64 " KiB more", grown);
}

static void test_run_time(void)
{
	u32 cpu = test_cpu();
	struct probe *p = must_open(1 << 20, &cpu, 1);
	FILE *f = fopen("/proc/sys/kernel/bpf_stats_enabled", "r");
	int enabled = 0;
	bool known;
	u64 ns;

	if (f && fscanf(f, "%d", &enabled) != 1)
		enabled = 0;
	if (f)
		fclose(f);
	sleep_on(cpu);
	ns = probe_run_time_ns(p, &known);
	CHECK(known == (enabled == 1) && (ns > 0) == known,
	      "run time of the programs is %sknown: %" PRIu64 " ns", known ? "" : "not ", ns);
	probe_close(p);
}

int main(void)
{
	struct records r = {.ev = calloc(RECORDS_MAX, sizeof(*r.ev))};

	need_root();
	test_unmarked(&r);
	test_two_probes(&r);
	test_mark_pid(&r);
	test_full(&r);
	test_taker_stops(&r);
	test_run_time();
	test_leaves_nothing();
	free(r.ev);
	return tap_done();
}
