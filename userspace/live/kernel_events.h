/* SPDX-License-Identifier: GPL-2.0-only */
/* From the probe's records to the trace's events. */
#ifndef HOLBENCH_LIVE_KERNEL_EVENTS_H
#define HOLBENCH_LIVE_KERNEL_EVENTS_H

#include "live/collector.h"

/* For probe_drain(): ctx is the struct collector. */
int kernel_event_take(void *collector, const struct probe_event *pe);

#endif
