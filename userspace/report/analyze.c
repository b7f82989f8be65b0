/* SPDX-License-Identifier: GPL-2.0-only */
/* The analysis of one trace: a survey, the ledger, and what comes of them. */
#include "report/analyze.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An identity: no more than what a sum of doubles may be off. */
#define LITTLE_ERROR 1e-9

const double analysis_quantiles[Q_NR] = {.45, .50, .55, .94, .95, .96, .99};

u32 analysis_groups(const struct analysis *a, u32 key, enum group g[3])
{
	g[0] = GROUP_ALL;
	if (a->class[key] == CLASS_HOT) {
		g[1] = GROUP_HOT;
		return 2;
	}
	g[1] = GROUP_VICTIM;
	g[2] = a->class[key] == CLASS_NEIGHBOUR ? GROUP_NEIGHBOUR : GROUP_FAR;
	return 3;
}

bool analysis_counted(const struct analysis *a, const struct account *acc)
{
	return acc->due_ns >= a->counted_from;
}

bool analysis_timed(const struct analysis *a, const struct account *acc)
{
	return analysis_counted(a, acc) && acc->delivery != DELIVERY_REPEATED &&
	       (acc->outcome == OUTCOME_SUCCEEDED || acc->outcome == OUTCOME_TIMED_OUT);
}

static void groups_fill(struct analysis *a)
{
	struct summary *s = a->s;

	for (u32 g = 0; g < GROUP_NR; g++) {
		struct group_summary *to = &s->groups[g];
		const struct quantile *q = &a->latency[g];

		to->items = q->count;
		to->mean_ns = q->count ? q->sum / q->count : 0;
		to->max_ns = q->max;
		to->p50_ns = quantile_value(q, Q50);
		to->p95_ns = quantile_value(q, Q95);
		to->p99_ns = quantile_value(q, Q99);
	}
	s->groups[GROUP_VICTIM].send_p50_ns = quantile_value(&a->send, Q50);
	s->groups[GROUP_VICTIM].send_p95_ns = quantile_value(&a->send, Q95);
	s->groups[GROUP_VICTIM].send_p99_ns = quantile_value(&a->send, Q99);
	s->groups[GROUP_VICTIM].net_p50_ns = quantile_value(&a->net, Q50);
	s->groups[GROUP_VICTIM].net_p95_ns = quantile_value(&a->net, Q95);
	s->groups[GROUP_VICTIM].net_p99_ns = quantile_value(&a->net, Q99);
	s->late_p99_ns = quantile_value(&a->late, 0);
	s->late_max_ns = a->late.max;
	s->order = order_counts(a->order);
	s->order_kept = dispatch_keeps_order(a->spec.design->traits, a->spec.executor,
					     a->spec.workers.replicas);
	s->little_ratio = little_ratio(&a->little);
	s->neighbour_share = !s->groups[GROUP_VICTIM].items
				     ? (double)NAN
				     : (double)s->groups[GROUP_NEIGHBOUR].items /
					       (double)s->groups[GROUP_VICTIM].items;
	s->throughput =
		a->last_done <= a->first_due
			? (double)NAN
			: (double)s->succeeded * 1e9 / (double)(a->last_done - a->first_due);
	s->unknown_ns = summary_sum(s, GROUP_ALL, BAND_ALL, PART_UNKNOWN, -1);
}

/* Of a recorded stream the run noted it; one that was killed has the whole file before it. */
static void items_due_noted(struct analysis *a)
{
	const char *name, *value;

	a->s->items_due = a->spec.csv.facts.rows;
	for (u32 i = 0; trace_nth_note(a->r, i, &name, &value); i++)
		if (!strcmp(name, "items_due"))
			a->s->items_due = strtoull(value, NULL, 10);
}

/* How many items of the stream were due: the stream is a function of the spec, so count it. */
static int items_due(struct analysis *a)
{
	struct workload w;
	struct item it;
	int err;

	if (*a->spec.csv.path) {
		items_due_noted(a);
		return 0;
	}
	err = workload_init(&w, &a->spec.workload);
	while (!err && workload_next(&w, &it))
		a->s->items_due += it.due_ns >= a->spec.run.warmup_ns;
	if (!err)
		workload_fini(&w);
	return err;
}

static void state_set(struct summary *s, enum cell_state state, const char *fmt, u64 n)
{
	s->state = state;
	snprintf(s->why, sizeof(s->why), fmt, n);
}

/* Each item of the stream has ended once. */
static u64 items_ended(const struct summary *s)
{
	return s->succeeded + s->timed_out + s->refused + s->lost;
}

static void state_judge(struct analysis *a)
{
	struct summary *s = a->s;
	const struct trace_damage *d = trace_damage(a->r);
	double gate = a->spec.run.late_gate * (double)s->groups[GROUP_VICTIM].p50_ns;

	if (s->counts.sum_errors)
		state_set(s, CELL_DEFECT, "%" PRIu64 " accounts do not add up",
			  s->counts.sum_errors);
	else if (d->damaged)
		state_set(s, CELL_INCOMPLETE, "damaged at byte %" PRIu64, d->offset);
	else if (s->counts.lost)
		state_set(s, CELL_INCOMPLETE, "lost %" PRIu64 " events", s->counts.lost);
	else if (d->incomplete)
		state_set(s, CELL_INCOMPLETE, "the run was not finished", 0);
	else if (s->counts.unfinished)
		state_set(s, CELL_INCOMPLETE, "%" PRIu64 " items without an end",
			  s->counts.unfinished);
	else if (s->items < s->items_due)
		state_set(s, CELL_INCOMPLETE, "%" PRIu64 " items were never submitted",
			  s->items_due - s->items);
	else if (items_ended(s) != s->items_due)
		state_set(s, CELL_DEFECT, "%" PRIu64 " items ended that are not due, or did not",
			  items_ended(s) > s->items_due ? items_ended(s) - s->items_due
							: s->items_due - items_ended(s));
	else if (s->little_ratio > LITTLE_ERROR)
		state_set(s, CELL_DEFECT, "the latencies are not those of the items in the system",
			  0);
	else if (s->groups[GROUP_VICTIM].items && (double)s->late_p99_ns > gate)
		state_set(s, CELL_INVALID, "generator", 0);
	else if (s->beside.noise_idle)
		state_set(s, CELL_INVALID, "the noise got no CPU", 0);
}

static int order_init(struct analysis *a, u32 keys)
{
	const struct workload_config *w = &a->spec.workload;
	struct order_config cfg = {.keys = keys,
				   .hot_keys = w->hot_keys,
				   .partitions = w->partitions,
				   .null_key = workload_null_key(w),
				   .null_unordered = a->spec.null_unordered};

	return order_new(&a->order, &cfg);
}

static int classes_init(struct analysis *a, u32 keys)
{
	struct home_config cfg = spec_home(&a->spec);
	int rc;

	a->class = malloc(keys);
	a->home = calloc(keys, sizeof(*a->home));
	rc = a->class && a->home ? home_assign(a->home, &cfg) : -ENOMEM;
	return rc ? rc : home_classify(a->class, a->home, &cfg);
}

static int analysis_init(struct analysis *a, char *err, size_t err_len)
{
	const struct trace_info *info = trace_info(a->r);
	struct spec_error e;
	struct grid *grid;
	int rc = grid_parse(&grid, trace_spec(a->r), "the trace's spec", &e);

	if (rc) {
		snprintf(err, err_len, "%s", e.text);
		return rc;
	}
	a->spec = spec_scaled(grid_cell(grid, 0));
	grid_free(grid);
	a->spec.workload.seed = info->seed;
	if (info->keys != workload_keys(&a->spec.workload) ||
	    info->workers != spec_workers(&a->spec)) {
		snprintf(err, err_len,
			 "the trace's header and its spec disagree about keys or workers");
		return -EINVAL;
	}
	a->counted_from = info->base_ns + a->spec.run.warmup_ns;
	a->first_due = NEVER_NS;
	a->stream_ns = a->spec.workload.duration_ns - a->spec.run.warmup_ns;
	rc = classes_init(a, info->keys);
	for (u32 g = 0; !rc && g < GROUP_NR; g++)
		rc = quantile_init(&a->latency[g]);
	if (!rc)
		rc = quantile_init(&a->send);
	if (!rc)
		rc = quantile_init(&a->late);
	if (!rc)
		rc = quantile_init(&a->net);
	if (!rc)
		rc = order_init(a, info->keys);
	if (!rc)
		rc = load_new(a);
	return rc ? rc : rows_new(a);
}

static void analysis_fini(struct analysis *a)
{
	rows_free(a);
	load_free(a);
	order_free(a->order);
	free(a->ended.list);
	for (u32 g = 0; g < GROUP_NR; g++)
		quantile_fini(&a->latency[g]);
	quantile_fini(&a->send);
	quantile_fini(&a->late);
	quantile_fini(&a->net);
	free(a->class);
	free(a->home);
}

int summary_read(struct summary *s, struct trace_reader *r, char *err, size_t err_len)
{
	struct analysis a = {.s = s, .r = r};
	int rc;

	*s = (struct summary){.info = *trace_info(r)};
	err[0] = '\0';
	rc = analysis_init(&a, err, err_len);
	if (!rc)
		rc = items_due(&a);
	if (!rc)
		rc = survey_twice(&a);
	if (!rc)
		rc = ledger_passes(&a);
	if (!rc)
		rc = rows_settle(&a);
	if (!rc) {
		groups_fill(&a);
		notes_take(&a);
		load_settle(&a);
		state_judge(&a);
	} else {
		if (!err[0])
			snprintf(err, err_len, "cannot analyse the trace: %s", strerror(-rc));
		summary_free(s);
	}
	analysis_fini(&a);
	return rc;
}
