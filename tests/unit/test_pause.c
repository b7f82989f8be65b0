/* SPDX-License-Identifier: GPL-2.0-only */
/* Pauses: where each begins and ends, and against a reference that walks through time. */
#include "core/pause.h"
#include "core/rng.h"
#include "tap.h"

enum { HORIZON = 400, RUNS = 300 };

static void check_workers(void)
{
	const struct pauses none = {.every_ns = 10}, p = {.every_ns = 10, .for_ns = 3},
			    all = {.every_ns = 10, .for_ns = 10};

	CHECK(pause_workers(&none, 10) == 10, "a pause of no time is none");
	CHECK(pause_workers(&(struct pauses){0}, 0) == 0, "nor is one that was not asked for");
	CHECK(pause_workers(&p, 0) == 0 && pause_workers(&p, 2) == 2,
	      "the stream does not begin with one");
	CHECK(pause_workers(&p, 9) == 9 && pause_workers(&p, 10) == 13 &&
		      pause_workers(&p, 12) == 13 && pause_workers(&p, 13) == 13,
	      "it holds from its begin, and no longer at its end");
	CHECK(pause_workers(&p, 31) == 33, "every time");
	CHECK(pause_workers(&all, 10) == 20 && pause_workers(&all, 25) == 30,
	      "one as long as its period ends where the next begins");
}

static void check_step(void)
{
	const struct pauses p = {.jitter_every_ns = 10,
				 .jitter_for_ns = 4,
				 .jitter_step = 1,
				 .stall_at_ns = 8,
				 .stall_for_ns = 9,
				 .stall_key = 7};

	CHECK(pause_step(&p, 1, 0, 11) == 11 && pause_step(&p, 1, 1, 11) == 14,
	      "jitter: of its step alone");
	CHECK(pause_workers(&p, 11) == 11, "jitter and stall: not of workers");
	CHECK(pause_step(&p, 7, 0, 7) == 7 && pause_step(&p, 7, 0, 8) == 17 &&
		      pause_step(&p, 7, 2, 16) == 17 && pause_step(&p, 7, 0, 17) == 17,
	      "stall: each step of its key, once");
	CHECK(pause_step(&p, 7, 1, 11) == 17, "the longer one holds");
	CHECK(pause_step(&(struct pauses){.stall_for_ns = 5}, 0, 0, 0) == 5,
	      "stall: from the first moment");
}

static bool in_periodic(u64 every, u64 length, u64 t)
{
	for (u64 begin = every; every && begin <= t; begin += every)
		if (t < begin + length)
			return true;
	return false;
}

static bool held(const struct pauses *p, u32 key, u32 step, u64 t)
{
	if (in_periodic(p->every_ns, p->for_ns, t))
		return true;
	if (step == p->jitter_step && in_periodic(p->jitter_every_ns, p->jitter_for_ns, t))
		return true;
	return key == p->stall_key && t >= p->stall_at_ns && t < p->stall_at_ns + p->stall_for_ns;
}

static bool agrees(const struct pauses *p, u32 key, u32 step)
{
	for (u64 t = 0; t < HORIZON; t++) {
		u64 until = pause_step(p, key, step, t);

		if ((until > t) != held(p, key, step, t) || until < t)
			return false;
		for (u64 u = t; u < until; u++)
			if (!held(p, key, step, u))
				return false;
	}
	return true;
}

/* Periods that do not cover all of time, or nothing would ever begin. */
static void check_reference(void)
{
	bool right = true;
	struct rng r;

	rng_init(&r, 1, 0);
	for (u32 i = 0; i < RUNS; i++) {
		struct pauses p = {.every_ns = rng_below(&r, 60),
				   .jitter_every_ns = rng_below(&r, 60),
				   .jitter_step = rng_below(&r, 2),
				   .stall_at_ns = rng_below(&r, 300),
				   .stall_for_ns = rng_below(&r, 100),
				   .stall_key = rng_below(&r, 2)};

		p.for_ns = p.every_ns ? rng_below(&r, (u32)p.every_ns) : 5;
		p.jitter_for_ns = p.jitter_every_ns ? rng_below(&r, (u32)p.jitter_every_ns) : 5;
		right &= agrees(&p, 0, 0) && agrees(&p, 1, 1);
	}
	CHECK(right, "held exactly while one of them holds, and until one of them ends");
}

int main(void)
{
	check_workers();
	check_step();
	check_reference();
	return tap_done();
}
