/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/pool.h"

#include <stdlib.h>

#define SLAB_ITEMS 64

struct slab {
	struct slab *next;
	struct item items[SLAB_ITEMS];
};

static int grow(struct pool *p)
{
	struct slab *slab = malloc(sizeof(*slab));

	if (!slab)
		return -1;
	slab->next = p->slabs;
	p->slabs = slab;
	for (u32 i = 0; i < SLAB_ITEMS; i++)
		pool_put(p, &slab->items[i]);
	return 0;
}

struct item *pool_get(struct pool *p)
{
	struct item *it;

	if (!p->free && grow(p))
		return NULL;
	it = p->free;
	p->free = it->next;
	return it;
}

void pool_put(struct pool *p, struct item *it)
{
	it->next = p->free;
	p->free = it;
}

void pool_fini(struct pool *p)
{
	for (struct slab *slab = p->slabs, *next; slab; slab = next) {
		next = slab->next;
		free(slab);
	}
	*p = (struct pool){NULL, NULL};
}
