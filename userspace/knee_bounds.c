// SPDX-License-Identifier: GPL-2.0-only
#include "knee_search.h"

#include <math.h>

static double longest_ns(const struct spec *s)
{
	const struct option *o = options_find("workload", "duration");
	struct spec longest = *s;
	char why[VALUE_WHY];

	option_set(o, &longest, o->field.max, why);
	return (double)longest.workload.duration_ns;
}

/* Of the mean time of a step, what an item takes at the least: hot ones may have less to do. */
static double least_share(const struct spec *s)
{
	const struct workload_config *w = &s->workload;

	if (w->hot_share <= 0 || !w->cost_ns)
		return 1;
	return fmin(1, (double)w->hot_cost_ns / (double)w->cost_ns);
}

/* The mean time for which an item has its worker. */
static double held_ns(const struct spec *s)
{
	const struct workload_config *w = &s->workload;
	double cost_ns = (double)w->cost_ns, ns = 0;

	if (s->executor != EXECUTOR_ASYNC)
		return cost_ns;
	for (u32 i = 0; i < w->nr_steps; i++)
		if (w->steps[i].kind == STEP_CPU || w->steps[i].kind == STEP_LOCK)
			ns += (double)w->steps[i].ns;
	if (w->nr_steps || w->work == WORK_WAIT)
		return ns;
	return w->work == WORK_MIX ? cost_ns * w->mix : cost_ns;
}

/* The mean time for which it has a slot of the resource. */
static double called_ns(const struct workload_config *w, u32 resource)
{
	double ns = 0;

	for (u32 i = 0; i < w->nr_steps; i++)
		if ((w->steps[i].kind == STEP_CALL || w->steps[i].kind == STEP_LOCK) &&
		    w->steps[i].resource == resource)
			ns += (double)w->steps[i].ns;
	return ns;
}

/* places, each taken for ns by an item: so many items a second; INFINITY where nothing is taken. */
static double served(u32 places, double ns)
{
	return ns > 0 ? places * (double)NSEC_PER_SEC / ns : (double)INFINITY;
}

static double capacity(const struct spec *s)
{
	const struct workload_config *w = &s->workload;
	double share = least_share(s), least = served(spec_workers(s), held_ns(s) * share);

	if (s->limit)
		least = fmin(least,
			     served(s->limit * s->workers.replicas, (double)w->cost_ns * share));
	for (u32 i = 0; i < w->nr_resources; i++)
		least = fmin(least, served(w->resources[i].capacity, called_ns(w, i) * share));
	return least;
}

/* No p95 is below the least mean, but where a time-out ends the wait. */
static double least_p95_ns(const struct spec *s)
{
	double ns = (double)s->workload.cost_ns * least_share(s);

	if (s->workload.timeout_ns)
		ns = fmin(ns, (double)s->workload.timeout_ns);
	return fmax(ns, NSEC_PER_USEC);
}

void knee_bounds(struct knee_bounds *b, const struct spec *s, double factor)
{
	/* The length is rounded up to a millisecond. */
	double longest = longest_ns(s) - (double)s->run.warmup_ns - NSEC_PER_MSEC;
	double p95 = least_p95_ns(s), length;

	*b = (struct knee_bounds){.longest_ns = longest_ns(s), .capacity = capacity(s)};
	b->length = KNEE_ITEMS / fmax(longest, NSEC_PER_MSEC) * NSEC_PER_SEC;
	if (s->hot_load > 0)
		b->load = s->hot_load * NSEC_PER_SEC / (double)s->workload.hot_cost_ns;
	b->factor = 1 + longest / (p95 * KNEE_LENGTHS);
	b->rate = fmin(1e9, 1e9 * s->run.time_scale);
	length = fmax((double)s->workload.duration_ns, p95 * (factor - 1) * KNEE_LENGTHS);
	b->items = SPEC_ITEMS_MAX * NSEC_PER_SEC / length;
}
