/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the scheduler does on the workers' CPUs and to the workers, one record an event. tp_btf
 * programs only: a raw tracepoint costs no trap, and every task pointer is typed.
 *
 * The scheduler's tracepoints run with interrupts off, so on one CPU no program interrupts them:
 * their records lie in the ring in the order of their events.
 */
#include "record.h"
#include "interrupts.h"
#include "throttling.h"

#define PF_KTHREAD 0x00200000 /* of task->flags; linux/sched.h */

char LICENSE[] SEC("license") = "GPL";

/* Set before loading, constant afterwards: the verifier drops the branches not taken. */
const volatile _Bool switch_has_state; /* sched_switch passes prev_state: 5.18 and later */
const volatile _Bool cpu_on_v1;	       /* the CPU controller lives in a v1 hierarchy */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct probe_mark);
} workers SEC(".maps");

/* The pointer test keeps every task that no tool has marked out of the helper. */
static __always_inline _Bool is_worker(struct task_struct *task)
{
	return task->bpf_storage && bpf_task_storage_get(&workers, task, 0, 0);
}

static __always_inline __u64 cgroup_of(struct task_struct *task)
{
	struct css_set *set = task->cgroups;

	if (cpu_on_v1) {
		__u64 id = bpf_core_enum_value(enum cgroup_subsys_id, cpu_cgrp_id);
		struct cgroup_subsys_state **subsys = set->subsys;

		return subsys[id]->cgroup->kn->id;
	}
	return set->dfl_cgrp->kn->id;
}

/* Tid, name, cgroup and class of one task, from one pointer: they belong together. */
static __always_inline void describe(struct probe_event *ev, struct task_struct *task)
{
	__u64 *to = (__u64 *)ev->comm;
	__u64 *from = (__u64 *)task->comm;

	ev->tid = (__u32)task->pid;
	ev->cgroup = ev->tid ? cgroup_of(task) : 0;
	to[0] = from[0];
	to[1] = from[1];
	ev->flags |= task->flags & PF_KTHREAD ? PROBE_KTHREAD : 0;
}

static __always_inline __u32 cpu_of(struct task_struct *task)
{
	struct task_struct___info *info = (void *)task;

	if (bpf_core_field_exists(info->thread_info.cpu))
		return info->thread_info.cpu;
	return ((struct task_struct___cpu *)task)->cpu;
}

static __always_inline __u64 state_of(struct task_struct *task)
{
	struct task_struct___state *now = (void *)task;

	if (bpf_core_field_exists(now->__state))
		return now->__state;
	return (__u64)((struct task_struct___state_old *)task)->state;
}

/*
 * A task preempted between setting its state and calling schedule() has a state that says asleep,
 * and is runnable all the same: hence `preempt`.
 */
static __always_inline __u8 prev_flags(_Bool preempt, __u64 state, struct task_struct *prev)
{
	if (!prev->pid || !(preempt || !state))
		return 0;
	return is_throttled(prev) ? PROBE_PREV_RUNNABLE | PROBE_PREV_THROTTLED
				  : PROBE_PREV_RUNNABLE;
}

/* Arguments: preempt, prev, next and, from 5.18, prev_state as it was when the decision fell. */
SEC("tp_btf/sched_switch")
int on_switch(__u64 *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct task_struct *prev, *next;
	struct probe_event *ev;
	__u64 now, state;

	if (!is_worker_cpu(cpu))
		return 0;
	now = bpf_ktime_get_ns();
	irq_switch();
	prev = (void *)ctx[1];
	next = (void *)ctx[2];
	ev = reserve();
	if (!ev)
		return 0;
	/* Volatile: where the argument is absent, no load of it may move out of this branch. */
	state = switch_has_state ? (__u32) * (volatile __u64 *)&ctx[3] : state_of(prev);
	ev->time_ns = now;
	ev->kind = PROBE_SWITCH;
	ev->flags = prev_flags(ctx[0] & 1, state, prev);
	ev->cpu = (__u16)cpu;
	ev->other_tid = (__u32)prev->pid;
	ev->other_cpu = cpu;
	describe(ev, next);
	ev->throttled_ns = is_worker(next)   ? throttled_ns(next)
			   : is_worker(prev) ? throttled_ns(prev)
					     : 0;
	bpf_ringbuf_submit(ev, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Runs on the waker, before a CPU is chosen. Argument: the task to be woken. */
SEC("tp_btf/sched_waking")
int on_waking(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct probe_event *ev;
	__u64 now;

	if (!is_worker(task))
		return 0;
	now = bpf_ktime_get_ns();
	ev = reserve();
	if (!ev)
		return 0;
	ev->time_ns = now;
	ev->kind = PROBE_WAKING;
	ev->flags = 0;
	ev->cpu = (__u16)bpf_get_smp_processor_id();
	ev->other_tid = (__u32)task->pid;
	ev->other_cpu = ev->cpu;
	describe(ev, bpf_get_current_task_btf());
	ev->throttled_ns = 0;
	bpf_ringbuf_submit(ev, BPF_RB_NO_WAKEUP);
	return 0;
}

/* The task is on a run queue. May run on that queue's CPU, from an interrupt: current says nothing.
 */
SEC("tp_btf/sched_wakeup")
int on_wakeup(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct probe_event *ev;
	__u64 now;

	if (!is_worker(task))
		return 0;
	now = bpf_ktime_get_ns();
	ev = reserve();
	if (!ev)
		return 0;
	__builtin_memset(ev, 0, sizeof(*ev));
	ev->time_ns = now;
	ev->kind = PROBE_WAKEUP;
	ev->cpu = (__u16)bpf_get_smp_processor_id();
	ev->other_tid = (__u32)task->pid;
	ev->other_cpu = cpu_of(task);
	ev->throttled_ns = throttled_ns(task);
	bpf_ringbuf_submit(ev, BPF_RB_NO_WAKEUP);
	return 0;
}

/*
 * Marks the thread that runs it, by BPF_PROG_TEST_RUN. User space could only mark a process's main
 * thread: a pidfd of any other thread needs 6.9. Never attached. Returns 1 when the
 * mark is there: a run that the kernel skipped returns 0.
 */
SEC("raw_tp")
int mark_current(__attribute__((unused)) void *ctx)
{
	struct task_struct *self = bpf_get_current_task_btf();

	return bpf_task_storage_get(&workers, self, 0, BPF_LOCAL_STORAGE_GET_F_CREATE) ? 1 : 0;
}
