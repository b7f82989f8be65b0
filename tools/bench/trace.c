// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes and speed of the trace file, on made-up streams: a worker CPU's switches, interrupts and
 * wake-ups among a handful of tasks under a quota, with times that are log-normal around 20 µs, and
 * a dispatcher's items.
 *
 *   trace [EVENTS [DIRECTORY]]
 *
 * Prints lines for tools/bench/run: what, measured, wanted, ok or not.
 * Speeds are CPU time of this process: a busy machine does not change them much.
 */
#include "trace/trace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 8u
#define CPUS	2u
#define TASKS	12u
#define IRQS	2u

struct source {
	u64 state; /* xorshift64 */
	u64 time_ns;
	u64 seq;
	u32 running[CPUS]; /* task index */
	u32 item;
	u32 woken; /* the worker of the last waking */
	u64 throttled_ns;
};

static u64 next_random(struct source *s)
{
	s->state ^= s->state << 13;
	s->state ^= s->state >> 7;
	s->state ^= s->state << 17;
	return s->state;
}

/* Log-normal by the sum of uniforms: nothing here needs the tails to be right. */
static u64 next_gap(struct source *s)
{
	double sum = 0;

	for (int i = 0; i < 4; i++)
		sum += (double)(next_random(s) >> 40) / (double)(1 << 24);
	return (u64)(20000.0 * exp2((sum - 2.0) * 3.0));
}

static u64 cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

static u32 tid_of(u32 task)
{
	return task ? 4100 + task : 0;
}

static void make_switch(struct source *s, struct event *ev)
{
	u32 prev = s->running[ev->cpu], next = (u32)(next_random(s) % TASKS);

	if (next == prev)
		next = (next + 1) % TASKS;
	s->running[ev->cpu] = next;
	ev->kind = EVENT_SWITCH;
	ev->sched_switch.prev_tid = tid_of(prev);
	ev->sched_switch.next_task = next;
	ev->sched_switch.flags = next_random(s) % 4 ? 0 : SWITCH_PREV_RUNNABLE;
	/* The group's clock, where one of the two is a worker; every 16th switch has a new one. */
	s->throttled_ns += next_random(s) % 16 ? 0 : next_random(s) % (80 * NSEC_PER_MSEC);
	ev->sched_switch.throttled_ns = next_random(s) % 4 ? s->throttled_ns : 0;
}

/* Mostly the timer, now and then the timers' softirq. */
static void make_wakeup(struct source *s, struct event *ev, u64 step)
{
	static const u32 kinds[] = {EVENT_IRQ_ENTER, EVENT_WAKING, EVENT_WAKEUP, EVENT_IRQ_EXIT};

	ev->kind = kinds[step];
	if (ev->kind == EVENT_IRQ_ENTER) {
		ev->irq.irq_task = TASKS + (next_random(s) % 8 ? 0 : 1);
	} else if (ev->kind == EVENT_WAKING) {
		s->woken = (u32)(next_random(s) % WORKERS);
		ev->worker = s->woken;
		ev->waking.waker_task = (u32)(next_random(s) % TASKS);
	} else if (ev->kind == EVENT_WAKEUP) {
		ev->worker = s->woken;
		ev->wakeup.throttled_ns = s->throttled_ns;
	}
}

/* Half switches; the rest wake-ups from an interrupt, four events within some µs. */
static void make_sched(struct source *s, struct event *ev, u64 i)
{
	u64 step = i % 8;
	u32 cpu = ev->cpu;

	memset(ev, 0, sizeof(*ev));
	ev->cpu = cpu;
	ev->time_ns = s->time_ns += step >= 1 && step <= 3 ? next_random(s) % 2000 : next_gap(s);
	if (step < 4)
		make_wakeup(s, ev, step);
	else
		make_switch(s, ev);
}

static void make_submit(struct source *s, struct event *ev)
{
	ev->kind = EVENT_SUBMIT;
	ev->item = s->item++;
	ev->submit.due_ns = ev->time_ns - next_random(s) % 60000;
	ev->submit.key = (u32)(next_random(s) % 200);
	ev->submit.key_seq = ev->item / 200;
	ev->submit.queue = ev->submit.key % WORKERS;
	ev->submit.woken = ev->submit.queue;
	ev->submit.nr_steps = 1;
	ev->submit.steps[0] =
		(struct step){.kind = STEP_WAIT, .ns = 2500000 + next_random(s) % 5000000};
}

/* An item every third event, started and done within the next few. */
static void make_item(struct source *s, struct event *ev, u64 i)
{
	memset(ev, 0, sizeof(*ev));
	ev->time_ns = s->time_ns += next_gap(s);
	ev->seq = ++s->seq;
	if (i % 3 == 0) {
		make_submit(s, ev);
		return;
	}
	ev->kind = i % 3 == 1 ? EVENT_START : EVENT_DONE;
	ev->worker = (u32)(next_random(s) % WORKERS);
	ev->item = s->item > 8 ? s->item - (u32)(next_random(s) % 8) : s->item;
}

struct workload {
	const char *name;
	void (*make)(struct source *s, struct event *ev, u64 i);
	u32 streams;
	double bytes, written, read; /* wanted; 0: nothing is */
};

static void print(const char *name, const char *what, double got, double want, bool most)
{
	char wanted[32] = "-";
	const char *ok = "-";

	if (want > 0) {
		snprintf(wanted, sizeof(wanted), "%s %.0f", most ? "at most" : "at least", want);
		ok = (most ? got <= want : got >= want) ? "ok" : "not";
	}
	printf("%s, %s\t%.2f\t%s\t%s\n", name, what, got, wanted, ok);
}

static void name_tasks(struct trace_writer *w)
{
	for (u32 i = 0; i < TASKS + IRQS; i++) {
		struct task t = {.tid = tid_of(i), .worker = NONE32, .cgroup = 40 + i / 4};

		if (i >= TASKS)
			t = (struct task){.tid = NONE32, .worker = NONE32, .class = TASK_INTERRUPT};
		snprintf(t.comm, sizeof(t.comm), "task-%u", i);
		trace_task(w, &t);
	}
}

static int write_all(const struct workload *load, const char *path, u64 events, u64 *ns)
{
	struct trace_info info = {
		.engine = TRACE_LIVE, .probe = true, .workers = WORKERS, .keys = 200};
	struct source sources[CPUS] = {{.state = 88172645463325252ull},
				       {.state = 1442695040888963407ull}};
	struct trace_writer *w;
	int err = trace_create(&w, path, &info, "", load->streams);
	struct event ev = {0};

	if (err)
		return err;
	name_tasks(w);
	*ns = 0;
	for (u64 i = 0; i < events;) {
		struct event batch[256];
		u64 n = 0, start;

		for (; n < ARRAY_SIZE(batch) && i + n < events; n++) {
			ev.cpu = (u32)(i / 256 % load->streams);
			load->make(&sources[ev.cpu], &ev, i + n);
			batch[n] = ev;
		}
		start = cpu_ns();
		for (u64 j = 0; j < n; j++)
			err = trace_write(w, (u32)(i / 256 % load->streams), &batch[j]);
		*ns += cpu_ns() - start;
		i += n;
	}
	return trace_close(w, true);
}

static int count_event(void *ctx, const struct event *ev)
{
	u64 *sum = ctx;

	sum[0]++;
	sum[1] += ev->time_ns;
	return 0;
}

static int read_all(const char *path, u64 *events, u64 *ns)
{
	u64 sum[2] = {0}, start = cpu_ns();
	struct event_sink sink = {.take = count_event, .ctx = sum};
	struct trace_reader *r;
	char text[200];
	int err = trace_open(&r, path, text, sizeof(text));

	if (err) {
		fprintf(stderr, "%s\n", text);
		return err;
	}
	err = trace_read(r, &sink);
	*ns = cpu_ns() - start;
	*events = sum[0];
	trace_reader_free(r);
	return err;
}

static int bench(const struct workload *load, const char *dir, u64 events)
{
	u64 write_ns, read_ns, got;
	char path[4096];
	struct stat st;
	int err;

	snprintf(path, sizeof(path), "%s/bench-trace-%d.hbt", dir, (int)getpid());
	err = write_all(load, path, events, &write_ns);
	if (!err)
		err = read_all(path, &got, &read_ns);
	if (!err && (stat(path, &st) || got != events))
		err = -EIO;
	if (err != -EEXIST)
		unlink(path);
	if (err) {
		fprintf(stderr, "%s: %s; name a directory with room as the second argument\n", path,
			strerror(-err));
		return err;
	}
	print(load->name, "bytes on disk", (double)st.st_size / (double)events, load->bytes, true);
	print(load->name, "10^6 written/s", (double)events * 1e3 / (double)write_ns, load->written,
	      false);
	print(load->name, "10^6 read/s", (double)events * 1e3 / (double)read_ns, load->read, false);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct workload loads[] = {
		{"scheduler event", make_sched, CPUS, 16, 5, 6},
		{"dispatcher event", make_item, 1, 0, 0, 0},
	};
	u64 events = argc > 1 ? strtoull(argv[1], NULL, 10) : 5000000;
	const char *dir = argc > 2 ? argv[2] : "/tmp";

	if (!events) {
		fprintf(stderr, "usage: %s [EVENTS [DIRECTORY]]\n", argv[0]);
		return 2;
	}
	for (u32 i = 0; i < ARRAY_SIZE(loads); i++) {
		if (bench(&loads[i], dir, events))
			return 1;
	}
	return 0;
}
