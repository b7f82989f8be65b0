/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/asking.h"

void log_event(struct worker *w, u32 kind, u64 time_ns, u64 seq, u32 item)
{
	thread_log_push(
		&w->log,
		&(struct record){.kind = kind, .time_ns = time_ns, .seq = seq, .item = item});
}

void log_step(struct worker *w, u64 time_ns, u64 seq, u32 item, u32 index)
{
	thread_log_push(&w->log, &(struct record){.kind = EVENT_STEP,
						  .time_ns = time_ns,
						  .seq = seq,
						  .item = item,
						  .a = index});
}

void log_pause(struct worker *w, u64 time_ns, u32 item, u64 until_ns)
{
	thread_log_push(&w->log, &(struct record){.kind = EVENT_PAUSE,
						  .time_ns = time_ns,
						  .until_ns = until_ns,
						  .item = item});
}

void log_take(struct worker *w, u64 time_ns, u32 item, u32 resource, const struct grant *g)
{
	thread_log_push(&w->log, &(struct record){.kind = EVENT_TAKE,
						  .time_ns = time_ns,
						  .until_ns = g->until_ns,
						  .from_ns = g->from_ns,
						  .item = item,
						  .a = resource,
						  .b = g->slot});
}

void log_decision(struct worker *w, const struct item *it, u64 now_ns, u64 seq)
{
	log_event(w, it ? EVENT_START : EVENT_IDLE, now_ns, seq, it ? it->id : NONE32);
}

void log_spawn(const struct engine *e, struct thread_log *log, u32 slot, u32 cpu, u64 now_ns)
{
	if (engine_spawns(e) && e->probe)
		thread_log_push(log, &(struct record){.kind = EVENT_WAKING,
						      .time_ns = now_ns,
						      .item = NONE32,
						      .a = slot,
						      .b = cpu});
}

u32 worker_lock(const struct worker *w)
{
	const struct balancer *policy = &w->engine->policy;

	return balancer_lock_of(policy, balancer_queue_of(policy, w->index));
}

void wake_worker(struct engine *e, u32 worker)
{
	if (worker == NONE32)
		return;
	if (engine_spawns(e))
		spawn_thread(e, worker);
	else
		unpark(&e->workers[worker].parker);
}

static void log_done(struct worker *w, const struct item *it, u64 now_ns, u64 seq, u32 outcome)
{
	thread_log_push(&w->log, &(struct record){.kind = EVENT_DONE,
						  .time_ns = now_ns,
						  .seq = seq,
						  .item = it->id,
						  .a = outcome});
}

/* It waited outside a full buffer and has come in. */
static void log_admitted(struct worker *w, const struct item *it, u64 now_ns)
{
	struct engine *e = w->engine;

	thread_log_push(&w->log, &(struct record){.kind = EVENT_ADMIT,
						  .time_ns = now_ns,
						  .seq = locks_seq(&e->locks, 1),
						  .item = it->id,
						  .a = balancer_queue_of(&e->policy, w->index)});
}

void end_item_locked(struct worker *w, struct item *it, u64 now_ns, u32 outcome)
{
	struct engine *e = w->engine;
	const struct item *admitted = balancer_done(&e->policy, w->index, it);

	log_done(w, it, now_ns, locks_seq(&e->locks, 1), outcome);
	if (admitted)
		log_admitted(w, admitted, now_ns);
}

void end_item(struct worker *w, struct item *it, u64 now_ns, u32 outcome)
{
	struct engine *e = w->engine;

	if (balancer_wants_done(&e->policy)) {
		locks_lock(&e->locks, worker_lock(w));
		end_item_locked(w, it, now_ns, outcome);
		locks_unlock(&e->locks, worker_lock(w));
	} else {
		balancer_done(&e->policy, w->index, it);
		log_done(w, it, now_ns, 0, outcome);
	}
}

/* base_ns is known once `go` is seen. */
u64 worker_held_until(const struct engine *e, u64 now_ns)
{
	const struct pauses *p = &e->spec.workload.pauses;

	if (!p->every_ns || !__atomic_load_n(&e->go, __ATOMIC_ACQUIRE) || now_ns < e->base_ns)
		return now_ns;
	return e->base_ns + pause_workers(p, now_ns - e->base_ns);
}

void pause_worker(struct worker *w)
{
	struct engine *e = w->engine;
	u64 now = clock_mono_ns(), until;

	while (!engine_stopped(e) && (until = worker_held_until(e, now)) > now) {
		log_pause(w, now, NONE32, until);
		now = engine_sleep(e, until);
	}
}

/* The worker's lock, outside of a pause: the time. */
static u64 lock_to_ask(struct worker *w)
{
	struct engine *e = w->engine;
	u64 now;

	for (;;) {
		locks_lock(&e->locks, worker_lock(w));
		now = clock_mono_ns();
		if (worker_held_until(e, now) <= now || engine_stopped(e))
			return now;
		locks_unlock(&e->locks, worker_lock(w));
		pause_worker(w);
	}
}

/*
 * What ended before may let another idle worker go on: see dispatch_permit(). When there is no item
 * the worker is somebody else's from here on, with EXECUTOR_SPAWN, so the log has it by then.
 */
struct item *ask_item(struct worker *w, u64 *now_ns)
{
	struct engine *e = w->engine;
	u32 lock = worker_lock(w), other;
	struct item *it;
	u64 seq;

	*now_ns = lock_to_ask(w);
	it = balancer_next(&e->policy, w->index);
	seq = locks_seq(&e->locks, 1);
	other = balancer_permit(&e->policy, w->index, *now_ns);
	if (other != NONE32)
		log_spawn(e, &w->log, other, w->cpu, *now_ns);
	if (!it)
		log_decision(w, NULL, *now_ns, seq);
	locks_unlock(&e->locks, lock);
	if (it)
		log_decision(w, it, *now_ns, seq);
	wake_worker(e, other);
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

struct item *steal_item(struct worker *w, u64 *now_ns)
{
	struct engine *e = w->engine;
	struct item *it = NULL;
	struct steal st;
	u64 now;

	locks_lock_all(&e->locks);
	now = clock_mono_ns();
	st.count = 0;
	if (worker_held_until(e, now) > now)
		goto out;
	balancer_steal(&e->policy, w->index, now, &st);
	if (st.count)
		log_moves(w, &st, now);
	if (balancer_head(&e->policy, w->index)) {
		it = balancer_next(&e->policy, w->index);
		log_decision(w, it, now, locks_seq(&e->locks, 1));
	}
out:
	locks_unlock_all(&e->locks);
	if (st.count)
		engine_tell_thief(e, st.from, now);
	*now_ns = now;
	return it;
}

u64 step_held_until(const struct engine *e, const struct item *it, u32 step, u64 now_ns)
{
	return e->base_ns +
	       pause_step(&e->spec.workload.pauses, it->key, step, now_ns - e->base_ns);
}
