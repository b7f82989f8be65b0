/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulator's inside: its state, and what its two halves know of each other. */
#ifndef HOLBENCH_SIM_ENGINE_H
#define HOLBENCH_SIM_ENGINE_H

#include "sim/agenda.h"
#include "sim/job.h"
#include "sim/sim.h"

struct worker {
	struct timer timer;
	struct worker *next;   /* of those that are to go on */
	struct job *running;   /* what holds it: until the end of the service, or as a carrier until
				  it waits */
	struct job_list ready; /* of a carrier: what they waited for is over */
	bool queued;	       /* among those that are to go on */
	bool idle;	       /* it has asked, there was nothing, and nobody woke it since */
	bool paused;	       /* it asks when its timer fires */
};

struct lock {
	bool held;
	struct job_list waiters;
};

struct sim {
	struct balancer *policy;
	const struct event_sink *sink;
	const struct workload_config *stream;
	bool async; /* workers are carriers */
	struct agenda agenda;
	struct job_pool pool;
	struct worker *workers;			  /* owned */
	struct resource resources[RESOURCES_MAX]; /* owned; those that are no locks */
	struct lock locks[RESOURCES_MAX];
	struct worker *todo, **todo_end;	/* those that are to go on, in turn */
	const struct reassign_config *reassign; /* NULL: none, or it is over */
	struct job_list ended; /* whose items are done again when partitions move */
	u32 *home;	       /* owned: the queues after that */
	u64 now_ns;
	u64 seq;
	u64 in_flight;
};

/* Give the event its time, and the sink the event. */
int sim_emit(struct sim *s, struct event *ev);
/* The worker may have something to do: it goes on before time does. */
void sim_go_on(struct sim *s, struct worker *w);
/* The item enters a queue, and the worker that is to be woken for it goes on. */
int sim_submit(struct sim *s, struct item *it, u32 delivery, u32 *queue, u32 *woken);
/* The worker takes no item until then. */
int sim_pause(struct sim *s, struct worker *w, u64 until_ns);

/* service.c. Each returns 0 or the sink's error. */

/* The worker takes the job. */
int service_start(struct sim *s, struct worker *w, struct job *j);
/* The job's timer has fired, as `kind` says. */
int service_fired(struct sim *s, struct job *j, u32 kind);
/* A carrier with nothing else to do goes on with a job that is ready. */
int service_resume(struct sim *s, struct worker *w, struct job *j);
/* The service ends here and now, with this outcome. */
int service_cut(struct sim *s, struct job *j, u32 outcome);

/* reassign.c: partitions move, now. 0, -ENOMEM or the sink's error. */
int reassign_now(struct sim *s);

#endif
