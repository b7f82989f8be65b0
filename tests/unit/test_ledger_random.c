/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger of systems drawn at random, in virtual time, where nothing is unknown: every item that
 * ends has an account, which adds up, and its CPU work and its waits are what the events say.
 */
#include "core/ledger.h"
#include "sim_draw.h"
#include "tap.h"

enum { RUNS = 1000 };

struct run {
	struct ledger *ledger;
	u32 done, accounts, longest; /* items; longest: of an account, in charges */
	u64 unknown_ns;
	u32 unknown_item;
	int err;
};

static int run_account(void *ctx, const struct account *a)
{
	struct run *run = ctx;

	run->accounts++;
	if (a->nr_charges > run->longest)
		run->longest = a->nr_charges;
	for (u32 i = 0; i < a->nr_charges; i++) {
		const struct charge *c = &a->charges[i];

		if (c->part != PART_UNKNOWN && c->front != FRONT_UNKNOWN)
			continue;
		run->unknown_ns += c->ns;
		run->unknown_item = a->item;
	}
	return 0;
}

static int run_event(void *ctx, const struct event *ev)
{
	struct run *run = ctx;

	run->done += ev->kind == EVENT_DONE;
	if (!run->err)
		run->err = ledger_take(run->ledger, ev);
	return run->err;
}

static struct ledger_config config_of(const struct scenario *sc, struct run *run)
{
	u32 replicas = sc->replicas ? sc->replicas : 1;

	return (struct ledger_config){.workers = sc->workers * replicas,
				      .keys = workload_keys(&sc->stream),
				      .traits = dispatch_find(sc->design, sc->unit)->traits,
				      .executor = sc->executor,
				      .replicas = replicas,
				      .limit = sc->limit,
				      .partitions = sc->stream.partitions,
				      .null_key = workload_null_key(&sc->stream),
				      .null_unordered = sc->null_unordered,
				      .timeout_ns = sc->stream.timeout_ns,
				      .named_keys = 40,
				      .simulated = true,
				      .item = run_account,
				      .ctx = run};
}

static void check_run(const char *what, u64 seed, const struct scenario *sc, struct run *all)
{
	struct run run = {0};
	struct event_sink sink = {run_event, &run};
	struct ledger_config cfg = config_of(sc, &run);
	struct ledger_counts counts;
	struct ledger_check check;

	if (ledger_new(&run.ledger, &cfg))
		exit(EXIT_FAILURE);
	run.err |= scenario_run(sc, &sink);
	ledger_end(run.ledger, &counts, &check);
	ledger_free(run.ledger);
	if (run.err || counts.sum_errors || counts.impossible || counts.unfinished ||
	    run.unknown_ns || run.accounts != run.done)
		CHECK(false,
		      "%s, seed %llu, %s, executor %u: error %d, %u accounts of %u items, %llu do "
		      "not "
		      "add up, %llu impossible, %llu unfinished, %llu ns unknown (item %u)",
		      what, (unsigned long long)seed, sc->design, sc->executor, run.err,
		      run.accounts, run.done, (unsigned long long)counts.sum_errors,
		      (unsigned long long)counts.impossible, (unsigned long long)counts.unfinished,
		      (unsigned long long)run.unknown_ns, run.unknown_item);
	all->accounts += run.accounts;
	if (run.longest > all->longest)
		all->longest = run.longest;
}

/* All of a burst come at once: deep backlogs that start and end together. */
static struct scenario bursts(u64 seed)
{
	struct scenario sc = draw_scenario(seed);

	sc.stream.arrivals = ARRIVALS_BURST;
	sc.stream.burst_every_ns = (1 + seed % 10) * 50 * MS;
	sc.stream.burst_for_ns = 0;
	return sc;
}

int main(void)
{
	struct run all = {0};

	for (u64 seed = 1; seed <= RUNS; seed++) {
		struct scenario sc = draw_scenario(seed);

		check_run("any", seed, &sc, &all);
		sc = bursts(seed);
		check_run("bursts", seed, &sc, &all);
	}
	CHECK(all.accounts > 200 * RUNS && all.longest > 40,
	      "%u accounts add up, without an unknown; the longest has %u lines", all.accounts,
	      all.longest);
	return tap_done();
}
