/* SPDX-License-Identifier: GPL-2.0-only */
/* One cell over its repeats: what the table, the sentences below it and the JSON document show. */
#ifndef HOLBENCH_REPORT_ROW_H
#define HOLBENCH_REPORT_ROW_H

#include "report/result.h"

/* The order is the table's. Times are ns. */
enum measure {
	MEASURE_SUCCEEDED,
	MEASURE_FAILED, /* failed, refused or lost */
	MEASURE_TIMED_OUT,
	MEASURE_VIOLATIONS,
	MEASURE_MOVES,
	MEASURE_VICTIM_P50,
	MEASURE_VICTIM_P95,
	MEASURE_VICTIM_P99,
	MEASURE_NEIGHBOUR_P99,
	MEASURE_HOT_P99,
	/* Where the victims' p99 band spent its time, mean of an item. */
	MEASURE_HOL,
	MEASURE_ORDER,
	MEASURE_SATURATED,
	MEASURE_WAKE,
	MEASURE_RUNQUEUE,
	MEASURE_WORK, /* cpu + blocked */
	MEASURE_CONTENDED,
	MEASURE_REST, /* late + overslept + irq + throttled */
	MEASURE_UNKNOWN,
	/* Not in the table. */
	MEASURE_KERNEL, /* of all of the above, what an ideal machine would not have */
	MEASURE_ALL_P95,
	/* Violations of the other scopes of order; the key's are MEASURE_VIOLATIONS. */
	MEASURE_ORDER_TOTAL,
	MEASURE_ORDER_PARTITION,
	MEASURE_ORDER_ACROSS,
	MEASURE_REFUSED,
	MEASURE_LOST,
	MEASURE_REPEATED,
	MEASURE_THREADS_PEAK,
	MEASURE_MEMORY_PEAK,
	MEASURE_STACK,
	MEASURE_NR,
};

struct measured {
	bool measured;
	double median, min, max; /* over the repeats; nearest rank */
};

/* A thing in use, over the repeats. */
struct row_usage {
	char name[RESOURCE_NAME_MAX + 1];
	double median, min, max;
};

struct row {
	u32 cell, repeats; /* repeats: how many were done */
	struct measured m[MEASURE_NR];
	struct row_usage usage[USAGE_MAX];
	u32 nr_usage;
	char culprit[80]; /* with the most run-queue time in that band, over the repeats; empty:
			   * none
			   */
	u64 culprit_ns;	  /* mean of an item of the band */
	bool probed;	  /* culprits and checks were measured, in every repeat */
	bool checked;
	struct check_result check; /* of the repeat that is worst */
	enum cell_state state;	   /* the gravest of its repeats */
	char state_text[200];
};

struct rows {
	struct row *list; /* owned: the cells of which a repeat was done, in order */
	u32 nr;
};

/* 0 or -ENOMEM. */
int result_rows(struct rows *rows, const struct result *r);
void result_rows_free(struct rows *rows);
/* Fills the row's culprit. 0 or -ENOMEM. */
int row_culprit(struct row *row, const struct result *r);

/* The one whose median is the largest, the first of equals; NULL: nothing was measured. */
const struct row_usage *row_busiest(const struct row *row);
const char *measure_name(enum measure m); /* "victim_p99_ns": as in JSON */
bool measure_is_time(enum measure m);
/* "ok", "waits +5", "time +14 us/wait" (ours − the kernel's), "n/m". Returns buf. */
const char *row_check_text(char *buf, size_t len, const struct row *row);
/* The row whose axes are those of `row` but for axis `axis`, where it is cell value `value`; NULL:
 * there is none. */
const struct row *row_sibling(const struct result *r, const struct rows *rows,
			      const struct row *row, u32 axis, const char *value);
/* The index of an axis by its name, or NONE32. */
u32 axis_find(const struct grid *g, const char *name);

#endif
