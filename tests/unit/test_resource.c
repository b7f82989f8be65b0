/* SPDX-License-Identifier: GPL-2.0-only */
/* A resource against a reference that serves a queue of calls slot by slot, and looks at all. */
#include <string.h>

#include "core/resource.h"
#include "core/rng.h"
#include "tap.h"

enum { CALLS = 3000, RUNS = 60, SLOTS = 12 };

struct reference {
	u64 free_ns[SLOTS];
	u64 begins[CALLS]; /* of every call that was not refused */
	u32 nr;
};

/* The slot that is free first, the lowest index of equals. */
static u32 first_free(const struct reference *ref, u32 capacity)
{
	u32 found = 0;

	for (u32 i = 1; i < capacity; i++)
		if (ref->free_ns[i] < ref->free_ns[found])
			found = i;
	return found;
}

static struct grant reference_call(struct reference *ref, const struct resource_config *cfg,
				   u64 now_ns, u64 ns)
{
	u32 slot = first_free(ref, cfg->capacity), waiting = 0;
	u64 from_ns = ref->free_ns[slot] > now_ns ? ref->free_ns[slot] : now_ns;

	for (u32 i = 0; i < ref->nr; i++)
		waiting += ref->begins[i] > now_ns;
	if (from_ns > now_ns && waiting >= cfg->queue)
		return (struct grant){.from_ns = now_ns, .until_ns = now_ns, .slot = NONE32};
	ref->begins[ref->nr++] = from_ns;
	ref->free_ns[slot] = from_ns + ns;
	return (struct grant){.from_ns = from_ns, .until_ns = from_ns + ns, .slot = slot};
}

static bool same(const struct grant *a, const struct grant *b)
{
	return a->from_ns == b->from_ns && a->until_ns == b->until_ns && a->slot == b->slot;
}

/* Calls at random times, some of no time, load from light to heavy. */
static u32 differences(u64 seed, u32 *refused)
{
	struct resource_config cfg = {0};
	struct reference ref = {0};
	struct resource r;
	struct rng rng;
	u32 wrong = 0;
	u64 now = 0;

	rng_init(&rng, seed, 0);
	cfg.capacity = 1 + rng_below(&rng, SLOTS);
	cfg.queue = rng_below(&rng, 3) ? rng_below(&rng, 8) : RESOURCE_QUEUE_NEVER;
	if (resource_init(&r, &cfg))
		exit(EXIT_FAILURE);
	for (u32 i = 0; i < CALLS; i++) {
		u64 ns = rng_below(&rng, 20 * cfg.capacity);
		struct grant want, got;

		now += rng_below(&rng, 20);
		want = reference_call(&ref, &cfg, now, ns);
		got = resource_call(&r, now, ns);
		wrong += !same(&want, &got);
		*refused += got.slot == NONE32;
	}
	resource_fini(&r);
	return wrong;
}

static void check_reference(void)
{
	u32 wrong = 0, refused = 0;

	for (u64 seed = 1; seed <= RUNS; seed++)
		wrong += differences(seed, &refused);
	CHECK(wrong == 0, "every grant is the reference's (%u are not)", wrong);
	CHECK(refused > CALLS && refused < (RUNS - 1) * CALLS, "%u calls are refused", refused);
}

static void check_bound(void)
{
	struct resource_config cfg = {.capacity = 2, .queue = 1};
	struct resource r;

	if (resource_init(&r, &cfg))
		exit(EXIT_FAILURE);
	CHECK(resource_call(&r, 0, 10).slot == 0 && resource_call(&r, 0, 10).slot == 1,
	      "slots are given in the order of their indices");
	CHECK(resource_call(&r, 5, 10).from_ns == 10, "one call may wait");
	CHECK(resource_call(&r, 5, 10).slot == NONE32, "the next is refused");
	CHECK(resource_call(&r, 10, 10).from_ns == 10, "a free slot is given at once");
	CHECK(resource_call(&r, 10, 10).from_ns == 20, "who waited has its slot by then");
	resource_fini(&r);
	CHECK(!r.heap && !r.begins, "nothing is held after the end");
	cfg.queue = 0;
	if (resource_init(&r, &cfg))
		exit(EXIT_FAILURE);
	resource_call(&r, 0, 10);
	resource_call(&r, 0, 10);
	CHECK(resource_call(&r, 9, 1).slot == NONE32 && resource_call(&r, 10, 1).from_ns == 10,
	      "no queue: refused until a slot is free");
	resource_fini(&r);
}

/* In a live run a call's time may lie a little before that of the call before it. */
static void check_disorder(void)
{
	struct resource_config cfg = {.capacity = 1, .queue = 3};
	struct resource r;
	struct grant g;

	if (resource_init(&r, &cfg))
		exit(EXIT_FAILURE);
	resource_call(&r, 100, 10);
	g = resource_call(&r, 98, 10);
	CHECK(g.from_ns == 110 && g.until_ns == 120, "served in the order of the calls");
	resource_call(&r, 111, 10);
	CHECK(resource_call(&r, 109, 10).slot == 0 && resource_call(&r, 111, 10).slot == 0,
	      "the queue's places are counted on");
	CHECK(resource_call(&r, 111, 10).slot == NONE32, "up to its bound");
	resource_fini(&r);
}

int main(void)
{
	check_reference();
	check_bound();
	check_disorder();
	return tap_done();
}
