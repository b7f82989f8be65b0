/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The queue wait of an item, submit … start, split instant by instant by the first that holds:
 * wake, saturated, order, hol (see design: the ledger). Read off the histories once the item has
 * started, when its worker is known.
 */
#include "core/ledger/internal.h"

/* A walk over the histories, forward in time; each index only grows. */
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

static u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Does a history say full at w->t? *until gets the time to which this holds. */
static bool full_at(const struct walk *w, const struct ring *r, u64 *index, u64 *until)
{
	while (*index + 1 < r->end && ((struct fullness *)ring_at(r, *index + 1))->t <= w->t)
		++*index;
	if (*index + 1 < r->end)
		*until = min_u64(*until, ((struct fullness *)ring_at(r, *index + 1))->t);
	return ((struct fullness *)ring_at(r, *index))->full;
}

/* Can its own replica start no further item? */
static bool group_full(struct walk *w, u64 *until)
{
	return full_at(w, &w->group->fullness, &w->full, until);
}

/* Can no replica? */
static bool all_full(struct walk *w, u64 *until)
{
	return w->l->cfg.replicas > 1 ? full_at(w, &w->l->fullness, &w->fullness, until)
				      : group_full(w, until);
}

/* The first of them that started and is in service at w->t, ranked below `rank`; or NULL. */
static const struct service *in_service(const struct walk *w, const struct services *v, u64 *index,
					u32 rank, u64 *until)
{
	const struct ring *r = &v->ring;

	while (*index < r->end && service_at(v, *index)->done_ns <= w->t)
		++*index;
	for (u64 i = *index; i < r->end; i++) {
		const struct service *s = service_at(v, i);

		if (s->start_ns > w->t) {
			*until = min_u64(*until, s->start_ns);
			break;
		}
		if (s->done_ns <= w->t || s->rank >= rank)
			continue;
		*until = min_u64(*until, s->done_ns);
		return s;
	}
	return NULL;
}

/* An earlier item of its lane that is in service at w->t, or NULL. */
static const struct service *earlier_in_service(struct walk *w, u64 *until)
{
	if (!w->x || !lane_holds(w->l, w->x))
		return NULL;
	return in_service(w, &w->l->lanes[w->x->lane], &w->service, w->x->rank, until);
}

/* The item that has been in service longest in the replica, or NULL. */
static const struct service *longest_in_service(struct walk *w, u64 *until)
{
	return in_service(w, &w->group->services, &w->group_service, NONE32, until);
}

/* The owner's first segment that ends after w->t, or NULL. */
static const struct segment *owner_segment(struct walk *w)
{
	const struct ring *r = &w->owner->segments;

	while (w->segment < r->end && ((struct segment *)ring_at(r, w->segment))->t1 <= w->t)
		w->segment++;
	return w->segment < r->end ? ring_at(r, w->segment) : NULL;
}

/* The segment of `who` at w->t, or NULL where there is none; *until as above. */
static const struct segment *state_of(struct walk *w, struct ledger_worker *who, u64 *until)
{
	const struct segment *s;

	if (who == w->owner) {
		s = owner_segment(w);
		if (s && s->t0 > w->t) {
			*until = min_u64(*until, s->t0);
			s = NULL;
		}
	} else {
		worker_cut(w->l, who, w->b);
		s = segment_at(who, w->t);
	}
	if (s)
		*until = min_u64(*until, s->t1);
	return s;
}

/* Waiting for a free worker to come: the state of that worker is how far it has come. */
static void charge_wake(struct walk *w, struct ledger_worker *who, u64 until)
{
	const struct segment *s = state_of(w, who, &until);

	if (s && !segment_is_free(s)) { /* busy: it is another, not known, that is free */
		charge_add(w->l, PART_WAKE, FRONT_UNKNOWN, NONE32, until - w->t);
	} else if (s) {
		segment_charge(w->l, who, s, w->t, until, PART_WAKE, (enum front)s->front);
	} else {
		charge_add(w->l, PART_WAKE, FRONT_UNKNOWN, NONE32, until - w->t);
	}
	w->t = until;
}

static void charge_behind(struct walk *w, struct ledger_worker *who, u64 until, enum part part)
{
	const struct segment *s = state_of(w, who, &until);

	if (s) {
		segment_charge(w->l, who, s, w->t, until, part, (enum front)s->front);
		if (s->item != NONE32)
			fronts_add(w->l, s->item, s->key, until - w->t);
	} else {
		charge_add(w->l, part, FRONT_UNKNOWN, NONE32, until - w->t);
	}
	w->t = until;
}

/* How far a free worker has come on its way to the queue. */
static int progress_of(const struct segment *s)
{
	switch (s->front) {
	case FRONT_CPU:
	case FRONT_IRQ:
		return 3;
	case FRONT_RUNQUEUE:
	case FRONT_THROTTLED:
		return 2;
	case FRONT_WAKEUP:
		return 1;
	default:
		return 0;
	}
}

static bool is_free(const struct segment *s)
{
	return s && segment_is_free(s);
}

/*
 * With one queue any free worker may take it: the one that took it, if it was free then; else the
 * one that was woken for it; else the one that has come furthest. Of many it is not looked for:
 * charge_wake() says of an owner that serves that it is another, not known.
 */
static struct ledger_worker *coming(struct walk *w, u64 *until)
{
	struct ledger_worker *workers = w->l->workers, *found = w->owner;
	u32 nr = w->l->cfg.workers;
	u32 first = (u32)(w->group - w->l->groups) * w->l->group_workers;
	int best = -1;

	if (is_free(state_of(w, w->owner, until)))
		return w->owner;
	if (w->x && w->x->woken < nr && is_free(state_of(w, &workers[w->x->woken], until)))
		return &workers[w->x->woken];
	if (w->l->group_workers > COMING_MAX)
		return w->owner;
	for (u32 i = first; i < first + w->l->group_workers; i++) {
		const struct segment *s = state_of(w, &workers[i], until);

		if (is_free(s) && progress_of(s) > best) {
			best = progress_of(s);
			found = &workers[i];
		}
	}
	return found;
}

/* Behind an item in service: with async it may be off its carrier. */
static void charge_behind_item(struct walk *w, const struct service *s, u64 until, enum part part)
{
	const struct away *y = away_at(w->l, s->away, w->t);

	if (!y || y->t0 > w->t) {
		charge_behind(w, &w->l->workers[s->worker], y ? min_u64(until, y->t0) : until,
			      part);
		return;
	}
	until = min_u64(until, y->t1);
	away_charge(w->l, y, w->t, until, (int)part);
	fronts_add(w->l, s->item, s->key, until - w->t);
	w->t = until;
}

/* Behind what its owner serves; where the owner is free but may not take it, behind the item that
 * has been in service longest. */
static void charge_waiting(struct walk *w, const struct segment *owner, u64 until, enum part part)
{
	const struct service *s = is_free(owner) ? longest_in_service(w, &until) : NULL;

	if (s)
		charge_behind_item(w, s, until, part);
	else if (!is_free(owner))
		charge_behind(w, w->owner, until, part);
	else {
		charge_add(w->l, part, FRONT_UNKNOWN, NONE32, until - w->t);
		w->t = until;
	}
}

/* May a worker that is free take it? */
static bool is_wanted(struct walk *w, const struct segment *owner, bool earlier, u64 *until)
{
	u32 traits = w->l->cfg.traits;
	bool serial = traits & (DISPATCH_KEY_SERIAL | DISPATCH_PARTITION_SERIAL);

	if (w->outside)
		return false;
	if (traits & DISPATCH_ONE_QUEUE)
		return !group_full(w, until) && !(serial && earlier);
	return is_free(owner) && !(w->l->cfg.limit && group_full(w, until));
}

/* Charge from w->t to the next time at which something changes. */
static void charge_instant(struct walk *w)
{
	bool one_queue = w->l->cfg.traits & DISPATCH_ONE_QUEUE;
	u64 until = w->b;
	bool saturated = all_full(w, &until);
	const struct service *earlier = earlier_in_service(w, &until);
	const struct segment *s = state_of(w, w->owner, &until);

	if (is_wanted(w, s, earlier, &until)) {
		struct ledger_worker *who = one_queue ? coming(w, &until) : w->owner;

		charge_wake(w, who, until);
	} else if (saturated) {
		charge_waiting(w, s, until, PART_SATURATED);
	} else if (earlier) {
		charge_behind_item(w, earlier, until, PART_ORDER);
	} else {
		charge_waiting(w, s, until, PART_HOL);
	}
}

/* Where the histories of its replica, and of all, are at w->t. */
static void walk_find(struct walk *w)
{
	w->full = ring_holding(&w->group->fullness, w->t);
	if (w->l->cfg.replicas > 1)
		w->fullness = ring_holding(&w->l->fullness, w->t);
	if (keeps_services(w->l))
		w->group_service = services_at(&w->group->services, w->t);
}

static struct walk walk_begin(struct ledger *l, struct inflight *x, u32 owner, u64 a, u64 b)
{
	struct walk w = {.l = l,
			 .x = x,
			 .owner = &l->workers[owner],
			 .group = &l->groups[group_of(l, owner)],
			 .t = a,
			 .b = b};

	w.segment = segment_find(w.owner, a);
	w.service = x ? services_at(&l->lanes[x->lane], a) : 0;
	walk_find(&w);
	return w;
}

/* Which blocks may stand for an item. */
struct blocks_use {
	u64 upto;
	u32 key;	/* for block_charge() */
	bool saturated; /* only such as hold nothing but `saturated` */
};

/*
 * Blocks know nothing of the item's lane and of who was woken for it, which do not matter while it
 * is saturated. Else the lane must be one that does not matter either, or is in service just where
 * the block says so, because its items were never served elsewhere; or no earlier item of it is in
 * service for so long.
 */
static struct blocks_use blocks_apply(struct walk *w)
{
	const struct ledger_config *cfg = &w->l->cfg;
	u32 owner = (u32)(w->owner - w->l->workers);
	bool serial = cfg->traits & (DISPATCH_KEY_SERIAL | DISPATCH_PARTITION_SERIAL);
	struct blocks_use use = {.upto = w->b, .key = NONE32};

	use.saturated = w->outside || w->x->nr_places != 1;
	if (cfg->traits & DISPATCH_ONE_QUEUE) {
		use.saturated |= w->x->woken < cfg->workers;
		if (!serial && cfg->replicas == 1)
			return use;
	} else if (cfg->executor != EXECUTOR_ASYNC && lane_holds(w->l, w->x) &&
		   w->l->lanes[w->x->lane].served_by == owner) {
		use.key = w->x->a.key;
		return use;
	}
	if (use.saturated || !earlier_in_service(w, &use.upto))
		return use;
	use.saturated = true;
	use.upto = w->b;
	return use;
}

/* Charge whole blocks for as long as there are any; true when that was some time. */
static bool charge_blocks(struct walk *w, u32 owner)
{
	const struct history h = {.kind = SUMS_QUEUE, .worker = owner};
	u64 next, before = w->t;

	for (;;) {
		const struct segment *s = owner_segment(w);
		const struct block *k;
		struct blocks_use use;

		if (!s || s->t0 != w->t || w->segment % BLOCK_FAN)
			break;
		use = blocks_apply(w);
		k = block_find(w->l, &h, w->segment, use.upto, use.saturated, &next);
		if (!k)
			break;
		block_charge(w->l, k, use.key);
		w->t = block_end(k);
		w->segment = next;
	}
	return w->t > before;
}

static void charge_place(struct ledger *l, struct inflight *x, const struct place *p, u32 owner,
			 u64 b)
{
	struct walk w = walk_begin(l, x, owner, p->from_ns, b);

	worker_cut(l, w.owner, b);
	w.outside = p->queue == NONE32;
	while (w.t < b) {
		if (charge_blocks(&w, owner)) {
			walk_find(&w);
			continue;
		}
		charge_instant(&w);
	}
}

void wait_charge_nobody(struct ledger *l, u32 owner, u64 a, u64 b)
{
	struct walk w = walk_begin(l, NULL, owner, a, b);

	while (w.t < b)
		charge_instant(&w);
}

/* From the time at which the rule allowed the steal, the item waits for the thief to come. */
static void charge_thief(struct ledger *l, struct inflight *x, u32 thief, u64 a, u64 b)
{
	struct walk w = walk_begin(l, x, thief, a, b);

	worker_cut(l, w.owner, b);
	while (w.t < b)
		charge_wake(&w, w.owner, b);
}

void wait_charge(struct ledger *l, struct inflight *x, u32 worker)
{
	bool one_queue = l->cfg.traits & DISPATCH_ONE_QUEUE;

	for (u32 i = 0; i < x->nr_places; i++) {
		const struct place *p = &x->places[i];
		u64 end = i + 1 < x->nr_places ? x->places[i + 1].from_ns : x->a.start_ns;
		u64 split = min_u64(p->thief_wake_ns, end);

		charge_place(l, x, p, one_queue || p->queue >= l->cfg.workers ? worker : p->queue,
			     split);
		if (split < end)
			charge_thief(l, x, p->thief, split, end);
	}
}
