/* SPDX-License-Identifier: GPL-2.0-only */
/* Which replicas can start a further item: one with a worker that is free, and a permit. */
#include "core/ledger/internal.h"

#include <errno.h>
#include <stdlib.h>

/* Its first record: not full. */
static int fullness_init(struct ring *r)
{
	ring_init(r, sizeof(struct fullness));
	return ring_push(r) ? 0 : -ENOMEM;
}

int groups_init(struct ledger *l)
{
	u32 nr = l->cfg.replicas;
	int err;

	l->group_workers = l->cfg.workers / nr;
	l->groups = calloc(nr, sizeof(*l->groups));
	if (!l->groups)
		return -ENOMEM;
	err = fullness_init(&l->fullness);
	for (u32 i = 0; i < nr; i++) {
		ring_init(&l->groups[i].services.ring, sizeof(struct service));
		if (fullness_init(&l->groups[i].fullness))
			err = -ENOMEM;
	}
	return err;
}

void groups_free(struct ledger *l)
{
	for (u32 i = 0; l->groups && i < l->cfg.replicas; i++) {
		ring_free(&l->groups[i].fullness);
		ring_free(&l->groups[i].services.ring);
	}
	ring_free(&l->fullness);
	free(l->groups);
}

u32 group_of(const struct ledger *l, u32 worker)
{
	return l->cfg.replicas > 1 ? worker / l->group_workers : 0;
}

static void fullness_note(struct ledger *l, struct ring *r, u64 t, bool full)
{
	struct fullness *last = ring_at(r, r->end - 1), *s;

	if (last->t == t && ring_len(r) > 1) { /* it lasted no time */
		ring_pop_back(r);
		last = ring_at(r, r->end - 1);
	}
	if (last->full == full)
		return;
	if (ring_full(r))
		ring_forget(r, ring_holding(r, ledger_horizon(l)));
	s = ring_push(r);
	if (!s)
		l->no_memory = true;
	else
		*s = (struct fullness){t, full};
}

static bool group_is_full(const struct ledger *l, const struct ledger_group *g)
{
	return g->busy == l->group_workers || (l->cfg.limit && g->in_service >= l->cfg.limit);
}

/* Change what the group counts, and note what follows from it. */
static void group_change(struct ledger *l, struct ledger_group *g, int busy, int in_service, u64 t)
{
	bool was = group_is_full(l, g), is;

	g->busy += (u32)busy;
	g->in_service += (u32)in_service;
	is = group_is_full(l, g);
	if (was == is)
		return;
	l->nr_full += is ? 1 : (u32)-1;
	fullness_note(l, &g->fullness, t, is);
	if (l->cfg.replicas > 1)
		fullness_note(l, &l->fullness, t, l->nr_full == l->cfg.replicas);
}

static struct ledger_group *group_of_worker(struct ledger *l, const struct ledger_worker *w)
{
	return &l->groups[group_of(l, (u32)(w - l->workers))];
}

void in_service_add(struct ledger *l, u32 group, int by, u64 t)
{
	group_change(l, &l->groups[group], 0, by, t);
}

static bool is_busy(const struct ledger_worker *w)
{
	return w->serving || w->paused_until != NEVER_NS;
}

static void free_if(struct ledger *l, struct ledger_worker *w, bool was_busy, u64 t)
{
	bool busy = is_busy(w);

	if (!busy)
		w->free_since = t;
	if (busy != was_busy)
		group_change(l, group_of_worker(l, w), busy ? 1 : -1, 0, t);
}

void serving_set(struct ledger *l, struct ledger_worker *w, struct inflight *x, u64 t)
{
	bool was = is_busy(w);

	worker_cut(l, w, t);
	w->serving = x;
	free_if(l, w, was, t);
}

static void worker_pause(struct ledger *l, struct ledger_worker *w, u64 t, u64 until)
{
	bool was = is_busy(w);

	worker_cut(l, w, t);
	w->paused_until = until;
	free_if(l, w, was, t);
}

void workers_pause(struct ledger *l, u64 t, u64 until)
{
	if (until <= t || l->resume_ns != NEVER_NS)
		return;
	l->resume_ns = until;
	for (u32 i = 0; i < l->cfg.workers; i++)
		worker_pause(l, &l->workers[i], t, until);
}

void workers_resume(struct ledger *l, u64 t)
{
	u64 now = l->resume_ns;

	if (now > t)
		return;
	l->resume_ns = NEVER_NS;
	for (u32 i = 0; i < l->cfg.workers; i++) {
		struct ledger_worker *w = &l->workers[i];

		worker_cut(l, w, now);
		w->paused_until = NEVER_NS;
		free_if(l, w, true, now);
	}
}
