/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a run, as every room sees them: the engines write them, trace/ stores them,
 * core/ledger reads them. One clock: nanoseconds of CLOCK_MONOTONIC in a live run, virtual time in
 * a simulated one.
 */
#ifndef HOLBENCH_CORE_EVENT_H
#define HOLBENCH_CORE_EVENT_H

#include "core/item.h"

/* Values are on disk: append only. */
enum event_kind {
	/* The dispatcher's, from the engine. */
	EVENT_SUBMIT = 1, /* an item enters a queue */
	EVENT_START = 2,  /* a worker takes an item; its first step begins */
	EVENT_DONE = 3,	  /* the item's service has ended */
	EVENT_IDLE = 4,	  /* a worker asked for an item and there was none for it */
	EVENT_MOVE = 5,	  /* a steal moves an item from one queue to another */
	EVENT_STEP = 6,	  /* a further step (not the first) of the item's service begins */
	/* The kernel's, from the probe; live runs only. */
	EVENT_SWITCH = 7, /* sched_switch on a worker CPU */
	EVENT_WAKING = 8, /* sched_waking of a worker: somebody wants it to run */
	EVENT_WAKEUP = 9, /* sched_wakeup of a worker: it is on a run queue */
	EVENT_IRQ_ENTER =
		12, /* a worker CPU leaves its task for an interrupt (the outermost of a nest) */
	EVENT_IRQ_EXIT = 13, /* and returns to it */
	/* Bookkeeping. */
	EVENT_ACCOUNT = 10, /* the kernel's own account of a worker thread, to check ours against */
	EVENT_LOST = 11,    /* events that were lost before they could be written */
	/* The service's, from the engine. */
	EVENT_TAKE = 14,  /* an item has, or is promised, a slot of a resource */
	EVENT_PAUSE = 16, /* a worker, or the item it serves, is held up as the spec asks */
	/* The dispatcher's. */
	EVENT_ADMIT = 17, /* an item that waited outside a full buffer, or whose partition has
			     moved, enters its queue */
};

/* Kinds are below this; 15 is none. */
#define EVENT_KIND_END 18

/* Why an item is submitted: a partition that moves is read again from its last commit. */
enum delivery {
	DELIVERY_FIRST = 0,
	DELIVERY_ABANDONED = 1, /* it was in service, OUTCOME_ABANDONED */
	DELIVERY_REPEATED = 2,	/* it had ended */
	DELIVERY_NR,
};

/* How an item's service ended. Values are on disk: append only. */
enum outcome {
	OUTCOME_SUCCEEDED = 0,
	OUTCOME_TIMED_OUT = 1, /* its caller gave up at workload.timeout */
	OUTCOME_REFUSED = 2,   /* the queue of a resource was full */
	OUTCOME_LOST = 3,      /* given up when its partition moved, and committed before: nobody
				  does it again */
	OUTCOME_ABANDONED = 4, /* given up when its partition moved; it is submitted again */
	OUTCOME_NR,
};

enum {
	SWITCH_PREV_RUNNABLE = 1,  /* prev wanted to go on: preempted or yielded, not asleep */
	SWITCH_PREV_THROTTLED = 2, /* prev was taken off by its CPU quota */
};

enum account_phase {
	ACCOUNT_BEGIN = 0, /* before the worker's first request for an item */
	ACCOUNT_END = 1,   /* after its last item */
};

/* Whose events were lost. Values are on disk: append only. */
enum lost_what {
	LOST_PROBE = 1,	 /* BPF ring buffer full, or a BPF program run that the kernel skipped */
	LOST_ENGINE = 2, /* a thread's log ring full */
	LOST_WRITER = 3, /* the trace file could not take them */
};

struct event {
	u64 time_ns;
	/*
	 * Place in the dispatcher's own order: taken inside the queue's lock, unique over the run,
	 * from 1. Sorting the dispatcher's events by seq gives an order in which a replay meets
	 * every queue as it was. 0 for events that are not the dispatcher's (and for DONE of a
	 * design that is not told of it, see dispatch.h).
	 */
	u64 seq;
	u32 kind;   /* enum event_kind */
	u32 item;   /* SUBMIT START DONE MOVE STEP TAKE ADMIT: item id; PAUSE: or NONE32 */
	u32 worker; /* START DONE IDLE STEP TAKE PAUSE WAKING WAKEUP ACCOUNT: worker index */
	u32 cpu;    /* SWITCH: where; WAKING: the waker's CPU; WAKEUP: the run queue's CPU */
	union {
		struct {
			u64 due_ns; /* on the event clock: stream start + the item's due time */
			u32 key;
			u32 key_seq;  /* the item's seq within its key */
			u32 queue;    /* NONE32: outside a full buffer, EVENT_ADMIT follows */
			u32 woken;    /* the worker chosen to be woken for it, or NONE32 */
			u32 delivery; /* enum delivery */
			u32 nr_steps;
			struct step steps[ITEM_STEPS_MAX];
		} submit;
		struct {
			u32 from, to;
			u32 left;     /* items still to come of the same steal; 0 at its last */
			u64 since_ns; /* when the rule first allowed this steal */
		} move;
		struct {
			u32 index; /* which step begins */
		} step;
		struct {
			u32 outcome; /* enum outcome */
		} done;
		struct {
			u32 resource; /* index into the workload's resources */
			u32 slot;     /* of the resource, from 0 */
			/*
			 * CALL, written when the item asks: its slot is its own from from_ns (not
			 * before the event) and is given back at until_ns, whatever becomes of the
			 * item. LOCK, written when the item has it: from_ns is the event's time,
			 * until_ns is 0, and it is given back when the item's step ends.
			 */
			u64 from_ns, until_ns;
		} take;
		struct {
			u64 until_ns; /* not before the event's time */
		} pause;
		struct {
			u32 queue;
		} admit;
		struct {
			u32 prev_tid;
			u32 next_task;	  /* index into the trace's tasks: tid, comm, cgroup of one
					     event */
			u32 flags;	  /* SWITCH_… */
			u64 throttled_ns; /* see below; of next when it is a worker, else of prev */
		} sched_switch;
		struct {
			u64 throttled_ns;
		} wakeup;
		struct {
			u32 irq_task; /* index into the trace's tasks: which interrupt,
					 TASK_INTERRUPT */
		} irq;
		struct {
			u32 waker_task; /* index into the trace's tasks; NONE32 when not known */
		} waking;
		struct {
			u32 phase;	  /* enum account_phase */
			u64 run_delay_ns; /* schedstat: time runnable but not running */
			u64 waits;	  /* schedstat: times it was put on a CPU */
			u64 cpu_ns;	  /* CLOCK_THREAD_CPUTIME_ID */
		} account;
		struct {
			u64 count;
			u32 what; /* enum lost_what */
		} lost;
	};
};

/*
 * throttled_ns: how long the worker's group has been throttled on this CPU by its quota, in all, up
 * to the event (a throttling that goes on included). Differences tell throttling from run-queue
 * wait. 0: not known, or never throttled.
 */

/* Values are on disk: append only. The idle task is known by its tid, 0. */
enum task_class {
	TASK_USER = 0,
	TASK_KTHREAD = 1,
	TASK_INTERRUPT = 2, /* not a task: an interrupt, by its name ("local_timer", "virtio0",
			       "NET_RX"); tid 0xffffffff */
};

/* A task as one event saw it: the three belong together. Events name it by its index. */
struct task {
	u32 tid;    /* 0: the idle task */
	u32 worker; /* worker index, or NONE32 */
	u32 class;  /* enum task_class */
	u64 cgroup; /* id of its cgroup (inode number in the hierarchy that the header names) */
	char comm[16];
};

/* Takes events in order. Returns 0 or a negative errno, which ends the run. */
struct event_sink {
	int (*take)(void *ctx, const struct event *ev);
	void *ctx;
};

#endif
