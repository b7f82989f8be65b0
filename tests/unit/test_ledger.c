/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger on events written by hand: every part, every culprit, and what it does with a record
 * that has holes. */
#include "ledger_events.h"

static void test_wake_and_service(void)
{
	struct book *b = book_open(2, 0, true);

	take(b, ev_switch(100, 1, TID0, BURN, 0)); /* worker 0 sleeps, burn has its CPU */
	take(b, ev_submit(1010, 0, 1000, 3, 0, 0, 0, WAIT(500)));
	take(b, ev_wake(1020, EVENT_WAKING, 0, 0));
	take(b, ev_wake(1030, EVENT_WAKEUP, 0, 1));
	take(b, ev_switch(1060, 1, TID_BURN, KWORKER, SWITCH_PREV_RUNNABLE));
	take(b, ev_switch(1080, 1, TID_KWORKER, WORKER0, 0));
	take(b, ev_work(1085, EVENT_START, 0, 0));
	take(b, ev_switch(1090, 1, TID0, BURN, 0));
	take(b, ev_wake(1600, EVENT_WAKING, 0, 1));
	take(b, ev_wake(1605, EVENT_WAKEUP, 0, 1));
	take(b, ev_switch(1650, 1, TID_BURN, WORKER0, SWITCH_PREV_RUNNABLE));
	take(b, ev_work(1660, EVENT_DONE, 0, 0));
	book_end(b);

	CHECK(!b->err && adds_up(b, 0, 660), "the parts add up to done - due");
	CHECK(charged(b, 0, PART_LATE, FRONT_NONE, NONE32) == 10, "late: submit - due");
	CHECK(charged(b, 0, PART_WAKE, FRONT_SIGNAL, NONE32) == 10, "wake: until sched_waking");
	CHECK(charged(b, 0, PART_WAKE, FRONT_WAKEUP, NONE32) == 10, "wake: until sched_wakeup");
	CHECK(charged(b, 0, PART_WAKE, FRONT_RUNQUEUE, BURN) == 30,
	      "wake: on the run queue behind burn");
	CHECK(charged(b, 0, PART_WAKE, FRONT_RUNQUEUE, KWORKER) == 20,
	      "wake: then behind the kworker");
	CHECK(charged(b, 0, PART_WAKE, FRONT_CPU, NONE32) == 5, "wake: on the CPU until it starts");
	CHECK(charged(b, 0, PART_CPU, FRONT_NONE, NONE32) == 15, "service: on the CPU");
	CHECK(charged(b, 0, PART_BLOCKED, FRONT_NONE, NONE32) == 495,
	      "service: the wait asked for");
	CHECK(charged(b, 0, PART_OVERSLEPT, FRONT_NONE, NONE32) == 20,
	      "service: overslept until on a run queue");
	CHECK(charged(b, 0, PART_RUNQUEUE, FRONT_NONE, BURN) == 45,
	      "service: runnable behind burn");
	free(b);
}

static void test_queue_causes(void)
{
	struct book *b = book_open(2, 0, false);

	take(b, ev_submit(100, 0, 100, 0, 0, 0, NONE32, WAIT(900)));
	take(b, ev_work(100, EVENT_START, 0, 0));
	take(b, ev_submit(100, 1, 100, 0, 1, 0, NONE32, WAIT(50)));
	take(b, ev_submit(100, 2, 100, 4, 0, 0, NONE32, WAIT(50)));
	take(b, ev_submit(400, 3, 400, 5, 0, 1, NONE32, WAIT(300)));
	take(b, ev_work(400, EVENT_START, 3, 1));
	take(b, ev_work(700, EVENT_DONE, 3, 1));
	take(b, ev_work(1000, EVENT_DONE, 0, 0));
	take(b, ev_work(1003, EVENT_START, 1, 0));
	take(b, ev_work(1053, EVENT_DONE, 1, 0));
	take(b, ev_work(1053, EVENT_START, 2, 0));
	take(b, ev_work(1103, EVENT_DONE, 2, 0));
	book_end(b);

	CHECK(adds_up(b, 1, 953) && adds_up(b, 2, 1003), "the parts add up");
	CHECK(charged(b, 1, PART_ORDER, FRONT_UNKNOWN, NONE32) == 600,
	      "order: an earlier item of the key in service");
	CHECK(charged(b, 1, PART_SATURATED, FRONT_UNKNOWN, NONE32) == 300,
	      "saturated: every worker serving");
	CHECK(charged(b, 1, PART_WAKE, FRONT_UNKNOWN, NONE32) == 3, "wake: its worker is free");
	CHECK(charged(b, 2, PART_HOL, FRONT_UNKNOWN, NONE32) == 650,
	      "hol: a worker is free that may not take it");
	CHECK(charged(b, 2, PART_ORDER, FRONT_UNKNOWN, NONE32) == 0,
	      "hol is not order: another key's item");
	CHECK(b->accounts[2].front_count == 2 && b->accounts[2].front_key == 0 &&
		      b->accounts[2].front_item == 0,
	      "what stood in front is named: 2 items of key 0, longest item 0");
	CHECK(charged(b, 0, PART_UNKNOWN, FRONT_NONE, NONE32) == 900,
	      "without a probe service is unknown, not 0");
	free(b);
}

static void test_front_stretched(void)
{
	struct book *b = book_open(2, 0, true);

	take(b, ev_switch(50, 1, TID_BURN, WORKER0, SWITCH_PREV_RUNNABLE));
	take(b, ev_submit(100, 0, 100, 0, 0, 0, NONE32, CPU(100)));
	take(b, ev_work(100, EVENT_START, 0, 0));
	take(b, ev_submit(120, 1, 120, 1, 0, 0, NONE32, CPU(10)));
	take(b, ev_switch(150, 1, TID0, BURN, SWITCH_PREV_RUNNABLE));
	take(b, ev_switch(450, 1, TID_BURN, WORKER0, SWITCH_PREV_RUNNABLE));
	take(b, ev_work(500, EVENT_DONE, 0, 0));
	take(b, ev_work(500, EVENT_START, 1, 0));
	take(b, ev_work(510, EVENT_DONE, 1, 0));
	book_end(b);

	CHECK(adds_up(b, 1, 390), "the parts add up");
	CHECK(charged(b, 1, PART_HOL, FRONT_RUNQUEUE, BURN) == 300,
	      "hol: the kernel stretched the item in front, by burn");
	CHECK(charged(b, 1, PART_HOL, FRONT_CPU, NONE32) == 80,
	      "hol: the rest is the item in front's own work");
	CHECK(charged(b, 0, PART_RUNQUEUE, FRONT_NONE, BURN) == 300,
	      "and that item's own account says the same");
	CHECK(part_is_kernel(PART_HOL, FRONT_RUNQUEUE) && !part_is_kernel(PART_HOL, FRONT_CPU),
	      "only the stretch is the kernel's");
	free(b);
}

static void test_move(void)
{
	struct book *b = book_open(2, DISPATCH_STEALS, false);
	struct event move = ev_work(800, EVENT_MOVE, 1, 0);

	take(b, ev_submit(100, 0, 100, 0, 0, 0, NONE32, WAIT(2000)));
	take(b, ev_work(100, EVENT_START, 0, 0));
	take(b, ev_submit(200, 1, 200, 1, 0, 0, NONE32, WAIT(50)));
	move.move.from = 0;
	move.move.to = 1;
	move.move.since_ns = 700;
	take(b, move);
	take(b, ev_work(805, EVENT_START, 1, 1));
	take(b, ev_work(855, EVENT_DONE, 1, 1));
	book_end(b);

	CHECK(adds_up(b, 1, 655) && b->accounts[1].moves == 1, "the parts add up over a move");
	CHECK(charged(b, 1, PART_HOL, FRONT_UNKNOWN, NONE32) == 500,
	      "hol until the rule allows the steal");
	CHECK(charged(b, 1, PART_WAKE, FRONT_UNKNOWN, NONE32) == 105,
	      "then it waits for the thief to come");
	CHECK(b->counts.unfinished == 1, "what has no end is counted");
	free(b);
}

static void test_idle_is_no_culprit(void)
{
	struct book *b = book_open(1, 0, true);

	take(b, ev_switch(10, 1, TID0, IDLE, 0));
	take(b, ev_submit(100, 0, 100, 0, 0, 0, 0, CPU(10)));
	take(b, ev_wake(110, EVENT_WAKING, 0, 0));
	take(b, ev_wake(110, EVENT_WAKEUP, 0, 1));
	take(b, ev_switch(180, 1, 0, WORKER0, 0));
	take(b, ev_work(180, EVENT_START, 0, 0));
	take(b, ev_work(190, EVENT_DONE, 0, 0));
	book_end(b);

	CHECK(charged(b, 0, PART_WAKE, FRONT_RUNQUEUE, NONE32) == 70 &&
		      charged(b, 0, PART_WAKE, FRONT_RUNQUEUE, ANY_CULPRIT) == 70,
	      "the idle task is never a culprit");
	free(b);
}

static void test_reclassified(void)
{
	struct book *b = book_open(1, 0, true);

	take(b, ev_switch(10, 1, TID_BURN, WORKER0, 0));
	take(b, ev_submit(100, 0, 100, 0, 0, 0, NONE32, CPU(10)));
	take(b, ev_work(100, EVENT_START, 0, 0));
	take(b, ev_switch(105, 1, TID0, BURN, 0));	  /* says asleep … */
	take(b, ev_switch(155, 1, TID_BURN, WORKER0, 0)); /* … but nobody woke it */
	take(b, ev_work(160, EVENT_DONE, 0, 0));
	book_end(b);

	CHECK(charged(b, 0, PART_UNKNOWN, FRONT_NONE, ANY_CULPRIT) == 50 &&
		      !charged(b, 0, PART_RUNQUEUE, FRONT_NONE, ANY_CULPRIT) &&
		      b->counts.reclassified == 1,
	      "switched in without a wake-up: nobody knows how long it slept, and that is counted");
	free(b);
}

static void test_lost_switches(void)
{
	struct book *b = book_open(1, 0, true);
	struct event lost = {.time_ns = 500, .kind = EVENT_LOST};

	take(b, ev_switch(10, 1, TID_BURN, WORKER0, 0));
	take(b, ev_submit(100, 0, 100, 0, 0, 0, NONE32, CPU(10)));
	take(b, ev_work(100, EVENT_START, 0, 0));
	/* Lost: worker 0 out, kworker in, kworker out, burn in. */
	take(b, ev_switch(300, 1, TID_BURN, WORKER0, 0));
	take(b, ev_work(400, EVENT_DONE, 0, 0));
	lost.lost.count = 2;
	take(b, lost);
	book_end(b);

	CHECK(adds_up(b, 0, 300), "the parts add up all the same");
	CHECK(charged(b, 0, PART_UNKNOWN, FRONT_NONE, NONE32) == 200,
	      "time around lost switches is unknown");
	CHECK(charged(b, 0, PART_CPU, FRONT_NONE, NONE32) == 100, "what is known again is known");
	CHECK(b->counts.lost == 2 && b->counts.impossible >= 1,
	      "losses and contradictions are counted");
	free(b);
}

static void test_throttled(void)
{
	struct book *b = book_open(1, 0, true);

	take(b, ev_switch(10, 1, TID_BURN, WORKER0, 0));
	take(b, ev_submit(100, 0, 100, 0, 0, 0, NONE32, CPU(20)));
	take(b, ev_work(100, EVENT_START, 0, 0));
	take(b, ev_switch(110, 1, TID0, IDLE, SWITCH_PREV_RUNNABLE | SWITCH_PREV_THROTTLED));
	take(b, ev_switch(210, 1, 0, WORKER0, 0));
	take(b, ev_work(220, EVENT_DONE, 0, 0));
	book_end(b);

	CHECK(adds_up(b, 0, 120) && charged(b, 0, PART_THROTTLED, FRONT_NONE, NONE32) == 100 &&
		      charged(b, 0, PART_RUNQUEUE, FRONT_NONE, ANY_CULPRIT) == 0,
	      "its own quota is throttled, not run-queue wait");
	free(b);
}

static struct event with_clock(struct event ev, u64 throttled_ns)
{
	if (ev.kind == EVENT_WAKEUP)
		ev.wakeup.throttled_ns = throttled_ns;
	else
		ev.sched_switch.throttled_ns = throttled_ns;
	return ev;
}

/* Quota and noise at once: the throttling clock says where the one ends and the other begins. */
static void test_throttling_clock(void)
{
	struct book *b = book_open(1, 0, true);

	take(b, with_clock(ev_switch(10, 1, TID_BURN, WORKER0, 0), 5000));
	take(b, ev_submit(100, 0, 100, 0, 0, 0, NONE32, CPU(20)));
	take(b, ev_work(100, EVENT_START, 0, 0));
	take(b,
	     with_clock(ev_switch(110, 1, TID0, BURN, SWITCH_PREV_RUNNABLE | SWITCH_PREV_THROTTLED),
			5000));
	take(b, with_clock(ev_switch(210, 1, TID_BURN, WORKER0, 0), 5070));
	take(b, with_clock(ev_switch(215, 1, TID0, BURN, 0), 5070));
	/* Woken into a group that is throttled already. */
	take(b, ev_wake(300, EVENT_WAKING, 0, 1));
	take(b, with_clock(ev_wake(300, EVENT_WAKEUP, 0, 1), 5080));
	take(b, with_clock(ev_switch(400, 1, TID_BURN, WORKER0, 0), 5110));
	take(b, ev_work(420, EVENT_DONE, 0, 0));
	book_end(b);

	CHECK(adds_up(b, 0, 320), "the parts add up");
	CHECK(charged(b, 0, PART_THROTTLED, FRONT_NONE, NONE32) == 70 + 30,
	      "throttled: by the group's clock");
	CHECK(charged(b, 0, PART_RUNQUEUE, FRONT_NONE, BURN) == 30 + 70,
	      "the rest of the stretch: behind burn");
	CHECK(b->check.our_throttled_ns == 100, "and the CPU's throttled time is their union");
	free(b);
}

static void test_interrupts(void)
{
	struct book *b = book_open(1, 0, true);

	take(b, ev_switch(10, 1, TID_BURN, WORKER0, 0));
	take(b, ev_submit(100, 0, 100, 0, 0, 0, NONE32, CPU(20)));
	take(b, ev_work(100, EVENT_START, 0, 0));
	take(b, ev_irq(110, EVENT_IRQ_ENTER, 1));
	take(b, ev_irq(117, EVENT_IRQ_EXIT, 1));
	take(b, ev_switch(120, 1, TID0, BURN, SWITCH_PREV_RUNNABLE));
	take(b, ev_irq(130, EVENT_IRQ_ENTER, 1));
	take(b, ev_irq(133, EVENT_IRQ_EXIT, 1));
	take(b, ev_switch(140, 1, TID_BURN, WORKER0, SWITCH_PREV_RUNNABLE));
	take(b, ev_irq(150, EVENT_IRQ_EXIT, 1)); /* its enter was not recorded */
	take(b, ev_work(160, EVENT_DONE, 0, 0));
	book_end(b);

	CHECK(adds_up(b, 0, 60), "the parts add up");
	CHECK(charged(b, 0, PART_IRQ, FRONT_NONE, TIMER) == 7,
	      "an interrupt while it ran is not its own time");
	CHECK(charged(b, 0, PART_RUNQUEUE, FRONT_NONE, TIMER) == 3,
	      "an interrupt while it waited is a culprit");
	CHECK(charged(b, 0, PART_RUNQUEUE, FRONT_NONE, BURN) == 17,
	      "beside the task that had the CPU");
	CHECK(charged(b, 0, PART_CPU, FRONT_NONE, NONE32) == 33, "the rest is its own");
	free(b);
}

static void test_account_check(void)
{
	struct book *b = book_open(1, 0, true);
	struct event begin = ev_wake(100, EVENT_ACCOUNT, 0, 1),
		     end = ev_wake(1000, EVENT_ACCOUNT, 0, 1);

	begin.account.phase = ACCOUNT_BEGIN;
	begin.account.waits = 7;
	begin.account.run_delay_ns = 1000;
	begin.account.cpu_ns = 50;
	end.account.phase = ACCOUNT_END;
	end.account.waits = 8;
	end.account.run_delay_ns = 1101;
	end.account.cpu_ns = 850;
	take(b, ev_switch(90, 1, TID_BURN, WORKER0, 0));
	take(b, begin);
	take(b, ev_switch(300, 1, TID0, BURN, SWITCH_PREV_RUNNABLE));
	take(b, ev_switch(400, 1, TID_BURN, WORKER0, SWITCH_PREV_RUNNABLE));
	take(b, end);
	book_end(b);

	CHECK(b->check.measured && b->check.our_waits == 1 && b->check.kernel_waits == 1,
	      "waits between the accounts, ours and the kernel's");
	CHECK(b->check.our_wait_ns == 100 && b->check.kernel_wait_ns == 101, "their time");
	CHECK(b->check.our_cpu_ns == 800 && b->check.kernel_cpu_ns == 800, "CPU time");
	free(b);
}

static void test_bad_events(void)
{
	struct book *b = book_open(2, 0, true);

	take(b, ev_work(10, EVENT_START, 5, 0)); /* an item that was never submitted */
	take(b, ev_work(20, EVENT_DONE, 5, 0));
	CHECK(b->err == 0 && b->ledger, "an event of an unknown item is counted, not fatal");
	take(b, ev_work(30, EVENT_START, 5, 9));
	CHECK(b->err < 0, "a worker that is not there is an error");
	b->err = 0;
	take(b, ev_switch(40, 1, TID0, 99, 0));
	CHECK(b->err < 0, "a task that is not there is an error");
	b->err = 0;
	take(b, ev_submit(50, 1, 50, 16, 0, 0, NONE32, CPU(1)));
	CHECK(b->err < 0, "a key that is not there is an error");
	book_end(b);
	CHECK(b->counts.impossible == 2, "the contradictions were counted");
	free(b);
}

int main(void)
{
	test_wake_and_service();
	test_queue_causes();
	test_front_stretched();
	test_move();
	test_idle_is_no_culprit();
	test_reclassified();
	test_lost_switches();
	test_throttled();
	test_throttling_clock();
	test_interrupts();
	test_account_check();
	test_bad_events();
	return tap_done();
}
