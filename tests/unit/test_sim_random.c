/* SPDX-License-Identifier: GPL-2.0-only */
/* Systems drawn at random: whatever is combined, what must hold holds. */
#include "sim_checker.h"
#include "sim_draw.h"
#include "tap.h"

enum { RUNS = 4000 };

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
	struct scenario sc = draw_scenario(seed);
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
