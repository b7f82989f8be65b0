/* SPDX-License-Identifier: GPL-2.0-only */
/* Every item of the stream ends once: what the analysis makes of each way to end, from traces
 * written by hand. */
#include "report/summary.h"
#include "spec/spec.h"
#include "tap.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static char *const words[] = {"workload.rate=10/s", "workload.duration=2s",
			      "dispatch.design=shared", "workers.count=2"};
enum { ITEMS = 20, MS = 1000000 };

struct writing {
	struct trace_writer *w;
	u64 seq;
	int err;
};

static void put(struct writing *to, struct event ev)
{
	ev.seq = ++to->seq;
	if (!to->err)
		to->err = trace_write(to->w, 0, &ev);
}

static void submit(struct writing *to, const struct item *it, u64 now_ns, u32 delivery)
{
	struct event ev = {.time_ns = now_ns, .kind = EVENT_SUBMIT, .item = it->id};

	ev.submit.due_ns = it->due_ns;
	ev.submit.key = it->key;
	ev.submit.key_seq = it->seq;
	ev.submit.woken = 0;
	ev.submit.delivery = delivery;
	ev.submit.nr_steps = 1;
	ev.submit.steps[0] = (struct step){10 * MS, STEP_CPU, 0};
	put(to, ev);
}

/* Taken at once, and ended after so long. */
static void serve(struct writing *to, const struct item *it, u64 now_ns, u64 ns, u32 outcome)
{
	struct event ev = {.time_ns = now_ns, .kind = EVENT_START, .item = it->id};

	put(to, ev);
	ev.time_ns += ns;
	ev.kind = EVENT_DONE;
	ev.done.outcome = outcome;
	put(to, ev);
}

/* Which item ends how; the rest succeed after 10 ms. */
enum { TIMED_OUT = 3, REFUSED = 5, LOST = 7, ABANDONED = 9, REPEATED = 11, MISSING = 13 };

static void item(struct writing *to, const struct item *it, u32 missing)
{
	u64 t = it->due_ns;

	submit(to, it, t, DELIVERY_FIRST);
	if (it->id == missing)
		return;
	if (it->id == TIMED_OUT)
		serve(to, it, t, 30 * MS, OUTCOME_TIMED_OUT);
	else if (it->id == REFUSED)
		serve(to, it, t, 1, OUTCOME_REFUSED);
	else if (it->id == LOST)
		serve(to, it, t, 1, OUTCOME_LOST);
	else if (it->id == ABANDONED)
		serve(to, it, t, 5 * MS, OUTCOME_ABANDONED);
	else
		serve(to, it, t, 10 * MS, OUTCOME_SUCCEEDED);
	if (it->id == ABANDONED) {
		submit(to, it, t + 6 * MS, DELIVERY_ABANDONED);
		serve(to, it, t + 6 * MS, 10 * MS, OUTCOME_SUCCEEDED);
	} else if (it->id == REPEATED) {
		submit(to, it, t + 20 * MS, DELIVERY_REPEATED);
		serve(to, it, t + 20 * MS, 10 * MS, OUTCOME_SUCCEEDED);
	}
}

/* The stream but its last `less` items. */
static int write_all(struct writing *to, const struct spec *s, u32 missing, u32 less)
{
	struct workload stream;
	struct item it;

	if (workload_init(&stream, &s->workload))
		abort();
	while (workload_next(&stream, &it) && it.id < ITEMS - less)
		item(to, &it, missing);
	workload_fini(&stream);
	return to->err;
}

static void analyse(struct summary *out, u32 missing, u32 less)
{
	char path[] = "/tmp/holbench-outcomes-XXXXXX", err[256] = "", *text = NULL;
	struct spec_error e;
	struct grid *g;
	struct trace_info info = {.engine = TRACE_SIM};
	struct writing to = {0};
	struct trace_reader *r = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int fd = mkstemp(path);

	close(fd);
	unlink(path);
	if (!f || grid_load(&g, NULL, words, ARRAY_SIZE(words), &e))
		abort();
	spec_print(grid_cell(g, 0), f);
	fclose(f);
	info.workers = grid_cell(g, 0)->workers.count;
	info.keys = grid_cell(g, 0)->workload.keys;
	info.seed = grid_cell(g, 0)->workload.seed;
	if (trace_create(&to.w, path, &info, text, 1) ||
	    write_all(&to, grid_cell(g, 0), missing, less) || trace_close(to.w, true) ||
	    trace_open(&r, path, err, sizeof(err)) || summary_read(out, r, err, sizeof(err))) {
		printf("Bail out! %s\n", err);
		exit(EXIT_FAILURE);
	}
	trace_reader_free(r);
	grid_free(g);
	free(text);
	unlink(path);
}

static void test_ways_to_end(void)
{
	struct summary s;

	analyse(&s, NONE32, 0);
	CHECK(s.state == CELL_VALID, "all that is due has ended: valid (%s)", s.why);
	CHECK(s.items_due == ITEMS && s.items == ITEMS, "an item that comes again is one item");
	CHECK(s.succeeded == ITEMS - 3 && s.timed_out == 1 && s.refused == 1 && s.lost == 1,
	      "each way to end is counted: %u, %u, %u, %u", (u32)s.succeeded, (u32)s.timed_out,
	      (u32)s.refused, (u32)s.lost);
	CHECK(s.repeated == 2, "what was delivered again is counted: %u", (u32)s.repeated);
	CHECK(s.groups[GROUP_ALL].items == ITEMS - 2,
	      "latencies are of those that succeeded or timed out");
	CHECK(s.groups[GROUP_ALL].max_ns == 30 * MS && s.groups[GROUP_ALL].p50_ns == 10 * MS,
	      "one that times out has waited until then");
	CHECK(fabs(s.throughput - (ITEMS - 3) / 1.91) < 1e-6,
	      "throughput is of those that succeeded");
	CHECK(s.little_ratio == 0, "Little's law holds");
	CHECK(s.order.violations == 0 && s.order.total == 0, "a second delivery breaks no order");
	CHECK(s.nr_usage == 1 && s.usage[0].share > .05 && s.usage[0].share < .07,
	      "two workers for 232 of 1910 ms: %f", s.nr_usage ? s.usage[0].share : -1);
	summary_free(&s);
}

static void test_missing(void)
{
	struct summary s;

	analyse(&s, MISSING, 0);
	CHECK(s.state == CELL_INCOMPLETE && strstr(s.why, "without an end"),
	      "an item without an end is missed: %s", s.why);
	CHECK(s.little_ratio > .01, "and Little's law is off by its time");
	summary_free(&s);
	analyse(&s, NONE32, 2);
	CHECK(s.state == CELL_INCOMPLETE && strstr(s.why, "never submitted"),
	      "items that never came are missed: %s", s.why);
	summary_free(&s);
}

int main(void)
{
	test_ways_to_end();
	test_missing();
	return tap_done();
}
