/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only header that kernel and user code share: what the probe puts into its ring buffer. One
 * fixed record; what belongs together is in one record. Includers provide __u8 … __u64
 * (linux/types.h in user space).
 */
#ifndef HOLBENCH_BPF_EVENTS_H
#define HOLBENCH_BPF_EVENTS_H

/* CPU numbers that the probe can tell apart: the most that a kernel can be built for. */
#define PROBE_CPUS_MAX 8192

enum probe_kind {
	PROBE_SWITCH = 1, /* on a worker CPU */
	PROBE_WAKING = 2, /* of a worker */
	PROBE_WAKEUP = 3, /* of a worker */
	/*
	 * A worker CPU leaves its task for an interrupt, the outermost of a nest, and returns to
	 * it. A switch ends an interrupt as well: there is no exit then.
	 */
	PROBE_IRQ_ENTER = 4,
	PROBE_IRQ_EXIT = 5,
};

enum probe_flags {
	PROBE_PREV_RUNNABLE = 1,  /* preempt, or a state of 0, and not the idle task */
	PROBE_PREV_THROTTLED = 2, /* taken off by its quota */
	PROBE_KTHREAD = 4,	  /* tid is a thread of the kernel */
};

struct probe_event {
	__u64 time_ns; /* bpf_ktime_get_ns(): CLOCK_MONOTONIC */
	__u8 kind;     /* enum probe_kind */
	__u8 flags;    /* enum probe_flags */
	__u16 cpu;     /* where the program ran; times do not go backwards on one CPU */
	/*
	 * SWITCH: next. WAKING: the waker, or the task that an interrupt found on the CPU and woke
	 * from. Others: 0. The idle task is 0, with cgroup 0.
	 */
	__u32 tid;
	__u32 other_tid; /* SWITCH: prev; WAKING, WAKEUP: the worker; IRQ_…: 0 */
	__u32 other_cpu; /* WAKEUP: whose run queue it is on */
	__u64 cgroup;	 /* of tid */
	char comm[16];	 /* of tid; IRQ_ENTER: the interrupt's name */
	/*
	 * SWITCH: of next if it is a worker, else of prev if that is one; WAKEUP: of the worker.
	 * How long its group has been throttled by a quota on its CPU, in all, with the throttling
	 * that goes on. Counts from an unknown time before: differences mean something. Else 0, and
	 * where the kernel does not know.
	 */
	__u64 throttled_ns;
};

/* What the programs keep for a CPU. */
struct probe_percpu {
	__u64 ring_full; /* records that found the ring full */
	__u32 irq_depth; /* of nested interrupts, on a worker CPU */
	__u32 unused;
};

/* The value of a worker's task storage: that it exists is the mark. */
struct probe_mark {
	__u32 unused;
};

_Static_assert(sizeof(struct probe_event) == 56, "one layout for kernel and user code");

#endif
