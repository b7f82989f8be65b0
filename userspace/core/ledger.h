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
	PART_AGAIN,	/* submit − due of a further delivery: spent on those before it */
	PART_WAKE,	/* a worker that may take it is free, and is being woken */
	PART_SATURATED, /* every worker is serving or paused, or as many items are in service as
			   may be: in every replica */
	PART_ORDER,	/* an earlier item of its key is in service; with PARTITION_SERIAL, of its
			   partition */
	PART_HOL,	/* a worker is free that the design does not let take it */
	PART_CPU,	/* service: on the CPU */
	PART_IRQ,	/* service: on the CPU, but an interrupt had it */
	PART_BLOCKED,	/* service: the wait that was asked for */
	PART_OVERSLEPT, /* service: the wait beyond it */
	PART_CONTENDED, /* service: waiting for a slot or a lock, culprit: who had it, by time; or
			   asleep though no wait was asked for (a page), no culprit */
	PART_PAUSED,	/* service: held up as the spec asks */
	PART_CARRIER,	/* service, async: it could go on, but its carrier serves the culprit */
	PART_RUNQUEUE,	/* service: runnable, not running */
	PART_THROTTLED, /* service: off the CPU by its own quota */
	PART_UNKNOWN,	/* what the trace cannot explain */
	PART_NR,
};

/*
 * What went on while it waited. For the queue causes (saturated, order, hol): what the worker of
 * the item in front did, or with async the item itself; for wake: how far the worker that will take
 * it had come; for contended by a lock: what its holder did; for carrier: what the carrier did; for
 * the other parts of service: FRONT_NONE.
 *
 * In front is the item that the worker serves whose queue it is in (with one queue: that took it
 * later); where that worker is free, because of a limit, a buffer or another replica, the item that
 * has been in service longest in the replica.
 */
enum front {
	FRONT_NONE,
	FRONT_CPU, /* in front: running. wake: awake, on its way through the dispatcher */
	FRONT_IRQ,
	FRONT_BLOCKED, /* in front: the wait that was asked for */
	FRONT_OVERSLEPT,
	FRONT_CONTENDED, /* in front: waiting for a slot or lock, culprit: who had it */
	FRONT_PAUSED,
	FRONT_CARRIER,	/* in front, async: it could go on, but its carrier serves the culprit */
	FRONT_RUNQUEUE, /* runnable, not running: the kernel's doing; culprit named */
	FRONT_THROTTLED,
	FRONT_SIGNAL, /* wake: not yet told */
	/* wake: told (sched_waking), not yet on a run queue (sched_wakeup); with spawn its thread
	 * is being made, or waits for its first run */
	FRONT_WAKEUP,
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
	u32 culprit; /* see below; NONE32: none */
	u8 part, front;
};

/*
 * A culprit is the index of a task; or, with the top bit, the key of an item that had what was
 * waited for: a slot or a lock of the resource in the three bits below (contended, as part or as
 * front), a carrier (resource 0). NONE32 and CULPRIT_UNKNOWN have the top bit too and are neither.
 */
#define CULPRIT_UNKNOWN	       (UINT32_MAX - 1) /* somebody, not recorded */
#define CULPRIT_KEY	       0x80000000u
#define CULPRIT_RESOURCE_SHIFT 28
#define CULPRIT_KEY_MASK       0x0fffffffu
#define CULPRIT_KEYS_MAX       0x0ffffff0u /* this one stands for all that are not named */

static inline bool culprit_is_key(u32 culprit)
{
	return (culprit & CULPRIT_KEY) && culprit < CULPRIT_UNKNOWN;
}

/* The key, or NONE32: keys that are not named one by one. */
static inline u32 culprit_key(u32 culprit)
{
	u32 key = culprit & CULPRIT_KEY_MASK;

	return key < CULPRIT_KEYS_MAX ? key : NONE32;
}

/* Of a culprit that is a key and had a slot or a lock. */
static inline u32 culprit_resource(u32 culprit)
{
	return (culprit & ~CULPRIT_KEY) >> CULPRIT_RESOURCE_SHIFT;
}

/* Did the culprit have a slot or a lock? */
bool charge_has_resource(enum part p, enum front f);

struct account {
	u32 item, key, key_seq, worker;
	u64 due_ns, submit_ns, start_ns, done_ns; /* on the event clock */
	u32 front_item; /* the item longest in front of it while it waited (hol, order, saturated),
			   or NONE32 */
	u32 front_key;
	u32 front_count; /* how many different items were in front of it while it waited */
	u32 moves;
	u32 delivery; /* enum delivery */
	u32 outcome;  /* enum outcome */
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
	u64 reclassified; /* sleeps without the wake-up that ended them: they are `unknown` */
	u64 impossible;	  /* kernel events that contradict the state: the time around them is
			     `unknown` */
	u64 lost;	  /* sum of the LOST events */
	u64 sum_errors;	  /* accounts whose parts do not add up: a defect of this program, never of
			     the run */
	u64 unfinished;	  /* items in flight at the end */
};

struct ledger;

struct ledger_config {
	u32 workers, keys;	  /* of all replicas together */
	u32 traits;		  /* enum dispatch_traits of the design */
	u32 executor;		  /* enum executor */
	u32 replicas;		  /* of equally many workers; 0 is 1 */
	u32 limit;		  /* items in service in a replica; 0: no limit */
	u32 partitions, null_key; /* see item_partition() */
	bool null_unordered;	  /* items of null_key are not held behind each other */
	u64 timeout_ns;		  /* of a service; 0: none */
	u32 named_keys;		  /* keys below it are named as culprits, the others are one */
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
