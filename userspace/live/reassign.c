/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/reassign.h"
#include "live/asking.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

enum item_status { ITEM_NOT_BEGUN, ITEM_BEGUN, ITEM_ENDED, ITEM_LOST, ITEM_ABANDONED };

/* How often a worker that waits for the others looks whether the run must end. */
#define MEET_LOOK_NS (10 * NSEC_PER_MSEC)

int reassign_init(struct engine *e)
{
	struct reassignment *r = &e->reassign;
	const struct workload_config *stream = &e->spec.workload;
	u32 keys = workload_keys(stream);

	if (!e->spec.reassign.at_ns)
		return 0;
	r->start_ns = calloc(e->nr_items + 1, sizeof(*r->start_ns));
	r->status = calloc(e->nr_items + 1, sizeof(*r->status));
	r->moving = calloc(e->nr_items + 1, sizeof(struct item *));
	r->home = calloc(keys, sizeof(*r->home));
	if (!r->start_ns || !r->status || !r->moving || !r->home)
		return -ENOMEM;
	reassign_homes(r->home, keys, stream->partitions, balancer_queues(&e->policy));
	r->cfg = &e->spec.reassign;
	return 0;
}

void reassign_fini(struct engine *e)
{
	free(e->reassign.start_ns);
	free(e->reassign.status);
	free(e->reassign.moving);
	free(e->reassign.home);
	e->reassign = (struct reassignment){0};
}

u64 reassign_at_ns(const struct engine *e)
{
	const struct reassignment *r = &e->reassign;

	if (!r->cfg || __atomic_load_n(&r->moved, __ATOMIC_ACQUIRE) ||
	    !__atomic_load_n(&e->go, __ATOMIC_ACQUIRE))
		return NEVER_NS;
	return e->base_ns + r->cfg->at_ns;
}

void reassign_note_start(struct engine *e, const struct item *it, u64 now_ns)
{
	if (!e->reassign.cfg)
		return;
	e->reassign.start_ns[it->id] = now_ns - e->base_ns;
	e->reassign.status[it->id] = ITEM_BEGUN;
}

enum outcome reassign_outcome(const struct engine *e, const struct item *it)
{
	const struct reassignment *r = &e->reassign;
	enum fate fate = reassign_fate(r->cfg, r->start_ns[it->id], false);

	return fate == FATE_LOST ? OUTCOME_LOST : OUTCOME_ABANDONED;
}

bool reassign_note_end(struct engine *e, const struct item *it, u32 outcome)
{
	if (e->reassign.cfg)
		e->reassign.status[it->id] = outcome == OUTCOME_LOST	    ? ITEM_LOST
					     : outcome == OUTCOME_ABANDONED ? ITEM_ABANDONED
									    : ITEM_ENDED;
	return outcome != OUTCOME_ABANDONED;
}

static bool delivered_again(const struct reassignment *r, u32 id)
{
	if (r->status[id] == ITEM_ENDED)
		return reassign_fate(r->cfg, r->start_ns[id], true) == FATE_AGAIN;
	return r->status[id] == ITEM_ABANDONED;
}

/* The items that wait, and those that are delivered again. */
static u32 collect(struct engine *e)
{
	struct reassignment *r = &e->reassign;
	u32 nr = 0;

	for (u32 q = 0; q < balancer_queues(&e->policy); q++)
		for (struct item *it = balancer_recall(&e->policy, q); it; it = it->next)
			r->moving[nr++] = it;
	for (u32 id = 0; id < e->nr_items; id++)
		if (delivered_again(r, id))
			r->moving[nr++] = &e->items[id];
	return nr;
}

static int by_id(const void *a, const void *b)
{
	u32 x = (*(struct item *const *)a)->id, y = (*(struct item *const *)b)->id;

	return x < y ? -1 : x > y;
}

/* Unlike others this thread has time: it waits for the collector rather than lose a record. */
static void log_patiently(struct worker *w, const struct record *rec)
{
	while (thread_log_full(&w->log) && !engine_stopped(w->engine))
		engine_sleep(w->engine, clock_mono_ns() + NSEC_PER_MSEC);
	thread_log_push(&w->log, rec);
}

static void deliver(struct worker *w, struct item *it, u64 now_ns)
{
	struct engine *e = w->engine;
	struct reassignment *r = &e->reassign;
	struct record rec = {.kind = EVENT_ADMIT, .time_ns = now_ns, .item = it->id};
	u8 *status = &r->status[it->id];

	if (*status != ITEM_NOT_BEGUN) {
		rec.kind = EVENT_SUBMIT;
		rec.delivery = *status == ITEM_ABANDONED ? DELIVERY_ABANDONED : DELIVERY_REPEATED;
		__atomic_store_n(&r->extra, r->extra + (*status == ITEM_ENDED), __ATOMIC_RELAXED);
		*status = ITEM_NOT_BEGUN;
		it->arrival_ns = now_ns;
	}
	rec.a = balancer_place(&e->policy, it);
	rec.b = balancer_submit(&e->policy, rec.a, it);
	rec.seq = locks_seq(&e->locks, 1);
	log_patiently(w, &rec);
}

static void move(struct worker *w)
{
	struct engine *e = w->engine;
	struct reassignment *r = &e->reassign;
	u64 now;
	u32 nr;

	locks_lock_all(&e->locks);
	now = clock_mono_ns();
	nr = collect(e);
	qsort(r->moving, nr, sizeof(struct item *), by_id);
	balancer_set_home(&e->policy, r->home);
	for (u32 i = 0; i < nr; i++)
		deliver(w, r->moving[i], now);
	locks_unlock_all(&e->locks);
	r->resume_ns = now + r->cfg->for_ns;
	__atomic_store_n(&r->moved, 1, __ATOMIC_RELEASE);
	futex_wake(&r->moved, INT_MAX);
}

void reassign_meet(struct worker *w)
{
	struct engine *e = w->engine;
	struct reassignment *r = &e->reassign;
	u64 now;

	if (!r->cfg || clock_mono_ns() < reassign_at_ns(e))
		return;
	if (__atomic_add_fetch(&r->met, 1, __ATOMIC_ACQ_REL) == e->nr_workers)
		move(w);
	while (!__atomic_load_n(&r->moved, __ATOMIC_ACQUIRE) && !engine_stopped(e))
		futex_wait_until(&r->moved, 0, clock_mono_ns() + MEET_LOOK_NS);
	now = clock_mono_ns();
	if (engine_stopped(e) || now >= r->resume_ns)
		return;
	log_pause(w, now, NONE32, r->resume_ns);
	engine_sleep(e, r->resume_ns);
}

void reassign_call(struct engine *e, u64 now_ns)
{
	struct reassignment *r = &e->reassign;

	if (!r->cfg || r->called || now_ns < reassign_at_ns(e))
		return;
	r->called = 1;
	for (u32 i = 0; i < e->nr_workers; i++)
		unpark(&e->workers[i].parker);
}

u64 reassign_total(const struct engine *e)
{
	return e->nr_items + (u64)__atomic_load_n(&e->reassign.extra, __ATOMIC_RELAXED);
}
