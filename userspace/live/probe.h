/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF probe: records what the kernel scheduler does on the worker CPUs and to the workers, and
 * the interrupts on the worker CPUs.
 * tp_btf programs only; workers are known by task storage.
 */
#ifndef HOLBENCH_LIVE_PROBE_H
#define HOLBENCH_LIVE_PROBE_H

#include "core/types.h"

#include <linux/types.h>
#include "../../bpf/events.h"

struct probe;

struct probe_config {
	u64 ring_bytes;	 /* rounded up to a power of two pages */
	const u32 *cpus; /* the worker CPUs: every switch and interrupt on them is recorded */
	u32 nr_cpus;
};

struct probe_losses {
	u64 ring_full; /* records that found the ring full */
	u64 missed;    /* program runs that the kernel skipped (recursion) */
	/*
	 * Not lost, but worth saying. Records whose time stepped back on their CPU: given out as of
	 * the record before. And switches from a task that was not the last one switched in on
	 * that CPU: some switch there has no record. The ring was full, or the kernel made it
	 * without passing the tracepoint (seen on 6.18, where perf misses the same ones).
	 */
	u64 backwards;
	u64 gaps;
};

/*
 * Load and attach. Returns 0 and *out, or a negative errno with err filled with one line that names
 * what is missing (no BTF, no permission, BPF refused) and what to do; nothing stays loaded then.
 */
int probe_open(struct probe **out, const struct probe_config *cfg, char *err, size_t err_len);
/* Mark the calling thread as a worker; its wake-ups are recorded from now on. 0 or a negative
 * errno. */
int probe_mark_self(struct probe *p);
/* Mark another process's main thread (benchmarks). 0 or a negative errno. */
int probe_mark_pid(struct probe *p, int pid);
/* Give every record that is in the ring to `take`, in ring order; its negative return stops and is
 * returned. */
int probe_drain(struct probe *p, int (*take)(void *ctx, const struct probe_event *ev), void *ctx);
int probe_losses(const struct probe *p, struct probe_losses *out);
/* The directory below which cgroup ids of the records are inode numbers, e.g. "/sys/fs/cgroup".
 * NULL: no such hierarchy is mounted here. The string is the probe's. */
const char *probe_cgroup_root(const struct probe *p);
/* CPU time that the programs used, ns, when the kernel keeps account of it (bpf_enable_stats()); 0
 * with *known = false otherwise. */
u64 probe_run_time_ns(const struct probe *p, bool *known);
/* Detach and unload. Safe on NULL. */
void probe_close(struct probe *p);

#endif
