/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Speed and memory of the analysis, on a made-up live trace: eight workers on one CPU, 4000 items a
 * second, and noise that makes 20,000 switches a second there. The same at a quarter of the length:
 * memory must not grow with it.
 *
 *   analysis [SECONDS]
 *
 * Prints lines for tools/bench/run: what, measured, wanted, ok or not. Speed is CPU time: a busy
 * machine does not change it much.
 */
#include "core/rng.h"
#include "report/summary.h"
#include "spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 8, CPU = 1, TID = 1000 };
enum { IDLE, BURN, KWORKER, FIRST_WORKER };

struct maker {
	struct trace_writer *w;
	struct rng rng;
	struct workload stream;
	u64 now, events, seq;
	u32 task[FIRST_WORKER + WORKERS]; /* as the trace numbers them */
	u32 tid[FIRST_WORKER + WORKERS];
	u32 running;
};

static void die(const char *what)
{
	fprintf(stderr, "analysis: %s\n", what);
	exit(EXIT_FAILURE);
}

static void put(struct maker *m, u32 stream, struct event *ev)
{
	ev->time_ns = m->now;
	m->events++;
	if (trace_write(m->w, stream, ev))
		die("cannot write the trace");
}

static void put_switch(struct maker *m, u32 to, u32 flags)
{
	struct event ev = {.kind = EVENT_SWITCH, .cpu = CPU};

	ev.sched_switch.prev_tid = m->tid[m->running];
	ev.sched_switch.next_task = m->task[to];
	ev.sched_switch.flags = flags;
	put(m, 1 + WORKERS, &ev);
	m->running = to;
}

static void put_wake(struct maker *m, u32 worker)
{
	struct event ev = {.kind = EVENT_WAKING, .worker = worker, .cpu = CPU};

	ev.waking.waker_task = m->task[BURN];
	put(m, 1 + WORKERS, &ev);
	ev = (struct event){.kind = EVENT_WAKEUP, .worker = worker, .cpu = CPU};
	put(m, 1 + WORKERS, &ev);
}

static void put_worker(struct maker *m, u32 kind, u32 item, u32 worker)
{
	struct event ev = {.kind = kind, .item = item, .worker = worker, .seq = ++m->seq};

	put(m, 1 + worker, &ev);
}

/* An item's short life: woken, started, asleep for its cost, woken, done. */
static void put_item(struct maker *m, const struct item *it)
{
	u32 worker = it->id % WORKERS, me = FIRST_WORKER + worker;
	struct event ev = {.kind = EVENT_SUBMIT, .item = it->id, .seq = ++m->seq};

	ev.submit.due_ns = it->due_ns;
	ev.submit.key = it->key;
	ev.submit.key_seq = it->seq;
	ev.submit.queue = ev.submit.woken = worker;
	ev.submit.nr_steps = it->nr_steps;
	memcpy(ev.submit.steps, it->steps, sizeof(ev.submit.steps));
	put(m, 0, &ev);
	m->now += 3000 + rng_below(&m->rng, 1000);
	put_wake(m, worker);
	m->now += 2000;
	put_switch(m, me, SWITCH_PREV_RUNNABLE);
	m->now += 1500;
	put_worker(m, EVENT_START, it->id, worker);
	m->now += 1500;
	put_switch(m, BURN, 0);
	m->now += 60000 + rng_below(&m->rng, 60000);
	put_wake(m, worker);
	m->now += 9000;
	put_switch(m, me, SWITCH_PREV_RUNNABLE);
	m->now += 2500;
	put_worker(m, EVENT_DONE, it->id, worker);
	m->now += 1000;
	put_worker(m, EVENT_IDLE, 0, worker);
	m->now += 900;
	put_switch(m, BURN, 0);
}

static void make_tasks(struct maker *m)
{
	for (u32 i = 0; i < FIRST_WORKER + WORKERS; i++) {
		struct task t = {.tid = i == IDLE ? 0 : TID + i,
				 .worker = i < FIRST_WORKER ? NONE32 : i - FIRST_WORKER,
				 .cgroup = 1};

		snprintf(t.comm, sizeof(t.comm), "task-%u", i);
		m->tid[i] = t.tid;
		m->task[i] = trace_task(m->w, &t);
	}
}

static u64 make_trace(const char *path, const struct spec *s, const char *text)
{
	struct trace_info info = {.engine = TRACE_LIVE,
				  .probe = true,
				  .workers = WORKERS,
				  .keys = s->workload.keys,
				  .seed = 1};
	struct maker m = {.running = BURN, .now = 1};
	struct item it;

	rng_init(&m.rng, 1, 1);
	if (workload_init(&m.stream, &s->workload) ||
	    trace_create(&m.w, path, &info, text, 2 + WORKERS))
		die("cannot create the trace");
	make_tasks(&m);
	while (workload_next(&m.stream, &it)) {
		for (; m.now < it.due_ns; m.now += 40000 + rng_below(&m.rng, 20000))
			put_switch(&m, m.running == BURN ? KWORKER : BURN, SWITCH_PREV_RUNNABLE);
		put_item(&m, &it);
	}
	workload_fini(&m.stream);
	if (trace_close(m.w, true))
		die("cannot write the trace");
	return m.events;
}

/* In a process of its own, so that its peak memory is the analysis's. */
static double analyse(const char *path, long *peak_kib)
{
	struct rusage use;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		char err[256];
		struct trace_reader *r;
		struct summary s;

		if (trace_open(&r, path, err, sizeof(err)) || summary_read(&s, r, err, sizeof(err)))
			die(err);
		/* Its made-up generator is late now and then: that is no matter here. */
		_exit(s.state == CELL_VALID || s.state == CELL_INVALID ? 0 : 1);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) != pid || status)
		die("the analysis failed");
	*peak_kib = use.ru_maxrss;
	return (double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec +
	       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static struct grid *load(u32 seconds)
{
	char duration[48], rate[] = "workload.rate=4000/s", cost[] = "workload.cost=0.1ms";
	char *words[] = {duration, rate, cost};
	struct spec_error e;
	struct grid *g;

	snprintf(duration, sizeof(duration), "workload.duration=%us", seconds);
	if (grid_load(&g, NULL, words, 3, &e))
		die(e.text);
	return g;
}

static double measure(u32 seconds, u64 *events, long *peak_kib)
{
	char path[] = "/tmp/holbench-bench-XXXXXX", *text;
	struct grid *g = load(seconds);
	size_t len;
	FILE *f = open_memstream(&text, &len);
	double cpu;

	spec_print(grid_cell(g, 0), f);
	fclose(f);
	close(mkstemp(path));
	unlink(path);
	*events = make_trace(path, grid_cell(g, 0), text);
	cpu = analyse(path, peak_kib);
	unlink(path);
	free(text);
	grid_free(g);
	return cpu;
}

int main(int argc, char **argv)
{
	u32 seconds = argc > 1 ? (u32)strtoul(argv[1], NULL, 10) : 200;
	long peak, peak_short;
	u64 events, events_short;
	double cpu, rate;

	measure(seconds / 4, &events_short, &peak_short);
	cpu = measure(seconds, &events, &peak);
	rate = (double)events / cpu / 1e6;
	printf("analysis\t%.2f M events/s\t>= 2 M events/s\t%s\n", rate, rate >= 2 ? "ok" : "not");
	printf("analysis, memory at %.1f M against %.1f M events\t%+ld KiB (of %ld)\tno growth (< "
	       "5 %%)\t%s\n",
	       (double)events / 1e6, (double)events_short / 1e6, peak - peak_short, peak,
	       peak - peak_short < peak_short / 20 ? "ok" : "not");
	return 0;
}
