/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/work.h"
#include "live/clock.h"
#include "live/futex.h"

static bool stopped(const u32 *stop)
{
	return __atomic_load_n(stop, __ATOMIC_ACQUIRE);
}

/* Absolute: what came between the step's beginning and the call is part of the wait. */
bool work_wait(u32 *stop, u64 until_ns, u64 bound_ns, u64 *at_ns)
{
	u64 end_ns = until_ns < bound_ns ? until_ns : bound_ns;

	do {
		futex_wait_until(stop, 0, end_ns);
		*at_ns = clock_mono_ns();
	} while (*at_ns < end_ns && !stopped(stop));
	return *at_ns >= until_ns && *at_ns <= bound_ns;
}

/*
 * CPU time, not wall time: somebody else may get the CPU in the middle. Looking at the CPU clock is
 * a system call, so the wall clock is watched for as long as is left; a thread cannot use more CPU
 * time than that, so the target is never overshot, and what was lost to others is left to do.
 */
bool work_cpu(const u32 *stop, u64 ns, u64 bound_ns, u64 *at_ns)
{
	u64 target = clock_cpu_ns() + ns, left = ns, used;

	for (;;) {
		u64 now = clock_mono_ns(), until = now + left;

		if (until > bound_ns)
			until = bound_ns;
		while (now < until && !stopped(stop))
			now = clock_mono_ns();
		used = clock_cpu_ns();
		if (used >= target || now >= bound_ns || stopped(stop))
			break;
		left = target - used;
	}
	*at_ns = clock_mono_ns();
	return used >= target && *at_ns <= bound_ns;
}
