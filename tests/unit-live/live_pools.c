/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A burst of 1000 items that call a server of 200 slots for 0.3 s, by a pool, by a thread each, by
 * light threads: as many succeed as in virtual time, and it takes as long.
 */
#include "simulated.h"
#include "slow.h"

#include <math.h>

struct pool {
	const char *name;
	u32 succeed;	/* of 1000 */
	u32 peak, more; /* threads at once: at least, and not more than so many more */
	char *words[4];
};

static const struct pool pools[] = {
	{"a pool of 100", 1000, 101, 0, {"workers.count=100"}},
	{"a thread each", 200, 800, 201, {"dispatch.executor=spawn"}},
	{"a thread each, server of 400",
	 400,
	 800,
	 201,
	 {"dispatch.executor=spawn", "resource.db.capacity=400"}},
	{"a thread each, 100 at a time",
	 1000,
	 100,
	 100,
	 {"dispatch.executor=spawn", "dispatch.limit=100"}},
	{"light threads", 200, 3, 0, {"dispatch.executor=async", "workers.carriers=2"}},
	{"light threads, 100 at a time",
	 1000,
	 3,
	 0,
	 {"dispatch.executor=async", "workers.carriers=2", "dispatch.limit=100"}},
	{"light threads, 100 at a time, no order",
	 1000,
	 3,
	 0,
	 {"dispatch.executor=async", "workers.carriers=2", "dispatch.limit=100",
	  "dispatch.design=random"}},
};

static const char *note_of(const struct cell_run *c, const char *wanted)
{
	const char *name, *value;

	for (u32 i = 0; c->reader && trace_nth_note(c->reader, i, &name, &value); i++)
		if (!strcmp(name, wanted))
			return value;
	return "0";
}

static double seconds(const struct ends *e)
{
	return (double)(e->last_ns - e->first_ns) / 1e9;
}

static void check_as_simulated(const struct pool *p, const struct cell_run *c,
			       const struct ends *live, const struct ends *sim)
{
	u32 peak;

	CHECK(sim->of[OUTCOME_SUCCEEDED] == p->succeed && live->of[OUTCOME_SUCCEEDED] == p->succeed,
	      "%s: %u succeed in virtual time, %u live", p->name, sim->of[OUTCOME_SUCCEEDED],
	      live->of[OUTCOME_SUCCEEDED]);
	CHECK(live->of[OUTCOME_TIMED_OUT] == 1000 - p->succeed, "%s: %u time out", p->name,
	      live->of[OUTCOME_TIMED_OUT]);
	CHECK(seconds(live) > seconds(sim) - 0.001 && seconds(live) < 1.05 * seconds(sim) + 0.1,
	      "%s: %.3f s, %.3f s in virtual time", p->name, seconds(live), seconds(sim));
	peak = (u32)strtoul(note_of(c, "threads.peak"), NULL, 10);
	CHECK(peak >= p->peak && peak <= p->peak + p->more, "%s: %u threads at once", p->name,
	      peak);
	printf("# %s: resident %s bytes, stacks %s bytes\n", p->name,
	       note_of(c, "memory.peak_bytes"), note_of(c, "stack.bytes"));
}

static void check_pool(const struct pool *p)
{
	char *words[16] = {"workload.arrivals=burst",
			   "workload.rate=1000/s",
			   "workload.duration=1s",
			   "workload.keys=1000",
			   "hot.load=0",
			   "workload.steps=call db 3s",
			   "workload.timeout=5s",
			   "resource.db.capacity=200",
			   "run.time_scale=0.1"};
	u32 nr = 9;
	struct cell_run c;
	struct ends live, sim;

	for (u32 i = 0; i < ARRAY_SIZE(p->words) && p->words[i]; i++)
		words[nr++] = p->words[i];
	cell_load(&c, words, (int)nr);
	sim = ends_simulated(&c.scaled);
	cell_run(&c, false);
	live = ends_of(&c);
	CHECK(!c.rc && live.items == 1000 && !cell_count(&c, EVENT_LOST), "%s: runs", p->name);
	CHECK(live.of[OUTCOME_SUCCEEDED] + live.of[OUTCOME_TIMED_OUT] == 1000,
	      "%s: each of 1000 succeeds or times out", p->name);
	if (!is_slow())
		check_as_simulated(p, &c, &live, &sim);
	cell_free(&c);
}
int main(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(pools); i++)
		check_pool(&pools[i]);
	return tap_done();
}
