/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/threads.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>

void stack_prefault(void)
{
	volatile char touched[THREAD_STACK_TOUCHED];

	for (size_t i = 0; i < sizeof(touched); i += 1024)
		touched[i] = 0;
	/* Read back, or the stores would be dead. */
	(void)touched[0];
}

static int start_one(pthread_t *thread, bool *started, void *(*body)(void *), void *arg)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	rc = pthread_create(thread, &attr, body, arg);
	pthread_attr_destroy(&attr);
	*started = !rc;
	return -rc;
}

static int start_all(struct engine *e)
{
	int rc = start_one(&e->generator.thread, &e->generator.started, generator_main, e);

	if (engine_spawns(e))
		return rc ? rc : spawner_init(e);
	for (u32 i = 0; i < e->nr_workers && !rc; i++) {
		struct worker *w = &e->workers[i];

		rc = start_one(&w->thread, &w->started, worker_main, w);
	}
	return rc;
}

/* How long a thread may take to get its CPU for the first time, before somebody is to blame. */
#define READY_NS (30 * NSEC_PER_SEC)

static int wait_ready(struct engine *e, const struct message *msg)
{
	struct timespec ms = clock_timespec(NSEC_PER_MSEC);
	u64 deadline_ns = clock_mono_ns() + READY_NS;
	u32 threads = 1 + (engine_spawns(e) ? 0 : e->nr_workers);

	while (__atomic_load_n(&e->ready, __ATOMIC_ACQUIRE) < threads) {
		if (clock_mono_ns() > deadline_ns)
			return message_fail(msg, -ETIMEDOUT,
					    "the run's threads got no CPU time for 30 s: end other "
					    "real-time tasks");
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL);
	}
	return 0;
}

static int check_ready(const struct engine *e, const struct message *msg)
{
	const struct failure *f = &e->generator.failure;

	if (f->error)
		return message_fail(msg, f->error, "the generator cannot %s: %s", f->what,
				    strerror(-f->error));
	for (u32 i = 0; i < e->nr_workers; i++) {
		f = &e->workers[i].failure;
		if (f->error)
			return message_fail(msg, f->error, "worker %u cannot %s: %s", i, f->what,
					    strerror(-f->error));
	}
	return 0;
}

int threads_start(struct engine *e, const struct message *msg)
{
	int rc = start_all(e);

	if (rc)
		return message_fail(msg, rc,
				    "cannot start %u worker threads: %s; use a lower workers.count "
				    "or raise ulimit -u",
				    e->nr_workers, strerror(-rc));
	rc = wait_ready(e, msg);
	return rc ? rc : check_ready(e, msg);
}

static void raise_flag(u32 *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
	futex_wake(flag, INT_MAX);
}

void threads_go(struct engine *e, u64 base_ns)
{
	e->base_ns = base_ns;
	raise_flag(&e->go);
}

static void join(pthread_t thread, bool *started)
{
	if (*started)
		pthread_join(thread, NULL);
	*started = false;
}

/*
 * A real-time thread does not run while RT throttling or another real-time task has its CPU, for
 * however long; an ordinary one gets there.
 */
static void make_ordinary(struct engine *e)
{
	struct generator *g = &e->generator;
	struct sched_param param = {0};

	if (g->started && g->want_fifo && !g->demoted)
		pthread_setschedparam(g->thread, SCHED_OTHER | generator_flags(e), &param);
	g->demoted = true;
}

bool threads_rescue_generator(struct engine *e, u64 now_ns)
{
	struct generator *g = &e->generator;
	u64 submitted = thread_log_pushed(&g->log);

	if (!g->fifo || g->demoted || submitted >= e->nr_items ||
	    now_ns < e->base_ns + e->items[submitted].due_ns + GENERATOR_STARVED_NS)
		return false;
	make_ordinary(e);
	return true;
}

void threads_stop(struct engine *e)
{
	raise_flag(&e->stop);
	make_ordinary(e);
	raise_flag(&e->go);
	for (u32 i = 0; i < e->nr_workers; i++) {
		raise_flag(&e->workers[i].stop);
		unpark(&e->workers[i].parker);
	}
	join(e->generator.thread, &e->generator.started);
	for (u32 i = 0; i < e->nr_workers; i++)
		join(e->workers[i].thread, &e->workers[i].started);
	spawner_wait(&e->spawner);
}
