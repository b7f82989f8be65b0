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
/*
 * Before a run: give back what this process has freed, and forget the most memory that it had so
 * far. Returns what is resident now, bytes; 0: not known.
 */
u64 notes_memory_begin(void);
/*
 * The most threads at once (those that serve, and the generator), the address space of their
 * stacks, and the most memory that was resident beyond what there was before, where the kernel says
 * it: VmHWM of proc_pid_status(5).
 */
void notes_memory(const struct engine *e, u64 before);
/* Time that the hypervisor took from the worker CPUs: the difference of two account_steal(). */
void notes_steal(const struct engine *e, const u64 *before, const u64 *after);

#endif
