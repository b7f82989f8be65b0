/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread for each item: dispatch.executor = spawn. The dispatcher's workers are slots, and a
 * slot's thread exists only while it serves: who would wake an idle worker makes it, and it ends
 * when it finds no further item. To the dispatcher the slot is idle then, and may be somebody
 * else's at once.
 */
#ifndef HOLBENCH_LIVE_SPAWNER_H
#define HOLBENCH_LIVE_SPAWNER_H

#include "core/types.h"

#include <pthread.h>

struct engine;

/* What such a thread has for a stack; its pages come as they are touched. */
#define SPAWN_STACK_BYTES (64 * 1024)

struct spawner {
	pthread_attr_t *attrs; /* owned, one a worker CPU: where the thread begins */
	u32 nr_attrs;
	u32 *slots; /* owned, by thread id: the slot + 1; NULL: nobody asks */
	u32 nr_slots;
	/* Threads there are, a futex for who waits for none; and the most there were. */
	_Alignas(64) u32 alive;
	u32 peak;
};

/*
 * Every slot asks once and is idle, slot 0 to be woken first. The dispatcher, the logs and the
 * placement are ready, no thread runs. 0 or a negative errno; spawner_fini() either way.
 */
int spawner_init(struct engine *e);
void spawner_fini(struct spawner *s);
/* Make the slot's thread; it runs at once. Failure ends the run: see engine_fail(). */
void spawn_thread(struct engine *e, u32 slot);
/* Wait until no thread is left. Nobody but they themselves makes any more. */
void spawner_wait(struct spawner *s);
/* Whose thread this is or was, or NONE32. */
u32 spawner_slot(const struct spawner *s, u32 tid);

#endif
