/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/agenda.h"

#include <errno.h>
#include <stdlib.h>

int agenda_init(struct agenda *a, u32 timers)
{
	*a = (struct agenda){0};
	return agenda_reserve(a, timers);
}

void agenda_fini(struct agenda *a)
{
	free(a->heap);
	*a = (struct agenda){0};
}

int agenda_reserve(struct agenda *a, u32 timers)
{
	u32 room = a->room ? a->room : 64;
	struct agenda_entry *heap;

	if (timers <= a->room)
		return 0;
	while (room < timers)
		room *= 2;
	heap = realloc(a->heap, (size_t)room * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	a->heap = heap;
	a->room = room;
	return 0;
}

static bool before(const struct agenda_entry *a, const struct agenda_entry *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->rank < b->rank;
}

static void put_at(struct agenda *a, u32 i, struct agenda_entry e)
{
	a->heap[i] = e;
	e.timer->pos = i;
}

/* The first of i's children, or the end of the heap: four a parent, for fewer levels. */
static u32 first_child(const struct agenda *a, u32 i)
{
	u32 found = 4 * i + 1, end = found + 4 < a->len ? found + 4 : a->len;

	for (u32 child = found + 1; child < end; child++)
		if (before(&a->heap[child], &a->heap[found]))
			found = child;
	return found;
}

/* Moves the hole at i to where e belongs, and fills it. */
static void settle(struct agenda *a, u32 i, struct agenda_entry e)
{
	u32 child;

	for (; i && before(&e, &a->heap[(i - 1) / 4]); i = (i - 1) / 4)
		put_at(a, i, a->heap[(i - 1) / 4]);
	while ((child = first_child(a, i)) < a->len && before(&a->heap[child], &e)) {
		put_at(a, i, a->heap[child]);
		i = child;
	}
	put_at(a, i, e);
}

/* A worker's index is below 2^30: its place leaves two bits for the kind. */
static u64 rank_of(u32 kind, u32 worker, u32 item)
{
	return (u64)kind << 62 | (u64)worker << 32 | item;
}

void agenda_set(struct agenda *a, struct timer *t, u64 time_ns, u32 kind, u32 item)
{
	u32 i = t->pos == NONE32 ? a->len++ : t->pos;

	settle(a, i, (struct agenda_entry){time_ns, rank_of(kind, t->worker, item), t});
}

void agenda_remove(struct agenda *a, struct timer *t)
{
	u32 i = t->pos;

	if (i == NONE32)
		return;
	t->pos = NONE32;
	a->len--;
	if (i < a->len)
		settle(a, i, a->heap[a->len]);
}

const struct agenda_entry *agenda_first(const struct agenda *a)
{
	return a->len ? &a->heap[0] : NULL;
}
