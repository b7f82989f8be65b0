/* SPDX-License-Identifier: GPL-2.0-only */
/* How much was in use, from events written by hand. */
#include "core/stats/usage.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static const struct resource_config things[] = {{.name = "db", .capacity = 2},
						{.name = "table", .lock = true}};

static struct usage_meter *meter(u32 executor, u32 permits)
{
	struct usage_config cfg = {.workers = 2,
				   .executor = executor,
				   .permits = permits,
				   .nr_resources = 2,
				   .resources = things,
				   .from_ns = 100,
				   .to_ns = 200};
	struct usage_meter *m;

	if (usage_new(&m, &cfg))
		abort();
	return m;
}

static void take(struct usage_meter *m, const struct event *ev)
{
	if (usage_take(m, ev))
		abort();
}

static void submit(struct usage_meter *m, u32 item, u32 nr, const u32 *kinds)
{
	struct event ev = {.kind = EVENT_SUBMIT, .item = item};

	ev.submit.nr_steps = nr;
	for (u32 i = 0; i < nr; i++)
		ev.submit.steps[i].kind = kinds[i];
	take(m, &ev);
}

static void happens(struct usage_meter *m, u64 t, u32 kind, u32 item, u32 worker)
{
	take(m, &(struct event){.time_ns = t, .kind = kind, .item = item, .worker = worker});
}

static void step(struct usage_meter *m, u64 t, u32 item, u32 index)
{
	struct event ev = {.time_ns = t, .kind = EVENT_STEP, .item = item};

	ev.step.index = index;
	take(m, &ev);
}

static void slot(struct usage_meter *m, u64 t, u32 item, u32 resource, u64 from, u64 until)
{
	struct event ev = {.time_ns = t, .kind = EVENT_TAKE, .item = item};

	ev.take.resource = resource;
	ev.take.from_ns = from;
	ev.take.until_ns = until;
	take(m, &ev);
}

/* By name; NAN: it is not in the list. */
static double share(struct usage_meter *m, const char *name)
{
	struct usage list[USAGE_MAX];
	u32 nr = usage_list(m, list);

	for (u32 i = 0; i < nr; i++)
		if (!strcmp(list[i].name, name))
			return list[i].share;
	return NAN;
}

static bool is(double x, double want)
{
	return fabs(x - want) < 1e-9;
}

static void test_thread(void)
{
	static const u32 kinds[] = {STEP_CPU, STEP_CALL, STEP_LOCK};
	struct usage_meter *m = meter(EXECUTOR_THREAD, 4);

	submit(m, 0, 3, kinds);
	happens(m, 50, EVENT_START, 0, 0); /* 100 … 180 are in the window */
	slot(m, 90, 0, 0, 95, 130);	   /* 30 of it */
	step(m, 130, 0, 2);
	slot(m, 140, 0, 1, 140, 0);
	happens(m, 180, EVENT_DONE, 0, 0); /* the lock: 140 … 180 */
	happens(m, 185, EVENT_START, 1, 1);
	slot(m, 190, 1, 0, 190, 1000); /* goes on when the caller has given up */
	happens(m, 195, EVENT_DONE, 1, 1);
	CHECK(is(share(m, "workers"), .45), "two workers for 90 of 200: %f", share(m, "workers"));
	CHECK(is(share(m, "limit"), .225), "four permits");
	CHECK(is(share(m, "db"), .2), "two slots for 40 of 200: %f", share(m, "db"));
	CHECK(is(share(m, "table"), .4), "a lock from when it is had to the end of its step");
	usage_free(m);
}

/* A worker that serves others while an item waits is not held by it. */
static void test_async(void)
{
	static const u32 kinds[] = {STEP_CPU, STEP_WAIT, STEP_LOCK};
	struct usage_meter *m = meter(EXECUTOR_ASYNC, 0);

	for (u32 i = 0; i < 2; i++)
		submit(m, i * 64, 3, kinds); /* on one place of the table, which grows */
	happens(m, 100, EVENT_START, 0, 0);
	step(m, 110, 0, 1);
	happens(m, 110, EVENT_START, 64, 0);
	step(m, 120, 64, 1);
	step(m, 150, 0, 2); /* waits for its lock */
	slot(m, 160, 0, 1, 160, 0);
	happens(m, 170, EVENT_DONE, 0, 0);
	step(m, 180, 64, 2);
	happens(m, 190, EVENT_DONE, 64, 0); /* timed out before it had the lock */
	CHECK(is(share(m, "workers"), .15), "30 of 200: %f", share(m, "workers"));
	CHECK(is(share(m, "table"), .1), "the lock for 10 of 100");
	CHECK(isnan(share(m, "limit")), "no limit, no share of it");
	usage_free(m);
}

static void test_spawn(void)
{
	struct usage_meter *m = meter(EXECUTOR_SPAWN, 0);

	happens(m, 100, EVENT_START, 0, 0);
	happens(m, 200, EVENT_DONE, 0, 0);
	CHECK(isnan(share(m, "workers")), "threads made for each item are not a number to fill");
	CHECK(is(share(m, "db"), 0), "a resource nobody called is idle");
	usage_free(m);
}

int main(void)
{
	test_thread();
	test_async();
	test_spawn();
	return tap_done();
}
