/* SPDX-License-Identifier: GPL-2.0-only */
/* The work itself: what a step of an item does to the thread that serves it. */
#ifndef HOLBENCH_LIVE_WORK_H
#define HOLBENCH_LIVE_WORK_H

#include "core/types.h"

/*
 * Both do no more than until bound_ns (CLOCK_MONOTONIC; NEVER_NS: no bound) or until *stop is not
 * 0, set *at_ns to the time at which they ended, and return whether what was asked for was done, at
 * or before the bound. Whoever sets *stop wakes it as a futex.
 */
/* Sleep until `until_ns`. */
bool work_wait(u32 *stop, u64 until_ns, u64 bound_ns, u64 *at_ns);
/* Use `ns` of CPU time. */
bool work_cpu(const u32 *stop, u64 ns, u64 bound_ns, u64 *at_ns);

#endif
