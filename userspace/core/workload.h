/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stream: which items arrive when, with which key and cost. A pure function of its
 * configuration; every design and both engines get the same items. Items come one at a time, in due
 * order, so a stream of any length takes memory for its keys only.
 */
#ifndef HOLBENCH_CORE_WORKLOAD_H
#define HOLBENCH_CORE_WORKLOAD_H

#include "core/item.h"
#include "core/pause.h"
#include "core/resource.h"
#include "core/rng.h"

enum arrivals { ARRIVALS_EVEN, ARRIVALS_POISSON, ARRIVALS_BURST, ARRIVALS_FILE };
enum cold_pick { COLD_ROUNDROBIN, COLD_UNIFORM, COLD_ZIPF };
enum cost_dist { COST_UNIFORM, COST_FIXED, COST_EXPONENTIAL, COST_LOGNORMAL };
enum work_kind { WORK_WAIT, WORK_CPU, WORK_MIX };
enum hot_pick { HOT_EVERY, HOT_BERNOULLI };

struct workload_config {
	u64 seed;
	u32 keys;	 /* hot ones included */
	double rate;	 /* items per second */
	u64 duration_ns; /* arrivals are due in [0, duration) */
	u32 arrivals;	 /* enum arrivals */
	u32 cold_pick;	 /* enum cold_pick */
	double zipf_s;	 /* exponent of COLD_ZIPF */
	u64 cost_ns;	 /* mean cost of a cold item */
	u32 cost_dist;	 /* enum cost_dist */
	double jitter;	 /* COST_UNIFORM: cost × uniform(1-jitter, 1+jitter) */
	double sigma;	 /* COST_LOGNORMAL: of the logarithm; the mean stays cost_ns */
	u32 work;	 /* enum work_kind */
	double mix;	 /* WORK_MIX: share of the cost that is CPU (first), the rest waits */

	u32 hot_keys;	  /* 0: no item is hot; equal to keys: every item is */
	double hot_share; /* of the arrivals, all hot keys together */
	u64 hot_cost_ns;  /* mean cost of a hot item; same distribution */
	u32 hot_pick;	  /* enum hot_pick; hot items go to the hot keys in turn */

	/*
	 * The service as a list of steps; nr_steps 0: cost_ns and work say it. `ns` of a step is
	 * its mean. CPU, WAIT and LOCK steps are multiplied by the item's cost factor, CALL steps
	 * by one drawn from their resource's distribution; a hot item's steps by hot_cost_ns ÷ the
	 * sum of the steps as well, those of a recorded item by its cost ÷ that sum. An item has
	 * all of them: none gets shorter than 1 ns.
	 */
	u32 nr_steps;
	struct step steps[ITEM_STEPS_MAX];
	u32 nr_resources;
	struct resource_config resources[RESOURCES_MAX];
	u64 timeout_ns; /* an item's caller gives up so long after its start; 0: never */
	struct pauses pauses;

	double null_share; /* of the arrivals, none of them hot: items without a key; their key is
			      `keys`, one past the last */
	u32 partitions;	   /* see item_partition(); 0: there are none */
	u64 burst_every_ns, burst_for_ns; /* ARRIVALS_BURST: the items of each period are due,
					     evenly, in its first burst_for_ns */
};

/* How many keys there are, with that of the items that have none. */
static inline u32 workload_keys(const struct workload_config *cfg)
{
	return cfg->keys + (cfg->null_share > 0);
}

/* The key of the items that have none, or NONE32. */
static inline u32 workload_null_key(const struct workload_config *cfg)
{
	return cfg->null_share > 0 ? cfg->keys : NONE32;
}

/* One line of a recorded stream. */
struct arrival {
	u64 due_ns;  /* not before that of the arrival before it */
	u32 key;     /* below `keys`, or `keys` where it has none */
	u64 cost_ns; /* COST_DRAWN: as of a cold item */
};

#define COST_DRAWN UINT64_MAX

/* ARRIVALS_FILE: where the stream comes from. */
struct arrival_source {
	/* Fills *a; false at the end. */
	bool (*next)(void *ctx, struct arrival *a);
	void *ctx;
};

struct workload {
	struct workload_config cfg;
	const struct arrival_source *source; /* borrowed; ARRIVALS_FILE only: set it after
						workload_init() */
	struct rng arrival_rng, pick_rng, cold_rng, cost_rng, call_rng, null_rng;
	u64 index;	/* items handed out */
	double next_s;	/* ARRIVALS_POISSON: the next due time */
	u64 hot_count;	/* hot items handed out */
	u64 cold_count; /* cold items handed out */
	u32 *key_seq;	/* owned: next seq of each key */
	double *zipf;	/* owned: cumulative weights of the cold keys, COLD_ZIPF only */
};

/* Returns 0, or -ENOMEM. On error nothing is held. */
int workload_init(struct workload *w, const struct workload_config *cfg);
void workload_fini(struct workload *w);
/* Fills *it (the stream's fields; the dispatcher's are zeroed). False at the end of the stream. */
bool workload_next(struct workload *w, struct item *it);

#endif
