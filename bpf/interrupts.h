/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts on the worker CPUs: when one of them leaves its task, by whose name, and when it
 * returns. Part of probe.bpf.c.
 *
 * Hard interrupts do not nest, but come in the midst of soft ones: a depth for each CPU finds the
 * outermost. Attached in the middle of an interrupt, its exit finds a depth of 0 and says nothing.
 * Programs are attached in the order in which they stand here: exits before enters, so that no
 * enter is without its exit.
 *
 * The programs of soft interrupts run with interrupts on. The depth is not 0 while they record, so
 * that an interrupt in their midst leaves no enter and exit of its own between theirs; only a
 * wake-up in it may have a later time than the record that follows it.
 */
#ifndef HOLBENCH_BPF_INTERRUPTS_H
#define HOLBENCH_BPF_INTERRUPTS_H

#include "record.h"

#define NR_SOFTIRQS 10 /* that have a name here */

struct probe_irq_name {
	char text[16];
};

/* As /proc/softirqs calls them, in the order of their vectors (linux/interrupt.h). */
static const struct probe_irq_name softirq_names[NR_SOFTIRQS + 1] = {
	{"HI"},	     {"TIMER"}, {"NET_TX"},  {"NET_RX"}, {"BLOCK"},   {"IRQ_POLL"},
	{"TASKLET"}, {"SCHED"}, {"HRTIMER"}, {"RCU"},	 {"softirq"},
};

static __always_inline struct probe_event *irq_record(__u8 kind)
{
	__u64 now = bpf_ktime_get_ns();
	struct probe_event *ev = reserve();

	if (!ev)
		return 0;
	__builtin_memset(ev, 0, sizeof(*ev));
	ev->time_ns = now;
	ev->kind = kind;
	ev->cpu = (__u16)bpf_get_smp_processor_id();
	return ev;
}

/* The record of an outermost enter, without its name; NULL when there is none to make. */
static __always_inline struct probe_event *irq_enter(void)
{
	struct probe_percpu *own;

	if (!is_worker_cpu(bpf_get_smp_processor_id()))
		return 0;
	own = this_percpu();
	if (!own || own->irq_depth++)
		return 0;
	return irq_record(PROBE_IRQ_ENTER);
}

static __always_inline int irq_enter_named(const struct probe_irq_name *name)
{
	struct probe_event *ev = irq_enter();

	if (!ev)
		return 0;
	__builtin_memcpy(ev->comm, name, sizeof(ev->comm));
	bpf_ringbuf_submit(ev, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline int irq_exit(void)
{
	struct probe_percpu *own;

	if (!is_worker_cpu(bpf_get_smp_processor_id()))
		return 0;
	own = this_percpu();
	if (!own || !own->irq_depth)
		return 0;
	if (own->irq_depth == 1) {
		struct probe_event *ev = irq_record(PROBE_IRQ_EXIT);

		if (ev)
			bpf_ringbuf_submit(ev, BPF_RB_NO_WAKEUP);
	}
	own->irq_depth--;
	return 0;
}

/*
 * No interrupt outlives a switch: should an exit have been missed, the count begins anew. Where
 * soft interrupts are preemptible tasks (PREEMPT_RT), it ends one that is preempted.
 */
static __always_inline void irq_switch(void)
{
	struct probe_percpu *own = this_percpu();

	if (own && own->irq_depth)
		own->irq_depth = 0;
}

SEC("tp_btf/irq_handler_exit")
int irq_handler_out(__attribute__((unused)) void *ctx)
{
	return irq_exit();
}

/* A device's. Arguments: irq, action, and what the handler returned. */
SEC("tp_btf/irq_handler_entry")
int irq_handler_in(__u64 *ctx)
{
	struct irqaction *action = (void *)ctx[1];
	struct probe_event *ev = irq_enter();

	if (!ev)
		return 0;
	bpf_probe_read_kernel_str(ev->comm, sizeof(ev->comm), action->name);
	bpf_ringbuf_submit(ev, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/softirq_exit")
int softirq_out(__attribute__((unused)) void *ctx)
{
	return irq_exit();
}

/* Argument: the vector. */
SEC("tp_btf/softirq_entry")
int softirq_in(__u64 *ctx)
{
	__u32 vector = (__u32)ctx[0];

	if (vector >= NR_SOFTIRQS)
		vector = NR_SOFTIRQS;
	return irq_enter_named(&softirq_names[vector]);
}

/* Interrupts of the CPUs themselves: x86 has a pair of tracepoints for each. */
#define VECTOR(tracepoint, name)                                                                   \
	SEC("tp_btf/" #tracepoint "_exit")                                                         \
	int tracepoint##_out(__attribute__((unused)) void *ctx)                                    \
	{                                                                                          \
		return irq_exit();                                                                 \
	}                                                                                          \
                                                                                                   \
	SEC("tp_btf/" #tracepoint "_entry")                                                        \
	int tracepoint##_in(__attribute__((unused)) void *ctx)                                     \
	{                                                                                          \
		return irq_enter_named(&(const struct probe_irq_name){name});                      \
	}

VECTOR(local_timer, "local_timer")
VECTOR(reschedule, "reschedule")
VECTOR(call_function, "call_function")
VECTOR(call_function_single, "call_single")
VECTOR(irq_work, "irq_work")
VECTOR(x86_platform_ipi, "platform_ipi")
VECTOR(thermal_apic, "thermal")
VECTOR(threshold_apic, "threshold")
VECTOR(deferred_error_apic, "deferred_error")
VECTOR(error_apic, "apic_error")
VECTOR(spurious_apic, "spurious")

#endif
