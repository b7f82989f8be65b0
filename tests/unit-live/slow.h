/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HOLBENCH_SLOW: the machine is emulated. Its CPUs are taken away for milliseconds, and a look at a
 * clock costs what a system call does elsewhere: what is tested there is that accounts add up, not
 * how fast or how precise a thing is.
 */
#ifndef HOLBENCH_TESTS_SLOW_H
#define HOLBENCH_TESTS_SLOW_H

#include <stdbool.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

/* How long a thing takes says nothing here: an emulated machine, or a sanitizer's program. */
static inline bool is_slow(void)
{
	return SANITIZED || getenv("HOLBENCH_SLOW");
}

/* The bound that holds here. */
#define BOUND(fast, slow) (getenv("HOLBENCH_SLOW") ? (slow) : (fast))

#endif
