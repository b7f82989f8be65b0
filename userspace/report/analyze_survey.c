/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The survey: latencies, order and counts, from the dispatcher's events alone. It reads them twice,
 * for exact quantiles in bounded memory.
 */
#include "report/analyze.h"

#include <errno.h>
#include <stdlib.h>

static struct order_item ordered(const struct analysis *a, const struct account *acc)
{
	return (struct order_item){acc->item, acc->key, acc->key_seq, analysis_counted(a, acc)};
}

static void survey_started(void *ctx, const struct account *acc)
{
	struct analysis *a = ctx;
	struct order_item it = ordered(a, acc);

	if (!a->second_reading && acc->delivery == DELIVERY_FIRST)
		order_start(a->order, &it);
}

static int by_arrival(const void *a, const void *b)
{
	u32 x = ((const struct order_item *)a)->id, y = ((const struct order_item *)b)->id;

	return x < y ? -1 : x > y;
}

/* Items that ended at the same instant, as they do in virtual time, ended in any order: so in that
 * of their arrival, which violates none. */
static int ended_settle(struct analysis *a)
{
	struct ended *e = &a->ended;
	int err = 0;

	if (e->nr > 1)
		qsort(e->list, e->nr, sizeof(*e->list), by_arrival);
	for (u32 i = 0; i < e->nr && !err; i++)
		err = order_done(a->order, &e->list[i]);
	e->nr = 0;
	return err;
}

static int ended_add(struct analysis *a, const struct order_item *it, u64 t)
{
	struct ended *e = &a->ended;
	int err = e->nr && t != e->at_ns ? ended_settle(a) : 0;

	if (err)
		return err;
	if (e->nr == e->room) {
		u32 room = e->room ? e->room * 2 : 16;
		struct order_item *list = realloc(e->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		e->list = list;
		e->room = room;
	}
	e->list[e->nr++] = *it;
	e->at_ns = t;
	return 0;
}

/* An item that was given up is delivered again; the second end of one that had ended does not
 * count. */
static int survey_order(struct analysis *a, const struct account *acc)
{
	struct order_item it = ordered(a, acc);

	order_leave(a->order, &it);
	if (acc->delivery == DELIVERY_REPEATED || acc->outcome == OUTCOME_ABANDONED)
		return 0;
	if (acc->outcome == OUTCOME_REFUSED || acc->outcome == OUTCOME_LOST)
		return order_skip(a->order, &it);
	return ended_add(a, &it, acc->done_ns);
}

static void survey_outcome(struct summary *s, const struct account *acc)
{
	if (acc->delivery == DELIVERY_REPEATED)
		return;
	s->succeeded += acc->outcome == OUTCOME_SUCCEEDED;
	s->timed_out += acc->outcome == OUTCOME_TIMED_OUT;
	s->refused += acc->outcome == OUTCOME_REFUSED;
	s->lost += acc->outcome == OUTCOME_LOST;
}

static void survey_count(struct analysis *a, const struct account *acc)
{
	enum group g[3];
	u32 nr = analysis_groups(a, acc->key, g);

	survey_outcome(a->s, acc);
	if (acc->delivery == DELIVERY_FIRST)
		quantile_count(&a->late, acc->submit_ns - acc->due_ns);
	a->s->moves += acc->moves;
	a->s->moved_items += acc->moves > 0;
	a->s->moved_again += acc->moves > 1;
	if (acc->due_ns < a->first_due)
		a->first_due = acc->due_ns;
	if (acc->done_ns > a->last_done)
		a->last_done = acc->done_ns;
	for (u32 i = 0; analysis_timed(a, acc) && i < nr; i++)
		quantile_count(&a->latency[g[i]], acc->done_ns - acc->due_ns);
	if (analysis_timed(a, acc) && g[1] == GROUP_VICTIM)
		quantile_count(&a->send, acc->done_ns - acc->submit_ns);
}

static int survey_collect(struct analysis *a, const struct account *acc)
{
	enum group g[3];
	u32 nr = analysis_groups(a, acc->key, g);
	int err = 0;

	for (u32 i = 0; analysis_timed(a, acc) && i < nr && !err; i++)
		err = quantile_collect(&a->latency[g[i]], acc->done_ns - acc->due_ns);
	if (!err && analysis_timed(a, acc) && g[1] == GROUP_VICTIM)
		err = quantile_collect(&a->send, acc->done_ns - acc->submit_ns);
	if (!err && acc->delivery == DELIVERY_FIRST)
		err = quantile_collect(&a->late, acc->submit_ns - acc->due_ns);
	return err;
}

static int survey_item(void *ctx, const struct account *acc)
{
	struct analysis *a = ctx;

	/* Only a damaged or defective record has this; the ledger pass counts it. */
	if (acc->submit_ns < acc->due_ns || acc->done_ns < acc->submit_ns)
		return 0;
	if (a->second_reading)
		return analysis_counted(a, acc) ? survey_collect(a, acc) : 0;
	little_account(&a->little, acc->done_ns - acc->submit_ns);
	if (survey_order(a, acc))
		return -ENOMEM;
	if (analysis_counted(a, acc))
		survey_count(a, acc);
	return 0;
}

/* The survey sees events too: what is counted without an account. */
struct survey {
	struct analysis *a;
	struct ledger *l;
};

static void survey_submitted(struct analysis *a, const struct event *ev)
{
	bool counted = ev->submit.due_ns >= a->counted_from;
	struct order_item it = {ev->item, ev->submit.key, ev->submit.key_seq, counted};

	if (ev->submit.key < trace_info(a->r)->keys)
		order_arrive(a->order, &it);
	if (!counted)
		return;
	if (ev->submit.delivery == DELIVERY_FIRST) {
		a->s->items++;
		load_submitted(a, ev);
	} else {
		a->s->repeated++;
	}
}

static int survey_take(void *ctx, const struct event *ev)
{
	struct survey *sv = ctx;
	struct analysis *a = sv->a;
	int err;

	if (a->second_reading) {
		err = usage_take(a->usage, ev);
		return err ? err : ledger_take(sv->l, ev);
	}
	if (ev->kind == EVENT_SUBMIT) {
		survey_submitted(a, ev);
		little_arrive(&a->little, ev->time_ns);
	} else if (ev->kind == EVENT_DONE) {
		little_depart(&a->little, ev->time_ns);
	} else if (ev->kind == EVENT_MOVE) {
		a->s->steals += ev->move.left == 0;
	}
	return ledger_take(sv->l, ev);
}

static int survey_read(struct analysis *a)
{
	struct ledger_config cfg = ledger_config_of(&a->spec, a->r);
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

	if (!err)
		err = ended_settle(a);
	if (err)
		return err;
	for (u32 g = 0; g < GROUP_NR; g++)
		quantile_want(&a->latency[g], analysis_quantiles, Q_NR);
	quantile_want(&a->send, analysis_quantiles, Q_NR);
	quantile_want(&a->late, tail, 1);
	a->second_reading = true;
	err = load_second_reading(a);
	if (!err)
		err = survey_read(a);
	for (u32 g = 0; g < GROUP_NR; g++)
		quantile_finish(&a->latency[g]);
	quantile_finish(&a->send);
	quantile_finish(&a->late);
	return err;
}
