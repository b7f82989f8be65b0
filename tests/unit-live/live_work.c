/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The work of a step: CPU time holds its target beside a process that spins on the same CPU; a wait
 * ends at its time. Then the same in a run, by the workers' own CPU clocks.
 */
#include "live/clock.h"
#include "live/cpus.h"
#include "live/work.h"
#include "run_cell.h"
#include "slow.h"

#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static u32 last_cpu(void)
{
	struct cpu_list allowed;

	if (cpu_list_allowed(&allowed))
		abort();
	return allowed.cpu[allowed.nr - 1];
}

static pid_t start_spinner(u32 cpu)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cpu_pin_self(cpu);
	for (;;)
		__asm__ volatile("");
}

static void stop_spinner(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The CPU time of steps of one length, all together: a single short one may end with a preemption
 * between its last look at the clock and ours. */
static u64 cpu_steps(u64 ns, u32 times)
{
	u64 used = 0;

	for (u32 i = 0; i < times; i++) {
		u64 before = clock_cpu_ns();

		work_cpu(&(u32){0}, ns, NEVER_NS, &(u64){0});
		used += clock_cpu_ns() - before;
	}
	return used;
}

/* An emulated CPU that is taken away seems to work: that is tried again. */
static void check_cpu_step(u64 ns, u32 times, bool beside)
{
	u32 tries = BOUND(1, 6);
	double asked = (double)(times * ns), off;
	u64 wall;

	do {
		u64 began = clock_mono_ns();

		off = (double)cpu_steps(ns, times) / asked - 1;
		wall = clock_mono_ns() - began;
	} while (off >= BOUND(0.01, 0.5) && --tries);
	CHECK(off > -0.01 && off < BOUND(0.01, 0.5),
	      "%u times %llu us of CPU%s: off by %.3f %%, wall time %.2f of it", times,
	      (unsigned long long)(ns / NSEC_PER_USEC), beside ? " beside a spinner" : "",
	      100 * off, (double)wall / asked);
}

static void check_steps(void)
{
	static const u64 lengths[] = {5 * NSEC_PER_MSEC, 20 * NSEC_PER_MSEC, 50 * NSEC_PER_MSEC};
	const u64 each = 300 * NSEC_PER_MSEC;
	u32 cpu = last_cpu();
	pid_t spinner;

	CHECK(!cpu_pin_self(cpu), "pinned to CPU %u", cpu);
	check_cpu_step(5 * NSEC_PER_MSEC, 10, false);
	spinner = start_spinner(cpu);
	for (u32 i = 0; i < ARRAY_SIZE(lengths); i++)
		check_cpu_step(lengths[i], (u32)(each / lengths[i]), true);
	stop_spinner(spinner);
}

static void check_wait(void)
{
	const u64 ns = 2 * NSEC_PER_MSEC;
	u64 began, ended, now;
	bool done;

	began = clock_mono_ns();
	done = work_wait(&(u32){0}, began + ns, NEVER_NS, &ended);
	now = clock_mono_ns();
	CHECK(done && ended >= began + ns && ended <= now, "a wait ends at or after its time");
	/* From the step's begin, not from the call. */
	now = clock_mono_ns();
	work_wait(&(u32){0}, now, NEVER_NS, &ended);
	CHECK(ended - now < BOUND(ns, 100 * NSEC_PER_MSEC), "a wait that began earlier is over");
}

/* The bound comes first. */
static void check_bounds(void)
{
	const u64 ns = 5 * NSEC_PER_MSEC;
	u64 began = clock_mono_ns(), used = clock_cpu_ns(), ended;

	CHECK(!work_wait(&(u32){0}, began + NSEC_PER_SEC, began + ns, &ended) &&
		      ended >= began + ns && ended < began + NSEC_PER_SEC,
	      "a wait ends at its bound");
	began = clock_mono_ns();
	CHECK(!work_cpu(&(u32){0}, NSEC_PER_SEC, began + ns, &ended) && ended >= began + ns &&
		      ended < began + NSEC_PER_SEC && clock_cpu_ns() - used < NSEC_PER_SEC,
	      "CPU time ends at its bound");
}

static u64 account_cpu(const struct cell_run *c)
{
	u64 begin = 0, end = 0;

	for (u32 i = 0; i < c->nr; i++) {
		const struct event *ev = &c->events[i];

		if (ev->kind == EVENT_ACCOUNT && ev->account.phase == ACCOUNT_BEGIN)
			begin += ev->account.cpu_ns;
		else if (ev->kind == EVENT_ACCOUNT)
			end += ev->account.cpu_ns;
	}
	return end - begin;
}

static void check_run(void)
{
	char *words[] = {"workload.work=cpu",  "workload.cost=20ms",   "workload.jitter=0%",
			 "workload.rate=20/s", "workload.duration=2s", "hot.load=0",
			 "workload.keys=16",   "workers.count=1"};
	pid_t spinner = start_spinner(last_cpu());
	struct cell_run c;
	u64 asked = 0, used;

	cell_load(&c, words, ARRAY_SIZE(words));
	cell_run(&c, false);
	stop_spinner(spinner);
	for (u32 i = 0; i < c.nr; i++)
		if (c.events[i].kind == EVENT_SUBMIT)
			asked += c.events[i].submit.steps[0].ns;
	used = account_cpu(&c);
	CHECK(!c.rc && asked == 40 * 20 * NSEC_PER_MSEC, "a run of 40 items of 20 ms of CPU");
	CHECK(fabs((double)used / (double)asked - 1) < BOUND(0.01, 0.5),
	      "its worker's CPU clock: %.2f ms of %.2f ms asked for", (double)used / NSEC_PER_MSEC,
	      (double)asked / NSEC_PER_MSEC);
	cell_free(&c);
}

int main(void)
{
	check_wait();
	check_bounds();
	check_run();
	check_steps();
	return tap_done();
}
