/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two clocks of a live run. Every time stamp is CLOCK_MONOTONIC: it is what the probe's
 * bpf_ktime_get_ns() reads, and it is the same on every CPU. Reading it is no system call (vDSO);
 * reading the thread's CPU clock is one.
 */
#ifndef HOLBENCH_LIVE_CLOCK_H
#define HOLBENCH_LIVE_CLOCK_H

#include "core/types.h"

#include <time.h>

static inline u64 clock_read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

static inline u64 clock_mono_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* CPU time of the calling thread. */
static inline u64 clock_cpu_ns(void)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline struct timespec clock_timespec(u64 ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NSEC_PER_SEC),
				 .tv_nsec = (long)(ns % NSEC_PER_SEC)};
}

#endif
