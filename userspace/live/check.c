/* SPDX-License-Identifier: GPL-2.0-only */
/* Could a cell run here? Asked before a sweep starts. */
#include "live/cgroup_file.h"
#include "live/probe_self.h"
#include "live/rights.h"
#include "live/sched_attributes.h"
#include "live/setup.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

int set_worker_policy(const struct worker_config *cfg)
{
	static const u32 policies[] = {
		[POLICY_OTHER] = SCHED_OTHER, [POLICY_BATCH] = SCHED_BATCH,
		[POLICY_IDLE] = SCHED_IDLE,   [POLICY_FIFO] = SCHED_FIFO,
		[POLICY_RR] = SCHED_RR,
	};
	bool rt = cfg->policy == POLICY_FIFO || cfg->policy == POLICY_RR;
	struct sched_attributes a = {.policy = policies[cfg->policy],
				     .nice = getpriority(PRIO_PROCESS, 0),
				     .priority = rt ? cfg->rt_priority : 0,
				     .runtime_ns = cfg->slice_ns};
	int rc = sched_attributes_set(0, &a);

	if (rc || !cfg->slice_ns)
		return rc;
	rc = sched_attributes_get(0, &a);
	return !rc && a.runtime_ns != cfg->slice_ns ? -EOPNOTSUPP : rc;
}

/*
 * The kernel may refuse a real-time class to root as well: with CONFIG_RT_GROUP_SCHED a cpu cgroup
 * needs an rt_runtime of its own.
 */
static int check_policy(const struct worker_config *cfg, const struct message *msg)
{
	struct sched_attributes before;
	int rc = sched_attributes_get(0, &before), restored;

	if (rc)
		return message_fail(msg, rc, "sched_getattr: %s", strerror(-rc));
	rc = set_worker_policy(cfg);
	restored = sched_attributes_set(0, &before);
	if (rc == -EOPNOTSUPP)
		return message_fail(msg, rc,
				    "workers.slice: this kernel has no slice of a task's own; it "
				    "needs Linux 6.12, or workers.slice=kernel");
	if (rc)
		return message_fail(msg, rc, "workers.policy: refused: %s; " RIGHTS_FOR_REALTIME,
				    strerror(-rc));
	if (restored)
		return message_fail(msg, restored, "sched_setattr: %s", strerror(-restored));
	return 0;
}

/* Only a lower value needs permission: setpriority(2), RLIMIT_NICE. */
static int check_nice(const struct worker_config *cfg, const struct message *msg)
{
	int before = getpriority(PRIO_PROCESS, 0);

	if (cfg->nice >= before)
		return 0;
	if (setpriority(PRIO_PROCESS, 0, cfg->nice))
		return message_fail(msg, -errno, "workers.nice = %d: refused: %s; " RIGHTS_FOR_NICE,
				    cfg->nice, strerror(errno));
	setpriority(PRIO_PROCESS, 0, before);
	return 0;
}

/*
 * What the run will do: its groups are made, with all that is set on them, and removed again. Asks
 * for the class in the workers' group: it may be refused there and granted here.
 */
static int check_placement(struct placement *p, const struct spec *s, const struct message *msg)
{
	cpu_set_t cpus;
	int rc = placement_init(p, s, msg);

	if (rc)
		return rc;
	sched_getaffinity(0, sizeof(cpus), &cpus);
	rc = placement_make(p, msg);
	if (!rc) {
		rc = placement_join(p);
		if (rc)
			message_fail(msg, rc, "a worker cannot join its cgroup: %s; %s",
				     strerror(-rc), cg_mend());
	}
	if (!rc)
		rc = check_policy(&s->workers, msg);
	placement_end(p);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	return rc;
}

static int check_probe(const struct spec *s, const struct cpu_plan *plan, const struct message *msg)
{
	struct probe_config cfg = {.ring_bytes = s->run.ring_bytes,
				   .cpus = plan->workers.cpu,
				   .nr_cpus = plan->workers.nr};
	struct probe *p = NULL;
	int rc = probe_open(&p, &cfg, msg->text, msg->len);

	if (!rc)
		rc = probe_self(p, msg);
	probe_close(p);
	return rc;
}

static int check(const struct spec *spec, bool probe, const struct message *msg)
{
	struct placement place;
	struct cpu_plan plan;
	int rc;

	if (!cpu_plan_workers(spec) || cpu_plan_workers(spec) > LIVE_WORKERS_MAX)
		return message_fail(msg, -EINVAL,
				    "workers.count × workers.replicas = %u: a live run has 1 to %d "
				    "workers",
				    cpu_plan_workers(spec), LIVE_WORKERS_MAX);
	rc = cpu_plan_make(&plan, spec->workers.cpus, cpu_plan_workers(spec), msg);
	if (!rc)
		rc = check_placement(&place, spec, msg);
	if (!rc)
		rc = check_nice(&spec->workers, msg);
	if (!rc && probe)
		rc = check_probe(spec, &plan, msg);
	return rc;
}

int live_check(const struct spec *spec, bool probe, char *err, size_t err_len)
{
	struct message msg = {err, err_len};
	u64 before = rights_raise();
	int rc = check(spec, probe, &msg);

	rights_restore(before);
	return rc;
}
