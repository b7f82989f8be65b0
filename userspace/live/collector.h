/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The collector: takes what the threads and the probe recorded and writes it as the trace. It is
 * the main thread while the others run; nothing else writes the trace.
 */
#ifndef HOLBENCH_LIVE_COLLECTOR_H
#define HOLBENCH_LIVE_COLLECTOR_H

#include "live/engine.h"
#include "live/slot_logs.h"

/* Cgroup ids that were seen, to be named at the end. */
struct id_set {
	u64 *ids;
	u32 nr, size;
};

struct collector {
	struct engine *e;
	struct id_set cgroups;
	struct slot_logs slots; /* EXECUTOR_SPAWN */
	u32 nr_cpus;		/* that a probe record can name */
	u32 last_task;		/* the newest index that trace_task() gave */
};

/* How many streams a trace of this engine has. */
u32 collector_streams(const struct engine *e);
/* The stream of a CPU that a probe record names. */
u32 collector_cpu_stream(const struct engine *e, u32 cpu);

void collector_init(struct collector *c, struct engine *e);
void collector_fini(struct collector *c);
/* Write all that is there now. 0, or the error of the trace or the probe, which ends the run. */
int collector_drain(struct collector *c);
/*
 * Write `phase` of every worker's account: BEGIN before the first drain, END after the last. 0 or a
 * negative errno.
 */
int collector_accounts(struct collector *c, u32 phase);
/* After the last drain: the losses as events, the cgroups' names. 0 or a negative errno. */
int collector_finish(struct collector *c);
/* Items done so far. */
u64 collector_done(const struct collector *c);

#endif
