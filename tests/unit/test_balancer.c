/* SPDX-License-Identifier: GPL-2.0-only */
/* Replicas behind a balancer: numbers, locks, who gets the next item; and the random design. */
#include <string.h>

#include "core/dispatch/balancer.h"
#include "core/rng.h"
#include "tap.h"

enum { REPLICAS = 3, WORKERS = 4, ALL = REPLICAS * WORKERS, KEYS = 10, ITEMS = 20000 };

struct driver {
	struct balancer b;
	struct rng rng;
	u32 home[KEYS];
	struct item items[ITEMS];
	struct item *serving[ALL];
	u32 replica_of[ITEMS], unfinished[REPLICAS], in_service[REPLICAS], placed[REPLICAS];
	u32 submitted, ended, moves;
	const char *wrong;
};

static void expect(struct driver *r, bool ok, const char *what)
{
	if (!ok && !r->wrong)
		r->wrong = what;
}

static u32 replica_of_queue(const struct driver *r, u32 queue)
{
	return queue / (balancer_queues(&r->b) / REPLICAS);
}

static void init(struct driver *r, const struct dispatch_ops *ops, u32 balance, u32 limit)
{
	struct balancer_config cfg = {.dispatch = {.ops = ops,
						   .workers = WORKERS,
						   .keys = KEYS,
						   .threshold_ns = 20,
						   .home = r->home,
						   .limit = limit,
						   .null_key = NONE32,
						   .seed = 1},
				      .replicas = REPLICAS,
				      .balance = balance};

	memset(r, 0, sizeof(*r));
	rng_init(&r->rng, 1, 0);
	for (u32 i = 0; i < KEYS; i++)
		r->home[i] = i % WORKERS;
	if (balancer_init(&r->b, &cfg))
		exit(EXIT_FAILURE);
}

static u32 wanted_replica(const struct driver *r, u32 id)
{
	u32 found = 0;

	if (r->b.cfg.balance == BALANCE_ROUNDROBIN)
		return id % REPLICAS;
	for (u32 i = 1; i < REPLICAS; i++)
		if (r->unfinished[i] < r->unfinished[found])
			found = i;
	return found;
}

static void submit(struct driver *r)
{
	struct item *it = &r->items[r->submitted];
	u32 queue, replica, woken;

	it->id = r->submitted++;
	it->key = rng_below(&r->rng, KEYS);
	it->arrival_ns = it->id;
	queue = balancer_place(&r->b, it);
	replica = replica_of_queue(r, queue);
	expect(r, replica == wanted_replica(r, it->id), "the balancer's rule holds");
	woken = balancer_submit(&r->b, queue, it);
	expect(r, woken == NONE32 || woken / WORKERS == replica, "a replica wakes its own worker");
	r->replica_of[it->id] = replica;
	r->unfinished[replica]++;
	r->placed[replica]++;
}

static void ask(struct driver *r, u32 worker)
{
	struct item *it = balancer_next(&r->b, worker);
	u32 other = balancer_permit(&r->b, worker, r->submitted);

	expect(r, other == NONE32 || other / WORKERS == worker / WORKERS,
	       "a permit stays in its replica");
	r->serving[worker] = it;
	if (!it)
		return;
	expect(r, r->replica_of[it->id] == worker / WORKERS, "an item stays in its replica");
	r->in_service[worker / WORKERS]++;
	expect(r,
	       !r->b.cfg.dispatch.limit ||
		       r->in_service[worker / WORKERS] <= r->b.cfg.dispatch.limit,
	       "the limit is a replica's");
}

static void done(struct driver *r, u32 worker)
{
	struct item *it = r->serving[worker];

	balancer_done(&r->b, worker, it);
	r->serving[worker] = NULL;
	r->unfinished[worker / WORKERS]--;
	r->in_service[worker / WORKERS]--;
	r->ended++;
}

static void steal(struct driver *r, u32 worker)
{
	struct steal st;

	balancer_steal(&r->b, worker, r->submitted, &st);
	if (!st.count)
		return;
	r->moves++;
	expect(r, st.from / WORKERS == worker / WORKERS, "a replica steals from itself");
	expect(r, balancer_head(&r->b, worker) != NULL, "what is stolen is at the thief's");
	ask(r, worker);
}

static void step(struct driver *r)
{
	u32 worker = rng_below(&r->rng, ALL);

	if (r->submitted < ITEMS && rng_below(&r->rng, 5) < 2)
		submit(r);
	else if (r->serving[worker])
		done(r, worker);
	else if (rng_below(&r->rng, 2))
		ask(r, worker);
	else
		steal(r, worker);
}

static void check_design(struct driver *r, const struct dispatch_ops *ops, u32 balance, u32 limit)
{
	const char *name = balance == BALANCE_LEAST ? "least" : "round-robin";

	init(r, ops, balance, limit);
	for (u32 i = 0; i < 100 * ITEMS && r->ended < ITEMS && !r->wrong; i++)
		step(r);
	CHECK(!r->wrong, "%s, %s, limit %u: %s", ops->name, name, limit,
	      r->wrong ? r->wrong : "every promise holds");
	CHECK(r->ended == ITEMS, "%s, %s, limit %u: every item ends (%u)", ops->name, name, limit,
	      r->ended);
	CHECK(r->placed[0] > ITEMS / 4 && r->placed[1] > ITEMS / 4 && r->placed[2] > ITEMS / 4,
	      "%s, %s: all replicas have their part", ops->name, name);
	balancer_fini(&r->b);
}

/* One replica: what it says is what the dispatcher says, and costs no lock. */
static void check_numbers(struct driver *r)
{
	init(r, dispatch_find("partition", 0), BALANCE_ROUNDROBIN, 0);
	CHECK(balancer_workers(&r->b) == ALL && balancer_queues(&r->b) == ALL,
	      "workers and queues are numbered over all replicas");
	CHECK(balancer_locks(&r->b) == ALL && balancer_lock_of(&r->b, 7) == 7 &&
		      balancer_queue_of(&r->b, 7) == 7 && !balancer_wants_done(&r->b),
	      "a queue a worker: a lock each");
	balancer_fini(&r->b);
	init(r, dispatch_find("shared", 0), BALANCE_ROUNDROBIN, 0);
	CHECK(balancer_queues(&r->b) == REPLICAS && balancer_queue_of(&r->b, 7) == 1 &&
		      balancer_locks(&r->b) == REPLICAS,
	      "one queue: one a replica");
	balancer_fini(&r->b);
	init(r, dispatch_find("partition", 0), BALANCE_LEAST, 0);
	CHECK(balancer_locks(&r->b) == 1 && balancer_lock_of(&r->b, 7) == 0 &&
		      balancer_wants_done(&r->b),
	      "least: all replicas are compared, under one lock");
	balancer_fini(&r->b);
	init(r, dispatch_find("partition", 0), BALANCE_ROUNDROBIN, 2);
	CHECK(balancer_locks(&r->b) == 1 && balancer_wants_done(&r->b), "a limit: one lock");
	balancer_fini(&r->b);
}

enum { WAITING = 10, DRAWS = 20000 };

/* Which of WAITING items is taken first, drawn again and again; the sum of squares of its
 * differences from even is chi-square with WAITING - 1 degrees of freedom. */
static double draw(u64 seed, u32 *hash)
{
	struct dispatch_config cfg = {.ops = dispatch_find("random", 0),
				      .workers = 1,
				      .keys = 1,
				      .null_key = NONE32,
				      .seed = seed};
	u32 firsts[WAITING] = {0};
	struct item items[WAITING];
	struct dispatch d;
	double chi = 0, even = (double)DRAWS / WAITING;

	*hash = 0;
	if (dispatch_init(&d, &cfg))
		exit(EXIT_FAILURE);
	for (u32 i = 0; i < DRAWS; i++) {
		struct item *it;

		for (u32 k = 0; k < WAITING; k++) {
			items[k] = (struct item){.id = k};
			dispatch_submit(&d, 0, &items[k]);
		}
		it = dispatch_next(&d, 0);
		firsts[it->id]++;
		*hash = *hash * 31 + it->id;
		while ((it = dispatch_next(&d, 0)))
			*hash = *hash * 31 + it->id;
	}
	dispatch_fini(&d);
	for (u32 k = 0; k < WAITING; k++)
		chi += (firsts[k] - even) * (firsts[k] - even) / even;
	return chi;
}

/* 27.9 is the 99.9 % quantile of chi-square with 9 degrees of freedom. */
static void check_random(void)
{
	u32 a, b, c;
	double chi = draw(1, &a);

	draw(1, &b);
	draw(2, &c);
	CHECK(chi < 27.9, "random: any item is first with the same chance (chi-square %.1f)", chi);
	CHECK(a == b, "random: the same seed, the same order");
	CHECK(a != c, "random: another seed, another order");
}

int main(void)
{
	struct driver *r = malloc(sizeof(*r));

	if (!r)
		return EXIT_FAILURE;
	check_numbers(r);
	for (u32 i = 0; dispatch_nth(i); i++) {
		check_design(r, dispatch_nth(i), BALANCE_ROUNDROBIN, 0);
		check_design(r, dispatch_nth(i), BALANCE_LEAST, 0);
		check_design(r, dispatch_nth(i), BALANCE_LEAST, 2);
	}
	free(r);
	check_random();
	return tap_done();
}
