/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The queue wait of an item, submit … start, split instant by instant by the first that holds:
 * wake, saturated, order, hol (see design: the ledger). Read off the histories once the item has
 * started, when its worker is known.
 */
#include "core/ledger/walk.h"

static bool is_free(const struct segment *s)
{
	return s && segment_is_free(s);
}

/* Waiting for a free worker to come: the state of that worker is how far it has come. If it is
 * busy, it is another, not known, that is free. */
static void charge_wake(struct walk *w, struct ledger_worker *who, u64 until)
{
	const struct segment *s = walk_state(w, who, &until);

	if (is_free(s))
		segment_charge(w->l, who, s, w->t, until, PART_WAKE, (enum front)s->front);
	else
		charge_add(w->l, PART_WAKE, FRONT_UNKNOWN, NONE32, until - w->t);
	w->t = until;
}

static void charge_behind(struct walk *w, struct ledger_worker *who, u64 until, enum part part)
{
	const struct segment *s = walk_state(w, who, &until);

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

	if (is_free(walk_state(w, w->owner, until)))
		return w->owner;
	if (w->x && w->x->woken < nr && is_free(walk_state(w, &workers[w->x->woken], until)))
		return &workers[w->x->woken];
	if (w->l->group_workers > COMING_MAX)
		return w->owner;
	for (u32 i = first; i < first + w->l->group_workers; i++) {
		const struct segment *s = walk_state(w, &workers[i], until);

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
	const struct service *s = is_free(owner) ? walk_longest(w, &until) : NULL;

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
		return !walk_group_full(w, until) && !(serial && earlier);
	return is_free(owner) && !(w->l->cfg.limit && walk_group_full(w, until));
}

/* Charge from w->t to the next time at which something changes. */
static void charge_instant(struct walk *w)
{
	bool one_queue = w->l->cfg.traits & DISPATCH_ONE_QUEUE;
	u64 until = w->b;
	bool saturated = walk_all_full(w, &until);
	const struct service *earlier = walk_earlier(w, &until);
	const struct segment *s = walk_state(w, w->owner, &until);

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
	if (use.saturated || !walk_earlier(w, &use.upto))
		return use;
	use.saturated = true;
	use.upto = w->b;
	return use;
}

/* The largest that may stand for it from here on, or NULL; of what it holds, the time of items of
 * *key is `order`. While all is saturated the next item of its lane is no end. */
static const struct block *largest_block(struct walk *w, const struct history *h, u64 *next,
					 u32 *key)
{
	struct blocks_use use = blocks_apply(w);
	const struct block *k = block_find(w->l, h, w->segment, use.upto, use.saturated, next);
	const struct block *all = NULL;
	u64 after;

	*key = use.key;
	if (!use.saturated && use.upto < w->b)
		all = block_find(w->l, h, w->segment, w->b, true, &after);
	if (!all || (k && block_end(k) >= block_end(all)))
		return k;
	*next = after;
	return all;
}

/* Charge whole blocks for as long as there are any; true when that was some time. */
static bool charge_blocks(struct walk *w, u32 owner)
{
	const struct history h = {.kind = SUMS_QUEUE, .worker = owner};
	u64 next, before = w->t;

	for (;;) {
		const struct segment *s = walk_owner_segment(w);
		const struct block *k;
		u32 key;

		if (!s || s->t0 != w->t || w->segment % BLOCK_FAN)
			break;
		k = largest_block(w, &h, &next, &key);
		if (!k)
			break;
		block_charge(w->l, k, key);
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
