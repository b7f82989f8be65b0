/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/cpus.h"
#include "spec/spec.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static int cpu_list_from_set(struct cpu_list *out, const cpu_set_t *set)
{
	out->nr = 0;
	for (u32 i = 0; i < CPUS_MAX; i++)
		if (CPU_ISSET(i, set))
			out->cpu[out->nr++] = i;
	return out->nr ? 0 : -EINVAL;
}

/* One "3" or "1-3" at *p, which is moved behind it. */
static int parse_range(cpu_set_t *set, const char **p)
{
	char *end;
	unsigned long first, last;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	first = last = strtoul(*p, &end, 10);
	if (*end == '-') {
		if (end[1] < '0' || end[1] > '9')
			return -EINVAL;
		last = strtoul(end + 1, &end, 10);
	}
	if (first > last || last >= CPUS_MAX)
		return -EINVAL;
	for (unsigned long i = first; i <= last; i++)
		CPU_SET(i, set);
	*p = end;
	return 0;
}

int cpu_list_parse(struct cpu_list *out, const char *text)
{
	const char *p = text;
	cpu_set_t set;

	CPU_ZERO(&set);
	while (*(p += strspn(p, ", \t\n"))) {
		if (parse_range(&set, &p) || !strchr(", \t\n", *p))
			return -EINVAL;
	}
	return cpu_list_from_set(out, &set);
}

void cpu_list_print(const struct cpu_list *l, char *text, size_t len)
{
	size_t used = 0;

	text[0] = 0;
	for (u32 i = 0, j; i < l->nr && used < len; i = j + 1) {
		for (j = i; j + 1 < l->nr && l->cpu[j + 1] == l->cpu[j] + 1; j++)
			;
		used += (size_t)snprintf(text + used, len - used, "%s%u", i ? "," : "", l->cpu[i]);
		if (j > i && used < len)
			used += (size_t)snprintf(text + used, len - used, "-%u", l->cpu[j]);
	}
}

bool cpu_list_has(const struct cpu_list *l, u32 cpu)
{
	for (u32 i = 0; i < l->nr; i++)
		if (l->cpu[i] == cpu)
			return true;
	return false;
}

/* The affinity mask holds online CPUs only: sched_getaffinity(2) masks it with cpu_active_mask. */
int cpu_list_allowed(struct cpu_list *out)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	return cpu_list_from_set(out, &set);
}

void cpu_list_core(struct cpu_list *out, u32 cpu)
{
	char path[96], text[512];
	FILE *f;
	bool known = false;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		 cpu);
	f = fopen(path, "re");
	if (f) {
		known = fgets(text, sizeof(text), f) && !cpu_list_parse(out, text);
		fclose(f);
	}
	if (!known) {
		out->nr = 1;
		out->cpu[0] = cpu;
	}
}

void cpu_plan_auto(struct cpu_list *workers, const struct cpu_list *allowed,
		   const struct cpu_list *first_core, u32 nr_workers)
{
	struct cpu_list rest = {0};

	for (u32 i = 0; i < allowed->nr; i++)
		if (!cpu_list_has(first_core, allowed->cpu[i]))
			rest.cpu[rest.nr++] = allowed->cpu[i];
	/* One core, two threads of it: give the second away rather than share. */
	if (!rest.nr && allowed->nr > 1)
		rest.cpu[rest.nr++] = allowed->cpu[allowed->nr - 1];
	if (!rest.nr)
		rest = *allowed;
	workers->nr = nr_workers < rest.nr ? nr_workers : rest.nr;
	memcpy(workers->cpu, rest.cpu + rest.nr - workers->nr, workers->nr * sizeof(*workers->cpu));
}

/* The first allowed CPU that no worker uses; then, for the collector, another one: of the same core
 * if possible, so as not to be a worker's sibling. */
static void place_helpers(struct cpu_plan *plan, const struct cpu_list *allowed)
{
	struct cpu_list core;
	u32 other = NONE32;

	plan->generator = NONE32;
	for (u32 i = 0; i < allowed->nr && plan->generator == NONE32; i++)
		if (!cpu_list_has(&plan->workers, allowed->cpu[i]))
			plan->generator = allowed->cpu[i];
	plan->shared = plan->generator == NONE32;
	if (plan->shared)
		plan->generator = allowed->cpu[0];
	cpu_list_core(&core, plan->generator);
	for (u32 i = 0; i < allowed->nr; i++) {
		u32 cpu = allowed->cpu[i];

		if (cpu == plan->generator || cpu_list_has(&plan->workers, cpu))
			continue;
		if (other == NONE32 || (cpu_list_has(&core, cpu) && !cpu_list_has(&core, other)))
			other = cpu;
	}
	plan->collector = other == NONE32 ? plan->generator : other;
}

u32 cpu_plan_workers(const struct spec *s)
{
	if (s->executor == EXECUTOR_SPAWN)
		return s->workers.count * s->workers.replicas;
	return spec_workers(s);
}

int cpu_plan_make(struct cpu_plan *plan, const char *text, u32 nr_workers,
		  const struct message *msg)
{
	struct cpu_list allowed, core;
	char list[256];
	int rc = cpu_list_allowed(&allowed);

	if (rc)
		return message_fail(msg, rc, "cannot read this process's CPUs: %s", strerror(-rc));
	cpu_list_print(&allowed, list, sizeof(list));
	if (!strcmp(text, "auto")) {
		cpu_list_core(&core, allowed.cpu[0]);
		cpu_plan_auto(&plan->workers, &allowed, &core, nr_workers);
	} else if (cpu_list_parse(&plan->workers, text)) {
		return message_fail(msg, -EINVAL,
				    "workers.cpus: \"%s\" is not a CPU list; write it like 1-3 8",
				    text);
	}
	for (u32 i = 0; i < plan->workers.nr; i++)
		if (!cpu_list_has(&allowed, plan->workers.cpu[i]))
			return message_fail(
				msg, -EINVAL,
				"workers.cpus: CPU %u is not online or not allowed here; use some "
				"of %s",
				plan->workers.cpu[i], list);
	place_helpers(plan, &allowed);
	return 0;
}

int cpu_pin_self(u32 cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}
