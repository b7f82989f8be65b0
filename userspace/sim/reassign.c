/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Partitions move from worker to worker: services under way are given up, and every item that waits
 * or is delivered again goes to the queue of its partition's new worker, in the stream's order.
 * Then all workers stop for a while.
 */
#include <errno.h>
#include <stdlib.h>

#include "sim/engine.h"

struct moving {
	struct job **jobs;
	u32 nr, room;
};

static int add(struct moving *m, struct job *j)
{
	struct job **bigger = m->jobs;

	if (m->nr == m->room) {
		m->room = m->room ? 2 * m->room : 64;
		bigger = realloc(m->jobs, m->room * sizeof(struct job *));
	}
	if (!bigger)
		return -ENOMEM;
	m->jobs = bigger;
	m->jobs[m->nr++] = j;
	return 0;
}

static int give_up(struct sim *s)
{
	int err = 0;

	for (u32 i = 0; i < balancer_workers(s->policy) && !err; i++) {
		struct job *j = s->workers[i].running;
		enum fate fate;

		if (!j)
			continue;
		fate = reassign_fate(s->reassign, j->start_ns, false);
		err = service_cut(s, j, fate == FATE_LOST ? OUTCOME_LOST : OUTCOME_ABANDONED);
	}
	return err;
}

/* A job in the list of the ended has been served; one from a queue has not. */
static int collect(struct sim *s, struct moving *m)
{
	struct job *j;
	int err = 0;

	while (!err && (j = job_pop(&s->ended)))
		err = add(m, j);
	for (u32 q = 0; q < balancer_queues(s->policy) && !err; q++) {
		struct item *it = balancer_recall(s->policy, q), *next;

		for (; it && !err; it = next) {
			next = it->next;
			job_of(it)->start_ns = NEVER_NS;
			err = add(m, job_of(it));
		}
	}
	return err;
}

static int by_id(const void *a, const void *b)
{
	u32 x = (*(struct job *const *)a)->item.id, y = (*(struct job *const *)b)->item.id;

	return x < y ? -1 : x > y;
}

/* It has waited, and waits on elsewhere. */
static int move(struct sim *s, struct item *it)
{
	struct event ev = {.kind = EVENT_ADMIT, .item = it->id};

	ev.admit.queue = balancer_place(s->policy, it);
	balancer_submit(s->policy, ev.admit.queue, it);
	ev.seq = ++s->seq;
	return sim_emit(s, &ev);
}

static int deliver(struct sim *s, struct job *j)
{
	u32 delivery = j->outcome == OUTCOME_ABANDONED ? DELIVERY_ABANDONED : DELIVERY_REPEATED;
	u32 queue, woken;

	if (j->start_ns == NEVER_NS)
		return move(s, &j->item);
	return sim_submit(s, &j->item, delivery, &queue, &woken);
}

/* Nobody is at work now: all ask, at once or at the end of the stop. */
static int stop_all(struct sim *s, u64 until_ns)
{
	int err = 0;

	for (u32 i = 0; i < balancer_workers(s->policy) && !err; i++) {
		struct worker *w = &s->workers[i];

		w->idle = false;
		if (w->paused && agenda_time(&s->agenda, &w->timer) >= until_ns)
			continue;
		if (until_ns > s->now_ns)
			err = sim_pause(s, w, until_ns);
		else
			sim_go_on(s, w);
	}
	return err;
}

int reassign_now(struct sim *s)
{
	const struct reassign_config *cfg = s->reassign;
	u32 keys = s->policy->cfg.dispatch.keys;
	struct moving m = {0};
	int err;

	s->home = calloc(keys, sizeof(*s->home));
	if (!s->home)
		return -ENOMEM;
	reassign_homes(s->home, keys, s->stream->partitions, balancer_queues(s->policy));
	err = give_up(s);
	s->reassign = NULL;
	if (!err)
		err = collect(s, &m);
	balancer_set_home(s->policy, s->home);
	if (m.nr)
		qsort(m.jobs, m.nr, sizeof(struct job *), by_id);
	for (u32 i = 0; i < m.nr && !err; i++)
		err = deliver(s, m.jobs[i]);
	free(m.jobs);
	return err ? err : stop_all(s, s->now_ns + cfg->for_ns);
}
