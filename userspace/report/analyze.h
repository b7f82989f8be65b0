/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the analysis: what its passes over a trace share. */
#ifndef HOLBENCH_REPORT_ANALYZE_H
#define HOLBENCH_REPORT_ANALYZE_H

#include "core/stats/little.h"
#include "core/stats/order.h"
#include "core/stats/quantile.h"
#include "report/summary.h"
#include "spec/spec.h"

/* The quantiles that a group needs: what is printed, and the edges of the bands. */
enum { Q45, Q50, Q55, Q94, Q95, Q96, Q99, Q_NR };

/* Items that ended at one instant, before their order is counted. */
struct ended {
	struct order_item *list; /* owned */
	u32 nr, room;
	u64 at_ns;
};

struct analysis {
	struct summary *s;
	struct trace_reader *r;
	struct spec spec; /* scaled as it was run */
	u8 *class;	  /* owned, per key: enum item_class */
	u64 counted_from; /* event time of the end of the warm-up: items due before are not counted
			   */
	u64 first_due, last_done;
	u64 stream_ns;				 /* how long items are due that are counted */
	struct quantile latency[GROUP_NR], send; /* send: victims only */
	struct quantile late;
	struct quantile net; /* victims' latency less the kernel's parts */
	struct order *order;
	struct ended ended;
	struct little little;
	struct usage_meter *usage; /* of the second reading */
	u32 *home;		   /* owned, per key: its queue within a replica */
	u64 *queue_ns;		   /* owned, per queue: service of the items submitted to it */
	bool second_reading;

	/* How many items with just the edge's latency were met, per group and edge. */
	u64 met[GROUP_NR][Q_NR];
	struct rows *rows; /* owned by analyze_rows.c's functions */
};

/* The groups of an item's key: ALL and its own, and VICTIM when not hot. Fills g[], returns how
 * many. */
u32 analysis_groups(const struct analysis *a, u32 key, enum group g[3]);

extern const double analysis_quantiles[Q_NR];
/* Not of the warm-up? */
bool analysis_counted(const struct analysis *a, const struct account *acc);
/* Is its latency one of the group's? */
bool analysis_timed(const struct analysis *a, const struct account *acc);

/* analyze_survey.c, analyze_ledger.c: the passes. 0 or a negative errno. */
int survey_twice(struct analysis *a);
int ledger_passes(struct analysis *a);

/* analyze_notes.c: fills summary.beside. */
void notes_take(struct analysis *a);

/* analyze_load.c: what was offered, and what was in use of what there was. 0 or -ENOMEM. */
int load_new(struct analysis *a);
int load_second_reading(struct analysis *a);
void load_free(struct analysis *a);
void load_submitted(struct analysis *a, const struct event *ev);
void load_settle(struct analysis *a);

/* analyze_rows.c: the aggregated ledger. */
int rows_new(struct analysis *a);
void rows_free(struct analysis *a);
/* Add an account to the rows of a group and a band. 0 or -ENOMEM. */
int rows_add(struct analysis *a, enum group g, enum band b, const struct account *acc);
/* Move the rows into the summary. 0 or -ENOMEM. */
int rows_settle(struct analysis *a);

#endif
