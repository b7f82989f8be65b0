/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types that bpf/ reads, by hand: only the fields in use, in any order. CO-RE relocates
 * every access to where the running kernel keeps the field, so neither order nor offset matters
 * here, and one object serves every kernel.
 *
 * A plain struct holds what every supported kernel (5.15 and later) must have. A flavour
 * (struct name___flavour: CO-RE matches it as `name`) holds what some kernels have not; its users
 * ask bpf_core_field_exists() first. vmlinux/check reads this rule from the compiled object and
 * compares it with the running kernel's BTF.
 */
#ifndef HOLBENCH_VMLINUX_KERNEL_H
#define HOLBENCH_VMLINUX_KERNEL_H

/* What linux/types.h would give; its asm/ half cannot be found when the target is BPF. */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

/* From the kernel's user interface, linux/bpf.h: fixed numbers. */
enum bpf_map_type {
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_F_NO_PREALLOC = 1,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	BPF_RB_NO_WAKEUP = 1,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	__u64 id; /* what stat() calls st_ino */
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

/* Which place of css_set.subsys is the CPU controller's depends on the configuration: CO-RE knows.
 */
enum cgroup_subsys_id {
	cpu_cgrp_id = 1,
};

struct css_set {
	struct cgroup_subsys_state *subsys[2];
	struct cgroup *dfl_cgrp; /* in the v2 hierarchy */
};

struct bpf_local_storage;

struct task_struct {
	unsigned int flags;
	int pid; /* of the thread: user space calls it tid; 0 is the idle task */
	char comm[16];
	struct css_set *cgroups;
	struct bpf_local_storage *bpf_storage; /* NULL until some task storage map has an entry */
};

struct irqaction {
	const char *name;
};

/* 5.14 renamed the field, and narrowed it. */
struct task_struct___state {
	unsigned int __state;
};
struct task_struct___state_old {
	long state;
};

/* x86 moved the CPU into thread_info in 5.16. */
struct thread_info___cpu {
	unsigned int cpu;
};
struct task_struct___info {
	struct thread_info___cpu thread_info;
};
struct task_struct___cpu {
	unsigned int cpu;
};

/* 6.18 throttles task by task, on the way back to user space. */
struct task_struct___throttled {
	_Bool throttled;
};
/*
 * Before it, a whole run queue of a cgroup, with those below it. What cfs_rq knows of throttling is
 * there with CONFIG_CFS_BANDWIDTH.
 */
struct cfs_rq___count {
	int throttle_count;
};
/* 6.6 began to count for each group that has a throttled one above it. */
struct rq___clock {
	__u64 clock;
};
struct cfs_rq___self {
	struct rq___clock *rq;
	__u64 throttled_clock_self;
	__u64 throttled_clock_self_time;
};
/* 5.19: the clock of the load averages, which stood still meanwhile. */
struct rq___pelt {
	__u64 clock_pelt;
	__u64 lost_idle_time;
};
struct cfs_rq___pelt {
	struct rq___pelt *rq;
	__u64 throttled_clock_pelt;
	__u64 throttled_clock_pelt_time;
};
/* Before. */
struct rq___task {
	__u64 clock_task;
};
struct cfs_rq___task {
	struct rq___task *rq;
	__u64 throttled_clock_task;
	__u64 throttled_clock_task_time;
};
struct sched_entity___group {
	struct cfs_rq___count *cfs_rq; /* only with CONFIG_FAIR_GROUP_SCHED */
};
struct task_struct___group {
	int prio;
	struct sched_entity___group se;
};

#pragma clang attribute pop

#endif
