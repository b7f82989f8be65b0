/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/thread_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int thread_log_init(struct thread_log *l, u64 capacity, bool touch)
{
	u64 size = 64;

	while (size < capacity)
		size *= 2;
	*l = (struct thread_log){.mask = size - 1};
	l->records = aligned_alloc(64, size * sizeof(*l->records));
	if (!l->records)
		return -ENOMEM;
	if (touch)
		memset(l->records, 0, size * sizeof(*l->records));
	return 0;
}

void thread_log_fini(struct thread_log *l)
{
	free(l->records);
	l->records = NULL;
}

bool thread_log_full(struct thread_log *l)
{
	if (l->head - l->seen_tail <= l->mask)
		return false;
	l->seen_tail = __atomic_load_n(&l->tail, __ATOMIC_ACQUIRE);
	return l->head - l->seen_tail > l->mask;
}

void thread_log_push(struct thread_log *l, const struct record *rec)
{
	if (thread_log_full(l)) {
		__atomic_store_n(&l->lost, l->lost + 1, __ATOMIC_RELAXED);
		return;
	}
	l->records[l->head & l->mask] = *rec;
	__atomic_store_n(&l->head, l->head + 1, __ATOMIC_RELEASE);
}

const struct record *thread_log_peek(const struct thread_log *l)
{
	u64 head = __atomic_load_n(&l->head, __ATOMIC_ACQUIRE);

	return head == l->tail ? NULL : &l->records[l->tail & l->mask];
}

void thread_log_pop(struct thread_log *l)
{
	__atomic_store_n(&l->tail, l->tail + 1, __ATOMIC_RELEASE);
}

u64 thread_log_pushed(const struct thread_log *l)
{
	return __atomic_load_n(&l->head, __ATOMIC_ACQUIRE) + thread_log_lost(l);
}

u64 thread_log_lost(const struct thread_log *l)
{
	return __atomic_load_n(&l->lost, __ATOMIC_RELAXED);
}
