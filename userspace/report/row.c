/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/row.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *measure_name(enum measure m)
{
	static const char *const names[] = {
		[MEASURE_SUCCEEDED] = "succeeded",
		[MEASURE_FAILED] = "failed_refused_lost",
		[MEASURE_TIMED_OUT] = "timed_out",
		[MEASURE_VIOLATIONS] = "order_violations",
		[MEASURE_MOVES] = "moves",
		[MEASURE_VICTIM_P50] = "victim_p50_ns",
		[MEASURE_VICTIM_P95] = "victim_p95_ns",
		[MEASURE_VICTIM_P99] = "victim_p99_ns",
		[MEASURE_NEIGHBOUR_P99] = "neighbour_p99_ns",
		[MEASURE_HOT_P99] = "hot_p99_ns",
		[MEASURE_HOL] = "p99_band_hol_ns",
		[MEASURE_ORDER] = "p99_band_order_ns",
		[MEASURE_SATURATED] = "p99_band_saturated_ns",
		[MEASURE_WAKE] = "p99_band_wake_ns",
		[MEASURE_RUNQUEUE] = "p99_band_runqueue_ns",
		[MEASURE_WORK] = "p99_band_work_ns",
		[MEASURE_CONTENDED] = "p99_band_contended_ns",
		[MEASURE_REST] = "p99_band_rest_ns",
		[MEASURE_UNKNOWN] = "p99_band_unknown_ns",
		[MEASURE_KERNEL] = "p99_band_kernel_ns",
		[MEASURE_ALL_P95] = "all_p95_ns",
		[MEASURE_ORDER_TOTAL] = "order_total",
		[MEASURE_ORDER_PARTITION] = "order_partition",
		[MEASURE_ORDER_ACROSS] = "order_across",
		[MEASURE_REFUSED] = "refused",
		[MEASURE_LOST] = "lost",
		[MEASURE_REPEATED] = "repeated",
		[MEASURE_THREADS_PEAK] = "threads_peak",
		[MEASURE_MEMORY_PEAK] = "memory_peak_bytes",
		[MEASURE_STACK] = "stack_bytes",
	};

	return names[m];
}

bool measure_is_time(enum measure m)
{
	return (m >= MEASURE_VICTIM_P50 && m <= MEASURE_ALL_P95);
}

/* Without a probe nobody saw what a worker did in service, nor the kernel; a simulation has no
 * kernel to measure, but knows the work. */
static bool needs_probe(enum measure m)
{
	return m == MEASURE_RUNQUEUE || m == MEASURE_KERNEL || m == MEASURE_WORK ||
	       m == MEASURE_CONTENDED;
}

static bool band_measured(const struct summary *s, enum measure m)
{
	bool simulated = s->info.engine == TRACE_SIM;

	if (!s->groups[GROUP_VICTIM].band_items[BAND_P99])
		return false;
	if (simulated)
		return m != MEASURE_RUNQUEUE && m != MEASURE_KERNEL;
	return s->info.probe || !needs_probe(m);
}

/* Which parts of the ledger a measure adds up; PART_NR ends a list. */
static const u8 measure_parts[MEASURE_NR][8] = {
	[MEASURE_HOL] = {PART_HOL, PART_NR},
	[MEASURE_ORDER] = {PART_ORDER, PART_NR},
	[MEASURE_SATURATED] = {PART_SATURATED, PART_NR},
	[MEASURE_WAKE] = {PART_WAKE, PART_NR},
	[MEASURE_RUNQUEUE] = {PART_RUNQUEUE, PART_NR},
	[MEASURE_WORK] = {PART_CPU, PART_BLOCKED, PART_NR},
	[MEASURE_CONTENDED] = {PART_CONTENDED, PART_NR},
	[MEASURE_REST] = {PART_LATE, PART_AGAIN, PART_OVERSLEPT, PART_IRQ, PART_PAUSED,
			  PART_CARRIER, PART_THROTTLED, PART_NR},
	[MEASURE_UNKNOWN] = {PART_UNKNOWN, PART_NR},
};

/* NAN: not measured. */
static double band_mean(const struct summary *s, enum measure m)
{
	u64 items = s->groups[GROUP_VICTIM].band_items[BAND_P99], ns = 0;

	if (!band_measured(s, m))
		return (double)NAN;
	if (m == MEASURE_KERNEL)
		ns = summary_kernel_sum(s, GROUP_VICTIM, BAND_P99);
	else
		for (const u8 *p = measure_parts[m]; *p != PART_NR; p++)
			ns += summary_sum(s, GROUP_VICTIM, BAND_P99, *p, -1);
	return (double)ns / (double)items;
}

static double latency(const struct summary *s, enum group g, u64 value)
{
	return s->groups[g].items ? (double)value : (double)NAN;
}

static double measure_of(const struct summary *s, enum measure m)
{
	const struct group_summary *victim = &s->groups[GROUP_VICTIM];

	switch (m) {
	case MEASURE_SUCCEEDED:
		return (double)s->succeeded;
	case MEASURE_FAILED:
		return (double)(s->refused + s->lost);
	case MEASURE_TIMED_OUT:
		return (double)s->timed_out;
	case MEASURE_REFUSED:
		return (double)s->refused;
	case MEASURE_LOST:
		return (double)s->lost;
	case MEASURE_REPEATED:
		return (double)s->repeated;
	case MEASURE_ORDER_TOTAL:
		return (double)s->order.total;
	case MEASURE_ORDER_PARTITION:
		return (double)s->order.partition;
	case MEASURE_ORDER_ACROSS:
		return (double)s->order.across;
	case MEASURE_ALL_P95:
		return latency(s, GROUP_ALL, s->groups[GROUP_ALL].p95_ns);
	case MEASURE_THREADS_PEAK:
		return s->beside.threads_known ? (double)s->beside.threads_peak : (double)NAN;
	case MEASURE_MEMORY_PEAK:
		return s->beside.memory_known ? (double)s->beside.memory_peak : (double)NAN;
	case MEASURE_STACK:
		return s->beside.stack_known ? (double)s->beside.stack : (double)NAN;
	case MEASURE_VIOLATIONS:
		return (double)s->order.violations;
	case MEASURE_MOVES:
		return (double)s->moves;
	case MEASURE_VICTIM_P50:
		return latency(s, GROUP_VICTIM, victim->p50_ns);
	case MEASURE_VICTIM_P95:
		return latency(s, GROUP_VICTIM, victim->p95_ns);
	case MEASURE_VICTIM_P99:
		return latency(s, GROUP_VICTIM, victim->p99_ns);
	case MEASURE_NEIGHBOUR_P99:
		return latency(s, GROUP_NEIGHBOUR, s->groups[GROUP_NEIGHBOUR].p99_ns);
	case MEASURE_HOT_P99:
		return latency(s, GROUP_HOT, s->groups[GROUP_HOT].p99_ns);
	default:
		return band_mean(s, m);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median is nearest-rank: of an even number of repeats the lower of the two in the middle. */
static struct measured measured_of(double *values, u32 nr)
{
	if (!nr)
		return (struct measured){0};
	qsort(values, nr, sizeof(*values), compare);
	return (struct measured){true, values[(nr + 1) / 2 - 1], values[0], values[nr - 1]};
}

static struct measured measure_over(const struct result *r, u32 cell, enum measure m,
				    double *values)
{
	u32 nr = 0;

	for (u32 i = 0; i < result_repeats(r, cell); i++) {
		const struct run *run = result_run(r, cell, i);
		double v = run->done ? measure_of(&run->summary, m) : (double)NAN;

		if (!isnan(v))
			values[nr++] = v;
	}
	return measured_of(values, nr);
}

/* What is in use is a matter of the spec, but for the CPUs: the same in every repeat. */
static void usage_over(struct row *row, const struct result *r, double *values)
{
	const struct summary *first = NULL;

	for (u32 i = 0; !first && i < result_repeats(r, row->cell); i++)
		if (result_run(r, row->cell, i)->done)
			first = &result_run(r, row->cell, i)->summary;
	for (u32 u = 0; first && u < first->nr_usage; u++) {
		struct row_usage *to = &row->usage[row->nr_usage++];
		struct measured m;
		u32 nr = 0;

		for (u32 i = 0; i < result_repeats(r, row->cell); i++) {
			const struct run *run = result_run(r, row->cell, i);

			if (run->done && u < run->summary.nr_usage)
				values[nr++] = run->summary.usage[u].share;
		}
		m = measured_of(values, nr);
		*to = (struct row_usage){.median = m.median, .min = m.min, .max = m.max};
		memcpy(to->name, first->usage[u].name, sizeof(to->name));
	}
}

const struct row_usage *row_busiest(const struct row *row)
{
	const struct row_usage *busiest = NULL;

	for (u32 i = 0; i < row->nr_usage; i++)
		if (!busiest || row->usage[i].median > busiest->median)
			busiest = &row->usage[i];
	return busiest;
}

static bool check_worse(const struct check_result *a, const struct check_result *b)
{
	u32 bad_a = 8u * !a->waits_ok + 4u * !a->throttled_ok + 2u * !a->wait_ok + !a->cpu_ok;
	u32 bad_b = 8u * !b->waits_ok + 4u * !b->throttled_ok + 2u * !b->wait_ok + !b->cpu_ok;

	if (bad_a != bad_b)
		return bad_a > bad_b;
	return llabs(a->waits_difference) > llabs(b->waits_difference);
}

static void row_add(struct row *row, const struct summary *s)
{
	struct check_result check = summary_check(s);

	row->probed = s->info.probe && (row->probed || !row->repeats);
	if (check.measured && (!row->checked || check_worse(&check, &row->check)))
		row->check = check;
	row->checked = check.measured && (row->checked || !row->repeats);
	if (!row->repeats || s->state > row->state) {
		row->state = s->state;
		state_text(row->state_text, sizeof(row->state_text), s, ": ");
	}
	row->repeats++;
}

static int row_make(struct row *row, const struct result *r, double *values)
{
	for (u32 i = 0; i < result_repeats(r, row->cell); i++)
		if (result_run(r, row->cell, i)->done)
			row_add(row, &result_run(r, row->cell, i)->summary);
	for (u32 m = 0; m < MEASURE_NR; m++)
		row->m[m] = measure_over(r, row->cell, (enum measure)m, values);
	usage_over(row, r, values);
	return row_culprit(row, r);
}

int result_rows(struct rows *rows, const struct result *r)
{
	double *values = calloc(r->repeats, sizeof(*values));
	int rc;

	*rows = (struct rows){.list = calloc(r->cells, sizeof(*rows->list))};
	rc = values && rows->list ? 0 : -ENOMEM;
	for (u32 c = 0; !rc && c < r->cells; c++) {
		struct row *row = &rows->list[rows->nr];

		row->cell = c;
		rc = row_make(row, r, values);
		rows->nr += row->repeats > 0;
	}
	free(values);
	if (rc)
		result_rows_free(rows);
	return rc;
}

void result_rows_free(struct rows *rows)
{
	free(rows->list);
	*rows = (struct rows){0};
}

const char *row_check_text(char *buf, size_t len, const struct row *row)
{
	const struct check_result *c = &row->check;

	if (!row->checked)
		snprintf(buf, len, "n/m");
	else if (!c->waits_ok)
		snprintf(buf, len, "waits %+" PRId64, c->waits_difference);
	else if (!c->throttled_ok)
		snprintf(buf, len, "throttled %.1f %%", c->throttled_ratio * 100);
	else if (!c->wait_ok)
		snprintf(buf, len, "time %+.0f us/wait", c->wait_us_per_wait);
	else if (!c->cpu_ok)
		snprintf(buf, len, "cpu %+.0f us/wait", c->cpu_us_per_wait);
	else
		snprintf(buf, len, "ok");
	return buf;
}

u32 axis_find(const struct grid *g, const char *name)
{
	for (u32 a = 0; a < grid_axes(g); a++)
		if (!strcmp(grid_axis_name(g, a), name))
			return a;
	return NONE32;
}

const struct row *row_sibling(const struct result *r, const struct rows *rows,
			      const struct row *row, u32 axis, const char *value)
{
	for (u32 i = 0; i < rows->nr; i++) {
		u32 cell = rows->list[i].cell, a;

		for (a = 0; a < grid_axes(r->grid); a++) {
			const char *want =
				a == axis ? value : grid_axis_value(r->grid, a, row->cell);

			if (strcmp(grid_axis_value(r->grid, a, cell), want))
				break;
		}
		if (a == grid_axes(r->grid))
			return &rows->list[i];
	}
	return NULL;
}
