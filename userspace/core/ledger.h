/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger: the account of every item's time. It takes a run's events in order and gives, at each
 * item's end, the parts of done − due, to the nanosecond. Memory is proportional to the items in
 * flight.
 */
#ifndef HOLBENCH_CORE_LEDGER_H
#define HOLBENCH_CORE_LEDGER_H

#include "core/event.h"

/* Where an item's time went. The order is that of a printed account. */
enum part {
	PART_LATE,	/* submit − due: the generator's own lateness */
	PART_WAKE,	/* a worker that may take it is free, and is being woken */
	PART_SATURATED, /* every worker is serving */
	PART_ORDER,	/* an earlier item of its key is in service */
	PART_HOL,	/* a worker is free that the design does not let take it */
	PART_CPU,	/* service: on the CPU */
	PART_IRQ,	/* service: on the CPU, but an interrupt had it */
	PART_BLOCKED,	/* service: the wait that was asked for */
	PART_OVERSLEPT, /* service: the wait beyond it */
	PART_CONTENDED, /* service: asleep though no wait was asked for (a lock, a page) */
	PART_RUNQUEUE,	/* service: runnable, not running */
	PART_THROTTLED, /* service: off the CPU by its own quota */
	PART_UNKNOWN,	/* what the trace cannot explain */
	PART_NR,
};

/*
 * What went on while it waited. For the queue causes (saturated, order, hol): what the worker of
 * the item in front did; for wake: how far the worker that will take it had come; for the parts of
 * service: FRONT_NONE.
 */
enum front {
	FRONT_NONE,
	FRONT_CPU, /* in front: running. wake: awake, on its way through the dispatcher */
	FRONT_IRQ,
	FRONT_BLOCKED, /* in front: the wait that was asked for */
	FRONT_OVERSLEPT,
	FRONT_CONTENDED,
	FRONT_RUNQUEUE, /* runnable, not running: the kernel's doing; culprit named */
	FRONT_THROTTLED,
	FRONT_SIGNAL, /* wake: not yet told */
	FRONT_WAKEUP, /* wake: told (sched_waking), not yet on a run queue (sched_wakeup) */
	FRONT_UNKNOWN,
	FRONT_NR,
};

const char *part_name(enum part p);
const char *front_name(enum front f);
/* Is this (part, front) the kernel's doing, so that an ideal machine would not have it? Sim latency
 * = live − these. */
bool part_is_kernel(enum part p, enum front f);

/* One line of an account: so many ns of this part, in this state of the front, by this culprit. */
struct charge {
	u64 ns;
	u32 culprit; /* task index; NONE32: no culprit; CULPRIT_UNKNOWN: somebody, not recorded */
	u8 part, front;
};
#define CULPRIT_UNKNOWN (UINT32_MAX - 1)

struct account {
	u32 item, key, key_seq, worker;
	u64 due_ns, submit_ns, start_ns, done_ns; /* on the event clock */
	u32 front_item; /* the item longest in front of it while it waited (hol, order, saturated),
			   or NONE32 */
	u32 front_key;
	u32 front_count; /* how many different items were in front of it while it waited */
	u32 moves;
	u32 outcome;  /* enum outcome */
	u32 delivery; /* enum delivery */
	u32 nr_charges;
	const struct charge *charges; /* merged: a (part, front, culprit) appears once; zero charges
					 do not appear */
};

/* Our side of the check against the kernel's own account, over all workers, between their two
 * ACCOUNT events. */
struct ledger_check {
	bool measured; /* every worker had both ACCOUNT events and a probe */
	u32 workers;
	u64 our_waits, kernel_waits;
	u64 our_wait_ns, kernel_wait_ns;
	u64 our_cpu_ns, kernel_cpu_ns;
	u64 our_throttled_ns; /* the workers' group, summed over CPUs as cpu.stat does; over the
				 whole trace */
};

struct ledger_counts {
	u64 events;
	u64 reclassified; /* sleeps that turned out to have been runnable (switched in without a
			     wake-up) */
	u64 impossible;	  /* kernel events that contradict the state: the time around them is
			     `unknown` */
	u64 lost;	  /* sum of the LOST events */
	u64 sum_errors;	  /* accounts whose parts do not add up: a defect of this program, never of
			     the run */
	u64 unfinished;	  /* items in flight at the end */
};

struct ledger;

struct ledger_config {
	u32 workers, keys;
	u32 traits; /* enum dispatch_traits of the design */
	bool probe; /* kernel events are present; else the parts of service are unknown in a live
		       run */
	bool simulated;		  /* states follow from the steps alone */
	const struct task *tasks; /* borrowed */
	u32 nr_tasks;
	bool times_only; /* accounts without charges: a survey of latencies, cheap */
	/* Called at each item's end; the account is valid during the call. A negative return ends
	 * the pass. */
	int (*item)(void *ctx, const struct account *a);
	/* Optional: called at each item's start, when its times up to start_ns are known. */
	void (*started)(void *ctx, const struct account *a);
	void *ctx;
};

/* 0 or -ENOMEM. */
int ledger_new(struct ledger **out, const struct ledger_config *cfg);
void ledger_free(struct ledger *l);
/* An event_sink's take(): ctx is the ledger. -ENOMEM, -EINVAL for an event that names what is not
 * there. */
int ledger_take(void *ledger, const struct event *ev);
/* After the last event. */
void ledger_end(struct ledger *l, struct ledger_counts *counts, struct ledger_check *check);

#endif
