/* SPDX-License-Identifier: GPL-2.0-only */
/* What was offered to the queues, and what was in use of workers, limit, resources and CPUs. */
#include "report/analyze.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int load_new(struct analysis *a)
{
	a->queue_ns = calloc(trace_info(a->r)->workers, sizeof(*a->queue_ns));
	return a->queue_ns ? 0 : -ENOMEM;
}

void load_free(struct analysis *a)
{
	usage_free(a->usage);
	free(a->queue_ns);
}

/* Once the first reading has found the last end. */
int load_second_reading(struct analysis *a)
{
	const struct spec *s = &a->spec;
	struct usage_config cfg = {.workers = trace_info(a->r)->workers,
				   .executor = s->executor,
				   .permits = s->limit * s->workers.replicas,
				   .nr_resources = s->workload.nr_resources,
				   .resources = s->workload.resources,
				   .from_ns = a->counted_from,
				   .to_ns = a->last_done};

	return usage_new(&a->usage, &cfg);
}

/* An item that waits outside a full buffer will come to its replica's only queue; with more than
 * one replica that is not known here, and nothing is said of the load. */
void load_submitted(struct analysis *a, const struct event *ev)
{
	u32 queue = ev->submit.queue == NONE32 ? 0 : ev->submit.queue;
	bool async = a->spec.executor == EXECUTOR_ASYNC;

	if (ev->submit.queue == NONE32 && a->spec.workers.replicas > 1)
		a->s->queue_load = (double)NAN;
	if (queue >= trace_info(a->r)->workers)
		return;
	for (u32 i = 0; i < ev->submit.nr_steps; i++) {
		u32 kind = ev->submit.steps[i].kind;

		if (!async || kind == STEP_CPU || kind == STEP_LOCK)
			a->queue_ns[queue] += ev->submit.steps[i].ns;
	}
}

static void queue_settle(struct analysis *a)
{
	const struct spec *spec = &a->spec;
	struct summary *s = a->s;
	u32 fullest = 0;

	for (u32 q = 1; q < trace_info(a->r)->workers; q++)
		if (a->queue_ns[q] > a->queue_ns[fullest])
			fullest = q;
	if (!s->items || !a->stream_ns || isnan(s->queue_load)) {
		s->queue_load = (double)NAN;
		return;
	}
	s->queue_load = (double)a->queue_ns[fullest] / (double)a->stream_ns;
	if (spec->design->traits & DISPATCH_ONE_QUEUE)
		return;
	for (u32 k = 0; k < spec->workload.hot_keys; k++)
		s->queue_hot_keys += a->home[k] == fullest % spec_workers_each(spec);
}

/* By the kernel's account of the workers' threads: of their whole life, and of the CPUs that they
 * may use. */
static void cpu_settle(struct analysis *a)
{
	struct summary *s = a->s;
	u64 base = trace_info(a->r)->base_ns;
	struct usage *u = &s->usage[s->nr_usage];

	if (!s->check.measured || !s->beside.worker_cpus || a->last_done <= base)
		return;
	s->nr_usage++;
	strcpy(u->name, "cpu");
	u->share = (double)s->check.kernel_cpu_ns /
		   ((double)(a->last_done - base) * s->beside.worker_cpus);
}

void load_settle(struct analysis *a)
{
	queue_settle(a);
	a->s->nr_usage = usage_list(a->usage, a->s->usage);
	cpu_settle(a);
}
