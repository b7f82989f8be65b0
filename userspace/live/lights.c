/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/lights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct light_block {
	struct light_block *next;
	struct light lights[];
};

static int grow(struct lights *l, u32 nr)
{
	struct light_block *b = malloc(sizeof(*b) + nr * sizeof(b->lights[0]));
	struct light_due *heap = realloc(l->heap, (l->nr_all + nr) * sizeof(*heap));

	if (heap)
		l->heap = heap;
	if (!b || !heap) {
		free(b);
		return -ENOMEM;
	}
	memset(heap + l->nr_all, 0, nr * sizeof(*heap));
	b->next = l->blocks;
	l->blocks = b;
	l->nr_all += nr;
	for (u32 i = nr; i-- > 0;) {
		b->lights[i].waiter.next = l->free ? &l->free->waiter : NULL;
		l->free = &b->lights[i];
	}
	return 0;
}

int lights_init(struct lights *l, u32 nr)
{
	memset(l, 0, sizeof(*l));
	return grow(l, nr);
}

void lights_fini(struct lights *l)
{
	for (struct light_block *b = l->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(l->heap);
	memset(l, 0, sizeof(*l));
}

/* The waiter is the first member: see struct light. */
struct light *lights_get(struct lights *l)
{
	struct light *light;

	if (!l->free && grow(l, l->nr_all))
		return NULL;
	light = l->free;
	l->free = (struct light *)light->waiter.next;
	l->in_service++;
	*light = (struct light){.lock = NONE32, .pos = NONE32};
	return light;
}

void lights_put(struct lights *l, struct light *light)
{
	light->waiter.next = l->free ? &l->free->waiter : NULL;
	l->free = light;
	l->in_service--;
}

static bool before(const struct light_due *a, const struct light_due *b)
{
	if (a->due_ns != b->due_ns)
		return a->due_ns < b->due_ns;
	return a->light->item->id < b->light->item->id;
}

static void put_at(struct lights *l, u32 i, struct light_due e)
{
	l->heap[i] = e;
	e.light->pos = i;
}

/* Moves the hole at i to where e belongs, and fills it. */
static void settle(struct lights *l, u32 i, struct light_due e)
{
	u32 child;

	for (; i && before(&e, &l->heap[(i - 1) / 2]); i = (i - 1) / 2)
		put_at(l, i, l->heap[(i - 1) / 2]);
	while ((child = 2 * i + 1) < l->nr_due) {
		if (child + 1 < l->nr_due && before(&l->heap[child + 1], &l->heap[child]))
			child++;
		if (!before(&l->heap[child], &e))
			break;
		put_at(l, i, l->heap[child]);
		i = child;
	}
	put_at(l, i, e);
}

void lights_wait(struct lights *l, struct light *light, u64 due_ns)
{
	u32 i = light->pos == NONE32 ? l->nr_due++ : light->pos;

	settle(l, i, (struct light_due){due_ns, light});
}

void lights_wake(struct lights *l, struct light *light)
{
	u32 i = light->pos;

	if (i == NONE32)
		return;
	light->pos = NONE32;
	l->nr_due--;
	if (i < l->nr_due)
		settle(l, i, l->heap[l->nr_due]);
}
