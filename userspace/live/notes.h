/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run says about itself and its host, as notes in the trace. Errors stick in the writer. */
#ifndef HOLBENCH_LIVE_NOTES_H
#define HOLBENCH_LIVE_NOTES_H

#include "live/engine.h"

/* One note, formatted. */
__attribute__((format(printf, 3, 4))) void note(struct trace_writer *t, const char *name,
						const char *fmt, ...);
/* The host: kernel, clock. */
void notes_host(struct trace_writer *t);
/* Who runs where; how the generator runs, and the warnings that follow. The threads are ready. */
void notes_placement(const struct engine *e);
/* What recording cost: the collector's CPU time, and the probe's where the kernel keeps account of
 * it. */
void notes_cost(const struct engine *e, u64 collector_cpu_ns);
/* Forget the most memory that this process had so far: the run's own is to be noted. */
void notes_memory_reset(void);
/*
 * The most threads at once (those that serve, and the generator), the address space of their
 * stacks, and the most memory that was resident: where the kernel says it, proc_pid_status(5)
 * VmHWM.
 */
void notes_memory(const struct engine *e);
/* Time that the hypervisor took from the worker CPUs: the difference of two account_steal(). */
void notes_steal(const struct engine *e, const u64 *before, const u64 *after);

#endif
