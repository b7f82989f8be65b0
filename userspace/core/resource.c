/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/resource.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int resource_init(struct resource *r, const struct resource_config *cfg)
{
	memset(r, 0, sizeof(*r));
	r->capacity = cfg->capacity;
	r->queue = cfg->queue;
	r->heap = calloc(cfg->capacity, sizeof(*r->heap));
	if (cfg->queue != RESOURCE_QUEUE_NEVER)
		r->begins = calloc(cfg->queue ? cfg->queue : 1, sizeof(*r->begins));
	if (!r->heap || (cfg->queue != RESOURCE_QUEUE_NEVER && !r->begins)) {
		resource_fini(r);
		return -ENOMEM;
	}
	for (u32 i = 0; i < cfg->capacity; i++)
		r->heap[i].index = i;
	return 0;
}

void resource_fini(struct resource *r)
{
	free(r->heap);
	free(r->begins);
	memset(r, 0, sizeof(*r));
}

static bool sooner(const struct slot *a, const struct slot *b)
{
	if (a->free_ns != b->free_ns)
		return a->free_ns < b->free_ns;
	return a->index < b->index;
}

/* The top's time has grown: let it sink. */
static void sink(struct resource *r)
{
	struct slot top = r->heap[0];
	u32 i = 0, child;

	while ((child = 2 * i + 1) < r->capacity) {
		if (child + 1 < r->capacity && sooner(&r->heap[child + 1], &r->heap[child]))
			child++;
		if (!sooner(&r->heap[child], &top))
			break;
		r->heap[i] = r->heap[child];
		i = child;
	}
	r->heap[i] = top;
}

/* May one more call wait, at now_ns? Begins are granted in the order of time. */
static bool may_wait(struct resource *r, u64 now_ns)
{
	if (!r->begins)
		return true;
	while (r->waiting && r->begins[r->first] <= now_ns) {
		r->first = (r->first + 1) % r->queue;
		r->waiting--;
	}
	return r->waiting < r->queue;
}

struct grant resource_call(struct resource *r, u64 now_ns, u64 ns)
{
	struct slot *top = &r->heap[0];
	struct grant g = {.from_ns = top->free_ns, .slot = top->index};

	if (g.from_ns <= now_ns) {
		g.from_ns = now_ns;
	} else if (!may_wait(r, now_ns)) {
		return (struct grant){.from_ns = now_ns, .until_ns = now_ns, .slot = NONE32};
	} else if (r->begins) {
		r->begins[(r->first + r->waiting++) % r->queue] = g.from_ns;
	}
	g.until_ns = g.from_ns + ns;
	top->free_ns = g.until_ns;
	sink(r);
	return g;
}
