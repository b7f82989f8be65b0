/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Partitions that move between workers in the middle of a live run (core/reassign.h says what
 * becomes of whose items). At that time every worker gives up what it serves and comes to a
 * meeting; the last to come moves the partitions; then all stop for a while, and go on.
 */
#ifndef HOLBENCH_LIVE_REASSIGN_H
#define HOLBENCH_LIVE_REASSIGN_H

#include "core/event.h"
#include "core/reassign.h"

struct engine;
struct worker;

struct reassignment {
	const struct reassign_config *cfg; /* NULL: there is none */
	/* Per item; its worker's until all have met. Owned. */
	u64 *start_ns;	      /* of its last service, from the start of the stream */
	u8 *status;	      /* enum item_status */
	struct item **moving; /* owned: room for all items */
	u32 *home;	      /* owned: the queues after the move */
	u64 resume_ns;	      /* when they go on; known once `moved` is set */
	u32 called;	      /* the collector's: it has woken those that were idle */
	/* Atomic. */
	u32 met;   /* workers that have come */
	u32 moved; /* a futex */
	u32 extra; /* deliveries beyond the stream: of items that had ended */
};

/* 0 or -ENOMEM. */
int reassign_init(struct engine *e);
void reassign_fini(struct engine *e);

/* When the partitions move; NEVER_NS: they do not, or have, or the stream has no start yet. */
u64 reassign_at_ns(const struct engine *e);
/* Note that the item's service begins. */
void reassign_note_start(struct engine *e, const struct item *it, u64 now_ns);
/* The item's service was given up at reassign_at_ns(): OUTCOME_LOST or OUTCOME_ABANDONED. */
enum outcome reassign_outcome(const struct engine *e, const struct item *it);
/* Note that it has ended. Returns false when it is still to be done. */
bool reassign_note_end(struct engine *e, const struct item *it, u32 outcome);
/* If it is time: meet the others, move the partitions if we are the last, stop. */
void reassign_meet(struct worker *w);
/* The collector's: wakes idle workers when it is time. */
void reassign_call(struct engine *e, u64 now_ns);
/* How many items' ends make a whole run. */
u64 reassign_total(const struct engine *e);

#endif
