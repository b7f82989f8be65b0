/* SPDX-License-Identifier: GPL-2.0-only */
/* Systems drawn at random: whatever is combined, what must hold holds. */
#include "core/rng.h"
#include "sim_checker.h"
#include "tap.h"

#define MS NSEC_PER_MSEC

enum { RUNS = 4000 };

static bool one_in(struct rng *r, u32 n)
{
	return rng_below(r, n) == 0;
}

static void draw_service(struct workload_config *w, struct rng *r)
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

static void draw_pauses(struct pauses *p, struct rng *r)
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

static void draw_stream(struct workload_config *w, struct rng *r)
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

static struct scenario draw(u64 seed)
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

/* What all runs together have seen: a test of the test. */
struct seen {
	u32 outcomes[OUTCOME_NR], pauses, takes, resumes, moves, admits, items, inversions;
};

static void add(struct seen *all, const struct checker *c)
{
	for (u32 i = 0; i < OUTCOME_NR; i++)
		all->outcomes[i] += c->outcomes[i];
	all->pauses += c->pauses;
	all->takes += c->takes;
	all->resumes += c->resumes;
	all->moves += c->moves;
	all->admits += c->admits;
	all->items += c->nr_items;
	all->inversions += c->inversions;
}

static void check_end(struct checker *c)
{
	u32 ended = 0;

	for (u32 i = 0; i < OUTCOME_NR; i++)
		ended += c->outcomes[i];
	expect(c, 0, ended == c->nr_items, "items = succeeded + timed out + refused");
	expect(c, 0, c->in_system == 0 && c->in_service == 0 && c->admitted == 0,
	       "nothing is left");
	expect(c, 0, c->area_ns - c->waits_ns < 1 && c->waits_ns - c->area_ns < 1, "Little's law");
}

/* The second policy has a life of its own: scenario_run() builds the first. */
static void check_run(struct checker *c, u64 seed, struct seen *all)
{
	struct scenario sc = draw(seed);
	struct event_sink sink = {checker_event, c};
	u32 *home = calloc(workload_keys(&sc.stream), sizeof(*home));
	struct balancer_config cfg;
	int err;

	memset(c, 0, sizeof(*c));
	c->sc = &sc;
	if (!home || scenario_policy(&sc, home, &cfg) || balancer_init(&c->policy, &cfg))
		exit(EXIT_FAILURE);
	err = scenario_run(&sc, &sink);
	if (!err)
		check_end(c);
	if (err || c->wrong)
		CHECK(false, "seed %llu, %s, executor %u: %s (item %u, %d)",
		      (unsigned long long)seed, sc.design, sc.executor,
		      c->wrong ? c->wrong : "it ran", c->wrong_item, err);
	add(all, c);
	balancer_fini(&c->policy);
	free(home);
}

int main(void)
{
	struct checker *c = malloc(sizeof(*c));
	struct seen all = {0};

	for (u64 seed = 1; c && seed <= RUNS; seed++)
		check_run(c, seed, &all);
	CHECK(all.items > 100 * RUNS && all.inversions > 1000,
	      "%u items, every promise holds; %u out of order where that may be", all.items,
	      all.inversions);
	CHECK(all.outcomes[OUTCOME_SUCCEEDED] > 1000 && all.outcomes[OUTCOME_TIMED_OUT] > 1000 &&
		      all.outcomes[OUTCOME_REFUSED] > 1000,
	      "%u succeeded, %u timed out, %u refused", all.outcomes[OUTCOME_SUCCEEDED],
	      all.outcomes[OUTCOME_TIMED_OUT], all.outcomes[OUTCOME_REFUSED]);
	CHECK(all.pauses > 1000 && all.takes > 1000 && all.resumes > 1000 && all.moves > 100 &&
		      all.admits > 1000,
	      "%u pauses, %u takes, %u resumes, %u moves, %u admitted late", all.pauses, all.takes,
	      all.resumes, all.moves, all.admits);
	free(c);
	return tap_done();
}
