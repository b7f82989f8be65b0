/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a service is made of, by each executor: a time-out in every kind of step, a lock that one
 * item has at a time and that is given in the order in which it was asked for, a queue that
 * refuses, pauses in which nothing begins, and threads that cannot be made.
 */
#include "simulated.h"
#include "slow.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char *const executors[] = {"thread", "async", "spawn"};

struct service {
	u64 start_ns, done_ns;
	u64 take_ns, give_ns;	  /* of its last slot: have it, end of that step */
	u32 key, outcome, begins; /* begins: events at which the item had the worker */
	bool holds;
};

static char *const *words_of(char **words, char *executor, size_t len, const char *name,
			     char *const *more)
{
	u32 nr = 0;

	snprintf(executor, len, "dispatch.executor=%s", name);
	words[nr++] = executor;
	words[nr++] = "hot.load=0";
	words[nr++] = "workload.keys=100";
	for (u32 i = 0; more[i]; i++)
		words[nr++] = more[i];
	words[nr] = NULL;
	return words;
}

/* A run of the words, NULL at their end, by that executor. */
static void run_cell(struct cell_run *c, const char *name, char *const *more)
{
	char *words[24], executor[48];
	int nr = 0;

	words_of(words, executor, sizeof(executor), name, more);
	while (words[nr])
		nr++;
	cell_load(c, words, nr);
	cell_run(c, false);
}

static void give(struct service *s, u64 time_ns)
{
	if (s->holds)
		s->give_ns = time_ns;
	s->holds = false;
}

static struct service *services_of(const struct cell_run *c)
{
	struct service *all = calloc(cell_count(c, EVENT_SUBMIT) + 1, sizeof(*all));

	if (!all)
		abort();
	for (u32 i = 0; i < c->nr; i++) {
		const struct event *ev = &c->events[i];
		struct service *s = ev->item == NONE32 ? NULL : &all[ev->item];

		if (ev->kind == EVENT_SUBMIT) {
			s->key = ev->submit.key;
		} else if (ev->kind == EVENT_START) {
			s->start_ns = ev->time_ns;
		} else if (ev->kind == EVENT_STEP) {
			give(s, ev->time_ns);
		} else if (ev->kind == EVENT_TAKE) {
			s->take_ns = ev->time_ns;
			s->holds = true;
		} else if (ev->kind == EVENT_DONE) {
			give(s, ev->time_ns);
			s->done_ns = ev->time_ns;
			s->outcome = ev->done.outcome;
		}
	}
	return all;
}

/* The callers give up after 40 ms. What uses the CPU may be kept from looking at the clock. */
static void check_timeout(const char *executor, const char *step, u32 succeed)
{
	char steps[64];
	char *more[] = {steps,
			"workload.timeout=40ms",
			"workload.rate=20/s",
			"workload.duration=500ms",
			"workers.count=4",
			strstr(step, "db") ? "resource.db.capacity=1" : NULL,
			NULL};
	const u64 timeout_ns = 40 * NSEC_PER_MSEC;
	struct cell_run c;
	struct service *all;
	struct ends ends;
	bool sleeps = !strstr(step, "cpu") && !strstr(step, "lock");
	u32 early = 0, late = 0;

	snprintf(steps, sizeof(steps), "workload.steps=%s", step);
	run_cell(&c, executor, more);
	ends = ends_of(&c);
	all = services_of(&c);
	for (u32 i = 0; i < ends.items; i++) {
		u64 ns = all[i].done_ns - all[i].start_ns;

		early += all[i].outcome == OUTCOME_TIMED_OUT && ns < timeout_ns;
		late += ns > 2 * timeout_ns;
	}
	CHECK(!c.rc && ends.items == 10 &&
		      (ends.of[OUTCOME_TIMED_OUT] == 10 - succeed || (succeed && is_slow())),
	      "%s, %s: %u of %u items time out", executor, step, ends.of[OUTCOME_TIMED_OUT],
	      ends.items);
	CHECK(!early && (late <= 1 || is_slow() || !sleeps),
	      "%s, %s: at their time (%u early, %u late)", executor, step, early, late);
	free(all);
	cell_free(&c);
}

static void check_timeouts(const char *executor)
{
	check_timeout(executor, "cpu 120ms", 0);
	check_timeout(executor, "wait 120ms", 0);
	check_timeout(executor, "call db 120ms", 0);
	check_timeout(executor, "lock table 120ms", 0);
	check_timeout(executor, "cpu 1ms + wait 5ms + cpu 120ms", 0);
	check_timeout(executor, "cpu 1ms + wait 2ms", 10);
}

static int by_take(const void *a, const void *b)
{
	const struct service *x = a, *y = b;

	return x->take_ns < y->take_ns ? -1 : x->take_ns > y->take_ns;
}

/* All at once: whoever waits longer by more than it may take to get to the lock has it first. */
static void check_lock(const char *executor)
{
	char *more[] = {"workload.steps=lock table 500us",
			"workload.arrivals=burst",
			"burst.every=100ms",
			"workload.rate=400/s",
			"workload.duration=500ms",
			"workers.count=8",
			NULL};
	const u64 slack_ns = (is_slow() ? 500 : 10) * NSEC_PER_MSEC;
	u32 overlaps = 0, overtakes = 0;
	struct cell_run c;
	struct service *all;
	struct ends ends;

	run_cell(&c, executor, more);
	ends = ends_of(&c);
	all = services_of(&c);
	qsort(all, ends.items, sizeof(*all), by_take);
	for (u32 i = 1; i < ends.items; i++) {
		overlaps += all[i].take_ns < all[i - 1].give_ns;
		overtakes += all[i].start_ns + slack_ns < all[i - 1].start_ns;
	}
	CHECK(!c.rc && ends.items == 200 && cell_count(&c, EVENT_TAKE) == 200 &&
		      ends.of[OUTCOME_SUCCEEDED] == 200,
	      "%s: each of %u items had the lock", executor, ends.items);
	CHECK(!overlaps, "%s: one at a time", executor);
	CHECK(!overtakes, "%s: first come, first served", executor);
	free(all);
	cell_free(&c);
}

static void check_refused(const char *executor)
{
	char *more[] = {
		"workload.steps=call db 20ms", "resource.db.capacity=2", "resource.db.queue=3",
		"workload.arrivals=burst",     "burst.every=100ms",	 "workload.rate=80/s",
		"workload.duration=400ms",     "workers.count=8",	 NULL};
	struct cell_run c;
	struct ends live, sim;

	run_cell(&c, executor, more);
	live = ends_of(&c);
	sim = ends_simulated(&c.scaled);
	CHECK(!c.rc && live.items == 32 && live.of[OUTCOME_REFUSED] == 12 &&
		      sim.of[OUTCOME_REFUSED] == 12,
	      "%s: of %u calls %u are refused, %u in virtual time", executor, live.items,
	      live.of[OUTCOME_REFUSED], sim.of[OUTCOME_REFUSED]);
	cell_free(&c);
}

/* Is the time within a stretch that comes every 50 ms, from 50 ms on? */
static bool in_pause(u64 time_ns, u64 base_ns, u64 for_ns)
{
	const u64 every_ns = 50 * NSEC_PER_MSEC;
	u64 at = time_ns - base_ns;

	return time_ns >= base_ns + every_ns && at % every_ns < for_ns;
}

static void check_pauses(const char *executor)
{
	char *more[] = {"workload.steps=cpu 200us + wait 3ms + cpu 200us",
			"workload.rate=500/s",
			"workload.duration=500ms",
			"workers.count=4",
			"pause.every=50ms",
			"pause.for=20ms",
			NULL};
	const u64 for_ns = 20 * NSEC_PER_MSEC;
	u32 within = 0, of_workers = 0, of_items = 0;
	struct cell_run c;
	struct ends ends;

	run_cell(&c, executor, more);
	ends = ends_of(&c);
	for (u32 i = 0; i < c.nr; i++) {
		const struct event *ev = &c.events[i];

		if (ev->kind == EVENT_START || ev->kind == EVENT_STEP)
			within += in_pause(ev->time_ns, ends.first_ns, for_ns);
		else if (ev->kind == EVENT_PAUSE && ev->item == NONE32)
			of_workers++;
		else if (ev->kind == EVENT_PAUSE)
			of_items++;
	}
	CHECK(!c.rc && ends.of[OUTCOME_SUCCEEDED] == 250, "%s, with pauses: %u items end", executor,
	      ends.of[OUTCOME_SUCCEEDED]);
	CHECK(!within, "%s: no service and no step begins within a pause", executor);
	CHECK(of_workers && of_items, "%s: %u workers and %u items were held up", executor,
	      of_workers, of_items);
	cell_free(&c);
}

/* The items of key 0, in turn with 9 others, hang for 200 ms; the second step of all for 20. */
static void check_stall(const char *executor)
{
	char *more[] = {"workload.steps=wait 1ms + wait 1ms",
			"workload.rate=100/s",
			"workload.duration=600ms",
			"workers.count=8",
			"workload.keys=10",
			"stall.at=100ms",
			"stall.for=200ms",
			"stall.key=0",
			"jitter.every=450ms",
			"jitter.for=40ms",
			"jitter.step=1",
			NULL};
	u32 stalled = 0, jittered = 0, wrong = 0;
	struct cell_run c;
	struct service *all;
	struct ends ends;

	run_cell(&c, executor, more);
	ends = ends_of(&c);
	all = services_of(&c);
	for (u32 i = 0; i < ends.items; i++) {
		u64 from = all[i].start_ns - ends.first_ns, to = all[i].done_ns - ends.first_ns;
		u64 ms = NSEC_PER_MSEC;

		if (from >= 100 * ms && from < 300 * ms && !all[i].key) {
			stalled++;
			wrong += to < 300 * ms;
		} else if (from >= 450 * ms && from < 489 * ms) {
			jittered++;
			wrong += to < 490 * ms;
		}
	}
	CHECK(!c.rc && stalled && jittered && !wrong,
	      "%s: %u items of a key hang, a step of %u others", executor, stalled, jittered);
	free(all);
	cell_free(&c);
}

/* In a child, whose address space has room for few stacks. */
static void check_no_thread(void)
{
	char *more[] = {"workload.steps=wait 30s", "workload.rate=8000/s",
			"workload.duration=500ms", NULL};
	struct rlimit small = {300ull << 20, 300ull << 20};
	struct cell_run c;
	char *words[24], executor[48];
	int nr = 0, status;
	pid_t pid;

	words_of(words, executor, sizeof(executor), "spawn", more);
	while (words[nr])
		nr++;
	cell_load(&c, words, nr);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct live_config cfg = {.spec = c.spec, .path = c.path};
		int rc;

		if (setrlimit(RLIMIT_AS, &small))
			_exit(1);
		rc = live_run(&cfg, c.err, sizeof(c.err));
		printf("# %d: %s\n", rc, c.err);
		fflush(stdout);
		_exit(rc == -EAGAIN && strstr(c.err, "thread for an item") && !strchr(c.err, '\n')
			      ? 0
			      : 2);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status),
	      "a thread that cannot be made ends the run with one line");
	cell_free(&c);
}

int main(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(executors); i++) {
		check_timeouts(executors[i]);
		check_lock(executors[i]);
		check_refused(executors[i]);
		check_pauses(executors[i]);
		check_stall(executors[i]);
	}
	if (!SANITIZED) /* their memory is most of the address space */
		check_no_thread();
	return tap_done();
}
