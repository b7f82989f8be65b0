/* SPDX-License-Identifier: GPL-2.0-only */
/* An item: one unit of work. What the stream says about it, and the two fields a dispatcher needs.
 */
#ifndef HOLBENCH_CORE_ITEM_H
#define HOLBENCH_CORE_ITEM_H

#include "core/types.h"

/* What a step of an item's service does. Values are on disk: append only. */
enum step_kind {
	STEP_CPU = 1,  /* `ns` of CPU time of the worker's thread */
	STEP_WAIT = 2, /* `ns` of sleep: a stand-in for IO */
};

#define ITEM_STEPS_MAX 4

struct step {
	u64 ns;
	u32 kind; /* enum step_kind */
};

struct item {
	/* The stream's. */
	u64 due_ns;   /* from the start of the stream */
	u32 id;	      /* arrival rank in the stream, from 0 */
	u32 key;      /* hot keys are 0 … hot.keys-1 */
	u32 seq;      /* arrival rank within its key, from 0 */
	u32 nr_steps; /* steps of 0 ns are left out: an item of no cost has none */
	struct step steps[ITEM_STEPS_MAX];

	/* The dispatcher's. */
	u64 arrival_ns; /* when it was submitted, on the engine's clock; a move does not change it
			 */
	struct item *next;
};

#endif
