/* SPDX-License-Identifier: GPL-2.0-only */
/* Pairs, ledgers and verdicts of results whose numbers are written down here. */
#include "core/rng.h"
#include "report/compare.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

#define MS NSEC_PER_MSEC

enum { REPEATS_MAX = 8, ROWS_MAX = 64 };

/* A line of a ledger, of all items of the band together. */
struct line {
	enum part part;
	enum front front;
	const char *culprit;
	u64 ns;
};

static void bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(EXIT_FAILURE);
}

static void add_line(struct summary *s, enum band band, const struct line *l)
{
	u32 culprit = NONE32;

	if (l->culprit) {
		culprit = s->nr_culprits;
		s->culprits = realloc(s->culprits, (culprit + 1) * sizeof(*s->culprits));
		s->culprits[s->nr_culprits++] =
			(struct culprit){strdup(l->culprit), strdup(""), CULPRIT_SYSTEM};
	}
	if (!s->rows)
		s->rows = calloc(ROWS_MAX, sizeof(*s->rows));
	s->rows[s->nr_rows++] = (struct ledger_row){l->ns,    culprit,	   GROUP_VICTIM,
						    (u8)band, (u8)l->part, (u8)l->front};
}

static struct loaded result_new(const char *axis, u32 cells, u32 repeats, const char *const *specs,
				const char *const *values)
{
	struct loaded l = {.path = "here", .nr_cells = cells};
	json_t *list = json_array();

	l.cells = calloc(cells, sizeof(*l.cells));
	for (u32 c = 0; c < cells; c++) {
		struct spec_error e;

		if (grid_parse(&l.cells[c].grid, specs[c], "here", &e))
			bail_out(e.text);
		l.cells[c].spec = grid_cell(l.cells[c].grid, 0);
		l.cells[c].runs = calloc(repeats, sizeof(struct loaded_run));
		l.cells[c].nr_runs = repeats;
		json_array_append_new(list, axis ? json_pack("{s:{s:s}}", "axes", axis, values[c])
						 : json_pack("{s:{}}", "axes"));
	}
	l.manifest =
		axis ? json_pack("{s:s, s:[s], s:o}", "engine", "live", "axes", axis, "cells", list)
		     : json_pack("{s:s, s:[], s:o}", "engine", "live", "axes", "cells", list);
	return l;
}

/* One repeat of a cell: the same percentile and ledger for p50, p95 and p99. */
static void run_fill(struct loaded *l, u32 cell, u32 repeat, u64 latency, u64 items,
		     const struct line *lines, u32 nr)
{
	struct loaded_run *run = &l->cells[cell].runs[repeat];
	struct group_summary *g = &run->summary.groups[GROUP_VICTIM];

	run->done = true;
	run->summary.info.engine = TRACE_LIVE;
	run->summary.info.probe = true;
	g->items = items * 100;
	g->p50_ns = g->p95_ns = g->p99_ns = latency;
	for (u32 b = BAND_P50; b < BAND_NR; b++) {
		g->band_items[b] = items;
		for (u32 i = 0; i < nr; i++)
			add_line(&run->summary, (enum band)b, &lines[i]);
	}
}

static const char *const placements[] = {"[place]\nisolation = isolated\n",
					 "[place]\nisolation = shared\n"};
static const char *const placement_names[] = {"isolated", "shared"};
static const char *const designs[] = {"[dispatch]\ndesign = key\n",
				      "[dispatch]\ndesign = partition\n"};
static const char *const design_names[] = {"key", "partition"};

/* --- the ledgers --- */

static void fill_randomly(struct loaded *l, struct rng *rng)
{
	static const char *const culprits[] = {NULL, "noise/burn", "kworker/1:2"};
	struct line lines[9];

	for (u32 c = 0; c < 2; c++) {
		for (u32 r = 0; r < 3; r++) {
			for (u32 i = 0; i < ARRAY_SIZE(lines); i++)
				lines[i] = (struct line){(enum part)rng_below(rng, PART_NR),
							 (enum front)rng_below(rng, FRONT_NR),
							 culprits[rng_below(rng, 3)],
							 rng_u64(rng) >> 16};
			run_fill(l, c, r, 1 + (rng_u64(rng) >> 30), 1 + rng_below(rng, 100000),
				 lines, ARRAY_SIZE(lines));
		}
	}
}

/* The means, as a fraction over both numbers of items, straight from what was written. */
static __int128 delta_by_hand(const struct loaded *l, enum band b)
{
	__int128 ns[2] = {0}, items[2] = {0};

	for (u32 c = 0; c < 2; c++) {
		for (u32 r = 0; r < 3; r++) {
			const struct summary *s = &l->cells[c].runs[r].summary;

			ns[c] += summary_sum(s, GROUP_VICTIM, b, -1, -1);
			items[c] += s->groups[GROUP_VICTIM].band_items[b];
		}
	}
	return ns[1] * items[0] - ns[0] * items[1];
}

static void check_sums(void)
{
	struct rng rng;
	u32 wrong_rows = 0, wrong_causes = 0, unsorted = 0;

	rng_init(&rng, 5, 0);
	for (u32 i = 0; i < 100; i++) {
		struct loaded l = result_new("place.isolation", 2, 3, placements, placement_names);
		const struct band_pair *b;
		struct compare c;
		char err[600];
		__int128 rows = 0, causes = 0, last = 0;

		fill_randomly(&l, &rng);
		if (compare_results(&c, &l, 1, "place.isolation", NULL, err, sizeof(err)))
			bail_out(err);
		b = &c.pairs[0].bands[BAND_P95];
		for (u32 k = 0; k < b->nr_rows; k++) {
			__int128 d = delta_of(b, b->rows[k].ns), size = d < 0 ? -d : d;

			rows += d;
			unsorted += k && size > last;
			last = size;
		}
		for (u32 k = 0; k < CAUSE_NR; k++)
			causes += cause_delta(b, (enum cause)k);
		wrong_rows += rows != delta_by_hand(&l, BAND_P95) || rows != delta_of(b, b->ns);
		wrong_causes += causes != rows;
		compare_free(&c);
		loaded_free(&l);
	}
	CHECK(!wrong_rows, "the rows add up to the difference of the means, exactly");
	CHECK(!wrong_causes, "and so do the causes");
	CHECK(!unsorted, "the largest difference comes first");
}

static void check_causes(void)
{
	CHECK(delta_cause(PART_RUNQUEUE, FRONT_NONE) == CAUSE_RUNQUEUE &&
		      delta_cause(PART_WAKE, FRONT_RUNQUEUE) == CAUSE_RUNQUEUE &&
		      delta_cause(PART_HOL, FRONT_RUNQUEUE) == CAUSE_RUNQUEUE &&
		      delta_cause(PART_ORDER, FRONT_RUNQUEUE) == CAUSE_RUNQUEUE &&
		      delta_cause(PART_SATURATED, FRONT_RUNQUEUE) == CAUSE_RUNQUEUE,
	      "run-queue wait is an item's own, its waker's, and that of the one in front");
	CHECK(delta_cause(PART_THROTTLED, FRONT_NONE) == CAUSE_THROTTLED &&
		      delta_cause(PART_HOL, FRONT_THROTTLED) == CAUSE_THROTTLED &&
		      delta_cause(PART_WAKE, FRONT_THROTTLED) == CAUSE_THROTTLED,
	      "and so is throttling");
	CHECK(delta_cause(PART_HOL, FRONT_CPU) == CAUSE_QUEUE &&
		      delta_cause(PART_ORDER, FRONT_BLOCKED) == CAUSE_QUEUE &&
		      delta_cause(PART_WAKE, FRONT_CPU) == CAUSE_WAKE,
	      "a queue is a queue while the one in front works");
	CHECK(delta_cause(PART_HOL, FRONT_UNKNOWN) == CAUSE_UNKNOWN &&
		      delta_cause(PART_UNKNOWN, FRONT_NONE) == CAUSE_UNKNOWN,
	      "what the one in front did is unknown where it was not recorded");
}

/* --- verdicts --- */

/* Two cells of `repeats` repeats, latencies in µs, all with the ledgers `a` and `b`. */
struct verdict_case {
	const char *what;
	const char *axis;
	u32 repeats;
	u64 us[2][REPEATS_MAX];
	struct line lines[2][5];
	const char *want;
};

static const struct verdict_case cases[] = {
	{"noise that makes queues",
	 "place.isolation",
	 6,
	 {{1000, 1010, 990, 1000, 1005, 995}, {3900, 3950, 3850, 3900, 3920, 3880}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS}},
	  {{PART_CPU, FRONT_NONE, NULL, 101 * MS},
	   {PART_RUNQUEUE, FRONT_NONE, "noise/burn", 80 * MS},
	   {PART_HOL, FRONT_RUNQUEUE, "noise/burn", 11180 * MS / 1000},
	   {PART_RUNQUEUE, FRONT_NONE, "kworker/1:2", 2820 * MS / 1000},
	   {PART_HOL, FRONT_CPU, NULL, 5 * MS}}},
	 "p95 3.90x: 94 % of the difference is run-queue wait, 97 % of that behind cgroup noise "
	 "(noise/burn), and 5 % the queues it made: an artefact of placement, not of the design"},
	{"queues of a design",
	 "dispatch.design",
	 6,
	 {{1000, 1010, 990, 1000, 1005, 995}, {20000, 20100, 19900, 20000, 20050, 19950}},
	 {{{PART_CPU, FRONT_NONE, NULL, 10 * MS}},
	  {{PART_CPU, FRONT_NONE, NULL, 10 * MS},
	   {PART_HOL, FRONT_BLOCKED, NULL, 180 * MS},
	   {PART_ORDER, FRONT_CPU, NULL, 20 * MS}}},
	 "p95 20.0x: 100 % of the difference is queue wait, 90 % of that hol (free workers may not "
	 "take it): the design's own doing"},
	{"the same noise, but the designs differ: its queues could be the design's",
	 "dispatch.design",
	 6,
	 {{1000, 1000, 1000, 1000, 1000, 1000}, {2000, 2000, 2000, 2000, 2000, 2000}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS}},
	  {{PART_CPU, FRONT_NONE, NULL, 100 * MS},
	   {PART_RUNQUEUE, FRONT_NONE, "another worker", 60 * MS},
	   {PART_HOL, FRONT_CPU, NULL, 40 * MS}}},
	 "p95 2.00x: 60 % of the difference is run-queue wait, 100 % of that behind another "
	 "worker, 40 % queue wait"},
	{"the base is the slower one",
	 "place.isolation",
	 6,
	 {{3000, 3010, 2990, 3000, 3005, 2995}, {1000, 1000, 1000, 1000, 1000, 1000}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS},
	   {PART_THROTTLED, FRONT_NONE, NULL, 190 * MS},
	   {PART_RUNQUEUE, FRONT_NONE, "noise/burn", 10 * MS}},
	  {{PART_CPU, FRONT_NONE, NULL, 100 * MS}}},
	 "p95 3.00x: 95 % of the difference is throttling by the workers' quota: an artefact of "
	 "placement, not of the design"},
	{"noise holds some workers up, and the others stand behind these",
	 "place.isolation",
	 6,
	 {{2000, 2010, 1990, 2000, 2005, 1995}, {1000, 1000, 1000, 1000, 1000, 1000}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS},
	   {PART_RUNQUEUE, FRONT_NONE, "another worker", 97 * MS},
	   {PART_RUNQUEUE, FRONT_NONE, "noise/burn", 3 * MS}},
	  {{PART_CPU, FRONT_NONE, NULL, 100 * MS}}},
	 "p95 2.00x: 100 % of the difference is run-queue wait, 3 % of that behind the noise and "
	 "97 % behind workers that it held up: an artefact of placement, not of the design"},
	{"workers wait for each other, and hardly for the noise",
	 "place.isolation",
	 6,
	 {{3000, 3010, 2990, 3000, 3005, 2995}, {1000, 1000, 1000, 1000, 1000, 1000}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS},
	   {PART_RUNQUEUE, FRONT_NONE, "another worker", 199 * MS},
	   {PART_RUNQUEUE, FRONT_NONE, "noise/burn", 1 * MS}},
	  {{PART_CPU, FRONT_NONE, NULL, 100 * MS}}},
	 "p95 3.00x: 100 % of the difference is run-queue wait, 100 % of that behind another "
	 "worker: the workers compete for their CPUs"},
	{"too much is unknown",
	 "place.isolation",
	 6,
	 {{1000, 1000, 1000, 1000, 1000, 1000}, {2000, 2000, 2000, 2000, 2000, 2000}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS}},
	  {{PART_CPU, FRONT_NONE, NULL, 100 * MS},
	   {PART_RUNQUEUE, FRONT_NONE, "noise/burn", 75 * MS},
	   {PART_UNKNOWN, FRONT_NONE, NULL, 25 * MS}}},
	 "p95 2.00x: not explained: 25 % unknown"},
	{"percentile and mean disagree",
	 "place.isolation",
	 6,
	 {{1000, 1000, 1000, 1000, 1000, 1000}, {2000, 2000, 2000, 2000, 2000, 2000}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS}}, {{PART_CPU, FRONT_NONE, NULL, 90 * MS}}},
	 "p95 2.00x: not explained: the mean of its band does not go the same way"},
	{"the interval holds 1",
	 "place.isolation",
	 6,
	 {{1000, 1000, 1000, 1000, 1000, 1000}, {900, 1200, 1100, 950, 1300, 800}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS}}, {{PART_CPU, FRONT_NONE, NULL, 110 * MS}}},
	 "p95 1.02x: no difference beyond noise"},
	{"always by 1.5 %, which the probe could do",
	 "place.isolation",
	 6,
	 {{1000, 1000, 1000, 1000, 1000, 1000}, {1015, 1015, 1015, 1015, 1015, 1015}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS}}, {{PART_CPU, FRONT_NONE, NULL, 101 * MS}}},
	 "p95 1.01x: no difference beyond noise"},
	{"three repeats: the interval leaves out 1, but the ranges overlap",
	 "place.isolation",
	 3,
	 {{1000, 2000, 3000}, {1100, 2200, 3300}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS}}, {{PART_CPU, FRONT_NONE, NULL, 110 * MS}}},
	 "p95 1.10x: no difference beyond noise"},
	{"two repeats: the ranges overlap",
	 "place.isolation",
	 2,
	 {{1000, 2000}, {1500, 3000}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS}}, {{PART_CPU, FRONT_NONE, NULL, 150 * MS}}},
	 "p95 1.50x: no difference beyond noise"},
	{"two repeats: the ranges are apart",
	 "place.isolation",
	 2,
	 {{1000, 1100}, {2000, 2200}},
	 {{{PART_CPU, FRONT_NONE, NULL, 100 * MS}}, {{PART_CPU, FRONT_NONE, NULL, 200 * MS}}},
	 "p95 2.00x: 100 % of the difference is the items' own work: the same work took longer "
	 "(2 repeats: no interval)"},
};

static void check_verdict(const struct verdict_case *v)
{
	bool design = !strcmp(v->axis, "dispatch.design");
	struct loaded l = result_new(v->axis, 2, v->repeats, design ? designs : placements,
				     design ? design_names : placement_names);
	struct compare c;
	char err[600], text[600];

	for (u32 side = 0; side < 2; side++) {
		u32 nr = 0;

		while (nr < 5 && v->lines[side][nr].ns)
			nr++;
		for (u32 r = 0; r < v->repeats; r++)
			run_fill(&l, side, r, v->us[side][r] * NSEC_PER_USEC, 100, v->lines[side],
				 nr);
	}
	if (compare_results(&c, &l, 1, v->axis, NULL, err, sizeof(err)))
		bail_out(err);
	verdict_text(text, sizeof(text), &c.pairs[0], pair_headline(&c.pairs[0]));
	if (!CHECK(!strcmp(text, v->want), "%s", v->what))
		printf("# said: %s\n# want: %s\n", text, v->want);
	compare_free(&c);
	loaded_free(&l);
}

/* --- pairs --- */

static void check_pairs(void)
{
	struct loaded l = result_new("place.isolation", 2, 1, placements, placement_names);
	const struct line work = {PART_CPU, FRONT_NONE, NULL, MS};
	struct compare c;
	char err[600];

	for (u32 i = 0; i < 2; i++)
		run_fill(&l, i, 0, MS, 1, &work, 1);
	CHECK(!compare_results(&c, &l, 1, "place.isolation", "shared", err, sizeof(err)) &&
		      c.nr_pairs == 1 && c.pairs[0].cell[BASE] == 1 &&
		      !strcmp(c.pairs[0].name[OTHER], "isolated"),
	      "the base is the value that was named");
	compare_free(&c);
	CHECK(compare_results(&c, &l, 1, "place.isolation", "weighted", err, sizeof(err)) ==
			      -EINVAL &&
		      strstr(err, "isolated, shared"),
	      "a value that is not there: those that are");
	CHECK(compare_results(&c, &l, 1, "hot.load", NULL, err, sizeof(err)) == -EINVAL &&
		      strstr(err, "it has place.isolation"),
	      "an axis that is not there: those that are");
	loaded_free(&l);
}

/* Two results of one cell each: a run that was not done leaves nothing to measure. */
static void check_two_results(void)
{
	struct loaded l[2] = {result_new(NULL, 1, 2, designs, NULL),
			      result_new(NULL, 1, 2, designs + 1, NULL)};
	const struct line work = {PART_CPU, FRONT_NONE, NULL, MS};
	struct compare c;
	char err[600];

	run_fill(&l[0], 0, 0, MS, 1, &work, 1);
	run_fill(&l[1], 0, 1, MS, 1, &work, 1);
	l[1].cells[0].state = CELL_INCOMPLETE;
	CHECK(!compare_results(&c, l, 2, NULL, NULL, err, sizeof(err)) && c.nr_pairs == 1 &&
		      c.pairs[0].repeats == 0 &&
		      c.pairs[0].bands[BAND_P95].verdict == VERDICT_NOT_MEASURED,
	      "no repeat is done on both sides: nothing is measured");
	CHECK(c.pairs[0].state == CELL_INCOMPLETE && c.nr_notes == 1 &&
		      strstr(c.notes[0], "incomplete"),
	      "a cell that is not whole is named");
	CHECK(c.nr_differences == 1 &&
		      strstr(c.differences[0].text, "dispatch.design is key in A and partition"),
	      "the key that differs is said");
	compare_free(&c);
	loaded_free(&l[0]);
	loaded_free(&l[1]);
}

int main(void)
{
	check_causes();
	check_sums();
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		check_verdict(&cases[i]);
	check_pairs();
	check_two_results();
	return tap_done();
}
