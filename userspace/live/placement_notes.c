/* SPDX-License-Identifier: GPL-2.0-only */
/* What the trace says of placement and noise. */
#include "live/clock.h"
#include "live/notes.h"
#include "live/placement.h"

#include <string.h>

/* Noise that got less than this share of the CPU time that it wanted was not there. */
#define NOISE_IDLE_SHARE 1e-3

static bool read_usage(const struct placement *p, u32 which, struct cgroup_usage *u)
{
	return p->plan.groups && !cgroups_usage(&p->groups, which, u);
}

void placement_begin(struct placement *p)
{
	p->begin_ns = clock_mono_ns();
	for (u32 w = 0; w < CGROUP_NR; w++)
		if (!read_usage(p, w, &p->before[w]))
			memset(&p->before[w], 0xff, sizeof(p->before[w]));
}

/* What was used since placement_begin(). False: not known, for one of the two moments. */
static bool used(const struct placement *p, u32 which, struct cgroup_usage *u)
{
	const struct cgroup_usage *before = &p->before[which];

	if (before->cpu_ns == NEVER_NS || !read_usage(p, which, u))
		return false;
	u->cpu_ns -= before->cpu_ns;
	u->throttled_ns -= before->throttled_ns;
	u->nr_throttled -= before->nr_throttled;
	return true;
}

static void note_workers(const struct placement *p, struct trace_writer *t)
{
	struct cgroup_usage u;

	if (!used(p, CGROUP_WORKERS, &u))
		return;
	note(t, "cgroup_throttled_ns", "%" PRIu64, u.throttled_ns);
	note(t, "nr_throttled", "%" PRIu64, u.nr_throttled);
	note(t, "cgroup_cpu_ns", "%" PRIu64, u.cpu_ns);
}

/* A quota is less than what the noise wants; having that much is having all. */
static u64 wish_ns(const struct placement *p, u64 window_ns)
{
	u64 wish = noise_wish_ns(&p->spec.noise, p->plan.noise.nr, window_ns);
	double most = p->spec.place.noise_max * (double)window_ns;

	return p->spec.place.isolation == PLACE_CAPPED && most < (double)wish ? (u64)most : wish;
}

static void note_noise(const struct placement *p, struct trace_writer *t)
{
	u64 window_ns = clock_mono_ns() - p->begin_ns, wish = wish_ns(p, window_ns);
	struct cgroup_usage u;
	char cpus[256];

	cpu_list_print(&p->plan.noise, cpus, sizeof(cpus));
	note(t, "noise.name", "%s", noise_name(p->spec.noise.kind));
	note(t, "noise.cpus", "%s", cpus);
	if (!used(p, CGROUP_NOISE, &u)) {
		note(t, "warning",
		     "the CPU time of the noise is not known: its cgroup has no "
		     "accounting");
		return;
	}
	note(t, "noise_cpu_ns", "%" PRIu64, u.cpu_ns);
	note(t, "noise_wish_ns", "%" PRIu64, wish);
	if (p->spec.place.isolation == PLACE_CAPPED)
		note(t, "noise_throttled_ns", "%" PRIu64, u.throttled_ns);
	if ((double)u.cpu_ns >= NOISE_IDLE_SHARE * (double)wish)
		return;
	note(t, "noise_idle", "1");
	note(t, "warning", "the noise got %.3f ms of CPU in %.0f ms: this is a run without noise",
	     (double)u.cpu_ns / (double)NSEC_PER_MSEC, (double)window_ns / (double)NSEC_PER_MSEC);
}

void placement_notes(struct placement *p, struct trace_writer *t)
{
	if (!p->plan.groups)
		return;
	note(t, "cgroup.version", "%s", p->groups.ops->name);
	note(t, "cgroup.name", "%s", p->groups.name);
	if (p->spec.place.isolation == PLACE_ISOLATED)
		note(t, "place.partition", "%s", p->partition);
	if (p->plan.warning[0])
		note(t, "warning", "%s", p->plan.warning);
	if (p->lowest)
		note(t, "noise.weight", "%s", p->lowest);
	note_workers(p, t);
	if (p->spec.noise.kind != NOISE_NONE)
		note_noise(p, t);
}
