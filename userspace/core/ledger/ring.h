/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A history: records appended at the end, forgotten at the front, named by an index that never
 * changes. Holds what the items in flight may still ask about.
 */
#ifndef HOLBENCH_CORE_LEDGER_RING_H
#define HOLBENCH_CORE_LEDGER_RING_H

#include "core/types.h"

struct ring {
	char *buf;	/* owned */
	size_t size;	/* of a record */
	u64 first, end; /* records first … end-1 are held */
	u64 capacity;	/* a power of two, or 0 */
};

void ring_init(struct ring *r, size_t record_size);
void ring_free(struct ring *r);
/* Room for one more record at the end, zeroed; NULL when out of memory. Earlier pointers may become
 * invalid. */
void *ring_push(struct ring *r);
/* Forget the records before index `first`. */
void ring_forget(struct ring *r, u64 first);
void ring_pop_back(struct ring *r);

/*
 * For a history of changes, whose records begin with the u64 time from which they hold, in order:
 * the index of the one that holds at t; the first where all are later.
 */
u64 ring_holding(const struct ring *r, u64 t);

static inline void *ring_at(const struct ring *r, u64 index)
{
	return r->buf + (index & (r->capacity - 1)) * r->size;
}

static inline u64 ring_len(const struct ring *r)
{
	return r->end - r->first;
}

static inline bool ring_full(const struct ring *r)
{
	return ring_len(r) == r->capacity;
}

#endif
