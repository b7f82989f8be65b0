/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the ledger: services. What an item's current step asked for (its plan), who had what it
 * waits for (turns), where it was when it was not on its carrier (aways), and the order in which
 * items of a key were served.
 */
#ifndef HOLBENCH_CORE_LEDGER_SERVICE_H
#define HOLBENCH_CORE_LEDGER_SERVICE_H

#include "core/item.h"
#include "core/ledger/ring.h"
#include "core/resource.h"

struct ledger;
struct ledger_worker;
struct inflight;
struct segment;

#define RESOURCE_NONE UINT8_MAX

/* An item in service: done_ns is NEVER_NS while it lasts. */
struct service {
	u64 start_ns, done_ns;
	u64 oldest; /* index of the first that had not ended when it started */
	u64 away;   /* as of the item */
	u32 rank, worker, item, key;
};

struct services {
	struct ring ring; /* struct service, by start */
	u64 oldest;	  /* index: those before have ended */
	u32 served_by;	  /* the worker of all of them so far; NONE32: none, or several */
	bool served;
};

/* What a step asks for. All zero: CPU time. */
struct plan {
	u64 pause_until; /* held up before; 0: not, or over */
	u64 asked_ns;	 /* CALL: when the slot was granted; NEVER_NS: not yet */
	/* CALL: when the slot is the item's; LOCK: when it was its turn. NEVER_NS: not yet */
	u64 from_ns;
	u64 ready_ns;	/* WAIT, CALL: when the wait is over */
	u64 wait_ns;	/* WAIT: its length */
	u64 give_up_ns; /* the item's caller does not wait longer */
	u32 kind;	/* enum step_kind */
	u32 step;	/* its index */
	u32 item;
	u16 slot;
	u8 resource;
	bool queued; /* LOCK: it waits for its turn, or had it */
	bool has_lock;
};

/* What it does at an instant in which its thread, if it has one, sleeps. */
enum phase {
	PHASE_READY, /* nothing that was asked for */
	PHASE_PAUSED,
	PHASE_CONTENDED, /* waits for the plan's slot or lock */
	PHASE_BLOCKED,
};

enum lock_state { LOCK_NONE, LOCK_WAITS, LOCK_HAS };

/*
 * Who has a slot, or a lock, from time t on. A lock that nobody has is the first waiter's, which is
 * on its way.
 */
struct turn {
	u64 t;
	u64 service; /* of a lock: index in the lane's services */
	u32 item;    /* NONE32: nobody */
	u32 key, lane;
};

/* Sums over entries of a history, see block.c. */
enum sums {
	SUMS_QUEUE,   /* a worker's segments, to an item in its queue */
	SUMS_CARRIER, /* a carrier's segments, to an item of its own that could go on */
	SUMS_SLOT,    /* turns, by culprit */
	SUMS_LOCK,    /* turns of a lock, by what its holders did, too */
	SUMS_NR,
};

struct blocks;

struct ledger_slot {
	struct ring turns;		     /* struct turn */
	struct blocks *blocks, *lock_blocks; /* owned; or NULL */
};

struct ledger_resource {
	struct ledger_slot *slots; /* owned: those that were taken */
	u32 nr_slots;
	bool lock;
	struct inflight *holder, *first, *last; /* of a lock, and who waits for it */
};

/* async: a stretch of an item's service in which it is not on its carrier. */
struct away {
	u64 t0, t1;
	u64 prev; /* index of the item's stretch before, plus one; 0: none */
	struct plan plan;
	u32 worker;
};

/* lane.c: who was served when. */
int lanes_init(struct ledger *l);
void lanes_free(struct ledger *l);
bool keeps_services(const struct ledger *l);
/* Fills its lane and its rank in it. */
void lane_find(const struct ledger *l, struct inflight *x);
/* Is it held back by those of its lane? Not without a key and an order. */
bool lane_holds(const struct ledger *l, const struct inflight *x);
void service_begin(struct ledger *l, struct inflight *x);
void service_end(struct ledger *l, const struct inflight *x, u64 t);
/* Where a search for services that last at t begins. */
u64 services_at(const struct services *v, u64 t);
struct service *service_at(const struct services *v, u64 index);
/* Is it in service? Its `away` becomes `away`. */
void service_away(struct ledger *l, const struct inflight *x, u64 away);

/* turn.c: who had slots and locks. */
void resources_free(struct ledger *l);
/* The item's plan asks for a lock. */
void lock_join(struct ledger *l, struct inflight *x, u64 t);
/* It has it. */
void lock_take(struct ledger *l, struct inflight *x, u64 t);
/* It neither has it nor waits for it. */
void lock_leave(struct ledger *l, struct inflight *x, u64 t);
/* -ENOMEM */
int slot_take(struct ledger *l, const struct inflight *x, u32 resource, u32 slot, u64 from_ns);
/* The turn at t, or NULL where it is not known; *until gets the next one's time if that is earlier.
 */
const struct turn *turn_at(const struct ledger *l, u32 resource, u32 slot, u64 t, u64 *until);
/* The culprit that an item of `key` is. */
u32 culprit_of_key(const struct ledger *l, u32 resource, u32 key);

/* plan.c: what an item's steps ask for. */
enum phase plan_phase(const struct ledger *l, const struct plan *p, u64 t, u64 *until);
/* Has it asked for a wait that is over at t, in PHASE_READY? Else nobody asked for it to sleep. */
bool plan_waited(const struct plan *p, u64 t);
/* Its turn has come, for the lock that it waits for. */
void plan_turn(struct ledger *l, struct inflight *x, u64 t);
/* The earliest stretch of those up to `away` that ends after t, or NULL. */
const struct away *away_at(const struct ledger *l, u64 away, u64 t);
/* Its service begins, at a.start_ns, and ends. */
void plan_begin(struct ledger *l, struct ledger_worker *w, struct inflight *x);
void plan_end(struct ledger *l, struct ledger_worker *w, struct inflight *x, u64 t);
/* The item of an event, in the service of its worker; NULL, counted, where that cannot be. */
struct inflight *served_item(struct ledger *l, const struct event *ev);

/* charge.c: time of service. `part` is that of who waits behind it (enum part), or SERVICE: its
 * own. */
#define SERVICE (-1)
void contended_charge(struct ledger *l, u32 resource, u32 slot, u64 a, u64 b, int part);
/* To the item itself: from a to the end of the segment that holds it, which *until gets; at most to
 * *until. */
void carrier_charge(struct ledger *l, u32 worker, u64 a, u64 *until, int part);
/* The turn of a lock that holds a, at most to b, to an item that waits for it; returns its end. */
u64 lock_turn_charge(struct ledger *l, u32 resource, u64 a, u64 b);
void away_charge(struct ledger *l, const struct away *y, u64 a, u64 b, int part);
void service_charge(struct ledger *l, const struct inflight *x);

#endif
