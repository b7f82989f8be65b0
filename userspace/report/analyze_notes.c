/* SPDX-License-Identifier: GPL-2.0-only */
/* What a live run noted beside its events: the workers' quota, the noise, the hypervisor. */
#include "report/analyze.h"

#include <stdlib.h>
#include <string.h>

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
	}
}

void notes_take(struct analysis *a)
{
	const char *name, *value;

	for (u32 i = 0; trace_nth_note(a->r, i, &name, &value); i++)
		take_note(&a->s->beside, name, value);
}
