/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of the live engine: the same cell in virtual time, and how its items ended. */
#ifndef HOLBENCH_TESTS_SIMULATED_H
#define HOLBENCH_TESTS_SIMULATED_H

#include "run_cell.h"
#include "sim/sim.h"

struct ends {
	u32 items, of[OUTCOME_NR];
	u64 first_ns, last_ns; /* the first due time, the last end */
};

static inline int ends_take(void *ctx, const struct event *ev)
{
	struct ends *e = ctx;

	if (ev->kind == EVENT_SUBMIT) {
		if (!e->items++)
			e->first_ns = ev->submit.due_ns;
	} else if (ev->kind == EVENT_DONE) {
		e->of[ev->done.outcome]++;
		e->last_ns = ev->time_ns;
	}
	return 0;
}

static inline struct ends ends_of(const struct cell_run *c)
{
	struct ends e = {0};

	for (u32 i = 0; i < c->nr; i++)
		ends_take(&e, &c->events[i]);
	return e;
}

static inline struct ends ends_simulated(const struct spec *spec)
{
	struct home_config home_cfg = spec_home(spec);
	u32 *home = calloc(home_cfg.keys, sizeof(*home));
	struct balancer_config cfg = spec_balancer(spec, home);
	struct workload stream;
	struct balancer policy;
	struct ends e = {0};
	struct event_sink sink = {ends_take, &e};
	struct sim_config sim = {
		.stream = &stream, .policy = &policy, .sink = &sink, .executor = spec->executor};

	if (!home || home_assign(home, &home_cfg) || workload_init(&stream, &spec->workload) ||
	    balancer_init(&policy, &cfg) || sim_run(&sim))
		abort();
	balancer_fini(&policy);
	workload_fini(&stream);
	free(home);
	return e;
}

#endif
