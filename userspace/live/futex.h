/* SPDX-License-Identifier: GPL-2.0-only */
/* The futex system call, and parking on it: how an idle worker sleeps and is woken. */
#ifndef HOLBENCH_LIVE_FUTEX_H
#define HOLBENCH_LIVE_FUTEX_H

#include "live/clock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Sleep while *word is `value`, until woken or until CLOCK_MONOTONIC reaches `deadline_ns`
 * (NEVER_NS: no deadline). May return early. FUTEX_WAIT_BITSET because its timeout is absolute,
 * that of FUTEX_WAIT is relative: futex(2).
 */
static inline void futex_wait_until(u32 *word, u32 value, u64 deadline_ns)
{
	struct timespec ts = clock_timespec(deadline_ns);

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value,
		deadline_ns == NEVER_NS ? NULL : &ts, NULL, FUTEX_BITSET_MATCH_ANY);
}

static inline void futex_wake(u32 *word, int waiters)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, waiters, NULL, NULL, 0);
}

/*
 * A parking place for one thread. A token left by unpark() stays until it is consumed, so a wake-up
 * that comes before the sleep is not lost; the waker makes a system call only for a sleeper.
 */
enum { PARK_EMPTY, PARK_TOKEN, PARK_SLEEPING };

struct parker {
	_Alignas(64) u32 word;
};

/* True: a token was consumed. False: the deadline has passed and there was none. */
static inline bool park(struct parker *p, u64 deadline_ns)
{
	u32 expected = PARK_EMPTY;

	if (!__atomic_compare_exchange_n(&p->word, &expected, PARK_SLEEPING, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&p->word, PARK_EMPTY, __ATOMIC_RELEASE);
		return true;
	}
	while (__atomic_load_n(&p->word, __ATOMIC_ACQUIRE) == PARK_SLEEPING) {
		if (deadline_ns != NEVER_NS && clock_mono_ns() >= deadline_ns)
			break;
		futex_wait_until(&p->word, PARK_SLEEPING, deadline_ns);
	}
	return __atomic_exchange_n(&p->word, PARK_EMPTY, __ATOMIC_ACQ_REL) == PARK_TOKEN;
}

static inline void unpark(struct parker *p)
{
	if (__atomic_exchange_n(&p->word, PARK_TOKEN, __ATOMIC_ACQ_REL) == PARK_SLEEPING)
		futex_wake(&p->word, 1);
}

#endif
