/* SPDX-License-Identifier: GPL-2.0-only */
/* The work itself: what a step of an item does to the thread that serves it. */
#ifndef HOLBENCH_LIVE_WORK_H
#define HOLBENCH_LIVE_WORK_H

#include "core/item.h"

/* Do one step that began at begin_ns (CLOCK_MONOTONIC). Returns the time at which it ended. */
u64 work_step(const struct step *step, u64 begin_ns);

#endif
