/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The analysis of one trace, in three passes: two over the dispatcher's events for exact quantiles
 * in bounded memory, one over everything for the ledger.
 */
#include "report/analyze.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double quantiles[Q_NR] = {.45, .50, .55, .94, .95, .96, .99};

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

static bool counted(const struct analysis *a, const struct account *acc)
{
	return acc->due_ns >= a->counted_from;
}

/* --- the survey: latencies and order
 * ------------------------------------------------------------------------------ */

static void survey_started(void *ctx, const struct account *acc)
{
	struct analysis *a = ctx;

	if (!a->second_reading)
		order_start(a->order, acc->key, acc->key_seq, counted(a, acc));
}

static int survey_count(struct analysis *a, const struct account *acc)
{
	enum group g[3];
	u32 nr = analysis_groups(a, acc->key, g);

	for (u32 i = 0; i < nr; i++)
		quantile_count(&a->latency[g[i]], acc->done_ns - acc->due_ns);
	if (g[1] == GROUP_VICTIM)
		quantile_count(&a->send, acc->done_ns - acc->submit_ns);
	quantile_count(&a->late, acc->submit_ns - acc->due_ns);
	a->s->succeeded++;
	a->s->moves += acc->moves;
	a->s->moved_items += acc->moves > 0;
	a->s->moved_again += acc->moves > 1;
	if (acc->due_ns < a->first_due)
		a->first_due = acc->due_ns;
	if (acc->done_ns > a->last_done)
		a->last_done = acc->done_ns;
	return 0;
}

static int survey_collect(struct analysis *a, const struct account *acc)
{
	enum group g[3];
	u32 nr = analysis_groups(a, acc->key, g);
	int err = 0;

	for (u32 i = 0; i < nr && !err; i++)
		err = quantile_collect(&a->latency[g[i]], acc->done_ns - acc->due_ns);
	if (!err && g[1] == GROUP_VICTIM)
		err = quantile_collect(&a->send, acc->done_ns - acc->submit_ns);
	return err ? err : quantile_collect(&a->late, acc->submit_ns - acc->due_ns);
}

static int survey_item(void *ctx, const struct account *acc)
{
	struct analysis *a = ctx;

	/* Only a damaged or defective record has this; the ledger pass counts it. */
	if (acc->submit_ns < acc->due_ns || acc->done_ns < acc->submit_ns)
		return 0;
	if (a->second_reading)
		return counted(a, acc) ? survey_collect(a, acc) : 0;
	if (order_done(a->order, acc->key, acc->key_seq, counted(a, acc)))
		return -ENOMEM;
	return counted(a, acc) ? survey_count(a, acc) : 0;
}

/* The survey sees events too: what is counted without an account. */
struct survey {
	struct analysis *a;
	struct ledger *l;
};

static int survey_take(void *ctx, const struct event *ev)
{
	struct survey *sv = ctx;
	struct summary *s = sv->a->s;

	if (!sv->a->second_reading) {
		if (ev->kind == EVENT_SUBMIT && ev->submit.due_ns >= sv->a->counted_from)
			s->items++;
		else if (ev->kind == EVENT_MOVE && ev->move.left == 0)
			s->steals++;
	}
	return ledger_take(sv->l, ev);
}

static struct ledger_config ledger_config(const struct analysis *a)
{
	const struct trace_info *info = trace_info(a->r);

	return (struct ledger_config){
		.workers = info->workers,
		.keys = info->keys,
		.traits = a->spec.design->traits,
		.probe = info->probe,
		.simulated = info->engine == TRACE_SIM,
		.tasks = trace_tasks(a->r),
		.nr_tasks = trace_nr_tasks(a->r),
	};
}

static int survey_read(struct analysis *a)
{
	struct ledger_config cfg = ledger_config(a);
	struct survey sv = {.a = a};
	struct event_sink sink = {survey_take, &sv};
	int err;

	cfg.times_only = true;
	cfg.item = survey_item;
	cfg.started = survey_started;
	cfg.ctx = a;
	err = ledger_new(&sv.l, &cfg);
	if (!err)
		err = trace_rewind(a->r, TRACE_ITEMS);
	if (!err)
		err = trace_read(a->r, &sink);
	ledger_free(sv.l);
	return err;
}

static int survey_twice(struct analysis *a)
{
	static const double tail[] = {.99};
	int err = survey_read(a);

	if (err)
		return err;
	for (u32 g = 0; g < GROUP_NR; g++)
		quantile_want(&a->latency[g], quantiles, Q_NR);
	quantile_want(&a->send, quantiles, Q_NR);
	quantile_want(&a->late, tail, 1);
	a->second_reading = true;
	err = survey_read(a);
	for (u32 g = 0; g < GROUP_NR; g++)
		quantile_finish(&a->latency[g]);
	quantile_finish(&a->send);
	quantile_finish(&a->late);
	return err;
}

/* --- the ledger
 * ----------------------------------------------------------------------------------------------------
 */

/* Where an item's rank stands to the edge: -1 below, 0 at it, 1 above. Equal latencies rank in the
 * order of their end. */
static int rank_against(struct analysis *a, enum group g, u32 edge, u64 latency)
{
	const struct wanted *w = &a->latency[g].wanted[edge];
	u64 n;

	if (latency != w->value)
		return latency < w->value ? -1 : 1;
	n = ++a->met[g][edge];
	return n < w->ties ? -1 : n > w->ties;
}

static int ledger_item(void *ctx, const struct account *acc)
{
	struct analysis *a = ctx;
	u64 latency = acc->done_ns - acc->due_ns;
	enum group g[3];
	u32 nr = analysis_groups(a, acc->key, g);
	int err = 0;

	if (!counted(a, acc) || acc->submit_ns < acc->due_ns)
		return 0;
	for (u32 i = 0; i < nr && !err; i++) {
		int r45 = rank_against(a, g[i], Q45, latency),
		    r55 = rank_against(a, g[i], Q55, latency);
		int r94 = rank_against(a, g[i], Q94, latency),
		    r96 = rank_against(a, g[i], Q96, latency);

		err = rows_add(a, g[i], BAND_ALL, acc);
		if (!err && r45 >= 0 && r55 <= 0)
			err = rows_add(a, g[i], BAND_P50, acc);
		if (!err && r94 >= 0 && r96 <= 0)
			err = rows_add(a, g[i], BAND_P95, acc);
		if (!err && rank_against(a, g[i], Q99, latency) >= 0)
			err = rows_add(a, g[i], BAND_P99, acc);
	}
	return err;
}

static int ledger_read(struct analysis *a)
{
	struct ledger_config cfg = ledger_config(a);
	struct ledger *l = NULL;
	struct event_sink sink = {ledger_take, NULL};
	int err;

	cfg.item = ledger_item;
	cfg.ctx = a;
	err = ledger_new(&l, &cfg);
	sink.ctx = l;
	if (!err)
		err = trace_rewind(a->r, TRACE_ALL);
	if (!err)
		err = trace_read(a->r, &sink);
	if (!err)
		ledger_end(l, &a->s->counts, &a->s->check);
	ledger_free(l);
	return err;
}

/* --- what comes of it
 * ---------------------------------------------------------------------------------------------- */

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
	s->late_p99_ns = quantile_value(&a->late, 0);
	s->late_max_ns = a->late.max;
	s->order = order_counts(a->order);
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

/* How many items of the stream were due: the stream is a function of the spec, so count it. */
static int items_due(struct analysis *a)
{
	struct workload w;
	struct item it;
	int err = workload_init(&w, &a->spec.workload);

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
	else if (s->groups[GROUP_VICTIM].items && (double)s->late_p99_ns > gate)
		state_set(s, CELL_INVALID, "generator", 0);
}

static int analysis_init(struct analysis *a, char *err, size_t err_len)
{
	const struct trace_info *info = trace_info(a->r);
	struct spec_error e;
	struct grid *grid;
	struct home_config home_cfg;
	u32 *home;
	int rc = grid_parse(&grid, trace_spec(a->r), "the trace's spec", &e);

	if (rc) {
		snprintf(err, err_len, "%s", e.text);
		return rc;
	}
	a->spec = spec_scaled(grid_cell(grid, 0));
	grid_free(grid);
	a->spec.workload.seed = info->seed;
	if (info->keys != a->spec.workload.keys || info->workers != a->spec.workers.count) {
		snprintf(err, err_len,
			 "the trace's header and its spec disagree about keys or workers");
		return -EINVAL;
	}
	a->counted_from = info->base_ns + a->spec.run.warmup_ns;
	a->first_due = NEVER_NS;
	a->class = malloc(info->keys);
	home = calloc(info->keys, sizeof(*home));
	home_cfg = spec_home(&a->spec);
	rc = a->class && home ? home_assign(home, &home_cfg) : -ENOMEM;
	if (!rc)
		rc = home_classify(a->class, home, &home_cfg);
	free(home);
	for (u32 g = 0; !rc && g < GROUP_NR; g++)
		rc = quantile_init(&a->latency[g]);
	if (!rc)
		rc = quantile_init(&a->send);
	if (!rc)
		rc = quantile_init(&a->late);
	if (!rc)
		rc = order_new(&a->order, info->keys, a->spec.workload.hot_keys);
	return rc ? rc : rows_new(a);
}

static void analysis_fini(struct analysis *a)
{
	rows_free(a);
	order_free(a->order);
	for (u32 g = 0; g < GROUP_NR; g++)
		quantile_fini(&a->latency[g]);
	quantile_fini(&a->send);
	quantile_fini(&a->late);
	free(a->class);
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
		rc = ledger_read(&a);
	if (!rc)
		rc = rows_settle(&a);
	if (!rc) {
		groups_fill(&a);
		state_judge(&a);
	} else {
		if (!err[0])
			snprintf(err, err_len, "cannot analyse the trace: %s", strerror(-rc));
		summary_free(s);
	}
	analysis_fini(&a);
	return rc;
}
