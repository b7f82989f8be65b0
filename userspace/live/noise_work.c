/* SPDX-License-Identifier: GPL-2.0-only */
/* The built-in kinds of noise. This runs in a process of its own. */
#include "live/clock.h"
#include "live/noise.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUFFER_BYTES_DEFAULT (64ull << 20)
#define CACHE_LINE	     64

struct maker {
	const struct noise_config *cfg;
	u32 index;
	u64 base_ns; /* when the first period began */
	u8 *slice;   /* memory: this thread's part of the buffer */
	u64 slice_bytes;
};

const char *noise_name(u32 kind)
{
	static const char *const names[] = {
		[NOISE_NONE] = "none",	   [NOISE_CPU] = "burn",  [NOISE_BURST] = "burst",
		[NOISE_MEMORY] = "memory", [NOISE_FORK] = "fork", [NOISE_COMMAND] = "command"};

	return names[kind];
}

static void spin_until(u64 until_ns)
{
	while (clock_mono_ns() < until_ns)
		;
}

/*
 * Spin for the duty's share of each period, by the clock, and sleep for the rest. The threads of a
 * burst begin their periods together, those of `cpu` one after another, so that their sum is even.
 */
static void spin(const struct maker *m)
{
	const struct noise_config *cfg = m->cfg;
	u64 busy = (u64)(cfg->duty * (double)cfg->period_ns), at = m->base_ns;

	if (cfg->kind == NOISE_CPU)
		at += m->index * cfg->period_ns / cfg->threads;
	if (cfg->duty >= 1 || !cfg->period_ns)
		spin_until(NEVER_NS);
	for (;; at += cfg->period_ns) {
		struct timespec ts = clock_timespec(at);

		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
			;
		spin_until(at + busy);
	}
}

/* Read and write each line of the slice, again and again. */
static void stream(const struct maker *m)
{
	volatile u8 *p = m->slice;

	for (;;)
		for (u64 i = 0; i < m->slice_bytes; i += CACHE_LINE)
			p[i]++;
}

/* What the fork costs is the noise: a process for nothing. */
static void fork_again(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		else
			usleep(1000);
	}
}

static void *maker_main(void *arg)
{
	const struct maker *m = arg;

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	switch (m->cfg->kind) {
	case NOISE_MEMORY:
		stream(m);
		break;
	case NOISE_FORK:
		fork_again();
		break;
	default:
		spin(m);
	}
	return NULL;
}

/* The largest cache of the CPU, bytes; 0 where sysfs does not say. Its files are "32768K". */
static u64 last_cache_bytes(u32 cpu)
{
	char dir[128], text[32];
	u64 most = 0, kib;

	for (u32 i = 0; i < 16; i++) {
		snprintf(dir, sizeof(dir), "/sys/devices/system/cpu/cpu%u/cache/index%u", cpu, i);
		if (cg_read(dir, "size", text, sizeof(text)))
			break;
		if (sscanf(text, "%" SCNu64 "K", &kib) == 1 && kib << 10 > most)
			most = kib << 10;
	}
	return most;
}

/* One buffer of twice the last cache, a slice a thread; huge pages would spare the TLB. */
static int give_slices(struct maker *makers, u32 threads, u32 cpu)
{
	u64 cache = last_cache_bytes(cpu);
	u64 bytes = cache ? 2 * cache : BUFFER_BYTES_DEFAULT;
	u64 slice = bytes / threads / CACHE_LINE * CACHE_LINE;
	u8 *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return errno;
	for (u32 i = 0; i < threads; i++) {
		makers[i].slice = all + i * slice;
		makers[i].slice_bytes = slice;
	}
	return 0;
}

int noise_work(const struct noise_config *cfg, const struct cpu_list *cpus)
{
	u32 threads = cfg->threads ? cfg->threads : 1;
	struct maker *makers = calloc(threads, sizeof(*makers));
	u64 now = clock_mono_ns();
	int rc = makers ? 0 : ENOMEM;

	prctl(PR_SET_NAME, noise_name(cfg->kind));
	if (!rc && cfg->kind == NOISE_MEMORY)
		rc = give_slices(makers, threads, cpus->cpu[0]);
	for (u32 i = 0; i < threads && !rc; i++) {
		pthread_t thread;

		makers[i].cfg = cfg;
		makers[i].index = i;
		makers[i].base_ns = now;
		/* The last is this thread. */
		if (i + 1 < threads)
			rc = pthread_create(&thread, NULL, maker_main, &makers[i]);
		else
			maker_main(&makers[i]);
	}
	free(makers);
	return rc;
}
