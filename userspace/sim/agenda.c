/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/agenda.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int agenda_init(struct agenda *a, u32 workers)
{
	a->len = 0;
	a->heap = calloc(workers, sizeof(*a->heap));
	a->pos = calloc(workers, sizeof(*a->pos));
	if (!a->heap || !a->pos) {
		agenda_fini(a);
		return -ENOMEM;
	}
	memset(a->pos, 0xff, workers * sizeof(*a->pos)); /* NONE32 */
	return 0;
}

void agenda_fini(struct agenda *a)
{
	free(a->heap);
	free(a->pos);
	a->heap = NULL;
	a->pos = NULL;
}

static bool before(const struct agenda_entry *a, const struct agenda_entry *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	return a->worker < b->worker;
}

static void put_at(struct agenda *a, u32 i, struct agenda_entry e)
{
	a->heap[i] = e;
	a->pos[e.worker] = i;
}

/* Moves the hole at i to where e belongs, and fills it. */
static void settle(struct agenda *a, u32 i, struct agenda_entry e)
{
	u32 child;

	for (; i && before(&e, &a->heap[(i - 1) / 2]); i = (i - 1) / 2)
		put_at(a, i, a->heap[(i - 1) / 2]);
	while ((child = 2 * i + 1) < a->len) {
		if (child + 1 < a->len && before(&a->heap[child + 1], &a->heap[child]))
			child++;
		if (!before(&a->heap[child], &e))
			break;
		put_at(a, i, a->heap[child]);
		i = child;
	}
	put_at(a, i, e);
}

void agenda_set(struct agenda *a, u32 worker, u64 time_ns, u32 kind)
{
	u32 i = a->pos[worker] == NONE32 ? a->len++ : a->pos[worker];

	settle(a, i, (struct agenda_entry){time_ns, kind, worker});
}

void agenda_remove(struct agenda *a, u32 worker)
{
	u32 i = a->pos[worker];

	if (i == NONE32)
		return;
	a->pos[worker] = NONE32;
	a->len--;
	if (i < a->len)
		settle(a, i, a->heap[a->len]);
}

const struct agenda_entry *agenda_first(const struct agenda *a)
{
	return a->len ? &a->heap[0] : NULL;
}
