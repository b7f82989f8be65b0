/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sentences below the table. Each looks for its own evidence and says nothing where the grid
 * has none: one design alone parts from nothing.
 */
#include "report/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/*
 * Designs part where one's victim p99 is over this many times the best's, and by more than this
 * many hot items: a victim may meet one hot item in service under any design with queues of its
 * own; more is a queue that grows.
 */
#define PART_RATIO 1.5
#define PART_ITEMS 2.0

__attribute__((format(printf, 2, 3))) static void say(struct findings *f, const char *fmt, ...)
{
	va_list ap;

	if (f->nr == FINDINGS_MAX) {
		snprintf(f->text[f->nr - 1], sizeof(f->text[0]),
			 "There is more to say of these cells: see cells.csv.");
		return;
	}
	va_start(ap, fmt);
	vsnprintf(f->text[f->nr++], sizeof(f->text[0]), fmt, ap);
	va_end(ap);
}

static const char *design_of(const struct result *r, const struct row *row)
{
	return grid_cell(r->grid, row->cell)->design->name;
}

/* "at hot.load=2.0": the cell by its axes but for one; nothing when there is no other. */
static const char *place_text(char *buf, size_t len, const struct result *r, const struct row *row,
			      u32 without)
{
	size_t n = 0;

	buf[0] = '\0';
	for (u32 a = 0; a < grid_axes(r->grid) && n < len; a++)
		if (a != without)
			n += (size_t)snprintf(buf + n, len - n, "%s%s=%s", n ? " " : " at ",
					      grid_axis_name(r->grid, a),
					      grid_axis_value(r->grid, a, row->cell));
	return buf;
}

static bool usable(const struct row *row, enum measure m)
{
	return row->state == CELL_VALID && row->m[m].measured;
}

/* --- where the designs part --- */

/* Of the rows that differ from `row` in the design only: the one with the best victim p99. */
static const struct row *best_sibling(const struct result *r, const struct rows *rows,
				      const struct row *row, u32 axis)
{
	const struct row *best = NULL;

	for (u32 i = 0; i < rows->nr; i++) {
		const char *value = grid_axis_value(r->grid, axis, rows->list[i].cell);
		const struct row *s = row_sibling(r, rows, row, axis, value);

		if (s && usable(s, MEASURE_VICTIM_P99) &&
		    (!best || s->m[MEASURE_VICTIM_P99].median < best->m[MEASURE_VICTIM_P99].median))
			best = s;
	}
	return best;
}

/* Does it wait longer than behind hot items that are just being served? */
static bool queue_grows(const struct result *r, const struct row *row, const struct row *best)
{
	const struct spec *s = grid_cell(r->grid, row->cell);
	u64 item_ns = s->workload.hot_cost_ns > s->workload.cost_ns ? s->workload.hot_cost_ns
								    : s->workload.cost_ns;

	return row->m[MEASURE_VICTIM_P99].median - best->m[MEASURE_VICTIM_P99].median >
	       PART_ITEMS * (double)item_ns * s->run.time_scale;
}

struct parting {
	const struct row *worst, *best;
	double load; /* of the worst's cell, in workers */
	double ratio;
};

/* All cells of a grid say it the same way: one of the two keys is given. */
static double load_of(const struct spec *s)
{
	return isnan(s->hot_load) ? s->workload.hot_share : s->hot_load;
}

/* The lowest load at which a design is over the ratio; at that load the design furthest off. */
static struct parting find_parting(const struct result *r, const struct rows *rows, u32 axis)
{
	struct parting found = {0};

	for (u32 i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->list[i];
		double load = load_of(grid_cell(r->grid, row->cell)), ratio;
		const struct row *best =
			usable(row, MEASURE_VICTIM_P99) ? best_sibling(r, rows, row, axis) : NULL;

		if (!best || best->m[MEASURE_VICTIM_P99].median <= 0)
			continue;
		ratio = row->m[MEASURE_VICTIM_P99].median / best->m[MEASURE_VICTIM_P99].median;
		if (ratio <= PART_RATIO || !queue_grows(r, row, best))
			continue;
		if (!found.worst || load < found.load ||
		    (load <= found.load && ratio > found.ratio))
			found = (struct parting){row, best, load, ratio};
	}
	return found;
}

static u32 nr_usable(const struct rows *rows)
{
	u32 nr = 0;

	for (u32 i = 0; i < rows->nr; i++)
		nr += usable(&rows->list[i], MEASURE_VICTIM_P99);
	return nr;
}

/* The first repeat's; NULL: its load was not measured, or there is one queue for all. */
static const struct summary *queue_of(const struct result *r, const struct row *row)
{
	const struct summary *s = NULL;

	for (u32 i = 0; !s && i < result_repeats(r, row->cell); i++)
		if (result_run(r, row->cell, i)->done)
			s = &result_run(r, row->cell, i)->summary;
	if (!s || isnan(s->queue_load) ||
	    (grid_cell(r->grid, row->cell)->design->traits & DISPATCH_ONE_QUEUE))
		return NULL;
	return s;
}

/* " is offered …": what diverges is a queue, by all that comes to it, not one key of it. */
static const char *queue_text(char *buf, size_t len, const struct result *r, const struct row *row)
{
	const struct spec *spec = grid_cell(r->grid, row->cell);
	const struct summary *s = queue_of(r, row);

	buf[0] = '\0';
	if (!s)
		return buf;
	if (s->queue_hot_keys && !isnan(spec->hot_load))
		snprintf(buf, len,
			 " is offered the work of %.2f workers: %u hot key%s of %.2f%s and what "
			 "else comes there.",
			 s->queue_load, s->queue_hot_keys, s->queue_hot_keys == 1 ? "" : "s",
			 spec->hot_load / spec->workload.hot_keys,
			 s->queue_hot_keys == 1 ? "" : " each");
	else
		snprintf(buf, len, " is offered the work of %.2f workers.", s->queue_load);
	return buf;
}

/* Of all cells. */
static void say_fullest(struct findings *f, const struct result *r, const struct rows *rows)
{
	const struct row *fullest = NULL;
	char place[160], queue[200];

	for (u32 i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->list[i];
		const struct summary *s = queue_of(r, row);

		if (s && row->state == CELL_VALID &&
		    (!fullest || s->queue_load > queue_of(r, fullest)->queue_load))
			fullest = row;
	}
	if (fullest)
		say(f, "The fullest queue%s%s",
		    place_text(place, sizeof(place), r, fullest, NONE32),
		    queue_text(queue, sizeof(queue), r, fullest));
}

/* With what is said of the queues: of the cell that is furthest off, else of the fullest. */
static void say_parting(struct findings *f, const struct result *r, const struct rows *rows)
{
	u32 axis = axis_find(r->grid, "dispatch.design");
	struct parting p;
	char place[160], worst[24], best[24], queue[200];

	if (axis == NONE32 || nr_usable(rows) < 2) {
		say_fullest(f, r, rows);
		return;
	}
	p = find_parting(r, rows, axis);
	if (!p.worst) {
		say(f,
		    "The designs do not part: in no cell is a victim p99 over %.1f times the best "
		    "design's and longer by more than %.0f hot items.",
		    PART_RATIO, PART_ITEMS);
		say_fullest(f, r, rows);
		return;
	}
	queue_text(queue, sizeof(queue), r, p.worst);
	say(f,
	    "The designs part%s%s: victims wait %s ms at p99 under %s, %s ms under %s (%.1f "
	    "times).%s%s",
	    place_text(place, sizeof(place), r, p.worst, axis),
	    axis_find(r->grid, "hot.load") != NONE32 || axis_find(r->grid, "hot.share") != NONE32
		    ? ", the lowest load at which they do"
		    : "",
	    ms_text(worst, sizeof(worst), p.worst->m[MEASURE_VICTIM_P99].median),
	    design_of(r, p.worst),
	    ms_text(best, sizeof(best), p.best->m[MEASURE_VICTIM_P99].median), design_of(r, p.best),
	    p.ratio, *queue ? " Its fullest queue" : "", queue);
}

/* --- what stealing cost --- */

/* The cell in which most was moved. */
static const struct row *most_moved(const struct result *r, const struct rows *rows, bool *steals)
{
	const struct row *most = NULL;

	for (u32 i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->list[i];

		if (!(grid_cell(r->grid, row->cell)->design->traits & DISPATCH_STEALS) ||
		    !usable(row, MEASURE_VICTIM_P99))
			continue;
		*steals = true;
		if (row->m[MEASURE_MOVES].median > 0 &&
		    (!most || row->m[MEASURE_MOVES].median > most->m[MEASURE_MOVES].median))
			most = row;
	}
	return most;
}

static void say_stealing(struct findings *f, const struct result *r, const struct rows *rows)
{
	u32 axis = axis_find(r->grid, "dispatch.design");
	bool steals = false;
	const struct row *row = most_moved(r, rows, &steals), *base = NULL;
	char place[160], before[24], after[24];

	if (!steals)
		return;
	if (!row) {
		say(f, "Stealing moved nothing: no queue's head waited longer than the threshold.");
		return;
	}
	place_text(place, sizeof(place), r, row, axis);
	if (axis != NONE32)
		base = row_sibling(r, rows, row, axis, "partition");
	ms_text(after, sizeof(after), row->m[MEASURE_VICTIM_P99].median);
	if (base && usable(base, MEASURE_VICTIM_P99))
		say(f,
		    "Stealing (%s) cost %.0f moves and %.0f order violations%s; the victims' p99 "
		    "is "
		    "%s ms where partition's is %s ms.",
		    design_of(r, row), row->m[MEASURE_MOVES].median,
		    row->m[MEASURE_VIOLATIONS].median, place, after,
		    ms_text(before, sizeof(before), base->m[MEASURE_VICTIM_P99].median));
	else
		say(f,
		    "Stealing (%s) cost %.0f moves and %.0f order violations%s, for a victims' p99 "
		    "of "
		    "%s ms.",
		    design_of(r, row), row->m[MEASURE_MOVES].median,
		    row->m[MEASURE_VIOLATIONS].median, place, after);
}

/* --- what the kernel added --- */

/* The cell in which the kernel's part of the victims' slowest 1 % is largest. */
static const struct row *most_kernel(const struct rows *rows)
{
	const struct row *most = NULL;

	for (u32 i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->list[i];

		if (usable(row, MEASURE_KERNEL) &&
		    (!most || row->m[MEASURE_KERNEL].median > most->m[MEASURE_KERNEL].median))
			most = row;
	}
	return most;
}

static void say_kernel(struct findings *f, const struct result *r, const struct rows *rows)
{
	const struct row *row = most_kernel(rows);
	char place[160], ms[24], culprit[160] = "";

	if (!row) {
		if (r->engine == TRACE_LIVE && rows->nr && !rows->list[0].probed)
			say(f, "What the kernel added was not measured.");
		return;
	}
	/* Where waiting behind somebody is little of it, nobody is named. */
	if (row->culprit[0] && (double)row->culprit_ns >= row->m[MEASURE_KERNEL].median / 10)
		snprintf(culprit, sizeof(culprit), ", most of its run-queue time by %s",
			 row->culprit);
	say(f,
	    "Where the kernel added most%s, it added %s ms to the average item of the victims' "
	    "slowest "
	    "1 %%%s.",
	    place_text(place, sizeof(place), r, row, NONE32),
	    ms_text(ms, sizeof(ms), row->m[MEASURE_KERNEL].median), culprit);
}

/* A move after the last arrival finds nothing to do, as a rule: the spec's remark says so. */
static bool moved(const struct spec *s, const struct row *row)
{
	return s->reassign.at_ns &&
	       (s->reassign.at_ns < s->workload.duration_ns ||
		row->m[MEASURE_LOST].median + row->m[MEASURE_REPEATED].median > 0);
}

/* What partitions that moved cost each cell. */
static void say_moved(struct findings *f, const struct result *r, const struct rows *rows)
{
	char place[160];

	for (u32 i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->list[i];

		if (!moved(grid_cell(r->grid, row->cell), row))
			continue;
		say(f, "When the partitions moved%s, %.0f items were lost and %.0f done again.",
		    place_text(place, sizeof(place), r, row, NONE32), row->m[MEASURE_LOST].median,
		    row->m[MEASURE_REPEATED].median);
	}
}

/* --- what the trace lacks --- */

static void say_gaps(struct findings *f, const struct result *r)
{
	u32 all, done = result_done(r, &all), runs = 0;
	u64 events = 0;

	for (u32 c = 0; c < r->cells; c++) {
		for (u32 i = 0; i < result_repeats(r, c); i++) {
			const struct summary *s = &result_run(r, c, i)->summary;
			u64 gaps = s->counts.impossible + s->counts.reclassified;

			if (!result_run(r, c, i)->done || !gaps || !s->unknown_ns)
				continue;
			runs++;
			events += gaps;
		}
	}
	if (runs)
		say(f,
		    "In %u of %u runs switches or wake-ups are missing from the trace, as %llu "
		    "event%s show%s: the time around them is unkn.",
		    runs, done, (unsigned long long)events, events == 1 ? "" : "s",
		    events == 1 ? "s" : "");
}

void findings_draw(struct findings *f, const struct result *r, const struct rows *rows)
{
	u32 valid = 0;

	f->nr = 0;
	for (u32 i = 0; i < rows->nr; i++)
		valid += rows->list[i].state == CELL_VALID;
	if (!valid) {
		say(f, "No cell is valid: nothing follows from these numbers.");
		return;
	}
	say_parting(f, r, rows);
	say_stealing(f, r, rows);
	say_kernel(f, r, rows);
	say_moved(f, r, rows);
	say_gaps(f, r);
}
