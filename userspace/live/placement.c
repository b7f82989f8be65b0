/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/placement.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define CAPPED_PERIOD_NS (100 * NSEC_PER_MSEC)

int placement_init(struct placement *p, const struct spec *s, const struct message *msg)
{
	struct cpu_list allowed;
	struct placement_host host = {&allowed, cpu_list_core};
	struct cpu_plan cpus;
	int rc;

	memset(p, 0, sizeof(*p));
	p->spec = spec_scaled(s);
	p->noise.go = -1;
	rc = cpu_plan_make(&cpus, s->workers.cpus, cpu_plan_workers(s), msg);
	if (rc)
		return rc;
	rc = cpu_list_allowed(&allowed);
	if (rc)
		return message_fail(msg, rc, "cannot read this process's CPUs: %s", strerror(-rc));
	return placement_plan(&p->plan, s, &cpus, &host, msg);
}

int placement_fork(struct placement *p, const struct spec *s, const char *noise_log,
		   const struct message *msg)
{
	int rc = placement_init(p, s, msg);

	return rc ? rc : noise_fork(&p->noise, &p->spec.noise, &p->plan.noise, noise_log, msg);
}

static int set_up_noise(struct placement *p, const struct message *msg)
{
	const struct place_config *place = &p->spec.place;
	u64 quota_ns = (u64)(place->noise_max * (double)CAPPED_PERIOD_NS);
	int rc = 0;

	if (p->spec.noise.kind == NOISE_NONE)
		return 0;
	if (place->isolation == PLACE_WEIGHTED)
		rc = cgroups_lowest(&p->groups, CGROUP_NOISE, &p->lowest, msg);
	else if (place->isolation == PLACE_CAPPED)
		rc = cgroups_quota(&p->groups, CGROUP_NOISE, quota_ns, CAPPED_PERIOD_NS, msg);
	/* Where there is no cpuset, the noise has its affinity only, which it may change. */
	if (!rc && cgroups_cpuset(&p->groups))
		rc = cgroups_cpus(&p->groups, CGROUP_NOISE, &p->plan.noise, msg);
	return rc;
}

static int set_up_workers(struct placement *p, const struct message *msg)
{
	const struct worker_config *w = &p->spec.workers;
	int rc = 0;

	if (w->cpu_max_ns)
		rc = cgroups_quota(&p->groups, CGROUP_WORKERS, w->cpu_max_ns, w->cpu_max_period_ns,
				   msg);
	if (!rc && (w->policy == POLICY_FIFO || w->policy == POLICY_RR))
		rc = cgroups_realtime(&p->groups, msg);
	if (rc || p->spec.place.isolation != PLACE_ISOLATED)
		return rc;
	rc = cgroups_cpus(&p->groups, CGROUP_WORKERS, &p->plan.reserved, msg);
	if (!rc)
		cgroups_partition(&p->groups, &p->plan.reserved, p->partition,
				  sizeof(p->partition));
	return rc;
}

int placement_make(struct placement *p, const struct message *msg)
{
	int rc;

	if (!p->plan.groups)
		return 0;
	rc = cgroups_make(&p->groups, p->spec.place.isolation == PLACE_ISOLATED, msg);
	if (!rc)
		rc = set_up_noise(p, msg);
	return rc ? rc : set_up_workers(p, msg);
}

int placement_start(struct placement *p, const struct message *msg)
{
	return noise_start(&p->noise, &p->groups, msg);
}

int placement_join(struct placement *p)
{
	return p && p->plan.groups ? cgroups_join(&p->groups, CGROUP_WORKERS, gettid()) : 0;
}

int placement_check(struct placement *p, const struct message *msg)
{
	return noise_check(&p->noise, msg);
}

void placement_quiet(struct placement *p)
{
	noise_stop(&p->noise, p->plan.groups ? &p->groups : NULL);
}

int placement_end(struct placement *p)
{
	int rc;

	placement_quiet(p);
	rc = cgroups_remove(&p->groups);
	p->plan.groups = false;
	return rc;
}
