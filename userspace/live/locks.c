/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/locks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Priority inheritance: a real-time generator may find the lock held by a worker that was preempted
 * inside it. Without inheritance it would wait for whatever preempted that worker.
 */
int locks_init(struct locks *l, u32 nr)
{
	pthread_mutexattr_t attr;
	int rc = 0;

	*l = (struct locks){.nr = nr};
	l->queues = aligned_alloc(64, nr * sizeof(*l->queues));
	if (!l->queues)
		return -ENOMEM;
	memset(l->queues, 0, nr * sizeof(*l->queues));
	pthread_mutexattr_init(&attr);
	rc = pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	for (u32 i = 0; i < nr && !rc; i++)
		rc = pthread_mutex_init(&l->queues[i].mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	if (rc)
		locks_fini(l);
	return -rc;
}

/* A zeroed mutex is an initialised one on Linux, so an array initialised in part needs no count. */
void locks_fini(struct locks *l)
{
	for (u32 i = 0; i < l->nr; i++)
		pthread_mutex_destroy(&l->queues[i].mutex);
	free(l->queues);
	l->queues = NULL;
}

/*
 * A decision that looks at every queue can be replayed only if it saw one state of all of them; in
 * index order, so that two such decisions cannot wait for each other.
 */
void locks_lock_all(struct locks *l)
{
	for (u32 i = 0; i < l->nr; i++)
		locks_lock(l, i);
}

void locks_unlock_all(struct locks *l)
{
	for (u32 i = l->nr; i-- > 0;)
		locks_unlock(l, i);
}
