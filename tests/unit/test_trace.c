// SPDX-License-Identifier: GPL-2.0-only
/* The trace file: what was written is what is read, in the right order. */
#include "test_trace.h"

static void test_header_and_tables(void)
{
	struct trace_info want = t_info();
	struct trace_writer *w = t_create(1);
	const struct trace_info *got;
	const char *name, *value;
	struct trace_reader *r;

	trace_set_base(w, 4711);
	trace_cgroup(w, 5, "/holbench/noise");
	trace_cgroup(w, 6, "");
	trace_cgroup(w, 5, "/holbench/noise2");
	trace_note(w, "warning", "first");
	trace_note(w, "warning", "");
	CHECK(trace_close(w, true) == 0, "a file without events closes");
	r = t_open();
	got = trace_info(r);
	CHECK(got->engine == want.engine && got->probe && got->workers == want.workers &&
		      got->keys == want.keys && got->cell == want.cell &&
		      got->repeat == want.repeat && got->seed == want.seed,
	      "the header's facts come back");
	CHECK(got->base_ns == 4711, "base_ns is the one that was set");
	CHECK(!strcmp(trace_spec(r), T_SPEC), "the spec comes back");
	CHECK(!strcmp(trace_cgroup_path(r, 5), "/holbench/noise2"), "the last cgroup name holds");
	CHECK(!strcmp(trace_cgroup_path(r, 6), ""), "a cgroup may be the root");
	CHECK(!trace_cgroup_path(r, 7), "an unknown cgroup has no path");
	CHECK(trace_nth_note(r, 0, &name, &value) && !strcmp(name, "warning") &&
		      !strcmp(value, "first"),
	      "the first note");
	CHECK(trace_nth_note(r, 1, &name, &value) && !strcmp(value, ""), "the second note");
	CHECK(!trace_nth_note(r, 2, &name, &value), "there is no third note");
	CHECK(!trace_damage(r)->incomplete && !trace_damage(r)->damaged &&
		      !trace_damage(r)->text[0],
	      "nothing is wrong with it");
	trace_reader_free(r);
}

static void test_tasks(void)
{
	enum { MANY = 30000 };
	struct trace_writer *w = t_create(1);
	struct task t = {.tid = 1, .worker = NONE32, .comm = "a"};
	struct trace_reader *r;
	bool dense = true, same = true;
	u32 other;

	for (u32 i = 0; i < MANY; i++) {
		t.tid = i;
		t.cgroup = i % 7;
		t.class = i % 2;
		dense &= trace_task(w, &t) == i;
	}
	CHECK(dense, "new tasks get the next index");
	t.tid = 123;
	t.cgroup = 123 % 7;
	t.class = 123 % 2;
	CHECK(trace_task(w, &t) == 123, "a task that is known gets its index");
	memset(t.comm + 2, 'x', sizeof(t.comm) - 2);
	CHECK(trace_task(w, &t) == 123, "what stands after a name's end does not matter");
	t.worker = 2;
	other = trace_task(w, &t);
	t.comm[0] = 'b';
	CHECK(other == MANY && trace_task(w, &t) == MANY + 1, "worker and comm tell tasks apart");
	t.class = TASK_INTERRUPT;
	t.tid = NONE32;
	CHECK(trace_task(w, &t) == MANY + 2, "an interrupt is a task of its own class");
	t.class = TASK_KTHREAD;
	CHECK(trace_task(w, &t) == MANY + 3, "class alone tells tasks apart");
	CHECK(trace_close(w, true) == 0, "the file closes");
	r = t_open();
	CHECK(trace_nr_tasks(r) == MANY + 4, "every task comes back");
	for (u32 i = 0; i < MANY && i < trace_nr_tasks(r); i++) {
		const struct task *got = &trace_tasks(r)[i];

		same &= got->tid == i && got->worker == NONE32 && got->cgroup == i % 7 &&
			got->class == i % 2 && !strcmp(got->comm, "a");
	}
	CHECK(same && trace_tasks(r)[MANY].worker == 2 &&
		      trace_tasks(r)[MANY + 2].class == TASK_INTERRUPT &&
		      trace_tasks(r)[MANY + 3].class == TASK_KTHREAD,
	      "and is what it was");
	trace_reader_free(r);
}

/* Write `want` to one stream, read it, compare. */
static bool round_trip(const struct t_events *want)
{
	struct trace_writer *w = t_create(1);
	struct t_events got = {0};
	struct trace_reader *r;
	bool same;

	t_add_tasks(w);
	for (u32 i = 0; i < want->nr; i++)
		trace_write(w, 0, &want->v[i]);
	if (trace_close(w, true))
		return false;
	r = t_open();
	same = r && !t_read(r, &got) && got.nr == want->nr && !trace_damage(r)->damaged;
	for (u32 i = 0; same && i < want->nr; i++)
		same = t_same(&got.v[i], &want->v[i]);
	trace_reader_free(r);
	free(got.v);
	return same;
}

static void test_every_kind(void)
{
	u64 state = 42;

	for (u32 k = 0; k < ARRAY_SIZE(t_kinds); k++) {
		u32 kind = t_kinds[k];
		struct t_events e = {0};

		/* More than one block. */
		for (u64 i = 0; i < 40000; i++) {
			struct event ev = t_event(&state, kind, i * 1000);

			t_take(&e, &ev);
		}
		CHECK(round_trip(&e), "40000 events of kind %u come back", kind);
		free(e.v);
	}
}

static void add(struct t_events *e, struct event ev)
{
	t_take(e, &ev);
}

static void add_extreme_submits(struct t_events *e, u64 time_ns)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EVENT_SUBMIT;
	ev.time_ns = time_ns;
	ev.seq = UINT64_MAX;
	ev.item = UINT32_MAX;
	ev.submit.due_ns = UINT64_MAX;
	ev.submit.key = T_KEYS - 1;
	ev.submit.key_seq = ev.submit.queue = ev.submit.woken = UINT32_MAX;
	ev.submit.nr_steps = ITEM_STEPS_MAX;
	ev.submit.delivery = DELIVERY_NR - 1;
	for (u32 i = 0; i < ITEM_STEPS_MAX; i++) {
		ev.submit.steps[i].kind = STEP_LOCK;
		ev.submit.steps[i].ns = UINT64_MAX;
		ev.submit.steps[i].resource = RESOURCES_MAX - 1;
	}
	add(e, ev);
	memset(&ev.submit, 0, sizeof(ev.submit));
	ev.seq = 1;
	ev.item = 0;
	add(e, ev);
}

static void add_extreme_services(struct t_events *e, u64 time_ns)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EVENT_TAKE;
	ev.time_ns = time_ns;
	ev.item = UINT32_MAX;
	ev.worker = T_WORKERS - 1;
	ev.take.resource = RESOURCES_MAX - 1;
	ev.take.slot = RESOURCE_SLOTS_MAX - 1;
	ev.take.from_ns = time_ns;
	ev.take.until_ns = time_ns ? UINT64_MAX - 1 : time_ns;
	if (ev.take.until_ns < time_ns)
		ev.take.until_ns = 0;
	add(e, ev);
	ev.take.from_ns = UINT64_MAX;
	ev.take.until_ns = UINT64_MAX;
	add(e, ev);
	memset(&ev.take, 0, sizeof(ev.take));
	ev.kind = EVENT_PAUSE;
	ev.pause.until_ns = UINT64_MAX;
	add(e, ev);
	ev.kind = EVENT_DONE;
	memset(&ev.pause, 0, sizeof(ev.pause));
	ev.done.outcome = OUTCOME_NR - 1;
	add(e, ev);
}

static void test_extremes(void)
{
	static const u64 times[] = {0, 0, 1, 1ull << 63, UINT64_MAX, UINT64_MAX};
	struct t_events e = {0};
	struct event ev;

	for (u32 i = 0; i < ARRAY_SIZE(times); i++) {
		add_extreme_submits(&e, times[i]);
		add_extreme_services(&e, times[i]);
		memset(&ev, 0, sizeof(ev));
		ev.time_ns = times[i];
		ev.kind = EVENT_MOVE;
		ev.item = ev.move.from = ev.move.to = ev.move.left = NONE32;
		ev.move.since_ns = UINT64_MAX;
		add(&e, ev);
		memset(&ev.move, 0, sizeof(ev.move));
		ev.kind = EVENT_SWITCH;
		ev.item = 0;
		ev.cpu = 65535;
		ev.sched_switch.prev_tid = UINT32_MAX;
		ev.sched_switch.next_task = i % 2 ? NONE32 : T_TASKS - 1;
		ev.sched_switch.flags = 3;
		ev.sched_switch.throttled_ns = i % 3 ? UINT64_MAX : i % 2;
		add(&e, ev);
		memset(&ev.sched_switch, 0, sizeof(ev.sched_switch));
		ev.kind = EVENT_LOST;
		ev.cpu = 0;
		ev.lost.count = UINT64_MAX;
		ev.lost.what = LOST_WRITER;
		add(&e, ev);
	}
	CHECK(round_trip(&e), "the least and the greatest values come back");
	free(e.v);
}

/* A clock that stands still, or comes and goes, costs next to nothing. */
static void test_throttled_bytes(void)
{
	enum { MANY = 10000 };
	u64 sizes[2], state = 3;

	for (u32 clock = 0; clock < 2; clock++) {
		struct trace_writer *w = t_create(1);
		struct event ev = {.kind = EVENT_SWITCH, .cpu = 1};
		struct stat st;

		t_add_tasks(w);
		for (u32 i = 0; i < MANY; i++) {
			ev.time_ns = i * 7000ull;
			ev.sched_switch.throttled_ns =
				clock * (t_random(&state) % 3 ? 12345678901234u : 0);
			trace_write(w, 0, &ev);
		}
		CHECK(!trace_close(w, true) && !stat(t_path, &st), "a file of %u switches", MANY);
		sizes[clock] = (u64)st.st_size;
	}
	CHECK(sizes[1] - sizes[0] < MANY / 2,
	      "a clock that is known in two of three switches takes %" PRIu64 " bytes of %" PRIu64,
	      sizes[1] - sizes[0], sizes[1]);
}

struct ref {
	struct event ev;
	u32 stream, rank;
};

static int ref_order(const void *a, const void *b)
{
	const struct ref *x = a, *y = b;

	if (x->ev.time_ns != y->ev.time_ns)
		return x->ev.time_ns < y->ev.time_ns ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->rank < y->rank ? -1 : 1;
}

/* Streams of random lengths, many equal times; a stable sort is the reference. */
static bool merge_once(u64 seed, u32 streams, u32 events)
{
	struct ref *refs = calloc(events, sizeof(*refs));
	struct trace_writer *w = t_create(streams);
	u64 *times = calloc(streams, sizeof(*times));
	struct t_events got = {0};
	struct trace_reader *r;
	bool same;

	t_add_tasks(w);
	for (u32 i = 0, s = 0; i < events; i++) {
		if (t_random(&seed) % 5 == 0)
			s = (u32)(t_random(&seed) % streams);
		times[s] += t_random(&seed) % 3;
		refs[i] = (struct ref){.stream = s, .rank = i};
		refs[i].ev = t_any_event(&seed, times[s]);
		trace_write(w, s, &refs[i].ev);
		if (t_random(&seed) % 1000 == 0)
			trace_flush(w);
	}
	same = trace_close(w, true) == 0;
	qsort(refs, events, sizeof(*refs), ref_order);
	r = t_open();
	for (int pass = 0; same && pass < 2; pass++) {
		trace_rewind(r, TRACE_ALL);
		same = !t_read(r, &got) && got.nr == events;
		for (u32 i = 0; same && i < events; i++)
			same = t_same(&got.v[i], &refs[i].ev);
	}
	trace_reader_free(r);
	free(got.v);
	free(times);
	free(refs);
	return same;
}

static void test_merge(void)
{
	static const u32 streams[] = {1, 2, 3, 17, 64};

	for (u32 i = 0; i < ARRAY_SIZE(streams); i++)
		CHECK(merge_once(1000 + i, streams[i], 20000),
		      "%u streams merge as a stable sort does, twice", streams[i]);
}

static void write_kind(struct trace_writer *w, u32 stream, u32 kind, u64 time_ns, u64 *state)
{
	struct event ev = t_event(state, kind, time_ns);

	trace_write(w, stream, &ev);
}

/* The kernel's stream is damaged on purpose: a pass over the items must not even look at it. */
static void test_filter(void)
{
	struct trace_writer *w = t_create(3);
	struct t_events got = {0};
	struct trace_reader *r;
	u64 state = 9;
	struct stat st;
	bool items = true;
	int fd;

	t_add_tasks(w);
	for (u64 i = 0; i < 100; i++) {
		write_kind(w, 0, i % 10 ? EVENT_START : EVENT_LOST, i, &state);
		write_kind(w, 2, i % 2 ? EVENT_SWITCH : EVENT_WAKEUP, i, &state);
	}
	CHECK(trace_close(w, true) == 0 && stat(t_path, &st) == 0, "a file of two streams");
	fd = open(t_path, O_WRONLY);
	CHECK(pwrite(fd, "\377\377", 2, st.st_size - 9) == 2, "whose last block is damaged");
	close(fd);
	r = t_open();
	CHECK(!trace_rewind(r, TRACE_ITEMS) && !t_read(r, &got), "the items are read");
	for (u32 i = 0; i < got.nr; i++)
		items &= got.v[i].kind == EVENT_START || got.v[i].kind == EVENT_LOST;
	CHECK(got.nr == 100 && items, "all of the item stream, nothing of the kernel's");
	CHECK(!trace_damage(r)->damaged, "whose damage is not met");
	CHECK(!trace_rewind(r, TRACE_ALL) && !t_read(r, &got) && trace_damage(r)->damaged,
	      "a pass over all meets it");
	CHECK(got.nr == 1, "and ends at the time of the damaged block");
	trace_reader_free(r);
	free(got.v);
}

static int stop_at_third(void *ctx, const struct event *ev)
{
	int *n = ctx;

	(void)ev;
	return ++*n == 3 ? -ECANCELED : 0;
}

static void test_sink_error(void)
{
	struct trace_writer *w = t_create(1);
	struct event_sink sink;
	struct trace_reader *r;
	u64 state = 4;
	int n = 0;

	for (u64 i = 0; i < 10; i++)
		write_kind(w, 0, EVENT_IDLE, i, &state);
	trace_close(w, true);
	r = t_open();
	sink = (struct event_sink){.take = stop_at_third, .ctx = &n};
	CHECK(trace_read(r, &sink) == -ECANCELED && n == 3, "the sink's error ends the pass");
	CHECK(trace_read(r, &sink) == 0 && n == 3, "which gives nothing more");
	trace_rewind(r, TRACE_ALL);
	CHECK(trace_read(r, &sink) == 0 && n == 13, "until it is rewound");
	trace_reader_free(r);
}

int main(void)
{
	t_setup();
	test_header_and_tables();
	test_tasks();
	test_every_kind();
	test_extremes();
	test_throttled_bytes();
	test_merge();
	test_filter();
	test_sink_error();
	t_cleanup();
	return tap_done();
}
