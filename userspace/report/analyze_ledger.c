/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger passes: every item's account, added up by group, band, part and culprit. Where the
 * kernel's parts were measured there are two, for exact quantiles of the latencies without them.
 */
#include "report/analyze.h"

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

static u64 net_of_kernel(const struct account *acc)
{
	u64 ns = acc->done_ns - acc->due_ns;

	for (u32 i = 0; i < acc->nr_charges; i++)
		if (part_is_kernel((enum part)acc->charges[i].part,
				   (enum front)acc->charges[i].front))
			ns -= acc->charges[i].ns;
	return ns;
}

/* The first reading of the net latencies; the second is the ledger's own. */
static int net_item(void *ctx, const struct account *acc)
{
	struct analysis *a = ctx;

	if (analysis_timed(a, acc) && a->class[acc->key] != CLASS_HOT)
		quantile_count(&a->net, net_of_kernel(acc));
	return 0;
}

static int ledger_item(void *ctx, const struct account *acc)
{
	struct analysis *a = ctx;
	u64 latency = acc->done_ns - acc->due_ns;
	enum group g[3];
	u32 nr = analysis_groups(a, acc->key, g);
	int err = 0;

	if (!analysis_timed(a, acc) || acc->submit_ns < acc->due_ns)
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
	if (!err && g[1] == GROUP_VICTIM)
		err = quantile_collect(&a->net, net_of_kernel(acc));
	return err;
}

static int ledger_read(struct analysis *a, int (*item)(void *ctx, const struct account *acc))
{
	struct ledger_config cfg = ledger_config_of(&a->spec, a->r);
	struct ledger *l = NULL;
	struct event_sink sink = {ledger_take, NULL};
	int err;

	cfg.item = item;
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

/* Without kernel events nothing can be taken off. */
int ledger_passes(struct analysis *a)
{
	int err = 0;

	a->s->net_measured = trace_info(a->r)->probe;
	if (a->s->net_measured)
		err = ledger_read(a, net_item);
	quantile_want(&a->net, analysis_quantiles, Q_NR);
	if (!err)
		err = ledger_read(a, ledger_item);
	quantile_finish(&a->net);
	return err;
}
