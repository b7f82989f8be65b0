/* SPDX-License-Identifier: GPL-2.0-only */
/* The second reference's definition of waiting in a queue, and its comparison with the accounts. */
#ifndef HOLBENCH_TESTS_LEDGER_WAITING_H
#define HOLBENCH_TESTS_LEDGER_WAITING_H

static bool worker_busy(const struct world *w, u32 v, u64 t)
{
	return w->at[t].serving[v] >= 0 || t < w->at[t].paused_until;
}

static bool group_is_full(const struct world *w, u32 group, u64 t)
{
	bool all = true;

	for (u32 v = group * each(w); v < (group + 1) * each(w); v++)
		all &= worker_busy(w, v, t);
	return all || (w->v.limit && serving_in(w, group, t) >= w->v.limit);
}

/* How far a free worker has come. */
static struct cell free_cell(const struct world *w, u32 v, u64 t)
{
	enum front f = w->v.simulated		       ? FRONT_SIGNAL
		       : w->at[t].thread[v] == RUNNING ? FRONT_CPU
						       : FRONT_SIGNAL;

	if (!w->v.simulated && w->at[t].thread[v] == RUNNABLE)
		return (struct cell){PART_WAKE, FRONT_RUNQUEUE, runqueue_cell(w, v, t).culprit, -1};
	return (struct cell){PART_WAKE, f, NONE32, -1};
}

/* The free worker that took it, or was woken for it, or has come furthest. */
static struct cell wake_cell(const struct world *w, const struct ref_item *x, u64 t)
{
	static const int progress[] = {[RUNNING] = 3, [RUNNABLE] = 2, [SLEEPING] = 0};
	u32 group = (u32)x->worker / each(w), found = (u32)x->worker;
	int best = -1;

	if (!worker_busy(w, (u32)x->worker, t) || !(w->v.traits & DISPATCH_ONE_QUEUE))
		return free_cell(w, (u32)x->worker, t);
	if (x->woken != NONE32 && !worker_busy(w, x->woken, t))
		return free_cell(w, x->woken, t);
	for (u32 v = group * each(w); v < (group + 1) * each(w); v++) {
		int p = w->v.simulated ? 0 : progress[w->at[t].thread[v]];

		if (!worker_busy(w, v, t) && p > best) {
			best = p;
			found = v;
		}
	}
	return free_cell(w, found, t);
}

static int first_started(const struct world *w, u64 t, u32 group, int lane_of_item)
{
	int found = -1;

	for (u32 i = 0; i < w->nr_items; i++) {
		if (!in_service(w, i, t) || (lane_of_item < 0 && group_of_item(w, i) != group) ||
		    (lane_of_item >= 0 && !before(w, i, (u32)lane_of_item)))
			continue;
		if (found < 0 || w->items[i].start < w->items[found].start)
			found = (int)i;
	}
	return found;
}

static struct cell behind(const struct world *w, int i, u64 t, enum part part)
{
	struct cell c = item_cell(w, (u32)i, t);

	c.part = part;
	c.item = i;
	return c;
}

/* Behind what its worker serves, or what has been in service longest. */
static struct cell waiting_cell(const struct world *w, const struct ref_item *x, u64 t,
				enum part part)
{
	u32 owner = (u32)x->worker;
	int on = w->at[t].serving[owner], i;
	bool kept = w->v.limit || (w->v.traits & (DISPATCH_KEY_SERIAL | DISPATCH_PARTITION_SERIAL));

	if (on >= 0)
		return behind(w, on, t, part);
	if (worker_busy(w, owner, t))
		return (struct cell){part, FRONT_PAUSED, NONE32, -1};
	i = kept ? first_started(w, t, owner / each(w), -1) : -1;
	return i >= 0 ? behind(w, i, t, part) : (struct cell){part, FRONT_UNKNOWN, NONE32, -1};
}

static struct cell wait_cell(const struct world *w, u32 item, u64 t)
{
	const struct ref_item *x = &w->items[item];
	bool one_queue = w->v.traits & DISPATCH_ONE_QUEUE, all = true, wanted;
	bool serial = w->v.traits & (DISPATCH_KEY_SERIAL | DISPATCH_PARTITION_SERIAL);
	u32 group = (u32)x->worker / each(w);
	int earlier = first_started(w, t, 0, (int)item);

	for (u32 g = 0; g < w->v.replicas; g++)
		all &= group_is_full(w, g, t);
	wanted = !group_is_full(w, group, t) && x->admit <= t;
	if (one_queue)
		wanted &= !(serial && earlier >= 0);
	else
		wanted = x->admit <= t && !worker_busy(w, (u32)x->worker, t) &&
			 !(w->v.limit && group_is_full(w, group, t));
	if (wanted)
		return wake_cell(w, x, t);
	if (all)
		return waiting_cell(w, x, t, PART_SATURATED);
	if (earlier >= 0)
		return behind(w, earlier, t, PART_ORDER);
	return waiting_cell(w, x, t, PART_HOL);
}

/* --- the comparison --- */

/* Tasks, then: no culprit, unnamed and named keys of each resource. */
enum { NO_CULPRIT = NR_TASKS, KEYS, COLUMNS = KEYS + 2 * 3 };

static u32 column_of(u32 culprit)
{
	if (culprit == NONE32)
		return NO_CULPRIT;
	if (!culprit_is_key(culprit))
		return culprit;
	return KEYS + culprit_resource(culprit) * 3 +
	       (culprit_key(culprit) == NONE32 ? 2 : culprit_key(culprit));
}

static u32 item_differs(const struct world *w, u32 item)
{
	static u64 want[PART_NR][FRONT_NR][COLUMNS], got[PART_NR][FRONT_NR][COLUMNS];
	const struct ref_item *x = &w->items[item];
	const struct account *a = &w->book->accounts[item];
	u32 count = 0;
	int last = -1;

	memset(want, 0, sizeof(want));
	memset(got, 0, sizeof(got));
	want[PART_LATE][FRONT_NONE][NO_CULPRIT] = x->submit - x->due;
	for (u64 t = x->submit; t < x->done; t++) {
		struct cell c = t < x->start ? wait_cell(w, item, t) : service_cell(w, item, t);

		want[c.part][c.front][column_of(c.culprit)]++;
		if (t < x->start && c.item >= 0) {
			count += c.item != last;
			last = c.item;
		}
	}
	for (u32 i = 0; i < a->nr_charges; i++) {
		const struct charge *c = &w->book->charges[item][i];

		got[c->part][c->front][column_of(c->culprit)] += c->ns;
	}
	return memcmp(want, got, sizeof(want)) != 0 || count != a->front_count;
}

#define SERIAL_KEY	 (DISPATCH_ONE_QUEUE | DISPATCH_KEY_SERIAL)
#define SERIAL_PARTITION (DISPATCH_ONE_QUEUE | DISPATCH_PARTITION_SERIAL)

static const struct variant variants[] = {
	{"partition", .executor = EXECUTOR_THREAD, .replicas = 1},
	{"partition in virtual time", .replicas = 1, .simulated = true},
	{"partition, time-out", .replicas = 1, .timeout = 30},
	{"partition, limit", .replicas = 1, .limit = 2},
	{"shared", .traits = DISPATCH_ONE_QUEUE, .replicas = 1},
	{"shared, replicas", .traits = DISPATCH_ONE_QUEUE, .replicas = 2},
	{"shared, replicas, limit", .traits = DISPATCH_ONE_QUEUE, .replicas = 2, .limit = 1},
	{"key, buffer", .traits = SERIAL_KEY, .replicas = 1, .buffer = 3},
	{"key, no order without a key", .traits = SERIAL_KEY, .replicas = 1,
	 .null_unordered = true},
	{"key:partition", .traits = SERIAL_PARTITION, .replicas = 1, .partitions = 2},
	{"async, partition", .executor = EXECUTOR_ASYNC, .replicas = 1},
	{"async, partition, virtual", .executor = EXECUTOR_ASYNC, .replicas = 1, .simulated = true},
	{"async, shared, limit", .traits = DISPATCH_ONE_QUEUE, .executor = EXECUTOR_ASYNC,
	 .replicas = 1, .limit = 5, .timeout = 50},
	{"async, key, buffer, replicas", .traits = SERIAL_KEY, .executor = EXECUTOR_ASYNC,
	 .replicas = 2, .buffer = 8, .simulated = true},
	{"async, key:partition", .traits = SERIAL_PARTITION, .executor = EXECUTOR_ASYNC,
	 .replicas = 1, .partitions = 3},
};

static struct book *variant_book(const struct variant *v)
{
	return book_open_as((struct ledger_config){.workers = WORKERS,
						   .traits = v->traits,
						   .executor = v->executor,
						   .replicas = v->replicas,
						   .limit = v->limit,
						   .partitions = v->partitions,
						   .null_key = 3,
						   .null_unordered = v->null_unordered,
						   .timeout_ns = v->timeout,
						   .named_keys = 2,
						   .probe = !v->simulated,
						   .simulated = v->simulated});
}

static void test_variant(const struct variant *v, u32 rounds)
{
	static struct world w;
	u32 items = 0, wrong = 0, sums = 0;

	for (u32 round = 0; round < rounds; round++) {
		memset(&w, 0, sizeof(w));
		w.v = *v;
		w.book = variant_book(v);
		rng_init(&w.rng, round, v->traits);
		world_run(&w);
		book_end(w.book);
		sums += w.book->counts.sum_errors || w.book->err || w.book->counts.impossible;
		for (u32 i = 0; i < w.nr_items; i++) {
			if (w.items[i].done == NEVER_NS)
				continue;
			items++;
			sums += !adds_up(w.book, i, w.items[i].done - w.items[i].due);
			wrong += item_differs(&w, i);
		}
		free(w.book);
	}
	CHECK(items > rounds * 5, "%s: %u items had an end in %u random runs", v->name, items,
	      rounds);
	CHECK(sums == 0, "%s: every account adds up", v->name);
	CHECK(wrong == 0, "%s: every account is what the definition says (%u differ)", v->name,
	      wrong);
}

#endif
