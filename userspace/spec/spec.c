// SPDX-License-Identifier: GPL-2.0-only
/* One cell: defaults, canonical text, scaling, and the views that other rooms take. */
#include "spec/options.h"

#include <math.h>
#include <string.h>

/* Where spec_print() folds a value: below the shortest line that a build of inih may take. */
#define FOLD 100

void spec_default(struct spec *s)
{
	const struct option *o;
	char why[VALUE_WHY];
	u32 n = 0;

	memset(s, 0, sizeof(*s));
	while (options_nth(n))
		n++;
	while (n--) {
		o = options_nth(n);
		if (o->def && !option_named(o))
			option_set(o, s, o->def, why);
	}
}

/* "key = value", folded at blanks onto indented lines, which continue a value. */
static void print_folded(FILE *f, const char *name, char *value)
{
	size_t column = strlen(name) + 3;

	fprintf(f, "%s =", name);
	for (char *word = strtok_r(value, " ", &value); word; word = strtok_r(NULL, " ", &value)) {
		bool fold = column + strlen(word) > FOLD;

		fprintf(f, "%s%s", fold ? "\n\t" : " ", word);
		column = (fold ? 8 : column + 1) + strlen(word);
	}
	fprintf(f, "\n");
}

void spec_print(const struct spec *s, FILE *f)
{
	char last[KEY_TEXT] = "", section[KEY_TEXT], text[OPTION_TEXT];
	struct key_walk walk = {0};
	struct key k;

	while (key_next(&walk, s, &k)) {
		if (k.option->holds && !k.option->holds(s))
			continue;
		key_section(&k, section);
		if (strcmp(last, section))
			fprintf(f, "%s[%s]\n", *last ? "\n" : "", section);
		strcpy(last, section);
		key_print(&k, s, text);
		print_folded(f, k.option->name, text);
	}
}

/* A time that is not zero stays so. */
static u64 scale(u64 ns, double factor)
{
	u64 scaled = (u64)llround((double)ns * factor);

	return ns && !scaled ? 1 : scaled;
}

static void scale_service(struct workload_config *w, double factor)
{
	struct pauses *p = &w->pauses;

	for (u32 i = 0; i < w->nr_steps; i++)
		w->steps[i].ns = scale(w->steps[i].ns, factor);
	w->timeout_ns = scale(w->timeout_ns, factor);
	p->every_ns = scale(p->every_ns, factor);
	p->for_ns = scale(p->for_ns, factor);
	p->jitter_every_ns = scale(p->jitter_every_ns, factor);
	p->jitter_for_ns = scale(p->jitter_for_ns, factor);
	p->stall_at_ns = scale(p->stall_at_ns, factor);
	p->stall_for_ns = scale(p->stall_for_ns, factor);
}

static void scale_reassign(struct reassign_config *r, double factor)
{
	r->at_ns = scale(r->at_ns, factor);
	r->for_ns = scale(r->for_ns, factor);
	r->interval_ns = scale(r->interval_ns, factor);
}

/* Not scaled: workers.cpu_max and noise.period. The kernel enforces a quota, and switches between
 * tasks, in periods of its own that do not shrink with the experiment. */
struct spec spec_scaled(const struct spec *s)
{
	struct spec copy = *s;
	double factor = s->run.time_scale;

	if (copy.workload.hot_share <= 0)
		copy.workload.hot_keys = 0; /* a key without arrivals makes nobody its neighbour */
	copy.run.time_scale = 1;
	if (factor == 1)
		return copy;
	copy.workload.rate = s->workload.rate / factor;
	copy.workload.duration_ns = scale(s->workload.duration_ns, factor);
	copy.workload.cost_ns = scale(s->workload.cost_ns, factor);
	copy.workload.hot_cost_ns = scale(s->workload.hot_cost_ns, factor);
	copy.workload.burst_every_ns = scale(s->workload.burst_every_ns, factor);
	copy.workload.burst_for_ns = scale(s->workload.burst_for_ns, factor);
	scale_service(&copy.workload, factor);
	scale_reassign(&copy.reassign, factor);
	copy.csv.speed = s->csv.speed / factor;
	copy.csv.cost_scale = s->csv.cost_scale * factor;
	copy.threshold_ns = scale(s->threshold_ns, factor);
	copy.run.warmup_ns = scale(s->run.warmup_ns, factor);
	return copy;
}

u32 spec_workers_each(const struct spec *s)
{
	if (s->executor == EXECUTOR_SPAWN)
		return SPAWN_WORKERS / s->workers.replicas;
	if (s->executor == EXECUTOR_ASYNC && s->workers.carriers)
		return s->workers.carriers;
	return s->workers.count;
}

/* A thread for each item has no queue of its own: keys are classed as they are with workers. */
static u32 home_queues(const struct spec *s)
{
	u32 slots = spec_workers_each(s);

	return s->executor == EXECUTOR_SPAWN && s->workers.count < slots ? s->workers.count : slots;
}

struct home_config spec_home(const struct spec *s)
{
	return (struct home_config){
		.keys = workload_keys(&s->workload),
		.hot_keys = s->workload.hot_keys,
		.queues = home_queues(s),
		.hash = s->hash,
		.hot_placement = s->hot_placement,
		.neighbours = s->neighbours,
		.partitions = s->workload.partitions,
		.null_key = s->workload.null_share > 0,
	};
}

/* Replicas and what runs in them: see spec.h. */
struct balancer_config spec_balancer(const struct spec *s, const u32 *home)
{
	return (struct balancer_config){
		.dispatch = {.ops = s->design,
			     .workers = spec_workers_each(s),
			     .keys = workload_keys(&s->workload),
			     .threshold_ns = s->threshold_ns,
			     .unit = s->unit,
			     .home = home,
			     .limit = s->limit,
			     .buffer = s->buffer,
			     .null_key = workload_null_key(&s->workload),
			     .null_unordered = s->null_unordered,
			     .partitions = s->workload.partitions,
			     .seed = s->workload.seed},
		.replicas = s->workers.replicas,
		.balance = s->balance,
	};
}

u32 spec_workers(const struct spec *s)
{
	return spec_workers_each(s) * s->workers.replicas;
}
