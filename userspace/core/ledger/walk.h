/* SPDX-License-Identifier: GPL-2.0-only */
/* A walk over the histories while an item waited: what held at w->t, and until when. */
#ifndef HOLBENCH_CORE_LEDGER_WALK_H
#define HOLBENCH_CORE_LEDGER_WALK_H

#include "core/ledger/internal.h"

/* Forward in time; each index only grows. */
struct walk {
	struct ledger *l;
	struct inflight *x;
	struct ledger_worker
		*owner; /* whose queue it is in; with one queue, the worker that took it */
	struct ledger_group *group; /* the owner's */
	bool outside;		    /* of a full buffer */
	u64 t, b;
	u64 segment;	    /* of owner->segments */
	u64 fullness, full; /* of l->fullness, of group->fullness */
	u64 service;	    /* of the lane's services: those before have ended */
	u64 group_service;  /* the same of the group's */
};

/* From a to b. x NULL: of no item, as wait_charge_nobody(). */
struct walk walk_begin(struct ledger *l, struct inflight *x, u32 owner, u64 a, u64 b);
/* After a leap of w->t: where the histories of its replica, and of all, are then. */
void walk_find(struct walk *w);

/* Each lowers *until to the time up to which its answer holds. */

/* Can its own replica start no further item? */
bool walk_group_full(struct walk *w, u64 *until);
/* Can no replica? */
bool walk_all_full(struct walk *w, u64 *until);
/* An earlier item of its lane that is in service, or NULL. */
const struct service *walk_earlier(struct walk *w, u64 *until);
/* The item that has been in service longest in the replica, or NULL. */
const struct service *walk_longest(struct walk *w, u64 *until);
/* The segment of `who`, or NULL where there is none. */
const struct segment *walk_state(struct walk *w, struct ledger_worker *who, u64 *until);

/* The owner's first segment that ends after w->t, or NULL. */
const struct segment *walk_owner_segment(struct walk *w);

#endif
