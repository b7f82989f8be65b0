/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HOLBENCH_SLOW: the machine is emulated. Its CPUs are taken away for milliseconds, and a look at a
 * clock costs what a system call does elsewhere: what is tested there is that accounts add up, not
 * how fast or how precise a thing is.
 */
#ifndef HOLBENCH_TESTS_SLOW_H
#define HOLBENCH_TESTS_SLOW_H

#include <stdlib.h>

/* The bound that holds here. */
#define BOUND(fast, slow) (getenv("HOLBENCH_SLOW") ? (slow) : (fast))

#endif
