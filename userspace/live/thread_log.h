/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread's log: a ring of fixed records with one producer (the thread) and one consumer (the
 * collector). The producer never waits: a record that finds the ring full is counted as lost.
 */
#ifndef HOLBENCH_LIVE_THREAD_LOG_H
#define HOLBENCH_LIVE_THREAD_LOG_H

#include "core/event.h"

/*
 * What a thread knows at the moment; the collector adds the rest from the item (key, due time,
 * steps) and from whose ring it is (worker).
 */
struct record {
	u64 time_ns;
	union {
		u64 seq;      /* of the dispatcher's kinds; STEP: 0 when it is not a resume */
		u64 until_ns; /* TAKE PAUSE */
	};
	union {
		u64 since_ns; /* MOVE: when the rule first allowed the steal */
		u64 from_ns;  /* TAKE */
		u64 delivery; /* SUBMIT: enum delivery */
	};
	u32 kind; /* enum event_kind: SUBMIT START DONE IDLE MOVE STEP TAKE PAUSE ADMIT WAKING */
	u32 item;
	u32 a; /* SUBMIT ADMIT: queue; MOVE: from; STEP: index; DONE: outcome; TAKE: resource;
		  WAKING: of whom */
	u32 b; /* SUBMIT: woken; MOVE: left; TAKE: slot; WAKING: CPU */
};

struct thread_log {
	struct record *records;
	u64 mask;
	/* The producer's line: it looks at `tail` only when the ring seems full. */
	_Alignas(64) u64 head;
	u64 seen_tail;
	u64 lost;
	/* The consumer's line. */
	_Alignas(64) u64 tail;
};

/* At least `capacity` records; `touch`: every page is touched. 0 or -ENOMEM. */
int thread_log_init(struct thread_log *l, u64 capacity, bool touch);
void thread_log_fini(struct thread_log *l);
/* The producer's. */
void thread_log_push(struct thread_log *l, const struct record *rec);
/* Would a record be lost? */
bool thread_log_full(struct thread_log *l);
/* The consumer's: the oldest record, or NULL; thread_log_pop() gives its place back. */
const struct record *thread_log_peek(const struct thread_log *l);
void thread_log_pop(struct thread_log *l);
/* How many records were pushed so far, lost ones included. */
u64 thread_log_pushed(const struct thread_log *l);
/* How many records were lost so far. */
u64 thread_log_lost(const struct thread_log *l);

#endif
