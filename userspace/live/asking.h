/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dispatcher as a worker meets it: it asks for items, steals, and says what has ended; every
 * decision goes into the worker's log with its place in the order. No allocation, no system call
 * and no lock but the queue's, beyond a wake-up.
 */
#ifndef HOLBENCH_LIVE_ASKING_H
#define HOLBENCH_LIVE_ASKING_H

#include "live/engine.h"

/* One record without a place of its own in the order. */
void log_event(struct worker *w, u32 kind, u64 time_ns, u64 seq, u32 item);
/* A further step begins, or goes on; seq 0: it is not a resume. */
void log_step(struct worker *w, u64 time_ns, u64 seq, u32 item, u32 index);
/* The item, or NONE32 the worker itself, is held up. */
void log_pause(struct worker *w, u64 time_ns, u32 item, u64 until_ns);
void log_take(struct worker *w, u64 time_ns, u32 item, u32 resource, const struct grant *g);
/* START, or IDLE when `it` is NULL, as the dispatcher decided at now_ns. */
void log_decision(struct worker *w, const struct item *it, u64 now_ns, u64 seq);

/*
 * Somebody wants the slot's thread to run, and makes it now: no sched_waking says so. In the log of
 * the one who makes it, on that CPU; only beside the probe's events.
 */
void log_spawn(const struct engine *e, struct thread_log *log, u32 slot, u32 cpu, u64 now_ns);

/* The lock that covers the worker. */
u32 worker_lock(const struct worker *w);
/* Tell an idle worker, or make its thread (NONE32: nobody). No lock is held. */
void wake_worker(struct engine *e, u32 worker);
/* An item has ended, as of now_ns and with this outcome; the worker's lock is held. */
void end_item_locked(struct worker *w, struct item *it, u64 now_ns, u32 outcome);
/* The same, with no lock held. A design that is not told of ends under its lock gets them outside,
 * with no place in the order. */
void end_item(struct worker *w, struct item *it, u64 now_ns, u32 outcome);
/* Ask for an item, or NULL; *now_ns is read inside the lock, and service begins there. Within a
 * pause it asks at its end. IDLE is logged before the lock is given back. */
struct item *ask_item(struct worker *w, u64 *now_ns);
/*
 * Steal, and take what was stolen, in one critical section; an item that was submitted to the own
 * queue in between comes first. NULL and nothing logged within a pause, and when there is nothing
 * to take: the worker was idle before and is idle after, or has been chosen for a wake-up that is
 * on its way.
 */
struct item *steal_item(struct worker *w, u64 *now_ns);
/* Until when the workers take no item; now_ns: they may. */
u64 worker_held_until(const struct engine *e, u64 now_ns);
/* Within a pause of the workers: say so, and sleep to its end. */
void pause_worker(struct worker *w);
/* Until when a step of the item that would begin at now_ns is held up; now_ns: it is not. */
u64 step_held_until(const struct engine *e, const struct item *it, u32 step, u64 now_ns);

#endif
