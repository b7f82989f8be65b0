/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads of a run: start them, and end them whatever state they are in. */
#ifndef HOLBENCH_LIVE_THREADS_H
#define HOLBENCH_LIVE_THREADS_H

#include "live/engine.h"

/* Start every thread and wait until all are set up. 0 or a negative errno with the line; then
 * threads_stop() all the same. */
int threads_start(struct engine *e, const struct message *msg);
/* The stream begins at base_ns. */
void threads_go(struct engine *e, u64 base_ns);
/*
 * If a real-time generator is more than GENERATOR_STARVED_NS behind, make it an ordinary thread, so
 * that the run ends. True when that was done now.
 */
bool threads_rescue_generator(struct engine *e, u64 now_ns);
/* End: items in service are finished, the rest stays where it is. Joins all. Safe to run twice. */
void threads_stop(struct engine *e);

#endif
