/* SPDX-License-Identifier: GPL-2.0-only */
/* What this process may: capabilities, real-time, locked memory. */
#include "live/doctor_check.h"
#include "live/engine.h"
#include "live/rights.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct capability {
	const char *name;
	u32 bit;
	enum doctor_state without;
	const char *lost;
} capabilities[] = {
	{"CAP_BPF", CAP_BPF, DOCTOR_MISSING, "the probe cannot be loaded: " RIGHTS_FOR_PROBE},
	{"CAP_PERFMON", CAP_PERFMON, DOCTOR_MISSING,
	 "the probe cannot be loaded: " RIGHTS_FOR_PROBE},
	{"CAP_SYS_NICE", CAP_SYS_NICE, DOCTOR_LIMITED,
	 "no real-time generator, workers.policy and workers.nice as far as ulimit -r and -e go"},
	{"CAP_IPC_LOCK", CAP_IPC_LOCK, DOCTOR_LIMITED, "memory is locked as far as ulimit -l goes"},
};

/* CAP_SYS_ADMIN stands for the two that were taken out of it in 5.8: capabilities(7). */
static bool has(u64 set, const struct capability *c)
{
	bool admin = set >> CAP_SYS_ADMIN & 1;

	return (set >> c->bit & 1) || (admin && (c->bit == CAP_BPF || c->bit == CAP_PERFMON));
}

static void check_user(struct doctor *d)
{
	struct doctor_finding *f;
	uid_t uid = geteuid();
	gid_t gid;
	int rc = rights_try_caller();

	if (rc) {
		rights_caller(&uid, &gid);
		/* The words of a run. */
		f = doctor_found(d, "user", "cannot become user %u, who called sudo: %s", uid,
				 strerror(-rc));
		doctor_lost(f, DOCTOR_MISSING, "a run ends with these words");
		doctor_mend(f, RIGHTS_AS_ROOT);
	} else if (rights_caller(&uid, &gid))
		doctor_found(d, "user",
			     "root for %u, who called sudo: workers, noise and results are theirs",
			     uid);
	else
		doctor_found(d, "user", "%u: workers, noise and results are theirs", uid);
}

static void check_capabilities(struct doctor *d)
{
	u64 set = rights_effective();

	for (u32 i = 0; i < ARRAY_SIZE(capabilities); i++) {
		const struct capability *c = &capabilities[i];
		bool here = has(set, c);
		struct doctor_finding *f =
			doctor_found(d, c->name, "%s", here ? "effective" : "not held");

		if (here)
			continue;
		doctor_lost(f, c->without, "%s", c->lost);
		doctor_mend(f, "%s", rights_mend());
	}
}

/* Only with it does the kernel make a partition whose parents are none (6.7), as a run's are. */
static void check_partition(struct doctor *d)
{
	bool here = rights_effective() & RIGHT(CAP_SYS_ADMIN);
	struct doctor_finding *f =
		doctor_found(d, "CAP_SYS_ADMIN", "%s", here ? "effective" : "not held");

	if (here)
		return;
	doctor_lost(f, DOCTOR_LIMITED,
		    "place.isolation = isolated is by cpuset.cpus, without a cpuset partition");
	doctor_mend(f, "%s", geteuid() ? "sudo holbench" : rights_mend());
}

/* As the generator asks for it. */
static int try_realtime(void)
{
	struct sched_param before, param = {.sched_priority = GENERATOR_PRIORITY};
	int policy = sched_getscheduler(0), rc;

	if (policy < 0 || sched_getparam(0, &before))
		return -errno;
	rc = sched_setscheduler(0, SCHED_FIFO, &param) ? -errno : 0;
	if (!rc)
		sched_setscheduler(0, policy, &before);
	return rc;
}

static void check_realtime(struct doctor *d)
{
	struct rlimit limit = {0};
	struct doctor_finding *f;
	int rc = try_realtime();

	getrlimit(RLIMIT_RTPRIO, &limit);
	if (!rc) {
		doctor_found(d, "real-time", "SCHED_FIFO is granted");
		return;
	}
	f = doctor_found(d, "real-time", "SCHED_FIFO is refused: %s; RLIMIT_RTPRIO is %llu",
			 strerror(-rc), (unsigned long long)limit.rlim_cur);
	doctor_lost(f, DOCTOR_LIMITED,
		    "the generator competes with others for its CPU and may be late");
	doctor_mend(f, RIGHTS_FOR_REALTIME);
}

/* sched(7): of each period real-time tasks get the runtime; -1 is all of it. */
static void check_throttling(struct doctor *d)
{
	static const char path[] = "/proc/sys/kernel/sched_rt_runtime_us";
	char runtime[32], period[32];
	struct doctor_finding *f;

	doctor_read("/proc/sys/kernel/sched_rt_period_us", period, sizeof(period));
	if (!doctor_read(path, runtime, sizeof(runtime))) {
		doctor_found(d, "real-time share", "not known: %s cannot be read", path);
		return;
	}
	if (runtime[0] == '-') {
		doctor_found(d, "real-time share", "all of a CPU");
		return;
	}
	f = doctor_found(d, "real-time share", "%s of %s us", runtime, period);
	if (strcmp(runtime, "0"))
		return;
	doctor_lost(f, DOCTOR_LIMITED, "no real-time task runs: not the generator, no fifo or rr");
	doctor_mend(f, "sysctl kernel.sched_rt_runtime_us=950000");
}

static void check_memory(struct doctor *d)
{
	struct doctor_finding *f;
	struct rlimit limit = {0};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY || rights_effective() & RIGHT(CAP_IPC_LOCK)) {
		doctor_found(d, "locked memory", "no limit");
		return;
	}
	f = doctor_found(d, "locked memory", "%llu KiB", (unsigned long long)limit.rlim_cur / 1024);
	doctor_lost(f, DOCTOR_LIMITED, "page faults may be measured as service time");
	doctor_mend(f, RIGHTS_FOR_MEMORY);
}

void doctor_check_rights(struct doctor *d)
{
	check_user(d);
	check_capabilities(d);
	check_partition(d);
	check_realtime(d);
	check_throttling(d);
	check_memory(d);
}
