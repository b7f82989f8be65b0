/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/resources.h"

#include <string.h>

int resources_init(struct resources *r, const struct workload_config *cfg)
{
	int rc;

	memset(r, 0, sizeof(*r));
	if (!cfg->nr_resources)
		return 0;
	rc = locks_init(&r->mutexes, cfg->nr_resources);
	for (; !rc && r->nr < cfg->nr_resources; r->nr++) {
		const struct resource_config *c = &cfg->resources[r->nr];

		rc = c->lock ? 0 : resource_init(&r->each[r->nr].server, c);
	}
	return rc;
}

/* Also of a half-initialised one. */
void resources_fini(struct resources *r)
{
	for (u32 i = 0; i < RESOURCES_MAX; i++)
		resource_fini(&r->each[i].server);
	if (r->mutexes.queues)
		locks_fini(&r->mutexes);
}

struct grant resources_call(struct resources *r, u32 resource, u64 now_ns, u64 ns)
{
	struct grant g;

	locks_lock(&r->mutexes, resource);
	g = resource_call(&r->each[resource].server, now_ns, ns);
	locks_unlock(&r->mutexes, resource);
	return g;
}

static void enqueue(struct shared_resource *s, struct waiter *me)
{
	me->next = NULL;
	me->prev = s->last;
	if (s->last)
		s->last->next = me;
	else
		s->first = me;
	s->last = me;
}

static void unlink_waiter(struct shared_resource *s, struct waiter *me)
{
	if (me->prev)
		me->prev->next = me->next;
	else
		s->first = me->next;
	if (me->next)
		me->next->prev = me->prev;
	else
		s->last = me->prev;
}

bool resources_lock(struct resources *r, u32 resource, struct waiter *me)
{
	struct shared_resource *s = &r->each[resource];
	bool mine;

	locks_lock(&r->mutexes, resource);
	mine = !s->held;
	s->held = true;
	me->granted_ns = 0;
	if (!mine)
		enqueue(s, me);
	locks_unlock(&r->mutexes, resource);
	return mine;
}

static void post(struct waiter *to)
{
	struct mailbox *m = to->mail;

	to->next = __atomic_load_n(&m->last, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&m->last, &to->next, to, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

/* The letter is posted under the mutex: a waiter that finds itself granted finds it. From then on
 * the waiter's memory is its own again. */
void resources_unlock(struct resources *r, u32 resource, u64 now_ns)
{
	struct shared_resource *s = &r->each[resource];
	struct parker *sleeper = NULL;
	struct waiter *next;

	locks_lock(&r->mutexes, resource);
	next = s->first;
	s->held = next;
	if (next) {
		unlink_waiter(s, next);
		next->granted_ns = now_ns;
		sleeper = next->parker;
		post(next);
	}
	locks_unlock(&r->mutexes, resource);
	if (sleeper)
		unpark(sleeper);
}

bool resources_leave(struct resources *r, u32 resource, struct waiter *me)
{
	bool waits;

	locks_lock(&r->mutexes, resource);
	waits = !me->granted_ns;
	if (waits)
		unlink_waiter(&r->each[resource], me);
	locks_unlock(&r->mutexes, resource);
	return waits;
}
