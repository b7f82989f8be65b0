/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a recorded stream that wait for those that may come before them. */
#ifndef HOLBENCH_SPEC_ROW_HEAP_H
#define HOLBENCH_SPEC_ROW_HEAP_H

#include "core/types.h"

struct row {
	s64 time_ns;
	u64 order; /* of the line in the file */
	u64 cost_ns;
	u32 key;
};

struct row_heap {
	struct row *rows; /* owned */
	u32 nr, size;
};

/* The earliest, of equal times the first in the file; NULL: there is none. */
const struct row *row_heap_top(const struct row_heap *h);
/* False: out of memory. */
bool row_heap_push(struct row_heap *h, const struct row *row);
/* Not of an empty one. */
void row_heap_pop(struct row_heap *h, struct row *out);
void row_heap_fini(struct row_heap *h);

#endif
