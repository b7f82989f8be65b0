/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands before the first thread starts: the stream, the policy, the locks, the logs. */
#ifndef HOLBENCH_LIVE_SETUP_H
#define HOLBENCH_LIVE_SETUP_H

#include "live/engine.h"

/*
 * Fill *e for one run: scaled spec, CPU plan, the whole stream, policy, locks, workers with their
 * logs; all of it allocated and touched. 0 or a negative errno with the line; engine_fini() either
 * way.
 */
int engine_init(struct engine *e, const struct live_config *cfg, const struct message *msg);
/* Safe on what engine_init() left half done. The threads have been joined. */
void engine_fini(struct engine *e);
/* The calling thread is set up: it needs no capability any more but those that it hands to threads
 * that it starts. 0 or a negative errno. */
int engine_drop_rights(const struct engine *e);
/* Give the calling thread the workers' scheduling class. 0 or a negative errno. */
int set_worker_policy(const struct worker_config *cfg);

#endif
