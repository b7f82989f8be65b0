/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the live engine itself costs: items of no work through `partition` with one worker, as many
 * as fit into a second; and how long an idle worker takes from submit to start, beside a bare futex
 * wake-up between the same two CPUs at the same pace.
 *
 * The engine's own threads, logs included, but no collector: nobody writes a trace.
 */
#include "live/setup.h"
#include "live/threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define BURST_ITEMS  1000000
#define PACED_ITEMS  3000
#define PACED_GAP_NS (500 * NSEC_PER_USEC)
#define ROUNDS	     5

static void die(const char *what)
{
	fprintf(stderr, "dispatch: %s\n", what);
	exit(EXIT_FAILURE);
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Nearest rank. */
static double quantile_us(const u64 *sorted, u32 n, double p)
{
	u32 rank = (u32)(p * n);

	return (double)sorted[rank < n ? rank : n - 1] / NSEC_PER_USEC;
}

/* `items` items of no work, `gap_ns` apart, for one worker. */
static struct spec make_spec(struct grid **grid, u32 items, u64 gap_ns)
{
	char *words[] = {"dispatch.design=partition", "workers.count=1", "hot.load=0"};
	struct spec_error err;
	struct spec s;

	if (grid_load(grid, NULL, words, ARRAY_SIZE(words), &err))
		die(err.text);
	s = *grid_cell(*grid, 0);
	s.workload.cost_ns = 0;
	s.workload.rate = (double)NSEC_PER_SEC / (double)gap_ns;
	s.workload.duration_ns = items * gap_ns;
	return s;
}

static void run_threads(struct engine *e)
{
	struct timespec ms = clock_timespec(NSEC_PER_MSEC);
	char err[256];
	struct message msg = {err, sizeof(err)};

	if (threads_start(e, &msg))
		die(err);
	threads_go(e, clock_mono_ns() + 20 * NSEC_PER_MSEC);
	while (__atomic_load_n(&e->workers[0].finished, __ATOMIC_ACQUIRE) < e->nr_items)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL);
	threads_stop(e);
}

/* A run whose logs hold all of it. */
static void run(struct engine *e, const struct live_config *cfg)
{
	char err[256];
	struct message msg = {err, sizeof(err)};
	struct worker *w;

	if (engine_init(e, cfg, &msg))
		die(err);
	w = &e->workers[0];
	thread_log_fini(&w->log);
	/* START, DONE and at most an IDLE an item. */
	if (thread_log_init(&w->log, 3ull * e->nr_items + 64, true))
		die("not enough memory");
	run_threads(e);
	if (thread_log_lost(&w->log) || thread_log_lost(&e->generator.log))
		die("a log overflowed");
}

/* Items a second, from the first submit to the last end. */
static double burst(const struct live_config *cfg)
{
	static struct engine e;
	const struct record *rec;
	u64 first, last = 0;
	double rate;

	run(&e, cfg);
	first = thread_log_peek(&e.generator.log)->time_ns;
	for (; (rec = thread_log_peek(&e.workers[0].log)); thread_log_pop(&e.workers[0].log))
		if (rec->kind == EVENT_DONE)
			last = rec->time_ns;
	rate = (double)e.nr_items / (double)(last - first) * NSEC_PER_SEC;
	engine_fini(&e);
	return rate;
}

/* submit → start of each item, into `ns`; returns how many. */
static u32 paced(const struct live_config *cfg, u64 *ns, struct cpu_plan *cpus)
{
	static struct engine e;
	const struct record *rec;
	u32 n = 0;

	run(&e, cfg);
	for (; (rec = thread_log_peek(&e.generator.log)); thread_log_pop(&e.generator.log))
		ns[rec->item] = rec->time_ns;
	for (; (rec = thread_log_peek(&e.workers[0].log)); thread_log_pop(&e.workers[0].log)) {
		if (rec->kind != EVENT_START)
			continue;
		ns[rec->item] = rec->time_ns - ns[rec->item];
		n++;
	}
	*cpus = e.cpus;
	engine_fini(&e);
	return n;
}

/* The bare wake-up: a word each way, nothing else. */
struct pair {
	_Alignas(64) u32 ping;
	u64 woken_ns;
	_Alignas(64) u32 pong;
	u32 cpu;
};

static void wait_for(u32 *word, u32 value)
{
	u32 now;

	while ((now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != value)
		futex_wait_until(word, now, NEVER_NS);
}

static void tell(u32 *word, u32 value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	futex_wake(word, 1);
}

static void *answer(void *arg)
{
	struct pair *p = arg;

	cpu_pin_self(p->cpu);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	for (u32 i = 1; i <= PACED_ITEMS; i++) {
		wait_for(&p->ping, i);
		p->woken_ns = clock_mono_ns();
		tell(&p->pong, i);
	}
	return NULL;
}

/* As the generator paces itself: asleep, then watching the clock. */
static u64 pace(u64 due_ns)
{
	struct timespec ts = clock_timespec(due_ns - GENERATOR_LEAD_NS);
	u64 now;

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	while ((now = clock_mono_ns()) < due_ns)
		;
	return now;
}

struct asker {
	struct pair pair;
	u32 cpu;
	u64 *ns;
};

static void *ask(void *arg)
{
	struct asker *a = arg;
	struct sched_param param = {.sched_priority = GENERATOR_PRIORITY};
	u64 base = clock_mono_ns() + 20 * NSEC_PER_MSEC;

	cpu_pin_self(a->cpu);
	sched_setscheduler(0, SCHED_FIFO, &param);
	for (u32 i = 1; i <= PACED_ITEMS; i++) {
		u64 told = pace(base + i * PACED_GAP_NS);

		tell(&a->pair.ping, i);
		wait_for(&a->pair.pong, i);
		a->ns[i - 1] = a->pair.woken_ns - told;
	}
	return NULL;
}

static void bare(u64 *ns, const struct cpu_plan *cpus)
{
	struct asker a = {.cpu = cpus->generator, .ns = ns};
	pthread_t threads[2];

	a.pair.cpu = cpus->workers.cpu[0];
	if (pthread_create(&threads[0], NULL, answer, &a.pair) ||
	    pthread_create(&threads[1], NULL, ask, &a))
		die("cannot start threads");
	pthread_join(threads[1], NULL);
	pthread_join(threads[0], NULL);
}

static void print_wakeups(const char *what, u64 *ns, u32 n)
{
	qsort(ns, n, sizeof(*ns), by_value);
	printf("%s\t%.1f us p50, %.1f us p99\t\t-\n", what, quantile_us(ns, n, 0.5),
	       quantile_us(ns, n, 0.99));
}

static void bench_burst(void)
{
	struct grid *grid;
	struct spec spec = make_spec(&grid, BURST_ITEMS, 1);
	struct live_config cfg = {.spec = &spec};
	u64 rates[ROUNDS];

	for (u32 i = 0; i < ROUNDS; i++)
		rates[i] = (u64)burst(&cfg);
	qsort(rates, ROUNDS, sizeof(*rates), by_value);
	printf("live dispatch: items of no work, partition, one worker\t%.2f M items/s "
	       "(%.2f to %.2f)\t\t-\n",
	       (double)rates[ROUNDS / 2] / 1e6, (double)rates[0] / 1e6,
	       (double)rates[ROUNDS - 1] / 1e6);
	grid_free(grid);
}

/* In turn, so that a busy moment of the machine hits both. */
static void bench_wakeup(void)
{
	struct grid *grid;
	struct spec spec = make_spec(&grid, PACED_ITEMS, PACED_GAP_NS);
	struct live_config cfg = {.spec = &spec};
	u64 *ours = calloc(2ul * ROUNDS * PACED_ITEMS, sizeof(*ours));
	u64 *theirs = ours + ROUNDS * PACED_ITEMS;
	u32 n = ROUNDS * PACED_ITEMS;
	struct cpu_plan cpus;

	if (!ours)
		die("not enough memory");
	for (u32 i = 0; i < ROUNDS; i++) {
		if (paced(&cfg, ours + i * PACED_ITEMS, &cpus) != PACED_ITEMS)
			die("not every item was started");
		bare(theirs + i * PACED_ITEMS, &cpus);
	}
	print_wakeups("live dispatch: submit to start, idle worker", ours, n);
	print_wakeups("bare futex wake-up, same CPUs and pace", theirs, n);
	printf("submit to start, of the bare wake-up\t%.2f times p50, %.2f times p99\t\t-\n",
	       quantile_us(ours, n, 0.5) / quantile_us(theirs, n, 0.5),
	       quantile_us(ours, n, 0.99) / quantile_us(theirs, n, 0.99));
	free(ours);
	grid_free(grid);
}

int main(void)
{
	mlockall(MCL_CURRENT | MCL_FUTURE);
	bench_burst();
	bench_wakeup();
	return EXIT_SUCCESS;
}
