/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/work.h"
#include "live/clock.h"

/* Absolute: what came between the step's beginning and the call is part of the wait. */
bool work_wait(u64 until_ns, u64 bound_ns, u64 *at_ns)
{
	struct timespec ts = clock_timespec(until_ns < bound_ns ? until_ns : bound_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
	*at_ns = clock_mono_ns();
	return until_ns <= bound_ns && *at_ns <= bound_ns;
}

/*
 * CPU time, not wall time: somebody else may get the CPU in the middle. Looking at the CPU clock is
 * a system call, so the wall clock is watched for as long as is left; a thread cannot use more CPU
 * time than that, so the target is never overshot, and what was lost to others is left to do.
 */
bool work_cpu(u64 ns, u64 bound_ns, u64 *at_ns)
{
	u64 target = clock_cpu_ns() + ns, left = ns;

	for (;;) {
		u64 now = clock_mono_ns(), until = now + left, used;

		if (until > bound_ns)
			until = bound_ns;
		while (now < until)
			now = clock_mono_ns();
		used = clock_cpu_ns();
		if (used >= target || now >= bound_ns)
			break;
		left = target - used;
	}
	*at_ns = clock_mono_ns();
	return *at_ns <= bound_ns;
}
