/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions to a summary. */
#include "report/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *group_name(enum group g)
{
	static const char *const names[GROUP_NR] = {"victim", "neighbour", "far", "hot", "all"};

	return g < GROUP_NR ? names[g] : "?";
}

const char *band_name(enum band b)
{
	static const char *const names[BAND_NR] = {"all", "p50", "p95", "p99"};

	return b < BAND_NR ? names[b] : "?";
}

void summary_free(struct summary *s)
{
	for (u32 i = 0; i < s->nr_culprits; i++) {
		free(s->culprits[i].name);
		free(s->culprits[i].cgroup);
	}
	free(s->culprits);
	free(s->rows);
	s->culprits = NULL;
	s->rows = NULL;
	s->nr_culprits = s->nr_rows = 0;
}

u64 summary_sum(const struct summary *s, enum group g, enum band b, int part, int front)
{
	u64 sum = 0;

	for (u32 i = 0; i < s->nr_rows; i++) {
		const struct ledger_row *r = &s->rows[i];

		if (r->group == g && r->band == b && (part < 0 || r->part == part) &&
		    (front < 0 || r->front == front))
			sum += r->ns;
	}
	return sum;
}

u64 summary_kernel_sum(const struct summary *s, enum group g, enum band b)
{
	u64 sum = 0;

	for (u32 i = 0; i < s->nr_rows; i++) {
		const struct ledger_row *r = &s->rows[i];

		if (r->group == g && r->band == b &&
		    part_is_kernel((enum part)r->part, (enum front)r->front))
			sum += r->ns;
	}
	return sum;
}

u32 summary_worst_culprit(const struct summary *s, enum group g, enum band b, u64 *ns)
{
	u32 worst = NONE32;

	*ns = 0;
	for (u32 c = 0; c < s->nr_culprits; c++) {
		u64 sum = 0;

		for (u32 i = 0; i < s->nr_rows; i++)
			if (s->rows[i].group == g && s->rows[i].band == b &&
			    s->rows[i].culprit == c)
				sum += s->rows[i].ns;
		if (sum > *ns) {
			*ns = sum;
			worst = c;
		}
	}
	return worst;
}

const struct usage *summary_busiest(const struct summary *s)
{
	const struct usage *busiest = NULL;

	for (u32 i = 0; i < s->nr_usage; i++)
		if (!busiest || s->usage[i].share > busiest->share)
			busiest = &s->usage[i];
	return busiest;
}

bool summary_order_unexercised(const struct summary *s)
{
	return s->order_kept && s->succeeded && !s->order.exercised;
}

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

static double ratio(u64 ours, u64 theirs)
{
	return theirs ? (double)distance(ours, theirs) / (double)theirs : (double)NAN;
}

/* ours − theirs, µs a wait. */
static double us_per_wait(u64 ours, u64 theirs, u64 waits)
{
	return waits ? ((double)ours - (double)theirs) / 1e3 / (double)waits : (double)NAN;
}

struct check_result summary_check(const struct summary *s)
{
	const struct ledger_check *c = &s->check;
	/* The kernel stamps with the run queue's clock, microseconds away from the tracepoint at
	 * every switch. */
	u64 slack = c->kernel_waits * 10 * NSEC_PER_USEC;
	struct check_result r = {.measured = c->measured,
				 .wait_ratio = NAN,
				 .cpu_ratio = NAN,
				 .throttled_ratio = NAN,
				 .throttled_ok = true};

	if (!c->measured)
		return r;
	r.waits_difference = (s64)(c->our_waits - c->kernel_waits);
	r.waits_ok = distance(c->our_waits, c->kernel_waits) <= 2ull * c->workers;
	r.wait_ratio = ratio(c->our_wait_ns, c->kernel_wait_ns);
	r.wait_ok = distance(c->our_wait_ns, c->kernel_wait_ns) <= c->kernel_wait_ns / 100 + slack;
	r.wait_us_per_wait = us_per_wait(c->our_wait_ns, c->kernel_wait_ns, c->kernel_waits);
	r.cpu_ratio = ratio(c->our_cpu_ns, c->kernel_cpu_ns);
	r.cpu_us_per_wait = us_per_wait(c->our_cpu_ns, c->kernel_cpu_ns, c->kernel_waits);
	r.cpu_ok = distance(c->our_cpu_ns, c->kernel_cpu_ns) <= c->kernel_cpu_ns / 100 + slack;
	if (s->beside.throttled_known) {
		u64 theirs = s->beside.throttled_ns, room = theirs / 100;

		room += s->beside.nr_throttled * 10 * NSEC_PER_USEC;
		r.throttled_ratio = ratio(c->our_throttled_ns, theirs);
		r.throttled_ok = distance(c->our_throttled_ns, theirs) <= room;
	}
	return r;
}
