/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs: items in flight, and where their service stands. */
#ifndef HOLBENCH_SIM_JOB_H
#define HOLBENCH_SIM_JOB_H

#include "core/item.h"
#include "sim/agenda.h"

enum job_phase {
	JOB_BEFORE, /* its step has not begun: in a queue, or held up */
	JOB_STEP,   /* its step is under way; a LOCK step: it has the lock */
	JOB_LOCK,   /* its step has begun, and it waits for the lock */
	JOB_LOCKED, /* the lock has been given to it; its worker does not know yet */
};

struct job {
	struct item item;	 /* the first field: job_of() */
	struct job *prev, *next; /* in a list */
	struct timer timer;	 /* where its worker serves others meanwhile */
	u64 start_ns;		 /* of its service */
	u64 deadline_ns;	 /* when its caller gives up; NEVER_NS */
	u32 worker;		 /* from its start */
	u32 step;		 /* index */
	u32 phase;		 /* enum job_phase */
	u32 outcome;		 /* enum outcome; other than 0 as soon as that is settled */
	bool resumed;		 /* by its worker; the event that says so is still to be written */
};

static inline struct job *job_of(struct item *it)
{
	return (struct job *)it;
}

/* First in, first out; one may leave from the middle. */
struct job_list {
	struct job *head, *tail;
};

void job_push(struct job_list *l, struct job *j);
/* NULL when it is empty. */
struct job *job_pop(struct job_list *l);
void job_remove(struct job_list *l, struct job *j);

/* Kept for reuse; a job's address never changes. */
struct job_pool {
	struct job_slab *slabs; /* owned */
	struct job *free;
	u32 made; /* jobs, free or not */
};

/* A job, its content undefined; NULL when there is no memory. */
struct job *job_get(struct job_pool *p);
void job_put(struct job_pool *p, struct job *j);
void job_pool_fini(struct job_pool *p);

#endif
