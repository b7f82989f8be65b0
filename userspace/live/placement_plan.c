/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/placement_plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void add(struct cpu_list *l, u32 cpu)
{
	u32 i = l->nr;

	if (cpu_list_has(l, cpu) || l->nr == CPUS_MAX)
		return;
	for (; i && l->cpu[i - 1] > cpu; i--)
		l->cpu[i] = l->cpu[i - 1];
	l->cpu[i] = cpu;
	l->nr++;
}

static bool is_helper(const struct cpu_plan *cpus, u32 cpu)
{
	return cpu == cpus->generator || cpu == cpus->collector;
}

/* Every hardware thread of the workers' cores. */
static void worker_cores(struct cpu_list *out, const struct cpu_plan *cpus,
			 const struct placement_host *host)
{
	struct cpu_list core;

	out->nr = 0;
	for (u32 i = 0; i < cpus->workers.nr; i++) {
		host->core(&core, cpus->workers.cpu[i]);
		for (u32 k = 0; k < core.nr; k++)
			add(out, core.cpu[k]);
		add(out, cpus->workers.cpu[i]);
	}
}

static void warn_sibling(struct placement_plan *p, u32 cpu, const char *who)
{
	snprintf(p->warning, sizeof(p->warning),
		 "isolated, but not by whole cores: CPU %u is a hardware thread of a worker's core "
		 "and %s",
		 cpu, who);
}

/* Of the cores, what is neither the helpers' nor out of reach; those two are worth a warning. */
static void reserve(struct placement_plan *p, const struct cpu_list *cores,
		    const struct cpu_plan *cpus, const struct cpu_list *allowed)
{
	for (u32 i = 0; i < cores->nr; i++) {
		u32 cpu = cores->cpu[i];

		if (is_helper(cpus, cpu))
			warn_sibling(p, cpu, "runs the generator or the collector");
		else if (!cpu_list_has(allowed, cpu))
			warn_sibling(p, cpu, "is not ours: anybody may run there");
		else
			add(&p->reserved, cpu);
	}
}

/* The CPUs outside of the workers' cores: those of generator and collector only if there are no
 * others. */
static void noise_elsewhere(struct cpu_list *out, const struct cpu_list *cores,
			    const struct cpu_plan *cpus, const struct cpu_list *allowed)
{
	out->nr = 0;
	for (u32 with_helpers = 0; with_helpers < 2 && !out->nr; with_helpers++)
		for (u32 i = 0; i < allowed->nr; i++)
			if (!cpu_list_has(cores, allowed->cpu[i]) &&
			    (with_helpers || !is_helper(cpus, allowed->cpu[i])))
				add(out, allowed->cpu[i]);
}

static int check_given(const struct placement_plan *p, const struct spec *s,
		       const struct cpu_list *cores, const struct cpu_list *allowed,
		       const struct message *msg)
{
	for (u32 i = 0; i < p->noise.nr; i++) {
		u32 cpu = p->noise.cpu[i];

		if (!cpu_list_has(allowed, cpu))
			return message_fail(msg, -EINVAL,
					    "noise.cpus: CPU %u is not online or not allowed here; "
					    "use others, or auto",
					    cpu);
		if (s->place.isolation == PLACE_ISOLATED && cpu_list_has(cores, cpu))
			return message_fail(
				msg, -EINVAL,
				"noise.cpus: CPU %u belongs to a worker's core, and "
				"place.isolation = isolated keeps the noise off it; use "
				"others, or auto",
				cpu);
	}
	return 0;
}

static int plan_noise(struct placement_plan *p, const struct spec *s, const struct cpu_plan *cpus,
		      const struct cpu_list *cores, const struct cpu_list *allowed,
		      const struct message *msg)
{
	if (strcmp(s->noise.cpus, "auto")) {
		if (cpu_list_parse(&p->noise, s->noise.cpus))
			return message_fail(msg, -EINVAL,
					    "noise.cpus: \"%s\" is not a CPU list; write it like "
					    "1-3 8",
					    s->noise.cpus);
		return check_given(p, s, cores, allowed, msg);
	}
	if (s->place.isolation == PLACE_ISOLATED)
		noise_elsewhere(&p->noise, cores, cpus, allowed);
	else
		p->noise = cpus->workers;
	if (!p->noise.nr)
		return message_fail(msg, -EINVAL,
				    "place.isolation = isolated: every CPU is one of a worker's "
				    "core and none is left for the noise; use a shorter "
				    "workers.cpus");
	return 0;
}

int placement_plan(struct placement_plan *p, const struct spec *s, const struct cpu_plan *cpus,
		   const struct placement_host *host, const struct message *msg)
{
	bool isolated = s->place.isolation == PLACE_ISOLATED;
	struct cpu_list cores;

	memset(p, 0, sizeof(*p));
	p->groups = isolated || s->noise.kind != NOISE_NONE || s->workers.cpu_max_ns;
	if (isolated && cpus->shared)
		return message_fail(msg, -EINVAL,
				    "place.isolation = isolated: no CPU is free of workers for "
				    "the generator; use a shorter workers.cpus on a machine of "
				    "two CPUs or more");
	worker_cores(&cores, cpus, host);
	if (isolated)
		reserve(p, &cores, cpus, host->allowed);
	return s->noise.kind == NOISE_NONE ? 0 : plan_noise(p, s, cpus, &cores, host->allowed, msg);
}
