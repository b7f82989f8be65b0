/* SPDX-License-Identifier: GPL-2.0-only */
/* Systems drawn at random. */
#ifndef HOLBENCH_TESTS_SIM_DRAW_H
#define HOLBENCH_TESTS_SIM_DRAW_H

#include "core/rng.h"
#include "tally.h"

#define MS NSEC_PER_MSEC

static inline bool one_in(struct rng *r, u32 n)
{
	return rng_below(r, n) == 0;
}

static inline void draw_service(struct workload_config *w, struct rng *r)
{
	w->nr_resources = 4;
	for (u32 i = 0; i < 4; i++)
		w->resources[i] = (struct resource_config){
			.lock = i < 2,
			.capacity = 1 + rng_below(r, 8),
			.queue = one_in(r, 2) ? RESOURCE_QUEUE_NEVER : rng_below(r, 6),
			.dist = rng_below(r, 4),
			.jitter = 0.5,
			.sigma = 1};
	w->nr_steps = rng_below(r, ITEM_STEPS_MAX + 1);
	w->cost_ns = 10 * MS;
	for (u32 i = 0; i < w->nr_steps; i++) {
		struct step *s = &w->steps[i];

		s->kind = 1 + rng_below(r, 4);
		s->ns = (1 + rng_below(r, 10)) * MS;
		s->resource = rng_below(r, 2) + (s->kind == STEP_CALL ? 2 : 0);
	}
	if (one_in(r, 10))
		w->cost_ns = 0;
	if (one_in(r, 2))
		w->timeout_ns = (1 + rng_below(r, 40)) * MS;
}

static inline void draw_pauses(struct pauses *p, struct rng *r)
{
	if (one_in(r, 3)) {
		p->every_ns = (20 + rng_below(r, 200)) * MS;
		p->for_ns = p->every_ns / (2 + rng_below(r, 8));
	}
	if (one_in(r, 3)) {
		p->jitter_every_ns = (20 + rng_below(r, 200)) * MS;
		p->jitter_for_ns = p->jitter_every_ns / (2 + rng_below(r, 8));
		p->jitter_step = rng_below(r, ITEM_STEPS_MAX);
	}
	if (one_in(r, 3)) {
		p->stall_at_ns = rng_below(r, 500) * MS;
		p->stall_for_ns = rng_below(r, 500) * MS;
		p->stall_key = rng_below(r, 3);
	}
}

static inline void draw_stream(struct workload_config *w, struct rng *r)
{
	w->seed = rng_u64(r);
	w->keys = 1 + rng_below(r, 40);
	w->rate = 100 + rng_below(r, 2000);
	w->duration_ns = NSEC_PER_SEC / 2;
	w->arrivals = rng_below(r, 3);
	w->burst_every_ns = 100 * MS;
	w->burst_for_ns = rng_below(r, 100) * MS;
	w->cost_dist = rng_below(r, 4);
	w->jitter = 0.5;
	w->sigma = 1;
	w->work = rng_below(r, 3);
	w->mix = 0.3;
	w->null_share = one_in(r, 3) ? 0.3 : 0;
	w->partitions = one_in(r, 3) ? 1 + rng_below(r, 6) : 0;
}

/* Any design and executor, steps of any kind, pauses, limits, replicas. The same seed draws the
 * same. */
static inline struct scenario draw_scenario(u64 seed)
{
	struct scenario sc = {.neighbours = -1};
	const struct dispatch_ops *design;
	u32 designs = 0;
	struct rng r;

	rng_init(&r, seed, 0);
	while (dispatch_nth(designs))
		designs++;
	design = dispatch_nth(rng_below(&r, designs));
	sc.design = design->name;
	sc.executor = rng_below(&r, 3);
	if (sc.executor == EXECUTOR_SPAWN && !(design->traits & DISPATCH_ONE_QUEUE))
		sc.executor = EXECUTOR_THREAD;
	sc.replicas = 1 + (one_in(&r, 3) ? rng_below(&r, 3) : 0);
	sc.workers = sc.executor == EXECUTOR_SPAWN ? 20 : 1 + rng_below(&r, 8);
	sc.threshold_ns = rng_below(&r, 30) * MS;
	sc.limit = one_in(&r, 3) ? 1 + rng_below(&r, 10) : 0;
	sc.balance = rng_below(&r, 2);
	sc.null_unordered = one_in(&r, 2);
	if (!strncmp(sc.design, "key", 3) && one_in(&r, 2))
		sc.buffer = 1 + rng_below(&r, 30);
	draw_stream(&sc.stream, &r);
	draw_service(&sc.stream, &r);
	draw_pauses(&sc.stream.pauses, &r);
	return sc;
}

#endif
