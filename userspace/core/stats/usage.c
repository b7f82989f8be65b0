/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/stats/usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The steps of an item in flight; found by its id, which only grows. */
struct service {
	u32 item; /* NONE32: empty */
	u32 step; /* the one that has begun */
	u8 kind[ITEM_STEPS_MAX];
};

struct worker_meter {
	u64 since_ns; /* held from then on; NEVER_NS: free */
	u32 item;     /* the last one that held it */
};

struct lock_meter {
	u32 item; /* that has it, or NONE32 */
	u64 since_ns;
};

struct usage_meter {
	struct usage_config cfg;
	u64 held_ns[RESOURCES_MAX];
	struct lock_meter locks[RESOURCES_MAX];
	u64 in_service, service_since_ns, service_ns; /* items from START to DONE */
	/* Of the executor async. */
	struct worker_meter *workers;
	u64 worker_ns;
	struct service *services; /* a power of two */
	u32 nr_services;
	u64 now_ns;
};

int usage_new(struct usage_meter **out, const struct usage_config *cfg)
{
	struct usage_meter *m = calloc(1, sizeof(*m));

	*out = m;
	if (!m)
		return -ENOMEM;
	m->cfg = *cfg;
	for (u32 i = 0; i < RESOURCES_MAX; i++)
		m->locks[i].item = NONE32;
	if (cfg->executor != EXECUTOR_ASYNC)
		return 0;
	m->nr_services = 64;
	m->workers = calloc(cfg->workers, sizeof(*m->workers));
	m->services = calloc(m->nr_services, sizeof(*m->services));
	if (!m->workers || !m->services) {
		usage_free(m);
		*out = NULL;
		return -ENOMEM;
	}
	for (u32 i = 0; i < cfg->workers; i++)
		m->workers[i] = (struct worker_meter){NEVER_NS, NONE32};
	for (u32 i = 0; i < m->nr_services; i++)
		m->services[i].item = NONE32;
	return 0;
}

void usage_free(struct usage_meter *m)
{
	if (!m)
		return;
	free(m->workers);
	free(m->services);
	free(m);
}

/* What lies of [a, b) in the window. */
static u64 clipped(const struct usage_meter *m, u64 a, u64 b)
{
	if (a < m->cfg.from_ns)
		a = m->cfg.from_ns;
	if (b > m->cfg.to_ns)
		b = m->cfg.to_ns;
	return a < b ? b - a : 0;
}

/* --- items in flight --- */

static struct service *service_at(const struct usage_meter *m, u32 item)
{
	return &m->services[item & (m->nr_services - 1)];
}

static struct service *service_find(const struct usage_meter *m, u32 item)
{
	struct service *s = service_at(m, item);

	return s->item == item ? s : NULL;
}

/* Two items in flight on one place: twice as many places part them, sooner or later. */
static int services_grow(struct usage_meter *m)
{
	struct service *old = m->services;
	u32 nr = m->nr_services;

	m->services = calloc(2ul * nr, sizeof(*m->services));
	if (!m->services) {
		m->services = old;
		return -ENOMEM;
	}
	m->nr_services = 2 * nr;
	for (u32 i = 0; i < m->nr_services; i++)
		m->services[i].item = NONE32;
	for (u32 i = 0; i < nr; i++)
		if (old[i].item != NONE32)
			*service_at(m, old[i].item) = old[i];
	free(old);
	return 0;
}

static int service_new(struct usage_meter *m, const struct event *ev)
{
	struct service *s = service_at(m, ev->item);

	while (s->item != NONE32 && s->item != ev->item) {
		if (services_grow(m))
			return -ENOMEM;
		s = service_at(m, ev->item);
	}
	*s = (struct service){.item = ev->item};
	for (u32 i = 0; i < ev->submit.nr_steps; i++)
		s->kind[i] = (u8)ev->submit.steps[i].kind;
	return 0;
}

/* --- workers of the executor async --- */

static void worker_leave(struct usage_meter *m, struct worker_meter *w, u64 t)
{
	if (w->since_ns < t)
		m->worker_ns += clipped(m, w->since_ns, t);
	w->since_ns = NEVER_NS;
}

static void worker_hold(struct usage_meter *m, struct worker_meter *w, const struct event *ev,
			u64 from_ns)
{
	worker_leave(m, w, ev->time_ns);
	w->item = ev->item;
	w->since_ns = from_ns;
}

static void step_begin(struct usage_meter *m, struct worker_meter *w, struct service *s,
		       const struct event *ev, u32 step)
{
	s->step = step < ITEM_STEPS_MAX ? step : 0;
	worker_hold(m, w, ev, s->kind[s->step] == STEP_CPU ? ev->time_ns : NEVER_NS);
}

static void async_take(struct usage_meter *m, const struct event *ev)
{
	struct worker_meter *w = &m->workers[ev->worker];
	struct service *s = service_find(m, ev->item);

	if (!s)
		return;
	if (ev->kind == EVENT_START) {
		step_begin(m, w, s, ev, 0);
	} else if (ev->kind == EVENT_STEP) {
		step_begin(m, w, s, ev, ev->step.index);
	} else if (ev->kind == EVENT_TAKE && m->cfg.resources[ev->take.resource].lock) {
		worker_hold(m, w, ev, ev->time_ns);
	} else if (ev->kind == EVENT_PAUSE && w->item == ev->item) {
		worker_hold(m, w, ev, s->kind[s->step] == STEP_CPU ? ev->pause.until_ns : NEVER_NS);
	} else if (ev->kind == EVENT_DONE) {
		if (w->item == ev->item)
			worker_leave(m, w, ev->time_ns);
		s->item = NONE32;
	}
}

/* --- all of them --- */

static void service_change(struct usage_meter *m, u64 t, int by)
{
	m->service_ns += m->in_service * clipped(m, m->service_since_ns, t);
	m->service_since_ns = t;
	if (by > 0)
		m->in_service++;
	else if (by < 0)
		m->in_service -= m->in_service > 0;
}

/* What the item had locked is free again. */
static void locks_leave(struct usage_meter *m, const struct event *ev)
{
	for (u32 i = 0; i < m->cfg.nr_resources; i++) {
		struct lock_meter *l = &m->locks[i];

		if (l->item != ev->item)
			continue;
		m->held_ns[i] += clipped(m, l->since_ns, ev->time_ns);
		l->item = NONE32;
	}
}

static void slot_take(struct usage_meter *m, const struct event *ev)
{
	u32 r = ev->take.resource;

	if (m->cfg.resources[r].lock)
		m->locks[r] = (struct lock_meter){ev->item, ev->time_ns};
	else
		m->held_ns[r] += clipped(m, ev->take.from_ns, ev->take.until_ns);
}

int usage_take(struct usage_meter *m, const struct event *ev)
{
	bool async = m->workers != NULL;

	switch (ev->kind) {
	case EVENT_SUBMIT:
		return async ? service_new(m, ev) : 0;
	case EVENT_START:
		service_change(m, ev->time_ns, 1);
		break;
	case EVENT_STEP:
		locks_leave(m, ev);
		break;
	case EVENT_DONE:
		locks_leave(m, ev);
		service_change(m, ev->time_ns, -1);
		break;
	case EVENT_TAKE:
		if (ev->take.resource >= m->cfg.nr_resources)
			return 0;
		slot_take(m, ev);
		break;
	case EVENT_PAUSE:
		break;
	default:
		return 0;
	}
	m->now_ns = ev->time_ns;
	if (async && ev->item != NONE32 && ev->worker < m->cfg.workers)
		async_take(m, ev);
	return 0;
}

static void list_add(const struct usage_meter *m, struct usage *list, u32 *nr, const char *name,
		     u64 ns, u32 capacity)
{
	double all = (double)(m->cfg.to_ns - m->cfg.from_ns) * capacity;
	struct usage *u = &list[(*nr)++];

	memcpy(u->name, name, strnlen(name, RESOURCE_NAME_MAX));
	u->name[strnlen(name, RESOURCE_NAME_MAX)] = '\0';
	u->share = (double)ns / all;
}

u32 usage_list(struct usage_meter *m, struct usage list[USAGE_MAX])
{
	u32 nr = 0;

	if (m->cfg.to_ns <= m->cfg.from_ns)
		return 0;
	service_change(m, m->now_ns, 0);
	if (m->cfg.executor == EXECUTOR_THREAD)
		list_add(m, list, &nr, "workers", m->service_ns, m->cfg.workers);
	else if (m->cfg.executor == EXECUTOR_ASYNC)
		list_add(m, list, &nr, "workers", m->worker_ns, m->cfg.workers);
	if (m->cfg.permits)
		list_add(m, list, &nr, "limit", m->service_ns, m->cfg.permits);
	for (u32 i = 0; i < m->cfg.nr_resources; i++) {
		const struct resource_config *r = &m->cfg.resources[i];

		list_add(m, list, &nr, r->name, m->held_ns[i], r->lock ? 1 : r->capacity);
	}
	return nr;
}
