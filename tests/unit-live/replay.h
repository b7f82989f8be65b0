/* SPDX-License-Identifier: GPL-2.0-only */
/* A live log through a fresh policy: every decision must come out as it did. */
#ifndef HOLBENCH_TESTS_REPLAY_H
#define HOLBENCH_TESTS_REPLAY_H

#include "run_cell.h"

struct replay {
	struct balancer policy;
	struct item **serving; /* per worker */
	u32 *home;
	struct item *items; /* by id */
	const struct event **log;
	u32 nr;
	bool async;		     /* a worker serves many */
	const struct item *admitted; /* by the last end of an item */
	u32 wrong;		     /* decisions that came out otherwise */
	u32 decisions;
};

static inline void replay_expect(struct replay *r, const struct event *ev, const char *what,
				 u64 replayed, u64 live)
{
	r->decisions++;
	if (replayed == live)
		return;
	if (r->wrong++ < 5)
		printf("# seq %llu: %s: replayed %lld, live %lld\n", (unsigned long long)ev->seq,
		       what, (long long)replayed, (long long)live);
}

static inline int replay_by_seq(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static inline void replay_submit(struct replay *r, const struct event *ev)
{
	struct item *it = &r->items[ev->item];
	u32 queue;

	*it = (struct item){.id = ev->item,
			    .key = ev->submit.key,
			    .seq = ev->submit.key_seq,
			    .arrival_ns = ev->time_ns};
	queue = balancer_place(&r->policy, it);
	replay_expect(r, ev, "woken", balancer_submit(&r->policy, queue, it), ev->submit.woken);
	replay_expect(r, ev, "queue", it->outside ? NONE32 : queue, ev->submit.queue);
}

/* A design that is not told of ends under a lock has no place for them in the order. */
static inline void replay_end_unlogged(struct replay *r, u32 worker)
{
	if (!balancer_wants_done(&r->policy) && r->serving[worker] && !r->async)
		balancer_done(&r->policy, worker, r->serving[worker]);
	r->serving[worker] = NULL;
}

static inline void replay_next(struct replay *r, const struct event *ev)
{
	struct item *it;

	replay_end_unlogged(r, ev->worker);
	it = balancer_next(&r->policy, ev->worker);
	r->serving[ev->worker] = it;
	balancer_permit(&r->policy, ev->worker, ev->time_ns);
	replay_expect(r, ev, "item", it ? it->id : NONE32,
		      ev->kind == EVENT_START ? ev->item : NONE32);
}

/* A carrier goes on with an item that it serves. */
static inline void replay_resume(struct replay *r, const struct event *ev)
{
	replay_expect(r, ev, "executor that resumes", r->async, true);
	balancer_busy(&r->policy, ev->worker);
}

/* It may be what the carrier goes on for; if not, it was not idle anyway. */
static inline void replay_done(struct replay *r, const struct event *ev)
{
	struct item *it = r->serving[ev->worker];

	if (r->async) {
		it = &r->items[ev->item];
		balancer_busy(&r->policy, ev->worker);
	}
	replay_expect(r, ev, "ended item", it ? it->id : NONE32, ev->item);
	r->serving[ev->worker] = NULL;
	r->admitted = it ? balancer_done(&r->policy, ev->worker, it) : NULL;
}

/* A whole steal, of which log[i] is the first move. Returns the index of its last. */
static inline u32 replay_steal(struct replay *r, u32 i)
{
	const struct event *ev = r->log[i];
	const struct item *it;
	struct steal st;
	u32 k;

	replay_end_unlogged(r, ev->move.to);
	balancer_steal(&r->policy, ev->move.to, ev->time_ns, &st);
	replay_expect(r, ev, "stolen from", st.from, ev->move.from);
	replay_expect(r, ev, "items stolen", st.count, ev->move.left + 1);
	replay_expect(r, ev, "allowed since", st.since_ns, ev->move.since_ns);
	it = balancer_head(&r->policy, ev->move.to);
	for (k = 0; k <= ev->move.left && i + k < r->nr; k++, it = it ? it->next : NULL) {
		replay_expect(r, r->log[i + k], "kind", r->log[i + k]->kind, EVENT_MOVE);
		replay_expect(r, r->log[i + k], "moved item", it ? it->id : NONE32,
			      r->log[i + k]->item);
		replay_expect(r, r->log[i + k], "seq", r->log[i + k]->seq, ev->seq + k);
	}
	return i + k - 1;
}

static inline u32 replay_one(struct replay *r, u32 i)
{
	switch (r->log[i]->kind) {
	case EVENT_SUBMIT:
		replay_submit(r, r->log[i]);
		break;
	case EVENT_START:
	case EVENT_IDLE:
		replay_next(r, r->log[i]);
		break;
	case EVENT_STEP:
		replay_resume(r, r->log[i]);
		break;
	case EVENT_DONE:
		replay_done(r, r->log[i]);
		break;
	case EVENT_ADMIT:
		replay_expect(r, r->log[i], "admitted item", r->admitted ? r->admitted->id : NONE32,
			      r->log[i]->item);
		break;
	case EVENT_MOVE:
		return replay_steal(r, i);
	}
	return i;
}

static inline void replay_init(struct replay *r, const struct cell_run *c)
{
	struct home_config home = spec_home(&c->scaled);
	struct balancer_config cfg;

	*r = (struct replay){.async = c->scaled.executor == EXECUTOR_ASYNC};
	r->home = calloc(home.keys, sizeof(*r->home));
	r->items = calloc(cell_count(c, EVENT_SUBMIT) + 1, sizeof(*r->items));
	r->log = calloc(c->nr + 1, sizeof(const struct event *));
	r->serving = calloc(spec_workers(&c->scaled), sizeof(struct item *));
	if (!r->home || !r->items || !r->serving || !r->log || home_assign(r->home, &home))
		abort();
	cfg = spec_balancer(&c->scaled, r->home);
	if (balancer_init(&r->policy, &cfg))
		abort();
	for (u32 i = 0; i < c->nr; i++)
		if (c->events[i].seq)
			r->log[r->nr++] = &c->events[i];
	qsort(r->log, r->nr, sizeof(const struct event *), replay_by_seq);
}

/* Returns how many decisions came out otherwise; *decisions how many were compared. */
static inline u32 replay(const struct cell_run *c, u32 *decisions)
{
	struct replay r;

	replay_init(&r, c);
	for (u32 i = 0; i < r.nr; i++)
		i = replay_one(&r, i);
	balancer_fini(&r.policy);
	free(r.home);
	free(r.items);
	free(r.serving);
	free(r.log);
	*decisions = r.decisions;
	return r.wrong;
}

#endif
