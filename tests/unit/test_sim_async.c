/* SPDX-License-Identifier: GPL-2.0-only */
/* Light threads in virtual time, event by event: a carrier serves others while an item waits. */
#include "sim_story.h"

static const u32 at_once[] = {0, 0, 0, 0};

/* One carrier, unless it is said otherwise; items of fixed cost. */
static struct scenario scene(u32 nr, struct step a, struct step b, struct step c)
{
	return (struct scenario){.stream = {.seed = 1,
					    .keys = 4,
					    .duration_ns = NSEC_PER_SEC,
					    .cost_ns = a.ns + b.ns + c.ns,
					    .cost_dist = COST_FIXED,
					    .nr_steps = nr,
					    .steps = {a, b, c},
					    .nr_resources = 1,
					    .resources = {{.name = "r",
							   .capacity = 1,
							   .queue = RESOURCE_QUEUE_NEVER}}},
				 .design = "shared",
				 .workers = 1,
				 .neighbours = -1,
				 .executor = EXECUTOR_ASYNC};
}

static void check_wait(void)
{
	struct scenario sc = scene(3, step(STEP_CPU, 2), step(STEP_WAIT, 3), step(STEP_CPU, 2));
	struct script three = {.due = at_once, .nr = 3};

	story_check(sc, &three, true,
		    "0 idle 0\n0 start 0 on 0\n2 step 1 of 0\n2 start 1 on 0\n4 step 1 of 1\n"
		    "4 start 2 on 0\n6 step 1 of 2\n6 idle 0\n"
		    "6 !step 2 of 0\n8 done 0\n8 idle 0\n8 !step 2 of 1\n10 done 1\n10 idle 0\n"
		    "10 !step 2 of 2\n12 done 2\n12 idle 0\n",
		    "a carrier takes new items first, and goes on with the others as they are due");
	sc = scene(1, step(STEP_WAIT, 3), step(0, 0), step(0, 0));
	story_check(sc, &three, true,
		    "0 idle 0\n0 start 0 on 0\n0 idle 0\n0 start 1 on 0\n0 idle 0\n"
		    "0 start 2 on 0\n0 idle 0\n"
		    "3 !done 0\n3 idle 0\n3 !done 1\n3 idle 0\n3 !done 2\n3 idle 0\n",
		    "one carrier, any number of items that wait");
}

static void check_call(void)
{
	struct scenario sc = scene(2, step(STEP_CALL, 3), step(STEP_CPU, 4), step(0, 0));
	struct script two = {.due = at_once, .nr = 2};

	story_check(sc, &two, false,
		    "0 start 0 on 0\n0 take 0 r0.0 0-3\n0 start 1 on 0\n0 take 1 r0.0 3-6\n"
		    "3 !step 1 of 0\n7 done 0\n7 !step 1 of 1\n11 done 1\n",
		    "call: what is over while the carrier is busy waits for it");
	sc.stream.timeout_ns = 6 * MS;
	story_check(sc, &two, false,
		    "0 start 0 on 0\n0 take 0 r0.0 0-3\n0 start 1 on 0\n0 take 1 r0.0 3-6\n"
		    "3 !step 1 of 0\n6 out 0\n6 !step 1 of 1\n6 out 1\n",
		    "time-out: on the CPU, and when it gets there");
	sc.stream.timeout_ns = 5 * MS;
	story_check(sc, &two, false,
		    "0 start 0 on 0\n0 take 0 r0.0 0-3\n0 start 1 on 0\n0 take 1 r0.0 3-6\n"
		    "3 !step 1 of 0\n5 out 0\n5 !out 1\n",
		    "time-out: while it waits for the server");
	sc.stream.timeout_ns = 0;
	sc.stream.resources[0].queue = 0;
	story_check(sc, &two, false,
		    "0 start 0 on 0\n0 take 0 r0.0 0-3\n0 start 1 on 0\n0 no 1\n"
		    "3 !step 1 of 0\n7 done 0\n",
		    "call: refused");
}

/* Its caller has given up by the time that the carrier comes to it. */
static void check_late(void)
{
	struct scenario sc = scene(2, step(STEP_WAIT, 1), step(STEP_CPU, 4), step(0, 0));
	struct script two = {.due = at_once, .cost = (const u32[]){5, 10}, .nr = 2};

	sc.stream.timeout_ns = 4 * MS;
	story_check(sc, &two, false,
		    "0 start 0 on 0\n0 start 1 on 0\n1 !step 1 of 0\n4 out 0\n4 !step 1 of 1\n"
		    "4 out 1\n",
		    "time-out: while it is ready, at the last moment");
	two.due = (const u32[]){0, 2};
	two.cost = (const u32[]){5, 5};
	story_check(sc, &two, false,
		    "0 start 0 on 0\n1 !step 1 of 0\n4 out 0\n4 start 1 on 0\n5 !step 1 of 1\n"
		    "8 out 1\n",
		    "time-out: counts from the start");
}

static void check_lock(void)
{
	struct scenario sc = scene(2, step(STEP_LOCK, 2), step(STEP_WAIT, 1), step(0, 0));
	struct script three = {.due = at_once, .nr = 3};

	sc.stream.resources[0].lock = true;
	sc.workers = 2;
	story_check(sc, &three, false,
		    "0 start 0 on 1\n0 take 0 r0.0 0-0\n0 start 1 on 0\n0 start 2 on 0\n"
		    "2 step 1 of 0\n2 !step 0 of 1\n2 take 1 r0.0 2-0\n3 !done 0\n"
		    "4 step 1 of 1\n4 !step 0 of 2\n4 take 2 r0.0 4-0\n"
		    "6 step 1 of 2\n6 !done 1\n7 !done 2\n",
		    "lock: who waits leaves its carrier, and says when it has the lock");
	sc.stream.timeout_ns = 3 * MS;
	story_check(sc, &three, false,
		    "0 start 0 on 1\n0 take 0 r0.0 0-0\n0 start 1 on 0\n0 start 2 on 0\n"
		    "2 step 1 of 0\n2 !step 0 of 1\n2 take 1 r0.0 2-0\n3 !done 0\n"
		    "3 out 1\n3 !step 0 of 2\n3 take 2 r0.0 3-0\n3 out 2\n",
		    "time-out: of a holder, and of a waiter that has the lock at that moment");
}

/* The lock is promised to an item whose carrier is busy beyond its time-out. */
static void check_lock_late(void)
{
	struct scenario sc = scene(3, step(STEP_LOCK, 2), step(STEP_WAIT, 1), step(STEP_CPU, 9));
	struct script three = {.due = (const u32[]){0, 0, 1}, .nr = 3};

	sc.stream.resources[0].lock = true;
	sc.design = "partition";
	sc.workers = 2;
	sc.stream.partitions = 2;
	sc.stream.timeout_ns = 6 * MS;
	three.key = (const u32[]){0, 1, 0};
	story_check(sc, &three, false,
		    "0 start 0 on 0\n0 take 0 r0.0 0-0\n0 start 1 on 1\n"
		    "2 step 1 of 0\n2 start 2 on 0\n2 !step 0 of 1\n2 take 1 r0.0 2-0\n"
		    "3 !step 2 of 0\n4 step 1 of 1\n5 !step 2 of 1\n6 out 0\n6 !step 0 of 2\n"
		    "6 take 2 r0.0 6-0\n6 out 1\n8 step 1 of 2\n8 !out 2\n",
		    "lock: promised until its carrier comes to it");
}

static void check_pause(void)
{
	struct scenario sc = scene(2, step(STEP_WAIT, 3), step(STEP_CPU, 1), step(0, 0));
	struct script three = {.due = (const u32[]){0, 2, 5}, .nr = 3};

	sc.stream.pauses =
		(struct pauses){.stall_at_ns = 2 * MS, .stall_for_ns = 4 * MS, .stall_key = 1};
	story_check(sc, &three, false,
		    "0 start 0 on 0\n2 start 1 on 0\n2 pause 1 on 0 until 6\n3 !step 1 of 0\n"
		    "4 done 0\n5 start 2 on 0\n6 !step 0 of 1\n8 !step 1 of 2\n9 done 2\n"
		    "9 !step 1 of 1\n10 done 1\n",
		    "stall: the carrier goes on with others; the resume says that step 0 begins");
	sc.stream.pauses = (struct pauses){.every_ns = 4 * MS, .for_ns = 2 * MS};
	story_check(sc, &three, true,
		    "0 idle 0\n0 start 0 on 0\n0 idle 0\n2 start 1 on 0\n2 idle 0\n3 !step 1 of 0\n"
		    "4 done 0\n4 pause -1 on 0 until 6\n5 pause 1 on 0 until 6\n"
		    "6 start 2 on 0\n6 idle 0\n6 !step 1 of 1\n7 done 1\n7 idle 0\n"
		    "9 pause 2 on 0 until 10\n10 !step 1 of 2\n11 done 2\n11 idle 0\n",
		    "pause: of carriers and of what they would begin");
	sc = scene(1, step(STEP_WAIT, 5), step(0, 0), step(0, 0));
	sc.stream.pauses = (struct pauses){.every_ns = 4 * MS, .for_ns = 2 * MS};
	story_check(sc, &three, true,
		    "0 idle 0\n0 start 0 on 0\n0 idle 0\n2 start 1 on 0\n2 idle 0\n5 !done 0\n"
		    "5 pause -1 on 0 until 6\n6 start 2 on 0\n6 idle 0\n7 !done 1\n7 idle 0\n"
		    "11 !done 2\n11 idle 0\n",
		    "pause: what has begun ends");
}

int main(void)
{
	check_wait();
	check_call();
	check_late();
	check_lock();
	check_lock_late();
	check_pause();
	return tap_done();
}
