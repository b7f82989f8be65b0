/* SPDX-License-Identifier: GPL-2.0-only */
/* The service of an item by a thread that it holds: its steps, one after another. */
#ifndef HOLBENCH_LIVE_SERVE_H
#define HOLBENCH_LIVE_SERVE_H

#include "live/engine.h"

/* No outcome: the run has ended first, and nobody says that the service has. */
#define SERVICE_CUT OUTCOME_NR

/* Serve the item from *at_ns on, which becomes the time at which service ended. Returns how, or
 * SERVICE_CUT. */
enum outcome serve_item(struct worker *w, const struct item *it, u64 *at_ns);

/* When the item's caller gives up, of service that began at start_ns; NEVER_NS: never. */
static inline u64 service_deadline(const struct engine *e, u64 start_ns)
{
	u64 timeout_ns = e->spec.workload.timeout_ns;

	return timeout_ns ? start_ns + timeout_ns : NEVER_NS;
}

/* Of a step that was not done by at_ns: it has not run into its deadline. */
static inline bool service_is_cut(struct engine *e, u64 at_ns, u64 deadline_ns)
{
	return at_ns < deadline_ns && engine_stopped(e);
}

#endif
