/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two cells side by side: how far their victims' percentiles are apart, whether that is more than
 * the repeats scatter, and what of the ledger makes the difference.
 */
#ifndef HOLBENCH_REPORT_COMPARE_H
#define HOLBENCH_REPORT_COMPARE_H

#include "core/stats/bootstrap.h"
#include "report/compare_load.h"

#include <stdio.h>

/* The two sides of a pair: what is compared with, and what is compared. */
enum { BASE, OTHER, SIDES };

/* A line of the two ledgers: time of all items of the band, of all repeats that are compared. */
struct delta_row {
	u64 ns[SIDES];
	const char *culprit; /* borrowed from a summary, or NULL */
	u8 part, front;
};

/* What the lines of a ledger come from, as a verdict counts them. */
enum cause {
	CAUSE_RUNQUEUE, /* runnable, not running: an item's own worker, the one in front, or the one
			   being woken */
	CAUSE_THROTTLED,
	CAUSE_IRQ,
	CAUSE_WAKE,
	CAUSE_OVERSLEPT,
	CAUSE_CONTENDED,
	CAUSE_PAUSED,
	CAUSE_LATE,
	CAUSE_WORK,
	CAUSE_QUEUE,   /* hol, order, saturated, for as long as the one in front does its own work;
			  carrier */
	CAUSE_UNKNOWN, /* part or front unknown */
	CAUSE_NR,
};

enum verdict {
	VERDICT_NOT_MEASURED, /* no victims, or none of the band */
	VERDICT_NONE,	      /* no difference beyond noise */
	VERDICT_UNKNOWN,      /* a difference, but not explained */
	VERDICT_UNCLEAR,      /* percentile and mean of its band go opposite ways */
	VERDICT_EXPLAINED,
};

struct band_pair {
	enum band band;
	u32 n;		/* repeats with a ratio */
	double *ratios; /* owned; OTHER / BASE of each repeat, sorted */
	double ratio;	/* their median */
	bool has_interval;
	struct interval interval;
	/* The percentile over those repeats: median (nearest rank), lowest, highest. */
	u64 median_ns[SIDES], min_ns[SIDES], max_ns[SIDES];
	/* The band's items and their time over those repeats: ns / items is its mean. */
	u64 items[SIDES], ns[SIDES];
	struct delta_row *rows; /* owned; largest difference first */
	u32 nr_rows;
	enum verdict verdict;
};

/* In what kind of keys two cells differ: it decides what a difference may be called. */
enum differ {
	DIFFER_STREAM = 1,    /* workload, hot, warm-up, time scale: other items */
	DIFFER_POLICY = 2,    /* dispatch, number of workers */
	DIFFER_PLACEMENT = 4, /* place, the workers' CPUs, class, quota */
	DIFFER_NOISE = 16,    /* noise: another neighbour */
	DIFFER_OTHER = 8,
};

/* What became of the items. */
struct outcomes {
	u64 succeeded, failed, timed_out; /* failed: refused or lost */
};

struct pair {
	const struct loaded *of[SIDES];
	u32 cell[SIDES];
	const char *name[SIDES];	 /* borrowed: the axis' value, or "A" and "B" */
	u32 repeats;			 /* done on both sides */
	struct outcomes outcomes[SIDES]; /* of these repeats together */
	u32 differs;			 /* enum differ, all that apply */
	bool probed;			 /* both sides, every repeat: or simulated */
	bool simulated;			 /* both sides */
	enum cell_state state;		 /* the graver of the two */
	struct band_pair bands[BAND_NR]; /* BAND_ALL is not used */
};

/* Something that is not the same on both sides, said before anything else. */
struct difference {
	char text[1200];
	u32 kind; /* enum differ, or 0: host, kernel, version, engine */
};

struct compare {
	const struct loaded *results; /* borrowed */
	u32 nr_results;
	const char *by;	   /* borrowed: the axis, or NULL with two results */
	const char **axes; /* owned: the other axes */
	u32 nr_axes;
	struct pair *pairs; /* owned */
	u32 nr_pairs;
	struct difference *differences; /* owned */
	u32 nr_differences;
	char **notes; /* owned: cells without a partner, cells that are not valid */
	u32 nr_notes;
};

/*
 * Pair the cells of one result that differ in the axis `by` only (`base`: the value that the others
 * are compared with; NULL: the first), or of two results those whose axes agree (`by` NULL).
 * Returns 0, or a negative errno with the line; -EINVAL when the axis or the value is not there, or
 * nothing pairs. On error nothing is held. Borrows from the results until compare_free().
 */
int compare_results(struct compare *c, const struct loaded *results, u32 nr_results, const char *by,
		    const char *base, char *err, size_t err_len);
void compare_free(struct compare *c);

/* Table, verdicts, and the ledgers of the bands in `bands` (1 << enum band). 0 or -ENOMEM. */
int compare_print(const struct compare *c, u32 bands, FILE *f);
/* One JSON document with everything; its form is in holbench(1). 0 or -ENOMEM. */
int compare_print_json(const struct compare *c, FILE *f);

/* --- inside the comparison --- */

/* compare_spec.c */
/* Do two cells have the same value of a key ("dispatch.design")? */
bool compare_same_value(const struct spec *a, const struct spec *b, const char *key);
/* A cell's value of a key as text: as written where it is an axis. Returns buf. */
const char *compare_value(char *buf, size_t len, const struct loaded *l, u32 cell, const char *key);
/* What differs between hosts, programs and specs, each once, and every pair's `differs`. 0 or
 * -ENOMEM. */
int compare_differences(struct compare *c);

/* compare_ledger.c: percentiles, ratios and rows of a pair. 0 or -ENOMEM. */
int pair_measure(struct pair *p);
void pair_free(struct pair *p);
/*
 * A row's share of the difference of the means, exactly: the difference of its means in ns is this
 * over delta_scale(); the rows' numbers add up to that of the band.
 */
__int128 delta_of(const struct band_pair *b, const u64 ns[SIDES]);
double delta_scale(const struct band_pair *b);

/* compare_verdict.c */
enum cause delta_cause(enum part part, enum front front);
/* The same over all rows of a cause. */
__int128 cause_delta(const struct band_pair *b, enum cause c);
/* Sets b->verdict. */
void verdict_judge(const struct pair *p, struct band_pair *b);
/* Which side is the slower at this band's percentile. */
u32 slower_side(const struct band_pair *b);
/* "p95 3.9x: 94 % of the difference is …". Returns buf. */
const char *verdict_text(char *buf, size_t len, const struct pair *p, const struct band_pair *b);
/* The band that speaks for the pair: the first of p95, p99, p50 with a difference, or p95. */
const struct band_pair *pair_headline(const struct pair *p);
/* "3.9x": a ratio with the digits that matter. Returns buf. */
const char *ratio_text(char *buf, size_t len, double ratio);

#endif
