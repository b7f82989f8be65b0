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
	u32 item, key; /* in service, NONE32: the worker is free */
	u8 front;      /* enum front */
};

struct blame {
	u32 culprit; /* as in struct charge */
	u64 ns;
};

/* A block of level n holds BLOCK_FAN to the power of n+1 segments. */
#define BLOCK_FAN    16
#define BLOCK_LEVELS 5

struct ledger_worker {
	enum thread_state state;
	u64 since; /* start of the open stretch */
	u32 cpu;   /* whose run queue it is on, when runnable */
	u32 tid;   /* 0: not known */
	struct inflight *serving;
	u64 deadline_ns; /* end of the wait that the current step asked for; 0: a CPU step */
	u64 free_since;
	u32 irq_task; /* running, but this interrupt has the CPU; NONE32: none */
	/* Off the CPU and not asleep since then; what throttled_ns the event that began it carried.
	 */
	u64 off_since, off_throttled_ns;
	struct ring segments;		  /* struct segment */
	struct ring blames;		  /* struct blame */
	struct ring blocks[BLOCK_LEVELS]; /* struct block: sums of its segments, see block.c */

	/* The check against the kernel's account. */
	bool begun, ended;
	u64 waits, wait_ns, cpu_ns;			 /* ours, since the start of the trace */
	u64 base_waits, base_wait_ns, base_cpu_ns;	 /* ours at ACCOUNT_BEGIN */
	u64 kernel_waits, kernel_wait_ns, kernel_cpu_ns; /* the kernel's at ACCOUNT_BEGIN */
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

/* Every worker is serving, or not, from time t on. */
struct saturation {
	u64 t;
	bool all_serving;
};

/* One item of a key in service: done_ns is NEVER_NS while it lasts. */
struct key_service {
	u64 start_ns, done_ns;
	u32 seq, worker, item;
};

struct ledger_key {
	struct ring services; /* struct key_service, by start */
	u32 served_by;	      /* the worker of all its services so far; NONE32: none, or several */
	bool served;
};

/* Where an item waited, from one time to the next place's. */
struct place {
	u64 from_ns;
	u64 thief_wake_ns; /* from then until the move that ends this place it waits for the thief;
			      NEVER_NS: no move */
	u32 queue;
	u32 thief;
};

struct inflight {
	struct account a;
	struct step steps[ITEM_STEPS_MAX];
	u32 nr_steps;
	u32 woken;
	bool started;
	struct place *places; /* owned, kept for the slot's next item */
	u32 nr_places, cap_places;
	u64 service;		      /* index of its key_service */
	struct inflight *chain;	      /* hash bucket, or the free list */
	struct inflight *prev, *next; /* in flight, by submit time */
};

/* The account being made: sums by (part, front), and by culprit where there is one. */
struct charges {
	u64 plain[PART_NR][FRONT_NR];
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
	struct ledger_key *keys; /* cfg.keys */
	struct ring saturation;	 /* struct saturation */
	u32 nr_serving;
	u64 now; /* time of the last event */

	struct inflight **buckets; /* by item id; a power of two */
	u32 nr_buckets;
	u32 nr_inflight;
	struct inflight *oldest, *newest;
	struct inflight *free_slots;

	struct tally account, scratch;
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

/* kernel.c: the kernel's events. */
void kernel_switch(struct ledger *l, const struct event *ev);
void kernel_waking(struct ledger *l, const struct event *ev);
void kernel_wakeup(struct ledger *l, const struct event *ev);
void kernel_account(struct ledger *l, const struct event *ev);
/* The worker itself did something at `t`: it was running then, whatever was or was not recorded of
 * it. */
void kernel_is_running(struct ledger *l, struct ledger_worker *w, u64 t);

/* items.c: the dispatcher's events. Negative errno ends the pass. */
int items_submit(struct ledger *l, const struct event *ev);
int items_move(struct ledger *l, const struct event *ev);
int items_start(struct ledger *l, const struct event *ev);
int items_step(struct ledger *l, const struct event *ev);
int items_done(struct ledger *l, const struct event *ev);
void items_free(struct ledger *l);

/* wait.c: charge the item's time in queues, submit … start at `worker`. */
void wait_charge(struct ledger *l, struct inflight *x, u32 worker);
/* Charge [a, b) of the owner's history to l->to as an item would be that has no key and that nobody
 * was woken for. */
void wait_charge_nobody(struct ledger *l, u32 owner, u64 a, u64 b);
/* The segment of `w` that holds time t, or NULL. */
const struct segment *segment_at(const struct ledger_worker *w, u64 t);
/* Charge what lies of `s` in [a, b) to `part` (in the state of the front `front`), with its
 * culprits. */
void segment_charge(struct ledger *l, struct ledger_worker *w, const struct segment *s, u64 a,
		    u64 b, enum part part, enum front front);

/* block.c: sums over many segments, for items that waited long. */
struct block;
/*
 * The largest block of the worker that begins with segment `index` and ends by `b`; it is made when
 * it is asked for the first time. NULL when there is none. *next gets the index of the segment
 * after it.
 */
const struct block *block_find(struct ledger *l, u32 worker, u64 index, u64 b, u64 *next);
u64 block_end(const struct block *k);
/* Charge it to an item of `key` that waited behind it. */
void block_charge(struct ledger *l, const struct block *k, u32 key);
void blocks_init(struct ledger_worker *w);
/* Forget blocks whose first segment is before `first`. */
void blocks_forget(struct ledger_worker *w, u64 first);
void blocks_free(struct ledger_worker *w);

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
