/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/reassign.h"

/* Is the place of an item that began at start_ns committed at at_ns, whether or not it has ended?
 */
static bool committed_unended(const struct reassign_config *cfg, u64 start_ns)
{
	if (cfg->commit == COMMIT_BEFORE)
		return true;
	if (cfg->commit == COMMIT_AFTER)
		return false;
	return start_ns <= cfg->at_ns - cfg->at_ns % cfg->interval_ns;
}

enum fate reassign_fate(const struct reassign_config *cfg, u64 start_ns, bool ended)
{
	bool committed = committed_unended(cfg, start_ns) || (ended && cfg->commit == COMMIT_AFTER);

	if (!committed)
		return FATE_AGAIN;
	return ended ? FATE_KEPT : FATE_LOST;
}

u32 reassign_owner(u32 partition, u32 workers)
{
	return (u32)(((u64)partition + 1) % workers);
}

void reassign_homes(u32 *home, u32 keys, u32 partitions, u32 workers)
{
	for (u32 key = 0; key < keys; key++)
		home[key] = reassign_owner(key % partitions, workers);
}
