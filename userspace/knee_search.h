/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs of a search for knees: each is a cell of one result. */
#ifndef HOLBENCH_KNEE_SEARCH_H
#define HOLBENCH_KNEE_SEARCH_H

#include "experiment.h"
#include "report/knee.h"
#include "spec/options.h"

/* Enough for p95: 250 items are above it. */
#define KNEE_ITEMS 5000
/*
 * A run lasts so many times what p95 may rise: a queue that grows by 1 % of the time, which is an
 * overload of 1 %, makes p95 rise by more than that.
 */
#define KNEE_LENGTHS 200

struct knee_search {
	struct experiment x; /* its grid is the list of the cells that were run */
	struct knee_config cfg;
	struct grid *base;	     /* owned: the one cell that was asked for */
	struct knee_factor *factors; /* owned; the first is the base */
	char **words;		     /* owned, per factor: "workers.count=24"; NULL of the base */
	u32 nr;
	struct key *keys; /* owned: those that vary, each once; the axes, with the rate as last */
	u32 nr_keys;
};

/* Each an exit status. After experiment_words(): read the spec, and every --vary. */
int knee_search_init(struct knee_search *s);
void knee_search_fini(struct knee_search *s);
/* Search the base's knee, then each factor's. A signal ends it with STATUS_DONE: see x.signal. */
int knee_search_run(struct knee_search *s);

/* What a search can ask for, by what the spec says; rates are a second. */
struct knee_bounds {
	double length;	 /* below, KNEE_ITEMS take longer than workload.duration can be */
	double load;	 /* below, hot.load cannot be reached; 0: it is not given */
	double rate;	 /* above, workload.rate is out of range */
	double items;	 /* above, a run has more than SPEC_ITEMS_MAX items */
	double capacity; /* above, the workers, the limit or a resource cannot serve them; INFINITY:
			    not known */
	double factor;	 /* above, a run takes longer than workload.duration can be */
	double longest_ns; /* workload.duration at the most */
};

/* `factor` is how many times its plain p95 may be. */
void knee_bounds(struct knee_bounds *b, const struct spec *s, double factor);
const struct spec *knee_base(const struct knee_search *s);
/* How many runs are done. */
u32 knee_search_runs(const struct knee_search *s);

#endif
