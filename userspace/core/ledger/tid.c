/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose thread a task is. With spawn a worker has one thread after another. */
#include "core/ledger/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The worker whose thread had a tid; NONE32 where several had it. */
struct tid {
	u32 tid, worker;
};

static int by_tid(const void *x, const void *y)
{
	const struct tid *a = x, *b = y;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void tids_merge(struct ledger *l)
{
	u32 to = 0;

	for (u32 i = 1; i < l->nr_tids; i++) {
		if (l->tids[i].tid != l->tids[to].tid)
			l->tids[++to] = l->tids[i];
		else if (l->tids[i].worker != l->tids[to].worker)
			l->tids[to].worker = NONE32;
	}
	l->nr_tids = l->nr_tids ? to + 1 : 0;
}

static u32 worker_by_tid(const struct ledger *l, u32 tid)
{
	const struct tid key = {.tid = tid};
	const struct tid *t = bsearch(&key, l->tids, l->nr_tids, sizeof(key), by_tid);

	return t ? t->worker : NONE32;
}

/*
 * spawn: a thread that had not yet said whose it is when its first switches were recorded is known
 * by later ones. Its name is its maker's then.
 */
static void tasks_learn(struct ledger *l)
{
	for (u32 i = 0; i < l->cfg.nr_tasks; i++) {
		const struct task *t = &l->cfg.tasks[i];

		l->task_workers[i] = t->worker;
		if (l->cfg.executor == EXECUTOR_SPAWN && t->worker >= l->cfg.workers && t->tid &&
		    !strncmp(t->comm, "hb-", 3))
			l->task_workers[i] = worker_by_tid(l, t->tid);
	}
}

int tids_learn(struct ledger *l)
{
	l->tids = calloc((size_t)l->cfg.nr_tasks + 1, sizeof(*l->tids));
	l->task_workers = calloc((size_t)l->cfg.nr_tasks + 1, sizeof(*l->task_workers));
	if (!l->tids || !l->task_workers)
		return -ENOMEM;
	for (u32 i = 0; i < l->cfg.nr_tasks; i++) {
		const struct task *t = &l->cfg.tasks[i];

		if (t->worker >= l->cfg.workers)
			continue;
		l->tids[l->nr_tids++] = (struct tid){t->tid, t->worker};
		if (l->cfg.executor != EXECUTOR_SPAWN)
			l->workers[t->worker].tid = t->tid;
	}
	qsort(l->tids, l->nr_tids, sizeof(*l->tids), by_tid);
	tids_merge(l);
	tasks_learn(l);
	return 0;
}

struct ledger_worker *worker_of_tid(struct ledger *l, u32 tid)
{
	u32 worker = worker_by_tid(l, tid);
	struct ledger_worker *w = worker != NONE32 ? &l->workers[worker] : NULL;

	return w && tid && w->tid == tid ? w : NULL;
}

struct ledger_worker *worker_of_task(struct ledger *l, u32 task)
{
	const struct task *t = task < l->cfg.nr_tasks ? &l->cfg.tasks[task] : NULL;
	u32 worker = t ? l->task_workers[task] : NONE32;
	struct ledger_worker *w = worker < l->cfg.workers ? &l->workers[worker] : NULL;

	return w && (l->cfg.executor != EXECUTOR_SPAWN || w->tid == t->tid) ? w : NULL;
}
