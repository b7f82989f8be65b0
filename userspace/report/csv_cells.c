/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/csv.h"

#include "report/field.h"

#include <math.h>
#include <string.h>

/* A field that holds a comma, a quote or a line end is quoted, as RFC 4180 has it. */
void field_text(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

static void field_count(FILE *f, u64 n)
{
	fprintf(f, "%" PRIu64, n);
}

/* Empty when it was not measured. */
static void field_real(FILE *f, double x)
{
	if (!isnan(x))
		fprintf(f, "%.6f", x);
}

/* A column: its name, and what it prints of a run. */
struct column {
	const char *name;
	void (*print)(FILE *f, const struct summary *s);
};

#define COUNT_COLUMN(id, value)                                                                    \
	static void print_##id(FILE *f, const struct summary *s)                                   \
	{                                                                                          \
		field_count(f, value);                                                             \
	}

/* Nothing is known of the latencies of a class without items. */
#define LATENCY_COLUMN(id, group, member)                                                          \
	static void print_##id(FILE *f, const struct summary *s)                                   \
	{                                                                                          \
		if (s->groups[group].items)                                                        \
			field_count(f, s->groups[group].member);                                   \
	}

#define REAL_COLUMN(id, value)                                                                     \
	static void print_##id(FILE *f, const struct summary *s)                                   \
	{                                                                                          \
		field_real(f, value);                                                              \
	}

COUNT_COLUMN(items, s->items)
COUNT_COLUMN(items_due, s->items_due)
COUNT_COLUMN(succeeded, s->succeeded)
COUNT_COLUMN(timed_out, s->timed_out)
COUNT_COLUMN(refused, s->refused)
COUNT_COLUMN(lost, s->lost)
COUNT_COLUMN(repeated, s->repeated)
REAL_COLUMN(throughput, s->throughput)
COUNT_COLUMN(order_violations, s->order.violations)
COUNT_COLUMN(order_violations_hot, s->order.violations_hot)
COUNT_COLUMN(order_total, s->order.total)
COUNT_COLUMN(order_partition, s->order.partition)
COUNT_COLUMN(order_across, s->order.across)
COUNT_COLUMN(order_exercised, s->order.exercised)
REAL_COLUMN(queue_load, s->queue_load)
COUNT_COLUMN(start_violations, s->order.start_violations)
COUNT_COLUMN(moves, s->moves)
COUNT_COLUMN(moved_items, s->moved_items)
COUNT_COLUMN(steals, s->steals)
LATENCY_COLUMN(victim_p50_ns, GROUP_VICTIM, p50_ns)
LATENCY_COLUMN(victim_p95_ns, GROUP_VICTIM, p95_ns)
LATENCY_COLUMN(victim_p99_ns, GROUP_VICTIM, p99_ns)
LATENCY_COLUMN(neighbour_p99_ns, GROUP_NEIGHBOUR, p99_ns)
LATENCY_COLUMN(far_p99_ns, GROUP_FAR, p99_ns)
REAL_COLUMN(neighbour_share, s->neighbour_share)
LATENCY_COLUMN(hot_p99_ns, GROUP_HOT, p99_ns)
COUNT_COLUMN(unknown_ns, s->unknown_ns)
COUNT_COLUMN(lost_events, s->counts.lost)
REAL_COLUMN(check_runqueue_ratio, summary_check(s).wait_ratio)
REAL_COLUMN(check_cpu_ratio, summary_check(s).cpu_ratio)
REAL_COLUMN(check_throttled_ratio, summary_check(s).throttled_ratio)
REAL_COLUMN(check_little_ratio, s->little_ratio)
LATENCY_COLUMN(all_p50_ns, GROUP_ALL, p50_ns)
LATENCY_COLUMN(all_p95_ns, GROUP_ALL, p95_ns)
LATENCY_COLUMN(all_p99_ns, GROUP_ALL, p99_ns)
LATENCY_COLUMN(victim_send_p50_ns, GROUP_VICTIM, send_p50_ns)
LATENCY_COLUMN(victim_send_p95_ns, GROUP_VICTIM, send_p95_ns)
LATENCY_COLUMN(victim_send_p99_ns, GROUP_VICTIM, send_p99_ns)
LATENCY_COLUMN(victim_mean_ns, GROUP_VICTIM, mean_ns)
LATENCY_COLUMN(victim_max_ns, GROUP_VICTIM, max_ns)
LATENCY_COLUMN(hot_p50_ns, GROUP_HOT, p50_ns)
LATENCY_COLUMN(hot_p95_ns, GROUP_HOT, p95_ns)
COUNT_COLUMN(inverted_pairs, s->order.inverted_pairs)
COUNT_COLUMN(displacement, s->order.displacement)
COUNT_COLUMN(moved_again, s->moved_again)
COUNT_COLUMN(reclassified, s->counts.reclassified)
COUNT_COLUMN(impossible_events, s->counts.impossible)
COUNT_COLUMN(unfinished, s->counts.unfinished)
COUNT_COLUMN(seed, s->info.seed)

/* Latencies less what the kernel added, where that was measured. */
#define NET_COLUMN(id, member)                                                                     \
	static void print_##id(FILE *f, const struct summary *s)                                   \
	{                                                                                          \
		if (s->net_measured && s->groups[GROUP_VICTIM].items)                              \
			field_count(f, s->groups[GROUP_VICTIM].member);                            \
	}

NET_COLUMN(victim_net_p50_ns, net_p50_ns)
NET_COLUMN(victim_net_p95_ns, net_p95_ns)
NET_COLUMN(victim_net_p99_ns, net_p99_ns)

/* What was noted beside the events, where it was. */
#define NOTED_COLUMN(id, known, value)                                                             \
	static void print_##id(FILE *f, const struct summary *s)                                   \
	{                                                                                          \
		if (s->beside.known)                                                               \
			field_count(f, s->beside.value);                                           \
	}

NOTED_COLUMN(steal_ns, steal_known, steal_ns)
NOTED_COLUMN(noise_cpu_ns, noise, noise_cpu_ns)
NOTED_COLUMN(cgroup_throttled_ns, throttled_known, throttled_ns)
NOTED_COLUMN(threads_peak, threads_known, threads_peak)
NOTED_COLUMN(memory_peak_bytes, memory_known, memory_peak)
NOTED_COLUMN(stack_bytes, stack_known, stack)

/* By how much our run-queue wait is longer than the kernel's, a wait: negative when it is shorter.
 */
static void print_wait_error(FILE *f, const struct summary *s)
{
	struct check_result c = summary_check(s);

	if (c.measured && !isnan(c.wait_us_per_wait))
		fprintf(f, "%.1f", c.wait_us_per_wait * 1e3);
}

static void print_cpu_error(FILE *f, const struct summary *s)
{
	struct check_result c = summary_check(s);

	if (c.measured && !isnan(c.cpu_us_per_wait))
		fprintf(f, "%.1f", c.cpu_us_per_wait * 1e3);
}

/* Nothing can fail in this version, but by being timed out, refused or lost. */
static void print_failed(FILE *f, const struct summary *s)
{
	(void)s;
	field_count(f, 0);
}

static void print_busiest(FILE *f, const struct summary *s)
{
	const struct usage *u = summary_busiest(s);

	if (u)
		field_text(f, u->name);
}

static void print_busiest_utilisation(FILE *f, const struct summary *s)
{
	const struct usage *u = summary_busiest(s);

	if (u)
		field_real(f, u->share);
}

static bool any_ended(const struct summary *s)
{
	return s->succeeded || s->timed_out || s->refused || s->lost;
}

static void print_late_p99(FILE *f, const struct summary *s)
{
	if (any_ended(s))
		field_count(f, s->late_p99_ns);
}

static void print_late_max(FILE *f, const struct summary *s)
{
	if (any_ended(s))
		field_count(f, s->late_max_ns);
}

static void print_state(FILE *f, const struct summary *s)
{
	char text[192];

	field_text(f, state_text(text, sizeof(text), s, ":"));
}

static void print_waits(FILE *f, const struct summary *s)
{
	struct check_result c = summary_check(s);

	if (c.measured)
		fprintf(f, "%" PRId64, c.waits_difference);
}

/* Names and order stay: columns are only added, at the end. */
static const struct column columns[] = {
	{"items", print_items},
	{"items_due", print_items_due},
	{"succeeded", print_succeeded},
	{"failed", print_failed},
	{"timed_out", print_timed_out},
	{"throughput", print_throughput},
	{"order_violations", print_order_violations},
	{"order_violations_hot", print_order_violations_hot},
	{"start_violations", print_start_violations},
	{"moves", print_moves},
	{"moved_items", print_moved_items},
	{"steals", print_steals},
	{"victim_p50_ns", print_victim_p50_ns},
	{"victim_p95_ns", print_victim_p95_ns},
	{"victim_p99_ns", print_victim_p99_ns},
	{"neighbour_p99_ns", print_neighbour_p99_ns},
	{"far_p99_ns", print_far_p99_ns},
	{"neighbour_share", print_neighbour_share},
	{"hot_p99_ns", print_hot_p99_ns},
	{"late_p99_ns", print_late_p99},
	{"unknown_ns", print_unknown_ns},
	{"lost_events", print_lost_events},
	{"state", print_state},
	{"check_runqueue_waits", print_waits},
	{"check_runqueue_ratio", print_check_runqueue_ratio},
	{"check_throttled_ratio", print_check_throttled_ratio},
	{"check_cpu_ratio", print_check_cpu_ratio},
	{"victim_send_p50_ns", print_victim_send_p50_ns},
	{"victim_send_p95_ns", print_victim_send_p95_ns},
	{"victim_send_p99_ns", print_victim_send_p99_ns},
	{"victim_mean_ns", print_victim_mean_ns},
	{"victim_max_ns", print_victim_max_ns},
	{"hot_p50_ns", print_hot_p50_ns},
	{"hot_p95_ns", print_hot_p95_ns},
	{"inverted_pairs", print_inverted_pairs},
	{"displacement", print_displacement},
	{"moved_again", print_moved_again},
	{"late_max_ns", print_late_max},
	{"reclassified", print_reclassified},
	{"impossible_events", print_impossible_events},
	{"unfinished", print_unfinished},
	{"seed", print_seed},
	{"victim_net_p50_ns", print_victim_net_p50_ns},
	{"victim_net_p95_ns", print_victim_net_p95_ns},
	{"victim_net_p99_ns", print_victim_net_p99_ns},
	{"check_runqueue_ns_per_wait", print_wait_error},
	{"steal_ns", print_steal_ns},
	{"noise_cpu_ns", print_noise_cpu_ns},
	{"cgroup_throttled_ns", print_cgroup_throttled_ns},
	{"check_cpu_ns_per_wait", print_cpu_error},
	{"refused", print_refused},
	{"lost", print_lost},
	{"repeated", print_repeated},
	{"all_p50_ns", print_all_p50_ns},
	{"all_p95_ns", print_all_p95_ns},
	{"all_p99_ns", print_all_p99_ns},
	{"order_total", print_order_total},
	{"order_partition", print_order_partition},
	{"order_key", print_order_violations},
	{"order_across", print_order_across},
	{"order_exercised", print_order_exercised},
	{"busiest", print_busiest},
	{"busiest_utilisation", print_busiest_utilisation},
	{"queue_load", print_queue_load},
	{"check_little_ratio", print_check_little_ratio},
	{"threads_peak", print_threads_peak},
	{"memory_peak_bytes", print_memory_peak_bytes},
	{"stack_bytes", print_stack_bytes},
};

static void header(const struct result *r, FILE *f)
{
	fputs("cell,repeat,engine", f);
	for (u32 a = 0; a < grid_axes(r->grid); a++) {
		fputc(',', f);
		field_text(f, grid_axis_name(r->grid, a));
	}
	for (u32 i = 0; i < ARRAY_SIZE(columns); i++)
		fprintf(f, ",%s", columns[i].name);
	fputc('\n', f);
}

static void row(const struct result *r, u32 cell, u32 repeat, FILE *f)
{
	const struct run *run = result_run(r, cell, repeat);

	fprintf(f, "%u,%u,%s", cell, repeat, r->engine == TRACE_SIM ? "sim" : "live");
	for (u32 a = 0; a < grid_axes(r->grid); a++) {
		fputc(',', f);
		field_text(f, grid_axis_value(r->grid, a, cell));
	}
	for (u32 i = 0; i < ARRAY_SIZE(columns); i++) {
		fputc(',', f);
		columns[i].print(f, &run->summary);
	}
	fputc('\n', f);
}

void csv_cells(const struct result *r, FILE *f)
{
	header(r, f);
	for (u32 c = 0; c < r->cells; c++)
		for (u32 i = 0; i < result_repeats(r, c); i++)
			if (result_run(r, c, i)->done)
				row(r, c, i, f);
}
