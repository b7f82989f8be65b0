/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/dispatch/queue.h"

/* Relaxed: a reader without the lock takes it for a hint. */
static void publish_head(struct queue *q)
{
	u64 arrival_ns = q->head ? q->head->arrival_ns : NEVER_NS;

	__atomic_store_n(&q->head_arrival_ns, arrival_ns, __ATOMIC_RELAXED);
}

u64 queue_head_arrival(const struct queue *q)
{
	return __atomic_load_n(&q->head_arrival_ns, __ATOMIC_RELAXED);
}

void queue_init(struct queue *q)
{
	*q = (struct queue){.head_arrival_ns = NEVER_NS};
}

void queue_push(struct queue *q, struct item *it)
{
	it->next = NULL;
	if (q->tail)
		q->tail->next = it;
	else
		q->head = it;
	q->tail = it;
	if (!q->len++)
		publish_head(q);
}

struct item *queue_remove_after(struct queue *q, struct item *prev)
{
	struct item *it = prev ? prev->next : q->head;

	if (!it)
		return NULL;
	if (prev)
		prev->next = it->next;
	else
		q->head = it->next;
	if (q->tail == it)
		q->tail = prev;
	it->next = NULL;
	q->len--;
	if (!prev)
		publish_head(q);
	return it;
}

struct item *queue_pop(struct queue *q)
{
	return queue_remove_after(q, NULL);
}

void queue_split_rear(struct queue *from, struct queue *to, u32 n)
{
	struct item *prev = NULL;

	if (!n)
		return;
	for (u32 keep = from->len - n; keep; keep--)
		prev = prev ? prev->next : from->head;
	to->head = prev ? prev->next : from->head;
	to->tail = from->tail;
	to->len = n;
	from->tail = prev;
	from->len -= n;
	if (prev)
		prev->next = NULL;
	else
		from->head = NULL;
	publish_head(from);
	publish_head(to);
}
