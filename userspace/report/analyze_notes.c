/* SPDX-License-Identifier: GPL-2.0-only */
/* What a live run noted beside its events: the workers' quota, the noise, the hypervisor. */
#include "report/analyze.h"

#include <stdlib.h>
#include <string.h>

/* How many CPUs a list has, as the kernel writes it: "1-3,8" are 4. */
static u32 cpus_in(const char *list)
{
	u32 nr = 0;

	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		nr += last >= first ? (u32)(last - first) + 1 : 0;
		list = *end ? end + 1 : end;
	}
	return nr;
}

static void take_note(struct beside *b, const char *name, const char *value)
{
	u64 n = strtoull(value, NULL, 10);

	if (!strcmp(name, "cgroup_throttled_ns")) {
		b->throttled_known = true;
		b->throttled_ns = n;
	} else if (!strcmp(name, "nr_throttled")) {
		b->nr_throttled = n;
	} else if (!strncmp(name, "steal_ns.", 9)) {
		b->steal_known = true;
		b->steal_ns += n;
	} else if (!strcmp(name, "noise_cpu_ns")) {
		b->noise = true;
		b->noise_cpu_ns = n;
	} else if (!strcmp(name, "noise_idle")) {
		b->noise_idle = true;
	} else if (!strcmp(name, "workers.cpus")) {
		b->worker_cpus = cpus_in(value);
	} else if (!strcmp(name, "threads.peak")) {
		b->threads_known = true;
		b->threads_peak = n;
	} else if (!strcmp(name, "memory.peak_bytes")) {
		b->memory_known = true;
		b->memory_peak = n;
	} else if (!strcmp(name, "stack.bytes")) {
		b->stack_known = true;
		b->stack = n;
	}
}

void notes_take(struct analysis *a)
{
	const char *name, *value;

	for (u32 i = 0; trace_nth_note(a->r, i, &name, &value); i++)
		take_note(&a->s->beside, name, value);
}
