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
	u64 t, b;
	u64 segment;	/* of owner->segments */
	u64 saturation; /* of l->saturation */
	u64 service;	/* of the key's services: those before have ended */
};

static u64 segment_find(const struct ring *r, u64 t)
{
	u64 lo = r->first, hi = r->end;

	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (((struct segment *)ring_at(r, mid))->t1 <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct segment *segment_at(const struct ledger_worker *w, u64 t)
{
	u64 i = segment_find(&w->segments, t);
	const struct segment *s = i < w->segments.end ? ring_at(&w->segments, i) : NULL;

	return s && s->t0 <= t ? s : NULL;
}

struct charging {
	struct ledger *l;
	enum part part;
	enum front front;
};

static void charge_culprit(void *ctx, u32 culprit, u64 ns)
{
	struct charging *c = ctx;

	charge_add(c->l, c->part, c->front, culprit, ns);
}

void segment_charge(struct ledger *l, struct ledger_worker *w, const struct segment *s, u64 a,
		    u64 b, enum part part, enum front front)
{
	struct charging c = {l, part, front};
	bool whole = a == s->t0 && b == s->t1;

	if (s->front == FRONT_RUNQUEUE && !whole) {
		/* A worker is pinned: it waited on the CPU that it is on now. */
		blame_cpu(l, w->cpu, a, b, charge_culprit, &c);
	} else if (s->nr_blames == 1) {
		charge_add(l, part, front, ((struct blame *)ring_at(&w->blames, s->blame))->culprit,
			   b - a);
	} else if (s->nr_blames) {
		for (u32 i = 0; i < s->nr_blames; i++) {
			const struct blame *blame = ring_at(&w->blames, s->blame + i);

			charge_add(l, part, front, blame->culprit, blame->ns);
		}
	} else {
		charge_add(l, part, front, NONE32, b - a);
	}
}

static u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Is every worker serving at w->t? *until gets the time to which this holds. */
static bool all_serving(struct walk *w, u64 *until)
{
	const struct ring *r = &w->l->saturation;

	while (w->saturation + 1 < r->end &&
	       ((struct saturation *)ring_at(r, w->saturation + 1))->t <= w->t)
		w->saturation++;
	if (w->saturation + 1 < r->end)
		*until = min_u64(*until, ((struct saturation *)ring_at(r, w->saturation + 1))->t);
	return ((struct saturation *)ring_at(r, w->saturation))->all_serving;
}

/* An earlier item of its key that is in service at w->t, or NULL; *until as above. */
static const struct key_service *earlier_in_service(struct walk *w, u64 *until)
{
	const struct ring *r = w->x ? &w->l->keys[w->x->a.key].services : NULL;
	const struct key_service *found = NULL;

	if (!r)
		return NULL;
	while (w->service < r->end &&
	       ((struct key_service *)ring_at(r, w->service))->done_ns <= w->t)
		w->service++;
	for (u64 i = w->service; i < r->end; i++) {
		const struct key_service *s = ring_at(r, i);

		if (s->start_ns > w->t) {
			*until = min_u64(*until, s->start_ns);
			break;
		}
		if (s->done_ns <= w->t || s->seq >= w->x->a.key_seq)
			continue;
		*until = min_u64(*until, s->done_ns);
		if (!found)
			found = s;
	}
	return found;
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

	if (s && s->item != NONE32) { /* serving: it is another, not known, that is free */
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
	return s && s->item == NONE32;
}

/*
 * With one queue any free worker may take it: the one that took it, if it was free then; else the
 * one that was woken for it; else the one that has come furthest.
 */
static struct ledger_worker *coming(struct walk *w, u64 *until)
{
	struct ledger_worker *workers = w->l->workers, *found = w->owner;
	u32 nr = w->l->cfg.workers;
	int best = -1;

	if (is_free(state_of(w, w->owner, until)))
		return w->owner;
	if (w->x && w->x->woken < nr && is_free(state_of(w, &workers[w->x->woken], until)))
		return &workers[w->x->woken];
	for (u32 i = 0; i < nr; i++) {
		const struct segment *s = state_of(w, &workers[i], until);

		if (is_free(s) && progress_of(s) > best) {
			best = progress_of(s);
			found = &workers[i];
		}
	}
	return found;
}

/* Charge from w->t to the next time at which something changes. */
static void charge_instant(struct walk *w)
{
	bool one_queue = w->l->cfg.traits & DISPATCH_ONE_QUEUE;
	bool serial = w->l->cfg.traits & DISPATCH_KEY_SERIAL;
	u64 until = w->b;
	bool saturated = all_serving(w, &until);
	const struct key_service *earlier = earlier_in_service(w, &until);
	const struct segment *s = state_of(w, w->owner, &until);
	bool free = one_queue ? !saturated && !(serial && earlier) : s && s->item == NONE32;

	if (free) {
		struct ledger_worker *who = one_queue ? coming(w, &until) : w->owner;

		charge_wake(w, who, until);
	} else if (saturated) {
		charge_behind(w, w->owner, until, PART_SATURATED);
	} else if (earlier) {
		charge_behind(w, &w->l->workers[earlier->worker], until, PART_ORDER);
	} else {
		charge_behind(w, w->owner, until, PART_HOL);
	}
}

static struct walk walk_begin(struct ledger *l, struct inflight *x, u32 owner, u64 a, u64 b)
{
	struct walk w = {.l = l, .x = x, .owner = &l->workers[owner], .t = a, .b = b};

	w.segment = segment_find(&w.owner->segments, a);
	w.saturation = ring_holding(&l->saturation, a);
	w.service = x ? l->keys[x->a.key].services.first : 0;
	return w;
}

/*
 * May the sums of blocks stand for this item? With a queue a worker, an earlier item of its key is
 * in service just where the block says so, if items of that key were never served elsewhere. Items
 * that were moved, or that others were woken for, are charged instant by instant.
 */
static bool blocks_apply(const struct walk *w)
{
	u32 traits = w->l->cfg.traits;
	u32 owner = (u32)(w->owner - w->l->workers);

	if (traits & DISPATCH_ONE_QUEUE)
		return w->x->woken >= w->l->cfg.workers && !(traits & DISPATCH_KEY_SERIAL);
	return w->x->nr_places == 1 && w->l->keys[w->x->a.key].served_by == owner;
}

/* Charge whole blocks for as long as there are any; true when that was some time. */
static bool charge_blocks(struct walk *w, u32 owner)
{
	const struct segment *s;
	const struct block *k;
	u64 next, before = w->t;

	for (;;) {
		s = owner_segment(w);
		k = s && s->t0 == w->t ? block_find(w->l, owner, w->segment, w->b, &next) : NULL;
		if (!k)
			break;
		block_charge(w->l, k, w->x->a.key);
		w->t = block_end(k);
		w->segment = next;
	}
	return w->t > before;
}

static void charge_place(struct ledger *l, struct inflight *x, u32 owner, u64 a, u64 b)
{
	struct walk w = walk_begin(l, x, owner, a, b);

	worker_cut(l, w.owner, b);
	while (w.t < b) {
		if (blocks_apply(&w) && charge_blocks(&w, owner)) {
			w.saturation = ring_holding(&l->saturation, w.t);
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

		charge_place(l, x, one_queue ? worker : p->queue, p->from_ns, split);
		if (split < end)
			charge_thief(l, x, p->thief, split, end);
	}
}
