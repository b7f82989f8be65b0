/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/work.h"
#include "live/clock.h"

/* Absolute, from the step's beginning: what came between it and the call is part of the wait. */
static u64 work_wait(u64 until_ns)
{
	struct timespec ts = clock_timespec(until_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
	return clock_mono_ns();
}

/*
 * CPU time, not wall time: somebody else may get the CPU in the middle. Looking at the CPU clock is
 * a system call, so the wall clock is watched for as long as is left; a thread cannot use more CPU
 * time than that, so the target is never overshot, and what was lost to others is left to do.
 */
static u64 work_cpu(u64 ns)
{
	u64 target = clock_cpu_ns() + ns, left = ns;

	for (;;) {
		u64 now = clock_mono_ns(), until = now + left, used;

		while (now < until)
			now = clock_mono_ns();
		used = clock_cpu_ns();
		if (used >= target)
			return clock_mono_ns();
		left = target - used;
	}
}

u64 work_step(const struct step *step, u64 begin_ns)
{
	switch (step->kind) {
	case STEP_WAIT:
		return work_wait(begin_ns + step->ns);
	case STEP_CPU:
		return work_cpu(step->ns);
	}
	return begin_ns;
}
