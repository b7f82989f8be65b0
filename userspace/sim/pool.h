/* SPDX-License-Identifier: GPL-2.0-only */
/* Items in flight: taken and given back, kept for reuse; an item's address never changes. */
#ifndef HOLBENCH_SIM_POOL_H
#define HOLBENCH_SIM_POOL_H

#include "core/item.h"

struct slab;

struct pool {
	struct slab *slabs;
	struct item *free;
};

/* An item, its content undefined; NULL when there is no memory. */
struct item *pool_get(struct pool *p);
void pool_put(struct pool *p, struct item *it);
void pool_fini(struct pool *p);

#endif
