/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probe has to know of the running kernel before it can be loaded. Part of live/probe. */
#ifndef HOLBENCH_LIVE_PROBE_KERNEL_H
#define HOLBENCH_LIVE_PROBE_KERNEL_H

#include "core/types.h"

struct btf;

struct probe_kernel {
	struct btf *btf;       /* of the running kernel */
	bool switch_has_state; /* sched_switch passes prev_state as its fourth argument */
	bool cpu_on_v1;	       /* the CPU controller lives in a v1 hierarchy */
	char cgroup_root[256]; /* where that hierarchy is mounted; empty: nowhere */
};

/* Ask the kernel's BTF and /proc/self/mountinfo. 0, or a negative errno with err one line. */
int probe_kernel_read(struct probe_kernel *k, char *err, size_t err_len);
/* Give the BTF back; the rest stays. Also after an error, and twice. */
void probe_kernel_drop(struct probe_kernel *k);

/*
 * Can a program be attached to this tracepoint? Of a pair NAME_entry and NAME_exit both must be
 * there. Needs the BTF.
 */
bool probe_kernel_has(const struct probe_kernel *k, const char *tracepoint);

/*
 * The cgroup hierarchy that carries the CPU controller: a v1 mount of `cpu`, else v2. Reads lines
 * of proc_pid_mountinfo(5) from `mountinfo`. 0, or a negative errno when it cannot be read.
 */
int probe_cgroup_find(struct probe_kernel *k, const char *mountinfo);

#endif
