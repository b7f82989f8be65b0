/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The search for a knee: the smallest offered rate at which p95 leaves its plain. Plain is p95 at a
 * rate at which the busiest resource is under half of its capacity. A rate is beyond the knee when
 * p95 is over `factor` times that, or when more than 5 % of the items due did not succeed (p95 over
 * all that were due is then no latency at all). From the plain on the rate is doubled until it is
 * beyond, then the bracket is bisected until its ends are within `tolerance` of each other.
 */
#ifndef HOLBENCH_CORE_KNEE_H
#define HOLBENCH_CORE_KNEE_H

#include "core/types.h"

#define KNEE_PROBES_MAX 96
#define KNEE_PLAIN_BUSY 0.5  /* the busiest resource at a plain rate is below */
#define KNEE_LOST	0.05 /* share of the items due */
/*
 * The search for a plain ends after so many lower rates in a row, each at most half of the one
 * before, at which nothing is busy and the share that does not succeed is hardly smaller: then it
 * is no matter of the rate.
 */
#define KNEE_STALLED 4

/* What a run at a rate said. */
struct knee_sample {
	double rate;
	double p95;  /* of the items that ended; NAN: none */
	double lost; /* share of the items due that did not succeed */
	double busy; /* share of its capacity that the busiest resource was used; NAN: not measured,
			taken for plain */
};

struct knee_config {
	double from; /* the first rate */
	bool fixed;  /* plain is at `from` or nowhere; else lower rates are tried */
	double to;   /* the highest rate */
	double factor;
	double tolerance; /* 0.02: 2 % */
	double least;	  /* rates below cannot be run; 0: none */
};

enum knee_state {
	KNEE_SEARCHING,
	KNEE_FOUND,
	KNEE_ABOVE,    /* still plain at the highest rate */
	KNEE_NO_PLAIN, /* no rate with the busiest resource under half of its capacity, or none at
			  which the items succeed */
};

struct knee {
	struct knee_config cfg;
	enum knee_state state;
	double plain_rate, plain_p95; /* 0: not found yet */
	double low, high; /* the highest rate below the knee, the lowest beyond; 0: none yet */
	u32 nr;
	struct knee_sample samples[KNEE_PROBES_MAX]; /* in the order in which they were asked for */
};

void knee_begin(struct knee *k, const struct knee_config *cfg);
/* The next rate to run, of 4 significant digits; 0 when the search has ended. */
double knee_next(const struct knee *k);
/* What it said. */
void knee_put(struct knee *k, const struct knee_sample *s);
/* Is it what does not succeed, with nothing busy, that keeps the sample from being plain? */
bool knee_fails_idle(const struct knee_sample *s);

/*
 * The bracket that samples at rates of one search give when they are judged by themselves: one
 * repeat's, with its own plain at plain_rate. *low and *high are 0 where there is no rate on that
 * side.
 */
void knee_bracket(const struct knee_sample *samples, u32 nr, double plain_rate, double factor,
		  double *low, double *high);

#endif
