/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of trace/ share: files of their own, random events, and what was read. */
#ifndef HOLBENCH_TESTS_TEST_TRACE_H
#define HOLBENCH_TESTS_TEST_TRACE_H

#include "tap.h"
#include "core/resource.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define T_WORKERS 5u
#define T_KEYS	  40u
#define T_TASKS	  7u
#define T_SPEC	  "[workload]\nkeys = 40\n"

/* All of them. */
static const u32 t_kinds[] = {EVENT_SUBMIT, EVENT_START,     EVENT_DONE,     EVENT_IDLE,
			      EVENT_MOVE,   EVENT_STEP,	     EVENT_SWITCH,   EVENT_WAKING,
			      EVENT_WAKEUP, EVENT_IRQ_ENTER, EVENT_IRQ_EXIT, EVENT_ACCOUNT,
			      EVENT_LOST,   EVENT_TAKE,	     EVENT_PAUSE,    EVENT_ADMIT};

static char t_dir[256];
static char t_path[300];

/* An empty directory; t_path is a file in it that does not exist. */
static inline void t_setup(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(t_dir, sizeof(t_dir), "%s/holbench-trace-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(t_dir)) {
		perror(t_dir);
		exit(1);
	}
	snprintf(t_path, sizeof(t_path), "%s/cell-0.hbt", t_dir);
}

static inline void t_cleanup(void)
{
	unlink(t_path);
	rmdir(t_dir);
}

static inline u64 t_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A number of a random width: as many small ones as large ones. */
static inline u64 t_wide(u64 *state)
{
	u64 value = t_random(state);

	return value >> (t_random(state) % 64);
}

static inline struct trace_info t_info(void)
{
	return (struct trace_info){.engine = TRACE_LIVE,
				   .probe = true,
				   .base_ns = 77,
				   .workers = T_WORKERS,
				   .keys = T_KEYS,
				   .cell = 3,
				   .repeat = 2,
				   .seed = 0x123456789abcdef0};
}

static inline struct trace_writer *t_create(u32 streams)
{
	struct trace_info info = t_info();
	struct trace_writer *w = NULL;

	unlink(t_path);
	if (trace_create(&w, t_path, &info, T_SPEC, streams)) {
		printf("Bail out! cannot create %s\n", t_path);
		exit(1);
	}
	return w;
}

static inline struct task t_task(u32 i)
{
	struct task t = {.tid = i * 1000,
			 .worker = i < T_WORKERS ? i : NONE32,
			 .class = i % (TASK_INTERRUPT + 1),
			 .cgroup = i / 3};

	snprintf(t.comm, sizeof(t.comm), "task-%u", i);
	return t;
}

static inline void t_add_tasks(struct trace_writer *w)
{
	for (u32 i = 0; i < T_TASKS; i++) {
		struct task t = t_task(i);

		trace_task(w, &t);
	}
}

static inline u32 t_none_or(u64 *state, u32 n)
{
	u32 i = (u32)(t_random(state) % (n + 1));

	return i == n ? NONE32 : i;
}

static inline void t_fill_submit(u64 *state, struct event *ev)
{
	ev->submit.due_ns = t_random(state) % 2 ? t_wide(state) : ev->time_ns - 1000;
	ev->submit.key = (u32)(t_random(state) % T_KEYS);
	ev->submit.key_seq = (u32)t_wide(state);
	ev->submit.queue = (u32)t_wide(state);
	ev->submit.woken = t_none_or(state, T_WORKERS);
	ev->submit.delivery = t_random(state) % 4 ? 0 : (u32)(t_random(state) % DELIVERY_NR);
	ev->submit.nr_steps = (u32)(t_random(state) % (ITEM_STEPS_MAX + 1));
	for (u32 i = 0; i < ev->submit.nr_steps; i++) {
		struct step *s = &ev->submit.steps[i];

		s->kind = STEP_CPU + (u32)(t_random(state) % STEP_LOCK);
		s->ns = t_wide(state);
		if (step_has_resource(s->kind))
			s->resource = (u32)(t_random(state) % RESOURCES_MAX);
	}
}

static inline void t_fill_dispatch(u64 *state, struct event *ev)
{
	ev->seq = t_random(state) % 8 ? t_wide(state) : 0;
	if (ev->kind != EVENT_IDLE)
		ev->item = (u32)t_wide(state);
	if (ev->kind != EVENT_SUBMIT && ev->kind != EVENT_MOVE && ev->kind != EVENT_ADMIT)
		ev->worker = (u32)(t_random(state) % T_WORKERS);
	if (ev->kind == EVENT_SUBMIT) {
		t_fill_submit(state, ev);
	} else if (ev->kind == EVENT_MOVE) {
		ev->move.from = (u32)t_wide(state);
		ev->move.to = (u32)t_wide(state);
		ev->move.left = (u32)t_wide(state);
		ev->move.since_ns = t_wide(state);
	} else if (ev->kind == EVENT_STEP) {
		ev->step.index = (u32)(t_random(state) % ITEM_STEPS_MAX);
	} else if (ev->kind == EVENT_DONE) {
		ev->done.outcome = (u32)(t_random(state) % OUTCOME_NR);
	} else if (ev->kind == EVENT_ADMIT) {
		ev->admit.queue = (u32)t_wide(state);
	}
}

/* At or after `from`, as far as time goes. */
static inline u64 t_after(u64 *state, u64 from)
{
	u64 ns = t_wide(state);

	return ns > UINT64_MAX - from ? UINT64_MAX : from + ns;
}

static inline void t_fill_service(u64 *state, struct event *ev)
{
	ev->worker = (u32)(t_random(state) % T_WORKERS);
	ev->item = (u32)t_wide(state);
	if (ev->kind == EVENT_PAUSE) {
		ev->item = t_random(state) % 2 ? NONE32 : ev->item;
		ev->pause.until_ns = t_after(state, ev->time_ns);
		return;
	}
	ev->take.resource = (u32)(t_random(state) % RESOURCES_MAX);
	ev->take.slot = (u32)(t_random(state) % RESOURCE_SLOTS_MAX);
	ev->take.from_ns = t_after(state, ev->time_ns);
	if (t_random(state) % 2)
		ev->take.until_ns = t_after(state, ev->take.from_ns);
}

/* A clock that stands still more often than not, and is now and then not known. */
static inline u64 t_throttled(u64 *state)
{
	static const u64 usual[] = {0, 0, 5000000, 5000000, 5000000, 6000000, UINT64_MAX};

	return t_random(state) % 4 ? usual[t_random(state) % ARRAY_SIZE(usual)] : t_wide(state);
}

static inline void t_fill_kernel(u64 *state, struct event *ev)
{
	ev->cpu = (u32)(t_random(state) % 3);
	if (ev->kind == EVENT_WAKING || ev->kind == EVENT_WAKEUP)
		ev->worker = (u32)(t_random(state) % T_WORKERS);
	if (ev->kind == EVENT_SWITCH) {
		ev->sched_switch.prev_tid = (u32)(t_random(state) % T_TASKS * 1000);
		ev->sched_switch.next_task = t_none_or(state, T_TASKS);
		ev->sched_switch.flags = (u32)(t_random(state) % 4);
		ev->sched_switch.throttled_ns = t_throttled(state);
	} else if (ev->kind == EVENT_WAKEUP) {
		ev->wakeup.throttled_ns = t_throttled(state);
	} else if (ev->kind == EVENT_IRQ_ENTER) {
		ev->irq.irq_task = (u32)(t_random(state) % T_TASKS);
	} else if (ev->kind == EVENT_WAKING) {
		ev->waking.waker_task = t_none_or(state, T_TASKS);
	}
}

/* A valid event of this kind, every field of it random; all others 0, as the reader gives them. */
static inline struct event t_event(u64 *state, u32 kind, u64 time_ns)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = kind;
	ev.time_ns = time_ns;
	if (kind <= EVENT_STEP || kind == EVENT_ADMIT) {
		t_fill_dispatch(state, &ev);
	} else if (kind == EVENT_TAKE || kind == EVENT_PAUSE) {
		t_fill_service(state, &ev);
	} else if (kind <= EVENT_WAKEUP || kind == EVENT_IRQ_ENTER || kind == EVENT_IRQ_EXIT) {
		t_fill_kernel(state, &ev);
	} else if (kind == EVENT_ACCOUNT) {
		ev.worker = (u32)(t_random(state) % T_WORKERS);
		ev.account.phase = (u32)(t_random(state) % 2);
		ev.account.run_delay_ns = t_wide(state);
		ev.account.waits = t_wide(state);
		ev.account.cpu_ns = t_wide(state);
	} else {
		ev.lost.count = t_wide(state);
		ev.lost.what = 1 + (u32)(t_random(state) % 3);
	}
	return ev;
}

static inline struct event t_any_event(u64 *state, u64 time_ns)
{
	return t_event(state, t_kinds[t_random(state) % ARRAY_SIZE(t_kinds)], time_ns);
}

/* Events in the order in which they were written or read. */
struct t_events {
	struct event *v;
	u32 nr, room;
};

static inline int t_take(void *ctx, const struct event *ev)
{
	struct t_events *e = ctx;

	if (e->nr == e->room) {
		e->room = e->room ? e->room * 2 : 64;
		e->v = realloc(e->v, e->room * sizeof(*e->v));
	}
	memcpy(&e->v[e->nr++], ev, sizeof(*ev));
	return 0;
}

static inline bool t_same(const struct event *a, const struct event *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static inline int t_read(struct trace_reader *r, struct t_events *out)
{
	struct event_sink sink = {.take = t_take, .ctx = out};

	out->nr = 0;
	return trace_read(r, &sink);
}

/* Open t_path; its error text is a comment. */
static inline struct trace_reader *t_open(void)
{
	struct trace_reader *r;
	char err[300];

	if (trace_open(&r, t_path, err, sizeof(err)))
		printf("# %s\n", err);
	return r;
}

#endif
