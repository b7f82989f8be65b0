/* SPDX-License-Identifier: GPL-2.0-only */
/* A FIFO of items, linked through item.next; the items belong to the engine. */
#ifndef HOLBENCH_CORE_QUEUE_H
#define HOLBENCH_CORE_QUEUE_H

#include "core/dispatch/dispatch.h"

void queue_init(struct queue *q);
void queue_push(struct queue *q, struct item *it);
struct item *queue_pop(struct queue *q);
/* Move the rear n (≤ len) items of `from`, in order, to the empty queue `to`. */
void queue_split_rear(struct queue *from, struct queue *to, u32 n);
/* Unlink and return the item after `prev` (NULL: the head). */
struct item *queue_remove_after(struct queue *q, struct item *prev);
/* Arrival of the head, for a reader without the lock. */
u64 queue_head_arrival(const struct queue *q);

#endif
