/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who was served when. A lane is what an order is promised within: a key; with PARTITION_SERIAL a
 * partition.
 */
#include "core/ledger/internal.h"

#include <errno.h>
#include <stdlib.h>

static bool by_partition(const struct ledger *l)
{
	return l->cfg.traits & DISPATCH_PARTITION_SERIAL;
}

int lanes_init(struct ledger *l)
{
	l->nr_lanes = !by_partition(l) ? l->cfg.keys : l->cfg.partitions ? l->cfg.partitions : 1;
	l->lanes = calloc(l->nr_lanes, sizeof(*l->lanes));
	if (!l->lanes)
		return -ENOMEM;
	for (u32 i = 0; i < l->nr_lanes; i++)
		ring_init(&l->lanes[i].ring, sizeof(struct service));
	return 0;
}

void lanes_free(struct ledger *l)
{
	for (u32 i = 0; l->lanes && i < l->nr_lanes; i++)
		ring_free(&l->lanes[i].ring);
	free(l->lanes);
}

bool keeps_services(const struct ledger *l)
{
	return l->cfg.limit || (l->cfg.traits & (DISPATCH_KEY_SERIAL | DISPATCH_PARTITION_SERIAL));
}

void lane_find(const struct ledger *l, struct inflight *x)
{
	const struct ledger_config *cfg = &l->cfg;

	if (!by_partition(l)) {
		x->lane = x->a.key;
		x->rank = x->a.key_seq;
	} else {
		x->lane = cfg->partitions ? item_partition(x->a.key, x->a.item, cfg->partitions,
							   cfg->null_key)
					  : 0;
		x->rank = x->a.item;
	}
}

bool lane_holds(const struct ledger *l, const struct inflight *x)
{
	return by_partition(l) || !l->cfg.null_unordered || x->a.key != l->cfg.null_key;
}

struct service *service_at(const struct services *v, u64 index)
{
	return ring_at(&v->ring, index);
}

static void oldest_forward(struct services *v)
{
	while (v->oldest < v->ring.end && service_at(v, v->oldest)->done_ns != NEVER_NS)
		v->oldest++;
}

static void services_trim(struct ledger *l, struct services *v)
{
	u64 i = v->ring.first, horizon = ledger_horizon(l);

	while (i < v->ring.end && service_at(v, i)->done_ns <= horizon)
		i++;
	ring_forget(&v->ring, i);
}

static u64 services_add(struct ledger *l, struct services *v, const struct inflight *x)
{
	struct service *s;

	if (ring_full(&v->ring))
		services_trim(l, v);
	oldest_forward(v);
	s = ring_push(&v->ring);
	if (!s) {
		l->no_memory = true;
		return v->ring.first;
	}
	*s = (struct service){.start_ns = x->a.start_ns,
			      .done_ns = NEVER_NS,
			      .oldest = v->oldest,
			      .rank = x->rank,
			      .worker = x->a.worker,
			      .item = x->a.item,
			      .key = x->a.key};
	return v->ring.end - 1;
}

void service_begin(struct ledger *l, struct inflight *x)
{
	struct services *v = &l->lanes[x->lane];

	if (!v->served)
		v->served_by = x->a.worker;
	else if (v->served_by != x->a.worker)
		v->served_by = NONE32;
	v->served = true;
	x->service = services_add(l, v, x);
	if (keeps_services(l))
		x->group_service =
			services_add(l, &l->groups[group_of(l, x->a.worker)].services, x);
}

void service_end(struct ledger *l, const struct inflight *x, u64 t)
{
	service_at(&l->lanes[x->lane], x->service)->done_ns = t;
	if (keeps_services(l))
		service_at(&l->groups[group_of(l, x->a.worker)].services, x->group_service)
			->done_ns = t;
}

void service_away(struct ledger *l, const struct inflight *x, u64 away)
{
	service_at(&l->lanes[x->lane], x->service)->away = away;
	if (keeps_services(l))
		service_at(&l->groups[group_of(l, x->a.worker)].services, x->group_service)->away =
			away;
}

u64 services_at(const struct services *v, u64 t)
{
	const struct ring *r = &v->ring;
	u64 oldest;

	if (!ring_len(r))
		return r->first;
	oldest = service_at(v, ring_holding(r, t))->oldest;
	return oldest < r->first ? r->first : oldest;
}
