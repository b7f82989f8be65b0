/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/workload.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static u32 cold_keys(const struct workload_config *cfg)
{
	return cfg->keys - cfg->hot_keys;
}

/* Cumulative: the weight of the r-th cold key, from 1, is r^-s. */
static int zipf_init(struct workload *w)
{
	u32 n = cold_keys(&w->cfg);
	double sum = 0;

	w->zipf = calloc(n ? n : 1, sizeof(*w->zipf));
	if (!w->zipf)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++) {
		sum += pow(i + 1.0, -w->cfg.zipf_s);
		w->zipf[i] = sum;
	}
	return 0;
}

int workload_init(struct workload *w, const struct workload_config *cfg)
{
	memset(w, 0, sizeof(*w));
	w->cfg = *cfg;
	rng_init(&w->arrival_rng, cfg->seed, RNG_ARRIVAL);
	rng_init(&w->pick_rng, cfg->seed, RNG_PICK);
	rng_init(&w->cold_rng, cfg->seed, RNG_COLD);
	rng_init(&w->cost_rng, cfg->seed, RNG_COST);
	rng_init(&w->call_rng, cfg->seed, RNG_CALL);
	rng_init(&w->null_rng, cfg->seed, RNG_NULL);
	w->key_seq = calloc(workload_keys(cfg), sizeof(*w->key_seq));
	if (!w->key_seq)
		return -ENOMEM;
	if (cfg->cold_pick == COLD_ZIPF && zipf_init(w)) {
		workload_fini(w);
		return -ENOMEM;
	}
	return 0;
}

void workload_fini(struct workload *w)
{
	free(w->key_seq);
	free(w->zipf);
	w->key_seq = NULL;
	w->zipf = NULL;
}

/* The items of a period, evenly spaced over all of it, are squeezed to its beginning. */
static u64 burst_ns(const struct workload_config *cfg, u64 even_ns)
{
	u64 into = even_ns % cfg->burst_every_ns;

	return even_ns - into +
	       (u64)llround((double)into / (double)cfg->burst_every_ns * (double)cfg->burst_for_ns);
}

/* Rounded before it is compared with the duration, so that the last item does not hang on the last
 * bit of rate × duration. */
static u64 next_due_ns(struct workload *w)
{
	u64 even_ns;

	if (w->cfg.arrivals == ARRIVALS_POISSON) {
		w->next_s += rng_exponential(&w->arrival_rng) / w->cfg.rate;
		return (u64)llround(w->next_s * 1e9);
	}
	even_ns = (u64)llround((double)w->index * 1e9 / w->cfg.rate);
	return w->cfg.arrivals == ARRIVALS_BURST ? burst_ns(&w->cfg, even_ns) : even_ns;
}

/*
 * How many of the first n items are hot. A share such as 0.4 / 40 lies a few units in the last
 * place beside the fraction that is meant; the nudge keeps the floor of a whole number at that
 * number.
 */
static double hot_before(double share, u64 n)
{
	return floor((double)n * share * (1 + 16 * DBL_EPSILON));
}

static bool pick_hot(struct workload *w)
{
	const struct workload_config *cfg = &w->cfg;

	if (!cfg->hot_keys)
		return false;
	if (!cold_keys(cfg))
		return true;
	if (cfg->hot_pick == HOT_BERNOULLI)
		return rng_double(&w->pick_rng) < cfg->hot_share;
	return hot_before(cfg->hot_share, w->index + 1) > hot_before(cfg->hot_share, w->index);
}

static u32 zipf_pick(struct workload *w)
{
	u32 low = 0, high = cold_keys(&w->cfg) - 1;
	double x = rng_double(&w->cold_rng) * w->zipf[high];

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (w->zipf[middle] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static u32 pick_cold_key(struct workload *w)
{
	const struct workload_config *cfg = &w->cfg;

	switch (cfg->cold_pick) {
	case COLD_UNIFORM:
		return cfg->hot_keys + rng_below(&w->cold_rng, cold_keys(cfg));
	case COLD_ZIPF:
		return cfg->hot_keys + zipf_pick(w);
	default:
		return cfg->hot_keys + (u32)(w->cold_count % cold_keys(cfg));
	}
}

static double draw_uniform(struct rng *r, double jitter)
{
	return 1 + jitter * (2 * rng_double(r) - 1);
}

static double draw_lognormal(struct rng *r, double sigma)
{
	return exp(sigma * rng_normal(r) - sigma * sigma / 2);
}

/* Mean 1. Drawn for every item, hot or cold, so that item i's factor does not depend on its key. */
static double cost_factor(struct workload *w)
{
	const struct workload_config *cfg = &w->cfg;

	switch (cfg->cost_dist) {
	case COST_FIXED:
		return 1;
	case COST_EXPONENTIAL:
		return rng_exponential(&w->cost_rng);
	case COST_LOGNORMAL:
		return draw_lognormal(&w->cost_rng, cfg->sigma);
	default:
		return draw_uniform(&w->cost_rng, cfg->jitter);
	}
}

static double call_factor(struct rng *r, const struct resource_config *cfg)
{
	switch (cfg->dist) {
	case RESOURCE_UNIFORM:
		return draw_uniform(r, cfg->jitter);
	case RESOURCE_EXPONENTIAL:
		return rng_exponential(r);
	case RESOURCE_LOGNORMAL:
		return draw_lognormal(r, cfg->sigma);
	default:
		return 1;
	}
}

static void add_step(struct item *it, u32 kind, u64 ns)
{
	if (ns)
		it->steps[it->nr_steps++] = (struct step){.kind = kind, .ns = ns};
}

/* `times`: the item's cost over the mean of all. */
static void set_listed_steps(struct workload *w, struct item *it, double times, double factor)
{
	const struct workload_config *cfg = &w->cfg;

	for (u32 i = 0; i < cfg->nr_steps; i++) {
		const struct step *mean = &cfg->steps[i];
		bool call = mean->kind == STEP_CALL;
		double f =
			call ? call_factor(&w->call_rng, &cfg->resources[mean->resource]) : factor;
		u64 ns = (u64)llround((double)mean->ns * times * f);

		it->steps[i] = *mean;
		it->steps[i].ns = ns ? ns : 1;
	}
	it->nr_steps = cfg->nr_steps;
}

static double steps_sum(const struct workload_config *cfg)
{
	u64 sum = 0;

	for (u32 i = 0; i < cfg->nr_steps; i++)
		sum += cfg->steps[i].ns;
	return (double)sum;
}

/* What an item does whose mean cost is mean_ns; COST_DRAWN: that of a cold one. */
static void set_steps(struct workload *w, struct item *it, u64 mean_ns, double factor)
{
	const struct workload_config *cfg = &w->cfg;
	u64 cost_ns, cpu_ns = 0;

	if (cfg->nr_steps) {
		set_listed_steps(w, it,
				 mean_ns == COST_DRAWN ? 1 : (double)mean_ns / steps_sum(cfg),
				 factor);
		return;
	}
	if (mean_ns == COST_DRAWN)
		mean_ns = cfg->cost_ns;
	cost_ns = (u64)llround((double)mean_ns * factor);
	if (cfg->work == WORK_CPU)
		cpu_ns = cost_ns;
	else if (cfg->work == WORK_MIX)
		cpu_ns = (u64)llround((double)cost_ns * cfg->mix);
	add_step(it, STEP_CPU, cpu_ns);
	add_step(it, STEP_WAIT, cost_ns - cpu_ns);
}

/* Drawn for every item, so that others' keys do not depend on it; of those that are not hot, as
 * many are without a key as make null_share of all. */
static bool pick_null(struct workload *w, bool hot)
{
	const struct workload_config *cfg = &w->cfg;
	double cold = cfg->hot_keys ? 1 - cfg->hot_share : 1;

	if (cfg->null_share <= 0)
		return false;
	return rng_double(&w->null_rng) * cold < cfg->null_share && !hot;
}

static bool next_synthetic(struct workload *w, struct arrival *a)
{
	const struct workload_config *cfg = &w->cfg;
	bool hot;

	*a = (struct arrival){.due_ns = next_due_ns(w), .key = cfg->keys, .cost_ns = COST_DRAWN};
	if (a->due_ns >= cfg->duration_ns)
		return false;
	hot = pick_hot(w);
	if (pick_null(w, hot))
		return true;
	if (hot) {
		a->key = (u32)(w->hot_count++ % cfg->hot_keys);
		a->cost_ns = cfg->hot_cost_ns;
	} else {
		a->key = pick_cold_key(w);
		w->cold_count++;
	}
	return true;
}

bool workload_next(struct workload *w, struct item *it)
{
	bool recorded = w->cfg.arrivals == ARRIVALS_FILE;
	struct arrival a;

	if (recorded ? !w->source->next(w->source->ctx, &a) : !next_synthetic(w, &a))
		return false;
	memset(it, 0, sizeof(*it));
	it->due_ns = a.due_ns;
	it->key = a.key;
	it->seq = w->key_seq[it->key]++;
	set_steps(w, it, a.cost_ns, recorded && a.cost_ns != COST_DRAWN ? 1 : cost_factor(w));
	it->id = (u32)w->index++;
	return true;
}
