/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps, resources, time-outs and pauses in virtual time, event by event. Times are in ms. */
#include "sim_story.h"

static const u32 at_once[] = {0, 0, 0, 0}, each_ms[] = {0, 1, 2, 3};

/* Workers on a shared queue, items of fixed cost. */
static struct scenario scene(u32 executor, u32 workers)
{
	return (struct scenario){.stream = {.seed = 1,
					    .keys = 4,
					    .duration_ns = NSEC_PER_SEC,
					    .cost_ns = MS,
					    .cost_dist = COST_FIXED,
					    .nr_resources = 1,
					    .resources = {{.name = "r",
							   .capacity = 1,
							   .queue = RESOURCE_QUEUE_NEVER}}},
				 .design = "shared",
				 .workers = workers,
				 .neighbours = -1,
				 .executor = executor};
}

static void set_steps(struct scenario *sc, u32 nr, struct step a, struct step b, struct step c)
{
	struct step steps[ITEM_STEPS_MAX] = {a, b, c};

	memcpy(sc->stream.steps, steps, sizeof(steps));
	sc->stream.nr_steps = nr;
	sc->stream.cost_ns = a.ns + b.ns + c.ns;
}

static void check_call(void)
{
	struct scenario sc = scene(EXECUTOR_THREAD, 3);
	struct script three = {.due = at_once, .nr = 3};
	const struct step none = {0};

	set_steps(&sc, 3, step(STEP_CPU, 1), step(STEP_CALL, 3), step(STEP_CPU, 1));
	story_check(sc, &three, false,
		    "0 start 0 on 2\n0 start 1 on 1\n0 start 2 on 0\n"
		    "1 step 1 of 2\n1 take 2 r0.0 1-4\n"
		    "1 step 1 of 1\n1 take 1 r0.0 4-7\n"
		    "1 step 1 of 0\n1 take 0 r0.0 7-10\n"
		    "4 step 2 of 2\n5 done 2\n7 step 2 of 1\n8 done 1\n10 step 2 of 0\n11 done 0\n",
		    "call: one slot, the calls one after the other, each worker held");
	sc.stream.resources[0].capacity = 2;
	set_steps(&sc, 1, step(STEP_CALL, 3), none, none);
	story_check(sc, &three, false,
		    "0 start 0 on 2\n0 take 0 r0.0 0-3\n0 start 1 on 1\n0 take 1 r0.1 0-3\n"
		    "0 start 2 on 0\n0 take 2 r0.0 3-6\n3 done 1\n3 done 0\n6 done 2\n",
		    "call: two slots; ends at the same time come by worker");
}

static void check_refused(void)
{
	struct scenario sc = scene(EXECUTOR_THREAD, 1);
	struct script four = {.due = at_once, .nr = 4};
	const struct step none = {0};

	sc.workers = 4;
	sc.stream.resources[0].queue = 1;
	set_steps(&sc, 2, step(STEP_CALL, 3), step(STEP_CPU, 1), none);
	story_check(sc, &four, false,
		    "0 start 0 on 3\n0 take 0 r0.0 0-3\n0 start 1 on 2\n0 take 1 r0.0 3-6\n"
		    "0 start 2 on 1\n0 no 2\n0 start 3 on 1\n0 no 3\n"
		    "3 step 1 of 0\n4 done 0\n6 step 1 of 1\n7 done 1\n",
		    "call: a full queue refuses, and the item ends at once");
}

static void check_lock(void)
{
	struct scenario sc = scene(EXECUTOR_THREAD, 3);
	struct script three = {.due = each_ms, .nr = 3};
	const struct step none = {0};

	sc.stream.resources[0].lock = true;
	set_steps(&sc, 2, step(STEP_LOCK, 4), step(STEP_CPU, 1), none);
	story_check(sc, &three, false,
		    "0 start 0 on 2\n0 take 0 r0.0 0-0\n1 start 1 on 1\n2 start 2 on 0\n"
		    "4 step 1 of 0\n4 take 1 r0.0 4-0\n5 done 0\n"
		    "8 step 1 of 1\n8 take 2 r0.0 8-0\n9 done 1\n12 step 1 of 2\n13 done 2\n",
		    "lock: one holder, first come first served, given back when the step ends");
	set_steps(&sc, 2, step(STEP_LOCK, 2), step(STEP_LOCK, 2), none);
	three.nr = 2;
	story_check(sc, &three, false,
		    "0 start 0 on 2\n0 take 0 r0.0 0-0\n1 start 1 on 1\n"
		    "2 step 1 of 0\n2 take 1 r0.0 2-0\n4 step 1 of 1\n4 take 0 r0.0 4-0\n"
		    "6 done 0\n6 take 1 r0.0 6-0\n8 done 1\n",
		    "lock: who takes it again stands behind those that wait");
	three.nr = 1;
	story_check(sc, &three, false,
		    "0 start 0 on 2\n0 take 0 r0.0 0-0\n2 step 1 of 0\n2 take 0 r0.0 2-0\n"
		    "4 done 0\n",
		    "lock: taken again at once when nobody waits");
}

/* In each kind of step: the caller gives up 5 ms after the start. */
static void check_timeout(void)
{
	struct scenario sc = scene(EXECUTOR_THREAD, 2);
	struct script two = {.due = at_once, .nr = 2};
	const struct step none = {0};

	sc.stream.timeout_ns = 5 * MS;
	set_steps(&sc, 1, step(STEP_CALL, 4), none, none);
	two.nr = 3;
	story_check(sc, &two, false,
		    "0 start 0 on 1\n0 take 0 r0.0 0-4\n0 start 1 on 0\n0 take 1 r0.0 4-8\n"
		    "4 done 0\n4 start 2 on 1\n4 take 2 r0.0 8-12\n5 out 1\n9 out 2\n",
		    "time-out: of a call that waits; the server works on for nobody");
	two.nr = 2;
	set_steps(&sc, 2, step(STEP_CPU, 5), step(STEP_WAIT, 1), none);
	story_check(
		sc, &two, false,
		"0 start 0 on 1\n0 start 1 on 0\n5 step 1 of 1\n5 step 1 of 0\n5 out 1\n5 out 0\n",
		"time-out: what ends at that moment has ended, what begins times out");
	set_steps(&sc, 1, step(STEP_CPU, 5), none, none);
	story_check(sc, &two, false, "0 start 0 on 1\n0 start 1 on 0\n5 done 1\n5 done 0\n",
		    "time-out: who is done at that moment is in time");
	set_steps(&sc, 1, step(STEP_CPU, 6), none, none);
	story_check(sc, &two, false, "0 start 0 on 1\n0 start 1 on 0\n5 out 1\n5 out 0\n",
		    "time-out: on the CPU");
}

static void check_timeout_lock(void)
{
	struct scenario sc = scene(EXECUTOR_THREAD, 4);
	static const u32 due[] = {0, 1, 2, 4};
	struct script four = {.due = due, .nr = 4};
	const struct step none = {0};

	sc.stream.resources[0].lock = true;
	sc.stream.timeout_ns = 5 * MS;
	set_steps(&sc, 1, step(STEP_LOCK, 6), none, none);
	story_check(sc, &four, false,
		    "0 start 0 on 3\n0 take 0 r0.0 0-0\n1 start 1 on 2\n2 start 2 on 1\n"
		    "4 start 3 on 0\n5 out 0\n5 take 1 r0.0 5-0\n"
		    "6 out 1\n6 take 2 r0.0 6-0\n7 out 2\n7 take 3 r0.0 7-0\n9 out 3\n",
		    "time-out: a holder gives the lock back");
	sc.stream.timeout_ns = 3 * MS;
	set_steps(&sc, 1, step(STEP_LOCK, 3), none, none);
	story_check(sc, &four, false,
		    "0 start 0 on 3\n0 take 0 r0.0 0-0\n1 start 1 on 2\n2 start 2 on 1\n3 done 0\n"
		    "3 take 1 r0.0 3-0\n4 out 1\n4 take 2 r0.0 4-0\n4 start 3 on 2\n"
		    "5 out 2\n5 take 3 r0.0 5-0\n7 out 3\n",
		    "time-out: the next waiter has it at once");
}

/* The second of three waiters gives up: the others keep their places. */
static void check_timeout_waiter(void)
{
	struct scenario sc = scene(EXECUTOR_THREAD, 4);
	static const u32 due[] = {0, 1, 4, 7}, cost[] = {14, 8, 4, 2};
	struct script four = {.due = due, .cost = cost, .nr = 4};
	const struct step none = {0};

	sc.stream.resources[0].lock = true;
	sc.stream.timeout_ns = 8 * MS;
	set_steps(&sc, 2, step(STEP_CPU, 1), step(STEP_LOCK, 1), none);
	story_check(sc, &four, false,
		    "0 start 0 on 3\n1 start 1 on 2\n4 start 2 on 1\n5 step 1 of 1\n"
		    "5 take 1 r0.0 5-0\n6 step 1 of 2\n7 step 1 of 0\n7 start 3 on 0\n"
		    "8 step 1 of 3\n8 out 0\n9 done 1\n9 take 2 r0.0 9-0\n"
		    "11 done 2\n11 take 3 r0.0 11-0\n12 done 3\n",
		    "time-out: a waiter leaves the queue from its middle");
	set_steps(&sc, 1, step(STEP_LOCK, 1), none, none);
	sc.stream.timeout_ns = 4 * MS;
	story_check(sc,
		    &(struct script){
			    .due = (const u32[]){0, 0, 3}, .cost = (const u32[]){4, 9, 1}, .nr = 3},
		    false,
		    "0 start 0 on 3\n0 take 0 r0.0 0-0\n0 start 1 on 2\n3 start 2 on 1\n4 done 0\n"
		    "4 take 1 r0.0 4-0\n4 out 1\n4 take 2 r0.0 4-0\n5 done 2\n",
		    "time-out: a holder of no time");
}

static void check_pause_workers(void)
{
	struct scenario sc = scene(EXECUTOR_THREAD, 2);
	static const u32 due[] = {8, 9, 11, 13};
	struct script four = {.due = due, .nr = 4};
	const struct step none = {0};

	sc.stream.pauses = (struct pauses){.every_ns = 10 * MS, .for_ns = 4 * MS};
	set_steps(&sc, 2, step(STEP_CPU, 1), step(STEP_WAIT, 2), none);
	story_check(sc, &four, false,
		    "8 start 0 on 1\n9 step 1 of 0\n9 start 1 on 0\n"
		    "10 pause 1 on 0 until 14\n11 done 0\n11 pause -1 on 1 until 14\n"
		    "14 step 1 of 1\n14 start 2 on 1\n15 step 1 of 2\n16 done 1\n16 start 3 on 0\n"
		    "17 step 1 of 3\n17 done 2\n19 done 3\n",
		    "pause: nobody takes an item or begins a step; what has begun goes on");
}

static void check_pause_items(void)
{
	struct scenario sc = scene(EXECUTOR_THREAD, 2);
	struct script two = {.due = each_ms, .nr = 2};
	const struct step none = {0};

	set_steps(&sc, 2, step(STEP_CPU, 2), step(STEP_CPU, 1), none);
	sc.stream.pauses =
		(struct pauses){.stall_at_ns = 1 * MS, .stall_for_ns = 3 * MS, .stall_key = 1};
	story_check(
		sc, &two, false,
		"0 start 0 on 1\n1 start 1 on 0\n1 pause 1 on 0 until 4\n2 step 1 of 0\n3 done 0\n"
		"6 step 1 of 1\n7 done 1\n",
		"stall: of one key, before the first step");
	sc.stream.timeout_ns = 2 * MS;
	story_check(
		sc, &two, false,
		"0 start 0 on 1\n1 start 1 on 0\n1 pause 1 on 0 until 4\n2 step 1 of 0\n2 out 0\n"
		"3 out 1\n",
		"stall: the caller gives up in it");
	sc.stream.timeout_ns = 0;
	sc.stream.pauses = (struct pauses){
		.jitter_every_ns = 2 * MS, .jitter_for_ns = 1 * MS, .jitter_step = 1};
	story_check(sc, &two, false,
		    "0 start 0 on 1\n1 start 1 on 0\n2 pause 0 on 1 until 3\n3 step 1 of 1\n"
		    "3 step 1 of 0\n4 done 1\n4 done 0\n",
		    "jitter: of one step, of every item");
}

int main(void)
{
	check_call();
	check_refused();
	check_lock();
	check_timeout();
	check_timeout_lock();
	check_timeout_waiter();
	check_pause_workers();
	check_pause_items();
	return tap_done();
}
