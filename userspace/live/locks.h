/* SPDX-License-Identifier: GPL-2.0-only */
/* The queue locks of a run, and the count that orders what happens under them. */
#ifndef HOLBENCH_LIVE_LOCKS_H
#define HOLBENCH_LIVE_LOCKS_H

#include "core/types.h"

#include <pthread.h>

/* Tell the CPU that this is a loop that waits. */
static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

struct queue_lock {
	_Alignas(64) pthread_mutex_t mutex;
};

struct locks {
	struct queue_lock *queues;
	u32 nr;
	/* Taken inside a lock: events of one queue are in seq order, and so are all of them when
	 * every lock is held. From 1. */
	_Alignas(64) u64 seq;
};

/* 0 or a negative errno. */
int locks_init(struct locks *l, u32 nr);
void locks_fini(struct locks *l);
void locks_lock_all(struct locks *l);
void locks_unlock_all(struct locks *l);

/*
 * What the lock covers takes some ten nanoseconds; sleeping for it takes two system calls and a
 * wake-up. So look again for about a microsecond first; a holder that takes longer was preempted,
 * and sleeping lends it our priority.
 */
#define LOCK_LOOKS 40

static inline void locks_lock(struct locks *l, u32 queue)
{
	pthread_mutex_t *mutex = &l->queues[queue].mutex;

	for (u32 i = 0; i < LOCK_LOOKS; i++) {
		if (!pthread_mutex_trylock(mutex))
			return;
		cpu_relax();
	}
	pthread_mutex_lock(mutex);
}

static inline void locks_unlock(struct locks *l, u32 queue)
{
	pthread_mutex_unlock(&l->queues[queue].mutex);
}

/* The first of `count` successive numbers. Some lock is held. */
static inline u64 locks_seq(struct locks *l, u32 count)
{
	return __atomic_fetch_add(&l->seq, count, __ATOMIC_RELAXED) + 1;
}

#endif
