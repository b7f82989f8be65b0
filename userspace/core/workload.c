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
	w->key_seq = calloc(cfg->keys, sizeof(*w->key_seq));
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

/* Rounded before it is compared with the duration, so that the last item does not hang on the last
 * bit of rate × duration. */
static u64 next_due_ns(struct workload *w)
{
	if (w->cfg.arrivals == ARRIVALS_POISSON) {
		w->next_s += rng_exponential(&w->arrival_rng) / w->cfg.rate;
		return (u64)llround(w->next_s * 1e9);
	}
	return (u64)llround((double)w->index * 1e9 / w->cfg.rate);
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
		return exp(cfg->sigma * rng_normal(&w->cost_rng) - cfg->sigma * cfg->sigma / 2);
	default:
		return 1 + cfg->jitter * (2 * rng_double(&w->cost_rng) - 1);
	}
}

static void add_step(struct item *it, u32 kind, u64 ns)
{
	if (ns)
		it->steps[it->nr_steps++] = (struct step){.kind = kind, .ns = ns};
}

static void set_steps(struct item *it, const struct workload_config *cfg, u64 cost_ns)
{
	u64 cpu_ns = 0;

	if (cfg->work == WORK_CPU)
		cpu_ns = cost_ns;
	else if (cfg->work == WORK_MIX)
		cpu_ns = (u64)llround((double)cost_ns * cfg->mix);
	add_step(it, STEP_CPU, cpu_ns);
	add_step(it, STEP_WAIT, cost_ns - cpu_ns);
}

bool workload_next(struct workload *w, struct item *it)
{
	u64 due_ns = next_due_ns(w), mean_ns;
	bool hot;

	if (due_ns >= w->cfg.duration_ns)
		return false;
	memset(it, 0, sizeof(*it));
	it->due_ns = due_ns;
	hot = pick_hot(w);
	if (hot)
		it->key = (u32)(w->hot_count++ % w->cfg.hot_keys);
	else
		it->key = pick_cold_key(w);
	w->cold_count += !hot;
	it->seq = w->key_seq[it->key]++;
	mean_ns = hot ? w->cfg.hot_cost_ns : w->cfg.cost_ns;
	set_steps(it, &w->cfg, (u64)llround((double)mean_ns * cost_factor(w)));
	it->id = (u32)w->index++;
	return true;
}
