/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring, and what every program of the probe asks. Part of probe.bpf.c. */
#ifndef HOLBENCH_BPF_RECORD_H
#define HOLBENCH_BPF_RECORD_H

#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "events.h"

/* Set before loading, constant afterwards: the verifier drops the branches not taken. */
const volatile __u8 worker_cpus[PROBE_CPUS_MAX];

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct probe_percpu);
} percpu SEC(".maps");

/* Of this CPU; never NULL, but the verifier wants to see that asked. */
static __always_inline struct probe_percpu *this_percpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&percpu, &zero);
}

/* Room for a record, which holds what was there before; NULL when the ring is full. */
static __always_inline struct probe_event *reserve(void)
{
	struct probe_event *ev = bpf_ringbuf_reserve(&ring, sizeof(*ev), 0);
	struct probe_percpu *own;

	if (ev)
		return ev;
	own = this_percpu();
	if (own)
		own->ring_full++;
	return 0;
}

static __always_inline _Bool is_worker_cpu(__u32 cpu)
{
	return worker_cpus[cpu & (PROBE_CPUS_MAX - 1)];
}

#endif
