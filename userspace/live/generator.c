/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generator: submits each item when it is due, whatever becomes of the earlier ones. One that
 * falls behind submits what is late at once and in order; it neither skips nor slows the schedule.
 */
#include "live/asking.h"
#include "live/setup.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>

/* Until the time, or the end of the run. */
static void nap(struct engine *e, u64 now_ns, u64 until_ns)
{
	struct generator *g = &e->generator;
	u64 rested;

	futex_wait_until(&e->stop, 0, until_ns);
	g->busy_ns += now_ns - g->awake_ns;
	g->awake_ns = clock_mono_ns();
	rested = GENERATOR_REST_SHARE * (g->awake_ns - now_ns);
	g->busy_ns -= rested < g->busy_ns ? rested : g->busy_ns;
}

/* True if it was time to rest. */
static bool rest(struct engine *e, u64 now_ns, u64 limit_ns)
{
	struct generator *g = &e->generator;

	if (!g->fifo || g->busy_ns + (now_ns - g->awake_ns) < limit_ns)
		return false;
	nap(e, now_ns, now_ns + limit_ns / GENERATOR_REST_SHARE);
	return true;
}

/* The time at or after due_ns at which to submit, or 0 when the run ends. */
static u64 wait_until(struct engine *e, u64 due_ns)
{
	for (;;) {
		u64 now = clock_mono_ns();

		if (engine_stopped(e))
			return 0;
		if (now >= due_ns) {
			if (rest(e, now, GENERATOR_BUSY_LATE_NS))
				continue;
			return now;
		}
		if (due_ns - now > GENERATOR_LEAD_NS)
			nap(e, now, due_ns - GENERATOR_LEAD_NS);
		else
			rest(e, now, GENERATOR_BUSY_WATCHING_NS);
	}
}

/* Lock the item's queue: asked without the lock, and again under it, until both agree. */
static u32 lock_place(struct engine *e, const struct item *it)
{
	const struct balancer *policy = &e->policy;
	u32 queue = balancer_place(policy, it), again;

	for (;;) {
		locks_lock(&e->locks, balancer_lock_of(policy, queue));
		again = balancer_place(policy, it);
		if (balancer_lock_of(policy, again) == balancer_lock_of(policy, queue))
			return again;
		locks_unlock(&e->locks, balancer_lock_of(policy, queue));
		queue = again;
	}
}

static void submit(struct engine *e, struct item *it, u64 now_ns)
{
	struct record rec = {.kind = EVENT_SUBMIT, .time_ns = now_ns, .item = it->id};
	u32 queue;

	it->arrival_ns = now_ns;
	queue = lock_place(e, it);
	rec.b = balancer_submit(&e->policy, queue, it);
	rec.a = it->outside ? NONE32 : queue;
	rec.seq = locks_seq(&e->locks, 1);
	locks_unlock(&e->locks, balancer_lock_of(&e->policy, queue));
	wake_worker(e, rec.b);
	engine_tell_thief(e, queue, now_ns);
	thread_log_push(&e->generator.log, &rec);
	if (rec.b != NONE32)
		log_spawn(e, &e->generator.log, rec.b, e->generator.cpu, now_ns);
}

static void generate(struct engine *e)
{
	struct generator *g = &e->generator;

	g->awake_ns = clock_mono_ns();
	for (u32 i = 0; i < e->nr_items; i++) {
		u64 due = e->base_ns + e->items[i].due_ns;
		u64 now = wait_until(e, due);

		if (!now)
			return;
		if (now - due > g->peak_late_ns)
			g->peak_late_ns = now - due;
		submit(e, &e->items[i], now);
	}
}

/* The stream's start is known when every thread is ready. */
static void wait_for_go(struct engine *e)
{
	while (!__atomic_load_n(&e->go, __ATOMIC_ACQUIRE))
		futex_wait_until(&e->go, 0, NEVER_NS);
}

static void ask_for_fifo(struct engine *e)
{
	struct generator *g = &e->generator;
	struct sched_param param = {.sched_priority = GENERATOR_PRIORITY};

	g->fifo = !sched_setscheduler(0, SCHED_FIFO | generator_flags(e), &param);
	g->fifo_error = g->fifo ? 0 : -errno;
}

static struct failure set_up(struct engine *e)
{
	struct generator *g = &e->generator;
	int rc;

	pthread_setname_np(pthread_self(), "hb-generator");
	rc = cpu_pin_self(g->cpu);
	if (rc)
		return (struct failure){"pin to its CPU", rc};
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	if (g->want_fifo)
		ask_for_fifo(e);
	rc = engine_drop_rights(e);
	return (struct failure){"drop its capabilities", rc};
}

void *generator_main(void *arg)
{
	struct engine *e = arg;

	stack_prefault();
	e->generator.failure = set_up(e);
	__atomic_fetch_add(&e->ready, 1, __ATOMIC_RELEASE);
	wait_for_go(e);
	generate(e);
	return NULL;
}
