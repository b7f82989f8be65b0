/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every design by real threads under the locks that dispatch.h asks for, as short as an engine can
 * be: what may race, the thread sanitizer finds here. Idle workers spin; nobody is woken. With a
 * limit and without.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "core/dispatch/dispatch.h"
#include "core/rng.h"
#include "tap.h"

enum { WORKERS = 3, KEYS = 7, ITEMS = 20000, THRESHOLD = 3 };

struct engine {
	struct dispatch d;
	pthread_mutex_t locks[WORKERS];
	struct item items[ITEMS];
	u32 home[KEYS], key_seq[KEYS];
	u32 next_of[KEYS];	   /* atomic: items of the key that have started */
	u64 clock;		   /* atomic: items submitted */
	u32 done, moves, disorder; /* atomic */
	u32 in_service, over;	   /* atomic; over: times that the limit was passed */
};

struct worker {
	struct engine *e;
	u32 index;
	pthread_t thread;
};

/* The lock that covers a queue. */
static pthread_mutex_t *lock_of(struct engine *e, u32 queue)
{
	bool one = e->d.cfg.limit || e->d.cfg.ops->traits & DISPATCH_ONE_LOCK;

	return &e->locks[one ? 0 : queue];
}

static void lock_all(struct engine *e)
{
	for (u32 i = 0; i < dispatch_queues(&e->d); i++)
		pthread_mutex_lock(&e->locks[i]);
}

static void unlock_all(struct engine *e)
{
	for (u32 i = dispatch_queues(&e->d); i--;)
		pthread_mutex_unlock(&e->locks[i]);
}

static void submit(struct engine *e, struct item *it)
{
	u32 queue;

	it->arrival_ns = it->id;
	for (;;) {
		queue = dispatch_place(&e->d, it);
		pthread_mutex_lock(lock_of(e, queue));
		if (dispatch_place(&e->d, it) == queue)
			break;
		pthread_mutex_unlock(lock_of(e, queue));
	}
	dispatch_submit(&e->d, queue, it);
	pthread_mutex_unlock(lock_of(e, queue));
	dispatch_thief(&e->d, queue, it->id);
	__atomic_store_n(&e->clock, it->id + 1, __ATOMIC_RELAXED);
}

static void serve(struct engine *e, struct worker *w, struct item *it)
{
	pthread_mutex_t *lock = lock_of(e, dispatch_queue_of(&e->d, w->index));
	u32 rank = __atomic_fetch_add(&e->next_of[it->key], 1, __ATOMIC_RELAXED);

	if (__atomic_fetch_add(&e->in_service, 1, __ATOMIC_RELAXED) >= e->d.cfg.limit)
		__atomic_fetch_add(&e->over, 1, __ATOMIC_RELAXED);
	if (rank != it->seq)
		__atomic_fetch_add(&e->disorder, 1, __ATOMIC_RELAXED);
	if (it->id % 4 == 0)
		sched_yield();
	__atomic_fetch_sub(&e->in_service, 1, __ATOMIC_RELAXED);
	if (e->d.cfg.limit || e->d.cfg.ops->traits & DISPATCH_WANTS_DONE) {
		pthread_mutex_lock(lock);
		dispatch_done(&e->d, w->index, it);
		pthread_mutex_unlock(lock);
	} else {
		dispatch_done(&e->d, w->index, it);
	}
	__atomic_fetch_add(&e->done, 1, __ATOMIC_RELAXED);
}

static void look_around(struct engine *e, struct worker *w)
{
	u64 now = __atomic_load_n(&e->clock, __ATOMIC_RELAXED);
	struct steal st;

	if (dispatch_ask_again(&e->d, w->index, now) > now) {
		sched_yield();
		return;
	}
	lock_all(e);
	dispatch_steal(&e->d, w->index, now, &st);
	unlock_all(e);
	__atomic_fetch_add(&e->moves, st.count, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct engine *e = w->e;
	pthread_mutex_t *lock = lock_of(e, dispatch_queue_of(&e->d, w->index));

	while (__atomic_load_n(&e->done, __ATOMIC_RELAXED) < ITEMS) {
		struct item *it;

		pthread_mutex_lock(lock);
		it = dispatch_next(&e->d, w->index);
		dispatch_permit(&e->d, 0);
		pthread_mutex_unlock(lock);
		if (it)
			serve(e, w, it);
		else
			look_around(e, w);
	}
	return NULL;
}

static void begin(struct engine *e, const struct dispatch_ops *ops, u32 limit)
{
	struct dispatch_config cfg = {.ops = ops,
				      .workers = WORKERS,
				      .keys = KEYS,
				      .threshold_ns = THRESHOLD,
				      .home = e->home,
				      .limit = limit,
				      .null_key = NONE32};
	struct rng rng;

	memset(e, 0, sizeof(*e));
	rng_init(&rng, 1, 0);
	for (u32 i = 0; i < KEYS; i++)
		e->home[i] = i % 2; /* the last worker has nothing but what it steals */
	for (u32 i = 0; i < WORKERS; i++)
		pthread_mutex_init(&e->locks[i], NULL);
	for (u32 i = 0; i < ITEMS; i++) {
		u32 key = rng_below(&rng, KEYS);

		e->items[i] = (struct item){.id = i, .key = key, .seq = e->key_seq[key]++};
	}
	if (dispatch_init(&e->d, &cfg))
		exit(EXIT_FAILURE);
}

static void check_design(struct engine *e, const struct dispatch_ops *ops, u32 limit)
{
	struct worker workers[WORKERS];

	begin(e, ops, limit);
	for (u32 i = 0; i < WORKERS; i++) {
		workers[i] = (struct worker){.e = e, .index = i};
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			exit(EXIT_FAILURE);
	}
	for (u32 i = 0; i < ITEMS; i++)
		submit(e, &e->items[i]);
	for (u32 i = 0; i < WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	CHECK(e->done == ITEMS, "%s, limit %u: every item ends, %u moves", ops->name, limit,
	      e->moves);
	CHECK(!limit || !e->over, "%s, limit %u: no more in service", ops->name, limit);
	if (ops->traits & DISPATCH_KEEPS_ORDER)
		CHECK(e->disorder == 0, "%s: a key's items start in order", ops->name);
	if (ops->traits & DISPATCH_STEALS)
		CHECK(e->moves > 0, "%s: items are stolen", ops->name);
	dispatch_fini(&e->d);
}

int main(void)
{
	struct engine *e = malloc(sizeof(*e));

	if (!e)
		return EXIT_FAILURE;
	for (u32 i = 0; dispatch_nth(i); i++)
		for (u32 limit = 0; limit <= 2; limit += 2)
			check_design(e, dispatch_nth(i), limit);
	free(e);
	return tap_done();
}
