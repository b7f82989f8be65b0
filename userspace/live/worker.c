/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A worker: asks the policy for an item, serves it, asks again; parks when there is none. No
 * allocation, no system call and no lock but the queue's, beyond the wake-up and the work itself.
 */
#include "live/account.h"
#include "live/setup.h"
#include "live/work.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* An item whose service has ended but that the policy and the log do not know of yet. */
struct served {
	struct item *item; /* NULL: none */
	u64 done_ns;
};

static void log_event(struct worker *w, u32 kind, u64 time_ns, u64 seq, u32 item)
{
	thread_log_push(
		&w->log,
		&(struct record){.kind = kind, .time_ns = time_ns, .seq = seq, .item = item});
}

/* START or IDLE, as the policy decided at now_ns. */
static void log_decision(struct worker *w, const struct item *it, u64 now_ns, u64 seq)
{
	log_event(w, it ? EVENT_START : EVENT_IDLE, now_ns, seq, it ? it->id : NONE32);
}

static u32 lock_of(const struct worker *w)
{
	const struct balancer *policy = &w->engine->policy;

	return balancer_lock_of(policy, balancer_queue_of(policy, w->index));
}

/* An item that waited outside a full buffer has come in. Its lock is held. */
static void log_admitted(struct worker *w, const struct item *it, u64 now_ns)
{
	if (it)
		thread_log_push(&w->log, &(struct record){.kind = EVENT_ADMIT,
							  .time_ns = now_ns,
							  .seq = locks_seq(&w->engine->locks, 1),
							  .item = it->id,
							  .a = balancer_queue_of(&w->engine->policy,
										 w->index)});
}

/* What ended may let another idle worker go on: see dispatch_permit(). Its lock is held. */
static u32 permit(struct worker *w, u64 now_ns)
{
	return balancer_permit(&w->engine->policy, w->index, now_ns);
}

static void wake(struct engine *e, u32 worker)
{
	if (worker != NONE32)
		unpark(&e->workers[worker].parker);
}

/* A design that is not told of ends under its lock gets them outside, with no place in the order.
 */
static void finish(struct worker *w, struct served *s)
{
	struct engine *e = w->engine;
	const struct item *admitted;
	u64 seq = 0;

	if (!s->item)
		return;
	if (balancer_wants_done(&e->policy)) {
		locks_lock(&e->locks, lock_of(w));
		admitted = balancer_done(&e->policy, w->index, s->item);
		seq = locks_seq(&e->locks, 1);
		log_admitted(w, admitted, s->done_ns);
		locks_unlock(&e->locks, lock_of(w));
	} else {
		balancer_done(&e->policy, w->index, s->item);
	}
	log_event(w, EVENT_DONE, s->done_ns, seq, s->item->id);
	s->item = NULL;
}

/* Ask for an item; *start_ns is read inside the lock, and service begins there. */
static struct item *ask(struct worker *w, u64 *start_ns)
{
	struct engine *e = w->engine;
	struct item *it;
	u32 other;
	u64 seq;

	locks_lock(&e->locks, lock_of(w));
	it = balancer_next(&e->policy, w->index);
	*start_ns = clock_mono_ns();
	seq = locks_seq(&e->locks, 1);
	other = permit(w, *start_ns);
	locks_unlock(&e->locks, lock_of(w));
	wake(e, other);
	log_decision(w, it, *start_ns, seq);
	return it;
}

/* The moved items are the whole of the thief's queue; all locks are held. */
static void log_moves(struct worker *w, const struct steal *st, u64 now_ns)
{
	struct engine *e = w->engine;
	const struct item *it = balancer_head(&e->policy, w->index);
	u64 seq = locks_seq(&e->locks, st->count);

	for (u32 i = 0; i < st->count; i++, it = it->next)
		thread_log_push(&w->log, &(struct record){.kind = EVENT_MOVE,
							  .time_ns = now_ns,
							  .seq = seq + i,
							  .since_ns = st->since_ns,
							  .item = it->id,
							  .a = st->from,
							  .b = st->count - 1 - i});
}

/*
 * Steal, and take what was stolen, in one critical section; an item that was submitted to the own
 * queue in between comes first. Nothing is logged when there is nothing to take: the worker was
 * idle before and is idle after, or has been chosen for a wake-up that is on its way.
 */
static struct item *steal(struct worker *w, u64 *start_ns)
{
	struct engine *e = w->engine;
	struct item *it = NULL;
	struct steal st;
	u64 now;

	locks_lock_all(&e->locks);
	now = clock_mono_ns();
	balancer_steal(&e->policy, w->index, now, &st);
	if (st.count)
		log_moves(w, &st, now);
	if (balancer_head(&e->policy, w->index)) {
		it = balancer_next(&e->policy, w->index);
		log_decision(w, it, now, locks_seq(&e->locks, 1));
	}
	locks_unlock_all(&e->locks);
	if (st.count)
		engine_tell_thief(e, st.from, now);
	*start_ns = now;
	return it;
}

/* The next item, or NULL when the run ends. Told to steal or woken for an item: it asks. */
static struct item *next_item(struct worker *w, u64 *start_ns)
{
	struct engine *e = w->engine;
	struct item *it = ask(w, start_ns);

	while (!it && !engine_stopped(e)) {
		u64 now = clock_mono_ns();
		u64 again = balancer_ask_again(&e->policy, w->index, now);

		if (again <= now)
			it = steal(w, start_ns);
		else if (park(&w->parker, again) && !engine_stopped(e))
			it = ask(w, start_ns);
	}
	return it;
}

/* Returns when the last step ended. */
static u64 serve(struct worker *w, const struct item *it, u64 start_ns)
{
	u64 at = start_ns;

	for (u32 i = 0; i < it->nr_steps; i++) {
		if (i)
			thread_log_push(&w->log, &(struct record){.kind = EVENT_STEP,
								  .time_ns = at,
								  .item = it->id,
								  .a = i});
		at = work_step(&it->steps[i], at);
	}
	return at;
}

static void work(struct worker *w)
{
	struct served served = {0};
	struct item *it;
	u64 start_ns;

	while ((it = next_item(w, &start_ns))) {
		served.done_ns = serve(w, it, start_ns);
		served.item = it;
		finish(w, &served);
		__atomic_store_n(&w->finished, w->finished + 1, __ATOMIC_RELEASE);
		if (engine_stopped(w->engine))
			break;
	}
}

static struct failure set_up(struct worker *w)
{
	struct engine *e = w->engine;
	char name[16];
	int rc;

	snprintf(name, sizeof(name), "hb-worker-%u", w->index);
	pthread_setname_np(pthread_self(), name);
	w->tid = (u32)gettid();
	rc = placement_join(e->place);
	if (rc)
		return (struct failure){"join its cgroup", rc};
	rc = cpu_pin_self(w->cpu);
	if (rc)
		return (struct failure){"pin to its CPU", rc};
	/* The default slack of 50 us would be added to every wait that an item asks for. */
	if (prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0))
		return (struct failure){"set its timer slack", -errno};
	if (setpriority(PRIO_PROCESS, w->tid, e->spec.workers.nice))
		return (struct failure){"set workers.nice", -errno};
	rc = set_worker_policy(&e->spec.workers);
	if (rc)
		return (struct failure){"set workers.policy", rc};
	rc = e->probe ? probe_mark_self(e->probe) : 0;
	if (rc)
		return (struct failure){"be marked for the probe", rc};
	return (struct failure){0};
}

void *worker_main(void *arg)
{
	struct worker *w = arg;

	stack_prefault();
	w->failure = set_up(w);
	if (!w->failure.error)
		account_read(&w->accounts[ACCOUNT_BEGIN]);
	__atomic_fetch_add(&w->engine->ready, 1, __ATOMIC_RELEASE);
	if (w->failure.error)
		return NULL;
	work(w);
	account_read(&w->accounts[ACCOUNT_END]);
	return NULL;
}
