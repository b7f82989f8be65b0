/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the probe see the workers by the numbers and the clock that they have here? */
#ifndef HOLBENCH_LIVE_PROBE_SELF_H
#define HOLBENCH_LIVE_PROBE_SELF_H

#include "live/message.h"
#include "live/probe.h"

/*
 * Marks the calling thread, lets it sleep and looks for its wake-up among the records: by its tid,
 * at a time between two readings of its clock. Takes some milliseconds and drains the ring. 0, or
 * -ENOTSUP with the line: a pid or a time namespace, or programs that record nothing.
 */
int probe_self(struct probe *p, const struct message *msg);

#endif
