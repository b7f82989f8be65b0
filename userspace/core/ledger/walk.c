/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/ledger/walk.h"

/* Does a history say full at w->t? *until gets the time to which this holds. */
static bool full_at(const struct walk *w, const struct ring *r, u64 *index, u64 *until)
{
	while (*index + 1 < r->end && ((struct fullness *)ring_at(r, *index + 1))->t <= w->t)
		++*index;
	if (*index + 1 < r->end)
		*until = min_u64(*until, ((struct fullness *)ring_at(r, *index + 1))->t);
	return ((struct fullness *)ring_at(r, *index))->full;
}

bool walk_group_full(struct walk *w, u64 *until)
{
	return full_at(w, &w->group->fullness, &w->full, until);
}

bool walk_all_full(struct walk *w, u64 *until)
{
	return w->l->cfg.replicas > 1 ? full_at(w, &w->l->fullness, &w->fullness, until)
				      : walk_group_full(w, until);
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

const struct service *walk_earlier(struct walk *w, u64 *until)
{
	if (!w->x || !lane_holds(w->l, w->x))
		return NULL;
	return in_service(w, &w->l->lanes[w->x->lane], &w->service, w->x->rank, until);
}

const struct service *walk_longest(struct walk *w, u64 *until)
{
	return in_service(w, &w->group->services, &w->group_service, NONE32, until);
}

const struct segment *walk_owner_segment(struct walk *w)
{
	const struct ring *r = &w->owner->segments;

	while (w->segment < r->end && ((struct segment *)ring_at(r, w->segment))->t1 <= w->t)
		w->segment++;
	return w->segment < r->end ? ring_at(r, w->segment) : NULL;
}

const struct segment *walk_state(struct walk *w, struct ledger_worker *who, u64 *until)
{
	const struct segment *s;

	if (who == w->owner) {
		s = walk_owner_segment(w);
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

void walk_find(struct walk *w)
{
	w->full = ring_holding(&w->group->fullness, w->t);
	if (w->l->cfg.replicas > 1)
		w->fullness = ring_holding(&w->l->fullness, w->t);
	if (keeps_services(w->l))
		w->group_service = services_at(&w->group->services, w->t);
}

struct walk walk_begin(struct ledger *l, struct inflight *x, u32 owner, u64 a, u64 b)
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
