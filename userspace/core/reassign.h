/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Partitions that move between workers in the middle of a run: what becomes of an item whose
 * service had begun. A consumer commits a position in each partition, and whoever has the partition
 * next reads on from there: what was begun behind the position is lost, what stands after it is
 * done again.
 */
#ifndef HOLBENCH_CORE_REASSIGN_H
#define HOLBENCH_CORE_REASSIGN_H

#include "core/types.h"

enum commit {
	COMMIT_AFTER,	 /* an item's place is committed when its service has ended */
	COMMIT_BEFORE,	 /* when it begins */
	COMMIT_INTERVAL, /* every interval_ns, all that have begun by then */
};

/* Times are from the start of the stream. */
struct reassign_config {
	u64 at_ns;	 /* 0: never */
	u64 for_ns;	 /* how long every worker stops for it */
	u32 commit;	 /* enum commit */
	u64 interval_ns; /* COMMIT_INTERVAL */
};

enum fate {
	FATE_KEPT,  /* it has ended, and stays so */
	FATE_LOST,  /* OUTCOME_LOST */
	FATE_AGAIN, /* it is delivered again */
};

/* Of an item that began at start_ns (not after at_ns) and has or has not ended at at_ns. */
enum fate reassign_fate(const struct reassign_config *cfg, u64 start_ns, bool ended);
/*
 * Who has a partition from then on, of `workers`: the one after the one that had it. Before, it is
 * partition mod workers.
 */
u32 reassign_owner(u32 partition, u32 workers);
/* Fills home[0 … keys-1], the queues that keys go to from then on. */
void reassign_homes(u32 *home, u32 keys, u32 partitions, u32 workers);

#endif
