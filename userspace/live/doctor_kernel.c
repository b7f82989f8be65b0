/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel, and the namespaces this process lives in. */
#include "live/doctor_check.h"
#include "live/probe_kernel.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

/*
 * The oldest that is meant to work. Tracing programs have task storage from 5.13 on (commit
 * a10787e6d58c). Distributions take it back into older releases, so a release alone settles
 * nothing: the probe is tried.
 */
#define MAJOR_MIN 5
#define MINOR_MIN 15

#define SCHED_EXT	 "/sys/kernel/sched_ext/"
#define SCHED_EXT_LOADED SCHED_EXT "root"

static void check_release(struct doctor *d)
{
	struct doctor_finding *f;
	struct utsname u = {0};
	int major = 0, minor = 0;

	uname(&u);
	f = doctor_found(d, "kernel", "%s %s", u.release, u.machine);
	if (sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
	    (major > MAJOR_MIN || (major == MAJOR_MIN && minor >= MINOR_MIN)))
		return;
	doctor_lost(f, DOCTOR_LIMITED,
		    "the probe is for Linux %d.%d or later: where this one lacks what it needs, "
		    "live run is missing below",
		    MAJOR_MIN, MINOR_MIN);
	doctor_mend(f, "boot a later kernel, or holbench run --no-bpf");
}

static void check_btf(struct doctor *d)
{
	struct probe_kernel k = {0};
	struct doctor_finding *f;
	char err[512];
	int rc = probe_kernel_read(&k, err, sizeof(err));

	f = doctor_found(d, "BTF", "%s",
			 rc		      ? err
			 : k.switch_has_state ? "/sys/kernel/btf/vmlinux"
					      : "/sys/kernel/btf/vmlinux; sched_switch does not "
						"pass the state of the task (before 5.18)");
	probe_kernel_drop(&k);
	if (!rc)
		return;
	doctor_lost(f, DOCTOR_MISSING, "without the kernel's types the probe cannot be loaded");
	doctor_mend(f, "boot a kernel with CONFIG_DEBUG_INFO_BTF=y and CONFIG_BPF_EVENTS=y, or "
		       "holbench run --no-bpf");
}

/* "none [integrity] confidentiality": kernel_lockdown(7). The last keeps BPF from kernel memory. */
static void check_lockdown(struct doctor *d)
{
	static const char path[] = "/sys/kernel/security/lockdown";
	struct doctor_finding *f;
	char text[128];

	if (!doctor_read(path, text, sizeof(text))) {
		doctor_found(d, "lockdown", "not known: %s cannot be read", path);
		return;
	}
	f = doctor_found(d, "lockdown", "%s", text);
	if (!strstr(text, "[confidentiality]"))
		return;
	doctor_lost(f, DOCTOR_MISSING, "no BPF program may read the kernel's memory");
	doctor_mend(f, "boot with lockdown=integrity, or holbench run --no-bpf");
}

static void check_schedstat(struct doctor *d)
{
	struct doctor_finding *f;
	char text[128];

	if (doctor_read("/proc/thread-self/schedstat", text, sizeof(text))) {
		doctor_found(d, "schedstat", "/proc/PID/task/TID/schedstat");
		return;
	}
	f = doctor_found(d, "schedstat", "no /proc/thread-self/schedstat");
	doctor_lost(f, DOCTOR_LIMITED,
		    "run-queue waits are not checked against the kernel's own account");
	doctor_mend(f, "boot a kernel with CONFIG_SCHED_INFO=y (CONFIG_SCHEDSTATS=y)");
}

static void check_sched_ext(struct doctor *d)
{
	struct doctor_finding *f;
	char state[64], ops[128];

	if (!doctor_read(SCHED_EXT "state", state, sizeof(state))) {
		doctor_found(d, "sched_ext", "this kernel has none");
		return;
	}
	doctor_read(SCHED_EXT_LOADED "/ops", ops, sizeof(ops));
	f = doctor_found(d, "sched_ext", "%s%s%s", state, ops[0] ? ": " : "", ops);
	if (!strcmp(state, "disabled"))
		return;
	doctor_lost(f, DOCTOR_LIMITED,
		    "what is measured is this scheduler, not the kernel's own; weights and quotas "
		    "are as it pleases");
	doctor_mend(f, "end the scheduler's process");
}

void doctor_check_kernel(struct doctor *d)
{
	check_release(d);
	check_btf(d);
	check_lockdown(d);
	check_schedstat(d);
	check_sched_ext(d);
}

/* The inode numbers of the first namespaces are fixed: include/linux/proc_ns.h. */
static bool is_initial(const char *path, unsigned long inode)
{
	struct stat st;

	return stat(path, &st) || st.st_ino == inode;
}

static void check_pid_namespace(struct doctor *d)
{
	struct doctor_finding *f;

	if (is_initial("/proc/self/ns/pid", 0xEFFFFFFCul)) {
		doctor_found(d, "pid namespace", "the first one");
		return;
	}
	f = doctor_found(d, "pid namespace", "not the first one: a container");
	doctor_lost(f, DOCTOR_MISSING,
		    "the kernel's trace has other thread ids than the threads themselves");
	doctor_mend(f, "run outside of the container, or docker run --pid=host, or holbench run "
		       "--no-bpf");
}

static void check_user_namespace(struct doctor *d)
{
	struct doctor_finding *f;

	if (is_initial("/proc/self/ns/user", 0xEFFFFFFDul)) {
		doctor_found(d, "user namespace", "the first one");
		return;
	}
	f = doctor_found(d, "user namespace", "not the first one");
	doctor_lost(f, DOCTOR_LIMITED, "capabilities, root's too, do not hold outside of it");
	doctor_mend(f, "run outside of the container");
}

/* Only its offset does harm: time_namespaces(7). The file's first line is the monotonic clock's. */
static void check_time_namespace(struct doctor *d)
{
	struct doctor_finding *f;
	char text[128];
	long long s = 0, ns = 0;

	doctor_read("/proc/self/timens_offsets", text, sizeof(text));
	if (is_initial("/proc/self/ns/time", 0xEFFFFFFAul) ||
	    sscanf(text, "monotonic %lld %lld", &s, &ns) != 2 || (!s && !ns)) {
		doctor_found(d, "time namespace", "no offset");
		return;
	}
	f = doctor_found(d, "time namespace", "CLOCK_MONOTONIC is off by %lld s %lld ns", s, ns);
	doctor_lost(f, DOCTOR_MISSING, "the kernel's trace has another clock than the threads");
	doctor_mend(f, "run outside of the time namespace, or holbench run --no-bpf");
}

void doctor_check_namespaces(struct doctor *d)
{
	check_pid_namespace(d);
	check_user_namespace(d);
	check_time_namespace(d);
}
