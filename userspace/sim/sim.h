/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulator: the dispatch policy in virtual time, without a kernel. No dispatch cost, no
 * wake-up latency, sleeps exact. Workers never share a CPU: a CPU step takes its time, and with
 * EXECUTOR_ASYNC a carrier runs one at a time. With EXECUTOR_SPAWN a thread of an item's own costs
 * nothing, so it is EXECUTOR_THREAD with as many workers as there may be items in service. Memory
 * is proportional to the workers and the items in flight.
 */
#ifndef HOLBENCH_SIM_H
#define HOLBENCH_SIM_H

#include "core/dispatch/balancer.h"
#include "core/event.h"
#include "core/reassign.h"
#include "core/workload.h"

struct sim_config {
	struct workload *stream; /* its configuration says resources, time-out and pauses, too */
	struct balancer *policy;
	const struct event_sink *sink;
	u32 executor; /* enum executor */
	/* Optional; with it the design is partition, of one replica, by threads. */
	const struct reassign_config *reassign;
};

/*
 * Run the stream through the policy until the last item is done. Events go to the sink in time
 * order, the same kinds a live run writes, less the kernel's; virtual time starts at 0. Returns 0,
 * -ENOMEM, the sink's error, or -EPROTO: the policy keeps items that nobody will ever take, or does
 * not do what it says.
 */
int sim_run(const struct sim_config *cfg);

#endif
