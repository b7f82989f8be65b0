/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/ledger/ring.h"

#include <stdlib.h>
#include <string.h>

void ring_init(struct ring *r, size_t record_size)
{
	*r = (struct ring){.size = record_size};
}

void ring_free(struct ring *r)
{
	free(r->buf);
	ring_init(r, r->size);
}

static bool ring_grow(struct ring *r)
{
	struct ring bigger = *r;

	bigger.capacity = r->capacity ? r->capacity * 2 : 16;
	bigger.buf = calloc(bigger.capacity, r->size);
	if (!bigger.buf)
		return false;
	for (u64 i = r->first; i < r->end; i++)
		memcpy(ring_at(&bigger, i), ring_at(r, i), r->size);
	free(r->buf);
	*r = bigger;
	return true;
}

void *ring_push(struct ring *r)
{
	if (ring_full(r) && !ring_grow(r))
		return NULL;
	return memset(ring_at(r, r->end++), 0, r->size);
}

void ring_forget(struct ring *r, u64 first)
{
	if (first > r->first)
		r->first = first < r->end ? first : r->end;
}

void ring_pop_back(struct ring *r)
{
	if (ring_len(r))
		r->end--;
}

u64 ring_holding(const struct ring *r, u64 t)
{
	u64 lo = r->first, hi = r->end;

	while (hi - lo > 1) {
		u64 mid = lo + (hi - lo) / 2;

		if (*(const u64 *)ring_at(r, mid) <= t)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}
