/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole way of a simulated run, engine → trace → analysis, on the source experiment's grid: the
 * ledger's `hol` against an independent simulator, everything else exactly against a tally that
 * sees the engine's events itself.
 */
#include "report/summary.h"
#include "spec/spec.h"
#include "tally.h"
#include "tap.h"

#include <unistd.h>

enum { SEEDS = 9 };

struct tee {
	struct tally *tally;
	struct trace_writer *w;
};

static int tee_take(void *ctx, const struct event *ev)
{
	struct tee *tee = ctx;

	tally_take(tee->tally, ev);
	return trace_write(tee->w, 0, ev);
}

/* The spec of a cell of the preset, as text for the trace. The caller frees. */
static char *spec_text(const struct spec *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		abort();
	spec_print(s, f);
	fclose(f);
	return text;
}

/* Simulate one seed of a cell into both; the trace is read back. */
static bool simulate(const struct spec *s, u64 seed, struct tally *t, struct summary *out)
{
	struct trace_info info = {.engine = TRACE_SIM,
				  .workers = s->workers.count,
				  .keys = s->workload.keys,
				  .seed = seed};
	struct scenario sc = scenario_ordering(s->design->name, s->unit, s->hot_load, seed);
	char path[] = "/tmp/holbench-analysis-XXXXXX", err[256] = "";
	int fd = mkstemp(path);
	char *text = spec_text(s);
	struct tee tee = {.tally = t};
	struct event_sink sink = {tee_take, &tee};
	struct trace_reader *r;
	bool ok;

	close(fd);
	unlink(path);
	tally_init(t, s->workload.keys, 1, s->workers.count);
	ok = !trace_create(&tee.w, path, &info, text, 1) && !scenario_run(&sc, &sink) &&
	     !trace_close(tee.w, true) && !trace_open(&r, path, err, sizeof(err));
	free(text);
	unlink(path);
	if (!ok)
		return false;
	ok = !summary_read(out, r, err, sizeof(err));
	if (!ok)
		printf("# %s\n", err);
	trace_reader_free(r);
	return ok;
}

static u32 differs(const struct summary *s, const struct tally *t)
{
	u32 victims, hot, wrong = 0;
	u64 *v = tally_latencies(t, false, &victims), *h = tally_latencies(t, true, &hot);
	static const u32 percent[] = {50, 95, 99};
	u64 all = 0;

	for (u32 i = 0; i < ARRAY_SIZE(percent); i++) {
		const struct group_summary *g = &s->groups[GROUP_VICTIM];
		u64 ours = i == 0 ? g->p50_ns : i == 1 ? g->p95_ns : g->p99_ns;

		wrong += ours != v[(victims * percent[i] + 99) / 100 - 1];
	}
	wrong += s->groups[GROUP_HOT].p99_ns != h[(hot * 99 + 99) / 100 - 1];
	wrong += s->groups[GROUP_VICTIM].items != victims || s->groups[GROUP_HOT].items != hot;
	wrong += s->groups[GROUP_NEIGHBOUR].items + s->groups[GROUP_FAR].items != victims;
	wrong += s->order.violations != t->violations || s->moves != t->moves;
	wrong += s->items_due != t->nr_items || s->succeeded != t->done;
	for (u32 i = 0; i < victims; i++)
		all += v[i];
	wrong += summary_sum(s, GROUP_VICTIM, BAND_ALL, -1, -1) != all;
	wrong += s->state != CELL_VALID || s->counts.sum_errors || s->unknown_ns;
	wrong += s->little_ratio > 0 || s->timed_out || s->refused || s->lost || s->repeated;
	/* In ideal time nothing is the kernel's doing. */
	wrong += summary_kernel_sum(s, GROUP_ALL, BAND_ALL) != 0;
	wrong += s->groups[GROUP_VICTIM].band_items[BAND_P99] !=
		 victims - (victims * 99 + 99) / 100 + 1;
	free(v);
	free(h);
	return wrong;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct range {
	const char *load, *design;
	double low, high;
};

/* Victims' mean `hol` in ms, by an independent simulator: its nine seeds' range. */
static const struct range ranges[] = {
	{"0.4", "shared", 0, 0},	{"0.4", "partition", 2.3, 3.5},
	{"0.4", "steal", 2.3, 3.5},	{"0.4", "steal:key", 2.3, 3.5},
	{"0.4", "key", 0, 0},		{"1.0", "shared", 0, 0},
	{"1.0", "partition", 137, 213}, {"1.0", "steal", 25, 31},
	{"1.0", "steal:key", 7, 25},	{"1.0", "key", 0, 0},
	{"2.0", "shared", 0, 0},	{"2.0", "partition", 1075, 1176},
	{"2.0", "steal", 54, 59},	{"2.0", "steal:key", 1.5, 1.8},
	{"2.0", "key", 0, 0},
};

static void check_cell(const struct grid *g, u32 cell)
{
	const struct range *want = &ranges[cell];
	double hol[SEEDS];
	u32 wrong = 0;

	for (u32 i = 0; i < SEEDS; i++) {
		struct summary s;
		struct tally t;

		if (!simulate(grid_cell(g, cell), i + 1, &t, &s)) {
			CHECK(false, "cell %u, seed %u: simulated and analysed", cell, i + 1);
			return;
		}
		wrong += differs(&s, &t);
		hol[i] = (double)summary_sum(&s, GROUP_VICTIM, BAND_ALL, PART_HOL, -1) / 1e6 /
			 (double)s.groups[GROUP_VICTIM].items;
		summary_free(&s);
		tally_fini(&t);
	}
	qsort(hol, SEEDS, sizeof(double), by_value);
	CHECK(wrong == 0, "load %s, %s: the analysis says what the engine did (%u differ)",
	      want->load, want->design, wrong);
	CHECK(hol[SEEDS / 2] >= want->low * .95 && hol[SEEDS / 2] <= want->high * 1.05,
	      "load %s, %s: victims' mean hol %.2f ms is in %.2f .. %.2f", want->load, want->design,
	      hol[SEEDS / 2], want->low * .95, want->high * 1.05);
}

int main(void)
{
	struct spec_error e;
	struct grid *g;

	if (grid_load(&g, "ordering", NULL, 0, &e)) {
		printf("Bail out! %s\n", e.text);
		return EXIT_FAILURE;
	}
	CHECK(grid_cells(g) == ARRAY_SIZE(ranges), "the preset has the grid's cells");
	for (u32 i = 0; i < grid_cells(g) && i < ARRAY_SIZE(ranges); i++) {
		CHECK(!strcmp(grid_axis_value(g, 0, i), ranges[i].load) &&
			      !strcmp(grid_axis_value(g, 1, i), ranges[i].design),
		      "cell %u is load %s, %s", i, ranges[i].load, ranges[i].design);
		check_cell(g, i);
	}
	grid_free(g);
	return tap_done();
}
