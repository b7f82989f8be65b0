/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the workers wait for in virtual time: at most one entry a worker, either the end of its step
 * or the time at which it asks again. An indexed binary heap: set and remove in O(log workers).
 */
#ifndef HOLBENCH_SIM_AGENDA_H
#define HOLBENCH_SIM_AGENDA_H

#include "core/types.h"

/* At equal times the lower comes first; an arrival comes between the two. */
enum agenda_kind { AGENDA_STEP_END, AGENDA_ASK };

struct agenda_entry {
	u64 time_ns;
	u32 kind; /* enum agenda_kind */
	u32 worker;
};

struct agenda {
	struct agenda_entry *heap;
	u32 *pos; /* per worker: place in heap, NONE32 when it has no entry */
	u32 len;
};

/* 0 or -ENOMEM; on error nothing is held. */
int agenda_init(struct agenda *a, u32 workers);
void agenda_fini(struct agenda *a);
/* Give the worker this entry, in place of the one it has. */
void agenda_set(struct agenda *a, u32 worker, u64 time_ns, u32 kind);
/* Take the worker's entry away, if it has one. */
void agenda_remove(struct agenda *a, u32 worker);
/* The next entry: earliest, then by kind, then by worker. NULL when there is none. */
const struct agenda_entry *agenda_first(const struct agenda *a);

#endif
