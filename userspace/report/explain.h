/* SPDX-License-Identifier: GPL-2.0-only */
/* The accounts of single items: chosen in a pass over a trace, printed part by part. */
#ifndef HOLBENCH_REPORT_EXPLAIN_H
#define HOLBENCH_REPORT_EXPLAIN_H

#include "report/summary.h"

#include <stdio.h>

/* Which items. */
struct explain_query {
	enum group group;
	u32 worst; /* how many, the slowest first */
	bool one;  /* only `item`, whatever its class */
	u32 item;
};

/* An item that was chosen. Owned by its list. */
struct explained {
	struct account account; /* its charges are ours */
	struct charge *charges;
	char **names; /* per charge: the culprit with its tid, or NULL */
	const char *design;
	u8 class;	/* enum item_class */
	bool hot_items; /* some are, else a class says nothing */
	bool probe, simulated;
	u32 cell, repeat;
};

struct explain_list {
	struct explained *list; /* owned; slowest first */
	u32 nr, cap;
};

/*
 * One pass over the trace; the list keeps the slowest of all traces that were given. Returns 0 or a
 * negative errno with the line. What is wrong with the trace is in trace_damage() afterwards.
 */
int explain_trace(struct explain_list *l, const struct explain_query *q, struct trace_reader *r,
		  char *err, size_t err_len);
void explain_free(struct explain_list *l);

u64 explained_latency(const struct explained *e);
/* Of all its charges: equal to the latency, or this program has a defect. */
u64 explained_sum(const struct explained *e);
u64 explained_part(const struct explained *e, enum part p);

void explain_print(const struct explain_list *l, FILE *f);
/* One JSON document; `damage` is a line for each trace that could not be read whole. 0 or -ENOMEM.
 */
int explain_print_json(const struct explain_list *l, char *const *damage, u32 nr_damage, FILE *f);

#endif
