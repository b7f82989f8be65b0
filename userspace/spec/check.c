// SPDX-License-Identifier: GPL-2.0-only
/* What no key can say alone: checks of a whole cell. */
#include "spec/check.h"
#include "spec/error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *show(char text[SHOW_MAX], const struct spec *s, const char *section, const char *name)
{
	char value[OPTION_TEXT];
	struct key k;

	key_find(section, name, &k);
	key_print(&k, s, value);
	snprintf(text, SHOW_MAX, "%s.%s = %s", section, name, value);
	return text;
}

static int check_keys(const struct spec *s, struct spec_error *err)
{
	char keys[SHOW_MAX], hot[SHOW_MAX];

	if (s->workload.hot_keys < s->workload.keys)
		return 0;
	return spec_fail_keys(err, "hot.keys workload.keys",
			      "%s leaves no cold key of %s; raise workload.keys or lower hot.keys",
			      show(hot, s, "hot", "keys"), show(keys, s, "workload", "keys"));
}

/* Both are shares of the arrivals. */
static int check_null(const struct spec *s, struct spec_error *err)
{
	char null[SHOW_MAX];

	if (s->workload.null_share + s->workload.hot_share <= 1)
		return 0;
	return spec_fail_keys(
		err, "workload.null hot.share hot.load",
		"%s and a share of %.4g for hot keys are more than all arrivals; lower "
		"either",
		show(null, s, "workload", "null"), s->workload.hot_share);
}

/* Fills hot_share: load workers' worth of work is load / (rate × mean hot cost) of the arrivals. */
static int check_load(struct spec *s, struct spec_error *err)
{
	double all = s->workload.rate * (double)s->workload.hot_cost_ns / NSEC_PER_SEC;
	char load[SHOW_MAX], rate[SHOW_MAX], cost[SHOW_MAX];

	s->workload.hot_share = 0;
	if (s->hot_load <= 0)
		return 0;
	show(load, s, "hot", "load");
	if (s->hot_load > all)
		return spec_fail_keys(
			err, "hot.load hot.cost workload.rate",
			"%s cannot be reached: with every arrival hot, %s and %s make a load "
			"of %.4g; lower hot.load or raise workload.rate or hot.cost",
			load, show(rate, s, "workload", "rate"), show(cost, s, "hot", "cost"), all);
	s->workload.hot_share = s->hot_load / all;
	return 0;
}

static int check_hot(struct spec *s, struct spec_error *err)
{
	char keys[SHOW_MAX], what[SHOW_MAX];
	bool load = !isnan(s->hot_load);
	int rc = load ? check_load(s, err) : 0;

	if (!rc)
		rc = check_null(s, err);
	if (rc || s->workload.hot_share <= 0 || s->workload.hot_keys)
		return rc;
	return spec_fail_keys(err, "hot.load hot.share hot.keys",
			      "%s with %s: no key can be hot; raise hot.keys or set hot.%s to 0",
			      show(what, s, "hot", load ? "load" : "share"),
			      show(keys, s, "hot", "keys"), load ? "load" : "share");
}

static u32 hot_queues(const struct spec *s)
{
	if (s->hot_placement == HOT_SPREAD)
		return s->workload.hot_keys;
	return s->workload.hot_keys > 0;
}

static int check_spread(const struct spec *s, struct spec_error *err)
{
	char keys[SHOW_MAX], workers[SHOW_MAX];

	if (s->workload.partitions || hot_queues(s) <= spec_home(s).queues)
		return 0;
	return spec_fail_keys(err, "hot.keys hot.placement workers.count",
			      "%s cannot be spread over the queues of %s; lower hot.keys, raise "
			      "workers.count or set hot.placement = together",
			      show(keys, s, "hot", "keys"), show(workers, s, "workers", "count"));
}

/* Why home_assign() refused. */
static int bad_neighbours(const struct spec *s, struct spec_error *err)
{
	u64 cold = s->workload.keys - s->workload.hot_keys, queues = hot_queues(s);
	u64 wanted = queues * (u64)s->neighbours;
	char behind[SHOW_MAX];

	show(behind, s, "hot", "neighbours");
	if (wanted > cold)
		return spec_fail_keys(err, "hot.neighbours",
				      "%s for %" PRIu64 " hot queue(s) needs %" PRIu64
				      " cold keys, there are %" PRIu64
				      "; lower hot.neighbours or raise workload.keys",
				      behind, queues, wanted, cold);
	return spec_fail_keys(
		err, "hot.neighbours",
		"%s leaves %" PRIu64 " of %" PRIu64
		" cold keys, and no queue for them that is not hot; raise workers.count or "
		"set hot.neighbours = hash",
		behind, cold - wanted, cold);
}

static int check_home(const struct spec *s, struct spec_error *err)
{
	struct home_config cfg = spec_home(s);
	char behind[SHOW_MAX];
	u32 *home;
	int rc;

	if (s->neighbours < 0)
		return 0;
	if (s->workload.partitions)
		return spec_fail_keys(
			err, "hot.neighbours",
			"%s with workload.partitions: a key's partition says its queue; set "
			"one of the two to its default",
			show(behind, s, "hot", "neighbours"));
	if (!s->workload.hot_keys)
		return spec_fail_keys(
			err, "hot.neighbours",
			"%s with hot.keys = 0: there is no hot queue to be behind; raise "
			"hot.keys or set hot.neighbours = hash",
			show(behind, s, "hot", "neighbours"));
	home = calloc(cfg.keys, sizeof(*home));
	if (!home) {
		spec_fail_keys(err, "workload.keys",
			       "out of memory for %u keys; lower workload.keys", cfg.keys);
		return -ENOMEM;
	}
	rc = home_assign(home, &cfg);
	free(home);
	return rc ? bad_neighbours(s, err) : 0;
}

static int check_span(const struct spec *s, struct spec_error *err)
{
	char span[SHOW_MAX], speed[SHOW_MAX], warmup[SHOW_MAX];

	if (s->run.warmup_ns < s->workload.duration_ns)
		return 0;
	return spec_fail_keys(err, "run.warmup", "%s leaves nothing of %s at %s; lower run.warmup",
			      show(warmup, s, "run", "warmup"), show(span, s, "csv", "span"),
			      show(speed, s, "csv", "speed"));
}

static int check_length(const struct spec *s, struct spec_error *err)
{
	double items = s->workload.rate * (double)s->workload.duration_ns / NSEC_PER_SEC;
	char rate[SHOW_MAX], duration[SHOW_MAX], warmup[SHOW_MAX];

	if (*s->csv.path)
		return check_span(s, err);
	show(rate, s, "workload", "rate");
	show(duration, s, "workload", "duration");
	if (items < 1)
		return spec_fail_keys(err, "workload.rate workload.duration",
				      "%s for %s is less than one item; raise either", rate,
				      duration);
	if (items > SPEC_ITEMS_MAX)
		return spec_fail_keys(err, "workload.rate workload.duration",
				      "%s for %s is %.3g items, more than %.0g; lower either", rate,
				      duration, items, SPEC_ITEMS_MAX);
	if (s->run.warmup_ns >= s->workload.duration_ns)
		return spec_fail_keys(err, "run.warmup workload.duration",
				      "%s leaves nothing of %s; lower run.warmup",
				      show(warmup, s, "run", "warmup"), duration);
	return 0;
}

/* run.time_scale moves values past ranges that they kept as written. */
static int check_scaled(const struct spec *s, struct spec_error *err)
{
	struct spec scaled = spec_scaled(s);
	char factor[SHOW_MAX], what[SHOW_MAX];

	show(factor, s, "run", "time_scale");
	if (!*s->csv.path && scaled.workload.rate > 1e9)
		return spec_fail_keys(
			err, "workload.rate run.time_scale",
			"%s with %s is above 1e9/s; lower the rate or raise the scale",
			show(what, s, "workload", "rate"), factor);
	if ((s->design->traits & DISPATCH_STEALS) && scaled.threshold_ns < NSEC_PER_USEC)
		return spec_fail_keys(err, "dispatch.threshold run.time_scale",
				      "%s with %s is below 1us; raise either",
				      show(what, s, "dispatch", "threshold"), factor);
	return 0;
}

static int check_ring(const struct spec *s, struct spec_error *err)
{
	char ring[SHOW_MAX];

	if (!(s->run.ring_bytes & (s->run.ring_bytes - 1)))
		return 0;
	return spec_fail_keys(err, "run.ring", "%s is not a power of two; write one, as in 4MiB",
			      show(ring, s, "run", "ring"));
}

/* The kernel's bandwidth control is of the fair class only. */
static int check_quota(const struct spec *s, struct spec_error *err)
{
	bool fair = s->workers.policy != POLICY_FIFO && s->workers.policy != POLICY_RR;
	char quota[SHOW_MAX], policy[SHOW_MAX];

	if (fair || !s->workers.cpu_max_ns)
		return 0;
	return spec_fail_keys(
		err, "workers.cpu_max",
		"%s does not hold real-time workers, and %s; set workers.policy = other, "
		"or workers.cpu_max = none",
		show(quota, s, "workers", "cpu_max"), show(policy, s, "workers", "policy"));
}

/* A task has a slice of its own in the fair class only. */
static int check_slice(const struct spec *s, struct spec_error *err)
{
	char policy[SHOW_MAX];

	if (!s->workers.slice_ns || s->workers.policy == POLICY_OTHER ||
	    s->workers.policy == POLICY_BATCH)
		return 0;
	return spec_fail_keys(err, "workers.slice",
			      "workers.slice has no effect with %s; set workers.policy = other or "
			      "batch, or workers.slice = kernel",
			      show(policy, s, "workers", "policy"));
}

/* Forgets the command where another kind of noise runs, so that equal cells have equal texts. */
static int check_noise(struct spec *s, struct spec_error *err)
{
	if (s->noise.kind != NOISE_COMMAND)
		memset(s->noise.command, 0, sizeof(s->noise.command));
	else if (!*s->noise.command)
		return spec_fail_keys(err, "noise.kind",
				      "noise.kind = command without noise.command; set "
				      "noise.command to what shall run");
	return 0;
}

/* A recorded stream, as its file has it. */
static void settle_recorded(struct spec *s)
{
	const struct csv_facts *f = &s->csv.facts;
	struct workload_config *w = &s->workload;
	double rows = (double)f->rows;

	w->arrivals = ARRIVALS_FILE;
	w->keys = f->keys ? f->keys : 1;
	w->null_share = (double)f->keyless / rows;
	w->duration_ns = (u64)llround((double)f->span_ns / s->csv.speed) + 1;
	w->rate = fmin(1e9, rows * 1e9 / (double)w->duration_ns);
	w->hot_keys = 0;
	w->hot_share = s->hot_load = 0;
	if (csv_has_cost(&s->csv))
		w->cost_ns = (u64)llround((double)f->cost_ns * s->csv.cost_scale);
}

/* The keys that do not count in this cell get their defaults, so that equal cells have equal texts.
 */
static void forget(struct spec *s)
{
	struct workload_config *w = &s->workload;

	resources_sort(s);
	if (*s->csv.path)
		settle_recorded(s);
	else
		memset(&s->csv, 0, sizeof(s->csv));
	if (w->nr_steps) {
		w->cost_ns = steps_cost_ns(s);
		w->work = WORK_WAIT;
		w->mix = 0;
	}
	if (w->partitions) {
		s->hash = HASH_MIX;
		s->hot_placement = HOT_TOGETHER;
	}
	if (!design_has_buffer(s->design))
		s->buffer = 0;
}

int spec_check(struct spec *s, struct spec_error *err)
{
	int rc;

	if (*s->csv.path && !s->csv.facts.rows)
		return spec_fail_keys(err, "csv.rows workload.trace",
				      "%s has not been read, and csv.rows is 0",
				      spec_path(s->csv.path));
	forget(s);
	rc = check_keys(s, err);
	if (!rc)
		rc = check_hot(s, err);
	if (!rc)
		rc = check_service(s, err);
	if (!rc)
		rc = check_spread(s, err);
	if (!rc)
		rc = check_home(s, err);
	if (!rc)
		rc = check_length(s, err);
	if (!rc)
		rc = check_scaled(s, err);
	if (!rc)
		rc = check_dispatch(s, err);
	if (!rc)
		rc = check_quota(s, err);
	if (!rc)
		rc = check_slice(s, err);
	if (!rc)
		rc = check_noise(s, err);
	return rc ? rc : check_ring(s, err);
}
