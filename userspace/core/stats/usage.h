/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of what a run had was in use: of the workers, of the permits of a limit, of each
 * resource. A share is the time for which its places were held over capacity × time, in a window;
 * all of it from the run's events.
 */
#ifndef HOLBENCH_CORE_USAGE_H
#define HOLBENCH_CORE_USAGE_H

#include "core/event.h"
#include "core/resource.h"

#define USAGE_MAX (RESOURCES_MAX + 3) /* workers, limit, cpu */

struct usage {
	char name[RESOURCE_NAME_MAX + 1];
	double share; /* of its capacity, 0 … 1 */
};

struct usage_config {
	u32 workers;
	u32 executor; /* enum executor */
	u32 permits;  /* of the limit, in all replicas; 0: no limit */
	u32 nr_resources;
	const struct resource_config *resources; /* borrowed */
	u64 from_ns, to_ns;			 /* the window, on the event clock */
};

struct usage_meter;

/* 0 or -ENOMEM. */
int usage_new(struct usage_meter **out, const struct usage_config *cfg);
void usage_free(struct usage_meter *m);
/*
 * The next event, in order. A worker is held from an item's START to its DONE. Of the executor
 * async only while a CPU step runs, or a LOCK step that has its lock: it serves others else. A
 * pause of an item's own leaves such a worker until its end. 0 or -ENOMEM.
 */
int usage_take(struct usage_meter *m, const struct event *ev);
/*
 * After the last event. Fills list[] with "workers" (not of the executor spawn, which makes as many
 * as are asked for), "limit" where there is one, then the resources; returns how many. 0 without a
 * window.
 */
u32 usage_list(struct usage_meter *m, struct usage list[USAGE_MAX]);

#endif
