/* SPDX-License-Identifier: GPL-2.0-only */
#include "spec/row_heap.h"

#include <stdlib.h>

static bool before(const struct row *a, const struct row *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->order < b->order;
}

const struct row *row_heap_top(const struct row_heap *h)
{
	return h->nr ? h->rows : NULL;
}

bool row_heap_push(struct row_heap *h, const struct row *row)
{
	u32 size = h->size ? 2 * h->size : 64, i, parent;
	struct row *rows;

	if (h->nr == h->size) {
		rows = reallocarray(h->rows, size, sizeof(*rows));
		if (!rows)
			return false;
		h->rows = rows;
		h->size = size;
	}
	for (i = h->nr++; i && before(row, &h->rows[parent = (i - 1) / 2]); i = parent)
		h->rows[i] = h->rows[parent];
	h->rows[i] = *row;
	return true;
}

void row_heap_pop(struct row_heap *h, struct row *out)
{
	struct row last = h->rows[--h->nr];
	u32 i = 0, child;

	*out = h->rows[0];
	while ((child = 2 * i + 1) < h->nr) {
		if (child + 1 < h->nr && before(&h->rows[child + 1], &h->rows[child]))
			child++;
		if (!before(&h->rows[child], &last))
			break;
		h->rows[i] = h->rows[child];
		i = child;
	}
	h->rows[i] = last;
}

void row_heap_fini(struct row_heap *h)
{
	free(h->rows);
	*h = (struct row_heap){0};
}
