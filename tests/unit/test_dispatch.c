/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every design under random calls, as a live engine may interleave them: a woken worker asks late,
 * an idle one asks unasked. After each call the design's promises are checked; with a limit, with a
 * buffer, and with items that have no key, too.
 */
#include <string.h>

#include "core/dispatch/dispatch.h"
#include "core/rng.h"
#include "tap.h"

enum { WORKERS = 5, KEYS = 12, ITEMS = 4000, THRESHOLD = 40, PARTITIONS = 4, NULL_KEY = 11 };

/* What goes around a design. */
struct around {
	const char *name;
	u32 limit, buffer;
	bool null_key, unordered; /* the last key is that of items without one */
};

struct driver {
	struct dispatch d;
	struct around around;
	struct rng rng;
	struct item *items;
	u32 home[KEYS];
	u32 key_seq[KEYS], started_of[KEYS], serving_of[KEYS], in_partition[PARTITIONS];
	struct item *serving[WORKERS];
	bool started[ITEMS];
	bool idle[WORKERS];	 /* the last answer was "nothing", and nobody woke it since */
	u32 unfinished[WORKERS]; /* per worker: in its queue or in its service */
	u32 submitted, starts, moves, oldest; /* oldest: every item below has started */
	u32 ends, admitted; /* admitted: items below have been let into the buffer */
	u64 now_ns;
	u64 decisions;	   /* a hash of every answer */
	const char *wrong; /* the first promise that did not hold */
};

static void expect(struct driver *r, bool ok, const char *what)
{
	if (!ok && !r->wrong)
		r->wrong = what;
}

static void note(struct driver *r, u64 x)
{
	r->decisions = rng_mix(r->decisions ^ x);
}

static u32 trait(const struct driver *r, u32 t)
{
	return r->d.cfg.ops->traits & t;
}

static bool permitted(const struct driver *r)
{
	return !r->around.limit || r->starts - r->ends < r->around.limit;
}

static void check_queue(struct driver *r, const struct queue *q)
{
	u64 head_ns = q->head ? q->head->arrival_ns : NEVER_NS;
	u32 len = 0;

	for (const struct item *it = q->head; it; it = it->next) {
		len++;
		expect(r, it->next || it == q->tail, "the tail is the last item");
		expect(r,
		       !it->next || it->arrival_ns <= it->next->arrival_ns ||
			       !trait(r, DISPATCH_KEEPS_ORDER),
		       "a queue is in the order of arrival");
	}
	expect(r, len == q->len, "a queue's length is that of its list");
	expect(r, head_ns == q->head_arrival_ns, "the head's arrival is published");
}

static u32 partition_of(const struct driver *r, const struct item *it)
{
	return item_partition(it->key, it->id, PARTITIONS, r->d.cfg.null_key);
}

/* An item that no order binds. */
static bool loose(const struct driver *r, const struct item *it)
{
	return r->around.unordered && it->key == r->d.cfg.null_key;
}

static bool held(const struct driver *r, const struct item *it)
{
	if (trait(r, DISPATCH_PARTITION_SERIAL))
		return r->in_partition[partition_of(r, it)];
	return trait(r, DISPATCH_KEY_SERIAL) && !loose(r, it) && r->serving_of[it->key];
}

/* One queue: the earliest item that may start, or NULL. */
static const struct item *earliest(struct driver *r)
{
	while (r->oldest < r->submitted && r->started[r->oldest])
		r->oldest++;
	for (u32 i = r->oldest; i < r->admitted; i++) {
		if (!r->started[i] && !held(r, &r->items[i]))
			return &r->items[i];
	}
	return NULL;
}

/*
 * Is there an item for an idle worker, and nobody on the way who will ask, or tell it? A worker
 * that has been woken asks, and whoever asks tells the next.
 */
static void check_stranded(struct driver *r)
{
	const struct item *any = earliest(r);

	if (!permitted(r))
		return;
	for (u32 i = 0; i < WORKERS; i++)
		if (!r->serving[i] && !r->idle[i])
			return;
	for (u32 i = 0; i < WORKERS; i++)
		expect(r,
		       !r->idle[i] || (trait(r, DISPATCH_ONE_QUEUE) ? !any : !r->d.queues[i].len),
		       "no item is left lying while its worker is idle");
}

static void check_all(struct driver *r)
{
	for (u32 i = 0; i < dispatch_queues(&r->d); i++)
		check_queue(r, &r->d.queues[i]);
	for (u32 i = 0; i < WORKERS; i++)
		expect(r, (r->d.idle_pos[i] != NONE32) == r->idle[i],
		       "idle: got nothing, and not woken since");
	for (u32 i = 0; i < r->d.nr_idle; i++)
		expect(r, r->d.idle_pos[r->d.idle_stack[i]] == i, "the idle know their place");
	check_stranded(r);
	expect(r, !r->around.limit || r->starts - r->ends <= r->around.limit,
	       "no more in service than the limit");
	expect(r, !r->around.buffer || r->admitted - r->ends <= r->around.buffer,
	       "no more admitted than the buffer holds");
	expect(r, r->admitted == r->submitted || r->admitted - r->ends == r->around.buffer,
	       "nothing waits outside a buffer that is not full");
}

static void started(struct driver *r, struct item *it)
{
	expect(r, !r->started[it->id], "an item starts once");
	r->started[it->id] = true;
	r->starts++;
	if (trait(r, DISPATCH_KEEPS_ORDER) && !loose(r, it) &&
	    !(trait(r, DISPATCH_PARTITION_SERIAL) && it->key == r->d.cfg.null_key)) {
		expect(r, r->serving_of[it->key] == 0, "one item of a key in service");
		expect(r, it->seq == r->started_of[it->key], "a key's items start in order");
	}
	r->serving_of[it->key]++;
	r->in_partition[partition_of(r, it)]++;
	r->started_of[it->key]++;
	note(r, it->id);
}

static void wake(struct driver *r, u32 worker)
{
	note(r, worker);
	if (worker == NONE32)
		return;
	expect(r, r->idle[worker], "who is woken was idle");
	r->idle[worker] = false;
}

static void next(struct driver *r, u32 worker)
{
	bool in_turn = trait(r, DISPATCH_ONE_QUEUE) && strcmp(r->d.cfg.ops->name, "random");
	const struct item *want = in_turn && permitted(r) ? earliest(r) : NULL;
	struct item *it = dispatch_next(&r->d, worker);

	expect(r, it == want || !in_turn, "one queue: a worker gets the earliest that may start");
	r->serving[worker] = it;
	r->idle[worker] = !it;
	if (it)
		started(r, it);
	wake(r, dispatch_permit(&r->d, r->now_ns));
}

/* jsq: none is shorter; p2c: of two queues at least one other is not shorter. */
static void check_place(struct driver *r, u32 queue)
{
	u32 shorter = 0;

	for (u32 i = 0; i < WORKERS; i++)
		shorter += r->unfinished[i] < r->unfinished[queue];
	expect(r, strcmp(r->d.cfg.ops->name, "jsq") || !shorter, "the shortest queue is joined");
	expect(r, strcmp(r->d.cfg.ops->name, "p2c") || shorter < WORKERS - 1,
	       "the longest queue is not joined");
}

static void submit(struct driver *r)
{
	struct item *it = &r->items[r->submitted];
	u32 queue, woken;

	it->id = r->submitted++;
	it->key = rng_below(&r->rng, 3) ? rng_below(&r->rng, KEYS) : 0;
	it->seq = r->key_seq[it->key]++;
	it->arrival_ns = r->now_ns;
	queue = dispatch_place(&r->d, it);
	check_place(r, queue);
	woken = dispatch_submit(&r->d, queue, it);
	expect(r, woken == NONE32 || woken == queue || trait(r, DISPATCH_ONE_QUEUE),
	       "a queue wakes its own worker");
	wake(r, woken);
	r->unfinished[queue]++;
	if (it->outside)
		return;
	expect(r, r->admitted == it->id, "nobody comes in before those that wait outside");
	r->admitted++;
}

static void done(struct driver *r, u32 worker)
{
	struct item *it = r->serving[worker];
	const struct item *in;

	r->ends++;
	r->unfinished[dispatch_queue_of(&r->d, worker)]--;
	r->serving_of[it->key]--;
	r->in_partition[partition_of(r, it)]--;
	r->serving[worker] = NULL;
	in = dispatch_done(&r->d, worker, it);
	expect(r, !in || (in == &r->items[r->admitted] && !in->outside),
	       "who waited outside comes in in turn");
	r->admitted += in != NULL;
}

/* An idle worker follows the hint; with every lock held, as here, the hint is exact. */
static void look_around(struct driver *r, u32 worker)
{
	u64 again_ns = dispatch_ask_again(&r->d, worker, r->now_ns);
	bool empty = !r->d.queues[dispatch_queue_of(&r->d, worker)].len;
	u32 before = r->d.queues[0].len;
	struct steal st;

	if (again_ns == NEVER_NS)
		return;
	dispatch_steal(&r->d, worker, r->now_ns, &st);
	expect(r, st.count || again_ns > r->now_ns || !empty, "told to steal: there is something");
	expect(r, !st.count || again_ns <= r->now_ns, "told to wait: there is nothing");
	note(r, st.count);
	if (!st.count)
		return;
	expect(r, st.from != worker && empty, "from another's queue into an empty one");
	expect(r, st.from != 0 || before == r->d.queues[0].len + st.count, "what moved has left");
	expect(r, st.count == r->d.queues[worker].len, "what moved is the thief's queue");
	expect(r, st.since_ns <= r->now_ns, "stolen when allowed");
	expect(r, st.since_ns >= r->d.queues[worker].head->arrival_ns, "allowed after the arrival");
	r->moves += st.count;
	next(r, worker);
}

static void step(struct driver *r)
{
	u32 worker = rng_below(&r->rng, WORKERS);

	if (r->submitted < ITEMS && rng_below(&r->rng, 5) < 2) {
		submit(r);
	} else if (r->serving[worker]) {
		done(r, worker);
		next(r, worker);
	} else if (!r->idle[worker] || rng_below(&r->rng, 4) == 0) {
		next(r, worker);
	} else {
		look_around(r, worker);
	}
	r->now_ns += rng_below(&r->rng, 3);
	check_all(r);
}

static void drive(struct driver *r, const struct dispatch_ops *ops, const struct around *around,
		  u64 seed)
{
	struct dispatch_config cfg = {.ops = ops,
				      .workers = WORKERS,
				      .keys = KEYS,
				      .threshold_ns = THRESHOLD,
				      .home = r->home,
				      .limit = around->limit,
				      .buffer = around->buffer,
				      .null_key = around->null_key ? NULL_KEY : NONE32,
				      .null_unordered = around->unordered,
				      .partitions = PARTITIONS,
				      .seed = seed};

	memset(r, 0, sizeof(*r));
	r->around = *around;
	rng_init(&r->rng, seed, 0);
	for (u32 i = 0; i < KEYS; i++)
		r->home[i] = i % WORKERS;
	r->items = calloc(ITEMS, sizeof(*r->items));
	if (dispatch_init(&r->d, &cfg))
		exit(EXIT_FAILURE);
	for (u32 i = 0; i < 40 * ITEMS && r->starts < ITEMS && !r->wrong; i++)
		step(r);
	dispatch_fini(&r->d);
	free(r->items);
}

static void check_design(const struct dispatch_ops *ops, const struct around *around)
{
	struct driver a, b;
	bool steals = ops->traits & DISPATCH_STEALS;

	drive(&a, ops, around, 1);
	CHECK(!a.wrong, "%s%s: %s", ops->name, around->name,
	      a.wrong ? a.wrong : "every promise holds");
	CHECK(a.starts == ITEMS, "%s%s: every item starts (%u)", ops->name, around->name, a.starts);
	CHECK((a.moves > 0) == steals, "%s%s: %u moves", ops->name, around->name, a.moves);
	drive(&b, ops, around, 1);
	CHECK(a.decisions == b.decisions, "%s%s: the same calls, the same decisions", ops->name,
	      around->name);
}

static void check_around(const struct dispatch_ops *ops)
{
	static const struct around all[] = {
		{.name = ""},
		{.name = ", limit", .limit = 2},
		{.name = ", limit of all", .limit = WORKERS},
		{.name = ", null", .null_key = true},
		{.name = ", null without order", .null_key = true, .unordered = true},
		{.name = ", buffer", .buffer = 9},
		{.name = ", buffer of 1", .buffer = 1},
		{.name = ", all of it",
		 .limit = 3,
		 .buffer = 20,
		 .null_key = true,
		 .unordered = true},
	};
	bool has_buffer = ops->traits & (DISPATCH_KEY_SERIAL | DISPATCH_PARTITION_SERIAL);

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (!all[i].buffer || has_buffer)
			check_design(ops, &all[i]);
}

/* Who was told to ask is good for one item until it has asked: nobody else is told for that one. */
static void check_told(u32 limit)
{
	struct dispatch_config cfg = {.ops = dispatch_find("shared", 0),
				      .workers = 4,
				      .keys = 1,
				      .home = (u32[]){0},
				      .limit = limit,
				      .null_key = NONE32};
	struct item a = {.id = 0}, b = {.id = 1};
	struct dispatch d;
	u32 first, second;

	if (dispatch_init(&d, &cfg))
		abort();
	for (u32 i = 0; i < cfg.workers; i++)
		dispatch_next(&d, i);
	first = dispatch_submit(&d, 0, &a);
	second = dispatch_submit(&d, 0, &b);
	CHECK(first == 3 && second == (limit ? NONE32 : 2), "limit %u: an item, a worker", limit);
	CHECK(dispatch_next(&d, first) == &a && dispatch_permit(&d, 0) == NONE32,
	      "limit %u: nobody is told for an item that another comes for", limit);
	if (!limit)
		CHECK(dispatch_next(&d, second) == &b, "who comes for it gets it");
	dispatch_done(&d, first, &a);
	if (limit)
		CHECK(dispatch_permit(&d, 0) == 2 && dispatch_permit(&d, 0) == NONE32,
		      "a permit that was given back is one worker's");
	dispatch_fini(&d);
}

static void check_names(void)
{
	CHECK(dispatch_find("steal", STEAL_HALF) == dispatch_find("steal:half", STEAL_KEY),
	      "steal is steal:half");
	CHECK(dispatch_find("steal", STEAL_KEY) == dispatch_find("steal:key", STEAL_HALF) &&
		      dispatch_find("steal", STEAL_KEY) != dispatch_find("steal", STEAL_ITEM),
	      "steal and its unit, in two words or in one");
	CHECK(!strcmp(dispatch_find("key", STEAL_KEY)->name, "key"),
	      "the unit means nothing to another design");
	CHECK(!dispatch_find("steals", 0) && !dispatch_find("", 0), "no design of that name");
	for (u32 i = 0; dispatch_nth(i); i++)
		CHECK(dispatch_find(dispatch_nth(i)->name, STEAL_HALF) == dispatch_nth(i),
		      "%s is found by its name", dispatch_nth(i)->name);
}

int main(void)
{
	check_names();
	check_told(0);
	check_told(1);
	for (u32 i = 0; dispatch_nth(i); i++)
		check_around(dispatch_nth(i));
	return tap_done();
}
