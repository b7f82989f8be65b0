/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * steal:key: as steal, but whole keys move: ⌈k/2⌉ of the k distinct keys that wait in the queue and
 * are not in service, oldest first, each with all its items. Later items of a moved key follow it
 * until none of it waits or is served; then it goes home.
 *
 * Promises: each key's order: all of a key is in one queue, and it never moves while in service. A
 * carrier has more than one item in service, of which only the last is looked at: no order then.
 * Does not: help a key that alone needs more than one worker; its items wait for each other.
 *
 * A key's entry is guarded by the lock of the queue that it names; a move holds every lock. place()
 * reads it without, so its answer holds only if it is the same under the lock of that queue.
 */
#include "core/dispatch/design.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dispatch/queue.h"

struct key_entry {
	u32 queue;   /* where the key is now; atomic */
	u32 waiting; /* its items in that queue */
	u64 mark;    /* what the steal under way thinks of it, see below */
};

struct worker_entry {
	u32 key;     /* in service, or NONE32 */
	u32 movable; /* items in its queue of other keys; read without the lock */
};

struct steal_key {
	struct key_entry *keys;
	struct worker_entry *workers;
	u64 mark; /* grows, so that marks of earlier steals mean nothing */
};

static void fini(struct dispatch *d)
{
	struct steal_key *s = d->state;

	if (!s)
		return;
	free(s->keys);
	free(s->workers);
	free(s);
	d->state = NULL;
}

static int init(struct dispatch *d)
{
	struct steal_key *s = calloc(1, sizeof(*s));

	d->state = s;
	if (!s)
		return -ENOMEM;
	s->keys = calloc(d->cfg.keys, sizeof(*s->keys));
	s->workers = calloc(d->cfg.workers, sizeof(*s->workers));
	if (!s->keys || !s->workers)
		return -ENOMEM;
	for (u32 i = 0; i < d->cfg.keys; i++)
		s->keys[i].queue = d->cfg.home[i];
	for (u32 i = 0; i < d->cfg.workers; i++)
		s->workers[i].key = NONE32;
	return 0;
}

/*
 * Release, and acquire in place(): a key goes home under the lock of the queue that it leaves, and
 * whoever then finds it at home under that other lock must see its entry as it was left.
 */
static void set_queue(struct key_entry *k, u32 queue)
{
	__atomic_store_n(&k->queue, queue, __ATOMIC_RELEASE);
}

static u32 place(const struct dispatch *d, const struct item *it)
{
	const struct steal_key *s = d->state;

	return __atomic_load_n(&s->keys[it->key].queue, __ATOMIC_ACQUIRE);
}

/* The order of this store and of what the submitter reads next is half of the promise of
 * dispatch_thief(). */
static void publish_movable(struct dispatch *d, u32 queue)
{
	struct steal_key *s = d->state;
	struct worker_entry *w = &s->workers[queue];
	u32 stuck = w->key == NONE32 ? 0 : s->keys[w->key].waiting;

	__atomic_store_n(&w->movable, d->queues[queue].len - stuck, __ATOMIC_SEQ_CST);
}

static bool can_give(const struct dispatch *d, u32 queue)
{
	const struct steal_key *s = d->state;

	return __atomic_load_n(&s->workers[queue].movable, __ATOMIC_SEQ_CST);
}

static bool put(struct dispatch *d, u32 queue, struct item *it)
{
	struct steal_key *s = d->state;

	queue_push(&d->queues[queue], it);
	s->keys[it->key].waiting++;
	publish_movable(d, queue);
	return true;
}

static struct item *take(struct dispatch *d, u32 worker)
{
	struct steal_key *s = d->state;
	struct item *it = queue_pop(&d->queues[worker]);

	if (!it)
		return NULL;
	s->keys[it->key].waiting--;
	s->workers[worker].key = it->key;
	publish_movable(d, worker);
	return it;
}

static struct item *done(struct dispatch *d, u32 worker, struct item *it)
{
	struct steal_key *s = d->state;

	s->workers[worker].key = NONE32;
	if (!s->keys[it->key].waiting)
		set_queue(&s->keys[it->key], d->cfg.home[it->key]);
	publish_movable(d, worker);
	return NULL;
}

/* Marks the distinct keys that wait in the queue and may move, and counts them. */
static u32 count_keys(struct steal_key *s, const struct queue *q, u32 in_service, u64 seen)
{
	u32 count = 0;

	for (const struct item *it = q->head; it; it = it->next) {
		if (it->key == in_service || s->keys[it->key].mark == seen)
			continue;
		s->keys[it->key].mark = seen;
		count++;
	}
	return count;
}

/* Moves the items of the first `want` marked keys; the first time one is met it becomes `chosen`.
 */
static u32 move_keys(struct dispatch *d, u32 from, u32 thief, u32 want, u64 seen)
{
	struct steal_key *s = d->state;
	u64 chosen = seen + 1;
	struct item *prev = NULL, *it = d->queues[from].head, *after;
	u32 moved = 0;

	for (; it; it = after) {
		struct key_entry *k = &s->keys[it->key];

		after = it->next;
		if (k->mark == seen && want) {
			want--;
			k->mark = chosen;
			set_queue(k, thief);
		}
		if (k->mark == chosen) {
			queue_push(&d->queues[thief], queue_remove_after(&d->queues[from], prev));
			moved++;
		} else {
			prev = it;
		}
	}
	return moved;
}

static void steal(struct dispatch *d, u32 thief, u64 now_ns, struct steal *st)
{
	struct steal_key *s = d->state;
	u32 from = steal_source(d, thief, now_ns), count;
	u64 seen;

	if (from == NONE32)
		return;
	s->mark += 2;
	seen = s->mark;
	count = count_keys(s, &d->queues[from], s->workers[from].key, seen);
	st->from = from;
	st->since_ns = steal_allowed_ns(d, from);
	st->count = move_keys(d, from, thief, count - count / 2, seen);
	publish_movable(d, from);
	publish_movable(d, thief);
}

const struct dispatch_ops dispatch_steal_key = {
	.name = "steal:key",
	.help = "partition, and idle workers take whole keys from a queue that has waited",
	.traits = DISPATCH_KEEPS_ORDER | DISPATCH_STEALS | DISPATCH_WANTS_DONE,
	.init = init,
	.fini = fini,
	.place = place,
	.put = put,
	.take = take,
	.done = done,
	.steal = steal,
	.can_give = can_give,
};
