/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The survey: latencies, order and counts, from the dispatcher's events alone. It reads them twice,
 * for exact quantiles in bounded memory.
 */
#include "report/analyze.h"

#include <errno.h>

static void survey_started(void *ctx, const struct account *acc)
{
	struct analysis *a = ctx;

	if (!a->second_reading)
		order_start(a->order, acc->key, acc->key_seq, analysis_counted(a, acc));
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
		return analysis_counted(a, acc) ? survey_collect(a, acc) : 0;
	if (order_done(a->order, acc->key, acc->key_seq, analysis_counted(a, acc)))
		return -ENOMEM;
	return analysis_counted(a, acc) ? survey_count(a, acc) : 0;
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

static int survey_read(struct analysis *a)
{
	struct ledger_config cfg = analysis_ledger_config(a);
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

int survey_twice(struct analysis *a)
{
	static const double tail[] = {.99};
	int err = survey_read(a);

	if (err)
		return err;
	for (u32 g = 0; g < GROUP_NR; g++)
		quantile_want(&a->latency[g], analysis_quantiles, Q_NR);
	quantile_want(&a->send, analysis_quantiles, Q_NR);
	quantile_want(&a->late, tail, 1);
	a->second_reading = true;
	err = survey_read(a);
	for (u32 g = 0; g < GROUP_NR; g++)
		quantile_finish(&a->latency[g]);
	quantile_finish(&a->send);
	quantile_finish(&a->late);
	return err;
}
