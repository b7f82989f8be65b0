/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the ledger. Events change the state of workers and CPUs; closed stretches of state become
 * histories; when an item starts, its wait is read off the histories, when it ends, its service is.
 */
#ifndef HOLBENCH_CORE_LEDGER_INTERNAL_H
#define HOLBENCH_CORE_LEDGER_INTERNAL_H

#include "core/dispatch/dispatch.h"
#include "core/ledger.h"
#include "core/ledger/ring.h"
#include "core/ledger/service.h"

/* Once a list has so many lines, further keys have no name of their own. */
#define NAMES_MAX 256u

static inline u32 culprit_unnamed(u32 culprit)
{
	return (culprit & ~CULPRIT_KEY_MASK) | CULPRIT_KEYS_MAX;
}

/* What the kernel does with a worker's thread. */
enum thread_state {
	THREAD_UNKNOWN,
	THREAD_RUNNING,
	THREAD_SLEEPING,
	THREAD_WAKING,	 /* sched_waking seen, not yet on a run queue */
	THREAD_RUNNABLE, /* on a run queue, not running */
	THREAD_THROTTLED,
};

/* A stretch of a worker's time in which nothing that matters changed. */
struct segment {
	u64 t0, t1;
	u64 blame; /* index of its first record in the worker's blames */
	u32 nr_blames;
	u32 item, key; /* in service; NONE32: the worker is free, or paused */
	u8 front;      /* enum front */
	u8 resource;   /* what it waits for, FRONT_CONTENDED; else RESOURCE_NONE */
	u16 slot;
};

static inline bool segment_is_free(const struct segment *s)
{
	return s->item == NONE32 && s->front != FRONT_PAUSED;
}

struct blame {
	u32 culprit; /* as in struct charge */
	u64 ns;
};

/* Of a thread. */
struct cpu_account {
	u64 waits, wait_ns, cpu_ns;
};

/* wait.c: among more workers than this nobody looks for the free one that has come furthest. */
#define COMING_MAX 64

struct ledger_worker {
	enum thread_state state;
	u64 since;     /* start of the open stretch */
	u32 cpu;       /* whose run queue it is on, when runnable */
	u32 tid;       /* of its thread; 0: not known, or there is none */
	u32 ended_tid; /* spawn: of its last thread, which has nothing more to do with it */
	struct inflight *serving; /* async: the item that is on it */
	u64 paused_until;	  /* NEVER_NS: it may ask for an item */
	u64 free_since;
	u32 irq_task; /* running, but this interrupt has the CPU; NONE32: none */
	/* Off the CPU and not asleep since then; what throttled_ns the event that began it carried.
	 */
	u64 off_since, off_throttled_ns;
	struct ring segments;			      /* struct segment */
	struct ring blames;			      /* struct blame */
	struct blocks *queue_blocks, *carrier_blocks; /* owned: sums of its segments; or NULL */

	/* The check against the kernel's account. */
	struct cpu_account ours;		     /* since the start of the trace */
	struct cpu_account ours_begin, kernel_begin; /* at the last ACCOUNT_BEGIN */
	struct cpu_account ours_sum, kernel_sum;     /* between begins and ends */
	u32 begun, ended;			     /* threads */
};

/* Who has a CPU from time t on. */
struct occupant {
	u64 t;
	u32 task; /* task index, or CULPRIT_UNKNOWN */
};

struct ledger_cpu {
	struct ring occupants; /* struct occupant */
	bool in_irq;
	u32 interrupted; /* the occupant that the interrupt took the CPU from */
	u64 throttled_ns, throttled_from,
		throttled_to; /* the workers' throttled time here, and its last stretch */
};

/* No further item can be started, or one can, from time t on. */
struct fullness {
	u64 t;
	bool full;
};

/* The workers of a replica. */
struct ledger_group {
	u32 busy;		  /* workers that serve or are paused */
	u32 in_service;		  /* items */
	struct ring fullness;	  /* struct fullness: of this replica */
	struct services services; /* kept where keeps_services() */
};

/* Where an item waited, from one time to the next place's. */
struct place {
	u64 from_ns;
	u64 thief_wake_ns; /* from then until the move that ends this place it waits for the thief;
			      NEVER_NS: no move */
	u32 queue;	   /* NONE32: outside a full buffer */
	u32 thief;
};

struct inflight {
	struct account a;
	struct step steps[ITEM_STEPS_MAX];
	u32 nr_steps;
	u32 woken;
	u32 lane, rank; /* whose services hold it back, and its place among them */
	bool started;
	struct place *places; /* owned, kept for the slot's next item */
	u32 nr_places, cap_places;
	u64 service, group_service; /* indices in its lane's services and its replica's */
	u64 away;		    /* its last stretch off the carrier, 0: none (see service.h) */
	struct plan plan;	    /* of the step that is under way */
	enum lock_state lock;	    /* of plan.resource */
	struct inflight *lock_prev, *lock_next; /* waiting for the same lock */
	struct inflight *chain;			/* hash bucket, or the free list */
	struct inflight *prev, *next;		/* in flight, by submit time */
};

/* The account being made: sums by (part, front), and by culprit where there is one. */
struct charges {
	u64 plain[PART_NR * FRONT_NR];
	u16 used[PART_NR * FRONT_NR]; /* which of plain are not 0 */
	u32 nr_used;
	struct charge *list; /* owned; with culprits first, then what plain held */
	u32 nr, cap;
	u32 last; /* where the last culprit was found */
};

/* Which items stood in front, in the order of time. */
struct fronts {
	u32 count; /* different items */
	struct front_item {
		u32 item, key;
		u64 ns;
	} first, last, longest; /* item NONE32: none yet */
};

/* What is being added up: an item's account, or a block of a worker's history. */
struct tally {
	struct charges charges;
	struct fronts fronts;
};

struct ledger {
	struct ledger_config cfg;
	struct ledger_worker *workers; /* cfg.workers */
	struct ledger_cpu *cpus;
	u32 nr_cpus;
	struct tid *tids; /* by tid */
	u32 nr_tids;
	u32 *task_workers;	/* whose thread a task is, by its index; NONE32: nobody's */
	struct services *lanes; /* nr_lanes: of the keys, or of the partitions */
	u32 nr_lanes;
	struct ledger_group *groups; /* cfg.replicas */
	u32 group_workers;	     /* of each */
	u32 nr_full;		     /* groups */
	struct ring fullness;	     /* struct fullness: of all of them; not used with one */
	struct ring aways;	     /* struct away; async */
	struct ledger_resource resources[RESOURCES_MAX];
	u64 resume_ns; /* when the paused workers go on; NEVER_NS: they are not paused */
	u64 now;       /* time of the last event */

	struct inflight **buckets; /* by item id; a power of two */
	u32 nr_buckets;
	u32 nr_inflight;
	struct inflight *oldest, *newest;
	struct inflight *free_slots;

	struct tally account, scratch[SUMS_NR];
	struct tally *to; /* where charge_add() and fronts_add() add */
	struct ledger_counts counts;
	bool no_memory; /* a history could not grow: ends the pass */
};

/* cpu.c: who had a CPU. */
struct ledger_cpu *cpu_get(const struct ledger *l, u32 cpu);
void occupant_set(struct ledger *l, struct ledger_cpu *c, u64 t, u32 task);
struct occupant *occupant_last(const struct ledger_cpu *c);
void cpu_irq_enter(struct ledger *l, struct ledger_cpu *c, const struct event *ev);
void cpu_irq_exit(struct ledger *l, struct ledger_cpu *c, u64 t);
void cpu_throttled(struct ledger_cpu *c, u64 a, u64 b);
/* Call add() for every culprit that had `cpu` in [a, b). */
void blame_cpu(struct ledger *l, u32 cpu, u64 a, u64 b, void (*add)(void *ctx, u32 culprit, u64 ns),
	       void *ctx);

/* segment.c: the worker's open stretch ends at `t`, and another begins in the same state. */
void worker_cut(struct ledger *l, struct ledger_worker *w, u64 t);
/* The index of its first segment that ends after t. */
u64 segment_find(const struct ledger_worker *w, u64 t);
/* The segment of `w` that holds time t, or NULL. */
const struct segment *segment_at(const struct ledger_worker *w, u64 t);
/* Charge what lies of `s` in [a, b) to `part` (in the state of the front `front`), with its
 * culprits. */
void segment_charge(struct ledger *l, struct ledger_worker *w, const struct segment *s, u64 a,
		    u64 b, enum part part, enum front front);
/* turn.c: call add() for every culprit that had a slot, or a lock, in [a, b). */
void blame_slot(struct ledger *l, u32 resource, u32 slot, u64 a, u64 b,
		void (*add)(void *ctx, u32 culprit, u64 ns), void *ctx);

/* tid.c: the worker whose thread has this tid, or this task is; NULL: none, or not any more. */
int tids_learn(struct ledger *l);
struct ledger_worker *worker_of_tid(struct ledger *l, u32 tid);
struct ledger_worker *worker_of_task(struct ledger *l, u32 task);

/* kernel.c: the kernel's events. */
void kernel_switch(struct ledger *l, const struct event *ev);
void kernel_waking(struct ledger *l, const struct event *ev);
void kernel_wakeup(struct ledger *l, const struct event *ev);
void kernel_account(struct ledger *l, const struct event *ev);
/* spawn: the worker's thread has asked for the last time, or it has not had one yet. */
void kernel_no_thread(struct ledger *l, struct ledger_worker *w, u64 t);
/* The worker itself did something at `t`: it was running then, whatever was or was not recorded of
 * it. */
void kernel_is_running(struct ledger *l, struct ledger_worker *w, u64 t);

/* items.c: the dispatcher's events. Negative errno ends the pass. */
int items_submit(struct ledger *l, const struct event *ev);
int items_move(struct ledger *l, const struct event *ev);
int items_admit(struct ledger *l, const struct event *ev);
int items_start(struct ledger *l, const struct event *ev);
int items_step(struct ledger *l, const struct event *ev);
int items_take(struct ledger *l, const struct event *ev);
int items_pause(struct ledger *l, const struct event *ev);
int items_done(struct ledger *l, const struct event *ev);
void items_free(struct ledger *l);
/* NULL: it is not in flight. */
struct inflight *inflight_find(const struct ledger *l, u32 item);

/* group.c: which replicas can start a further item. */
int groups_init(struct ledger *l);
void groups_free(struct ledger *l);
u32 group_of(const struct ledger *l, u32 worker);
/* The worker puts down the item that it serves and takes `x` (or none) at t. */
void serving_set(struct ledger *l, struct ledger_worker *w, struct inflight *x, u64 t);
/* A worker is held up: it is a pause of all of them, those that serve are held up after that. */
void workers_pause(struct ledger *l, u64 t, u64 until);
/* If the pause is over by t they go on. */
void workers_resume(struct ledger *l, u64 t);
void in_service_add(struct ledger *l, u32 group, int by, u64 t);

/* wait.c: charge the item's time in queues, submit … start at `worker`. */
void wait_charge(struct ledger *l, struct inflight *x, u32 worker);
/* Charge [a, b) of the owner's history to l->to as an item would be that has no key and that nobody
 * was woken for. */
void wait_charge_nobody(struct ledger *l, u32 owner, u64 a, u64 b);

/* block.c: sums over many entries of a history, for items that waited long. */
struct block;
#define BLOCK_FAN 16 /* blocks begin at every so many entries */
/* Which history, and what of it. */
struct history {
	enum sums kind;
	u32 worker;	    /* SUMS_QUEUE, SUMS_CARRIER: of its segments */
	u32 resource, slot; /* SUMS_SLOT, SUMS_LOCK: of its turns */
};
/*
 * The largest block that begins with the entry `index` and ends by `b`; it is made when it is asked
 * for the first time. `saturated`: of those that hold nothing but `saturated`. NULL when there is
 * none. *next gets the index of the entry after it.
 */
const struct block *block_find(struct ledger *l, const struct history *h, u64 index, u64 b,
			       bool saturated, u64 *next);
u64 block_end(const struct block *k);
/* Charge it to an item of `key` that waited behind it; NONE32: one that no other of its lane held
 * back. SUMS_QUEUE. */
void block_charge(struct ledger *l, const struct block *k, u32 key);
/* Call add() for each sum of a block. */
void block_each(const struct block *k, void (*add)(void *ctx, const struct charge *sum), void *ctx);
/* Forget blocks whose first entry is before `first`; free them all. NULL is fine. */
void blocks_forget(struct blocks *b, u64 first);
void blocks_free(struct blocks *b);

/* account.c: the sums. */
void charge_add(struct ledger *l, enum part part, enum front front, u32 culprit, u64 ns);
void fronts_add(struct ledger *l, u32 item, u32 key, u64 ns);
/* Put `later` after what is there. */
void fronts_append(struct fronts *f, const struct fronts *later);
void tally_reset(struct tally *t);
void tally_free(struct tally *t);
/* List the sums in charges.list, those without a culprit as well; nothing may be added after it. */
void tally_list(struct ledger *l, struct tally *t);
/* Make the account of l->account; false when its parts are not done − due. */
bool tally_settle(struct ledger *l, struct account *a);

/* The earliest time that an item in flight can ask about: what ended before it may be forgotten. */
u64 ledger_horizon(const struct ledger *l);

#endif
