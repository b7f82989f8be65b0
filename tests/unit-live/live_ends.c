/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a run ends when it does not go as planned: a generator that is kept from running, a signal, a
 * full disk, a file that exists, a request that cannot be met.
 */
#include "live/clock.h"
#include "live/cpus.h"
#include "run_cell.h"
#include "slow.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char *short_run[] = {"workload.rate=2000/s", "workload.duration=1s", "workload.cost=200us",
			    "hot.load=0", "workers.count=2"};

/* Dies with us; prints nothing of ours. */
static pid_t start_child(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* In a child: `after_ns` from now take `cpu` away from everybody for `ns`. */
static pid_t start_hog(u32 cpu, u64 after_ns, u64 ns)
{
	struct sched_param param = {.sched_priority = 90};
	struct timespec ts = clock_timespec(after_ns);
	pid_t pid = start_child();
	u64 until;

	if (pid)
		return pid;
	cpu_pin_self(cpu);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(EXIT_FAILURE);
	until = clock_mono_ns() + ns;
	while (clock_mono_ns() < until)
		;
	_exit(EXIT_SUCCESS);
}

static pid_t start_killer(int signal, u64 after_ns)
{
	struct timespec ts = clock_timespec(after_ns);
	pid_t parent = getpid(), pid = start_child();

	if (pid)
		return pid;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	_exit(kill(parent, signal) ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void stop_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool child_ok(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Nothing is skipped and nothing is early: the stall is in the submit times. */
static void check_stall(void)
{
	struct message msg = {(char[256]){0}, 256};
	struct cpu_plan plan;
	struct cell_run c;
	u64 peak = 0, early = 0;
	u32 next = 0, disordered = 0;
	pid_t hog;

	cell_load(&c, short_run, ARRAY_SIZE(short_run));
	if (cpu_plan_make(&plan, "auto", 2, &msg) || plan.shared) {
		CHECK(true, "a stalled generator # skip one CPU: the workers would stall too");
		return;
	}
	hog = start_hog(plan.generator, 400 * NSEC_PER_MSEC, 200 * NSEC_PER_MSEC);
	cell_run(&c, false);
	CHECK(child_ok(hog), "CPU %u was taken away for 200 ms", plan.generator);
	for (u32 i = 0; i < c.nr; i++) {
		const struct event *ev = &c.events[i];

		if (ev->kind != EVENT_SUBMIT)
			continue;
		disordered += ev->item != next++;
		early += ev->time_ns < ev->submit.due_ns;
		if (ev->time_ns > ev->submit.due_ns + peak)
			peak = ev->time_ns - ev->submit.due_ns;
	}
	CHECK(!c.rc && next == 2000 && !disordered, "all %u items submitted, in order", next);
	CHECK(!early, "none before it was due");
	CHECK(peak > 150 * NSEC_PER_MSEC, "the latest was %.1f ms late",
	      (double)peak / NSEC_PER_MSEC);
	cell_free(&c);
}

/* RT throttling leaves ordinary threads 5 % of a CPU; a lower real-time thread gets nothing. */
static void check_starved(void)
{
	struct message msg = {(char[256]){0}, 256};
	struct cpu_plan plan;
	const char *name, *value;
	bool said = false;
	struct cell_run c;
	pid_t hog;

	cell_load(&c, short_run, ARRAY_SIZE(short_run));
	if (cpu_plan_make(&plan, "auto", 2, &msg) || plan.shared) {
		CHECK(true, "a starved generator # skip one CPU: it is no real-time thread then");
		return;
	}
	hog = start_hog(plan.generator, 400 * NSEC_PER_MSEC, 6 * NSEC_PER_SEC);
	cell_run(&c, false);
	CHECK(waitpid(hog, NULL, WNOHANG) == 0, "the run ends before who has its CPU does");
	stop_child(hog);
	for (u32 i = 0; c.reader && trace_nth_note(c.reader, i, &name, &value); i++)
		said |= !strcmp(name, "warning") && strstr(value, "ordinary thread");
	CHECK(!c.rc && said, "and says why");
	cell_free(&c);
}

static void check_signal(int signal)
{
	struct cell_run c;
	sigset_t before, after;
	u64 began = clock_mono_ns();
	pid_t killer;

	cell_load(&c, short_run, ARRAY_SIZE(short_run));
	sigprocmask(SIG_SETMASK, NULL, &before);
	killer = start_killer(signal, 400 * NSEC_PER_MSEC);
	cell_run(&c, false);
	sigprocmask(SIG_SETMASK, NULL, &after);
	CHECK(child_ok(killer) && c.rc == -EINTR, "%s ends a run with -EINTR", strsignal(signal));
	CHECK(clock_mono_ns() - began < 900 * NSEC_PER_MSEC, "at once");
	CHECK(c.reader && trace_damage(c.reader)->incomplete, "its trace is incomplete");
	CHECK(cell_count(&c, EVENT_START) <= cell_count(&c, EVENT_DONE) + 2,
	      "what was done before is there: %u", cell_count(&c, EVENT_DONE));
	CHECK(sigismember(&before, signal) == sigismember(&after, signal),
	      "the signal mask is as it was");
	cell_free(&c);
}

/*
 * Whatever the items do, and by whichever executor: they are at it for a minute when the signal
 * comes.
 */
static void check_signal_in(const char *executor, const char *steps)
{
	char words[][64] = {"workload.rate=100/s",
			    "workload.duration=60s",
			    "hot.load=0",
			    "workers.count=10",
			    "resource.s.capacity=5",
			    "",
			    ""};
	char *list[ARRAY_SIZE(words)];
	struct cell_run c;
	pid_t killer;
	/* Not before the stream has begun: what stands before it takes its time. */
	u64 began, delay = is_slow() ? 3 * NSEC_PER_SEC : 500 * NSEC_PER_MSEC;

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		list[i] = words[i];
	snprintf(words[5], sizeof(words[5]), "dispatch.executor=%s", executor);
	snprintf(words[6], sizeof(words[6]), "workload.steps=%s", steps);
	cell_load(&c, list, ARRAY_SIZE(list));
	began = clock_mono_ns();
	killer = start_killer(SIGINT, delay);
	cell_run(&c, false);
	CHECK(child_ok(killer) && c.rc == -EINTR, "%s, %s: a signal ends the run", executor, steps);
	CHECK(clock_mono_ns() - began < delay + 5 * NSEC_PER_SEC, "in %.1f s",
	      (double)(clock_mono_ns() - began) / NSEC_PER_SEC);
	CHECK(c.reader && trace_damage(c.reader)->incomplete, "its trace is incomplete");
	CHECK(cell_count(&c, EVENT_START) && !cell_count(&c, EVENT_DONE),
	      "none of %u items was done", cell_count(&c, EVENT_START));
	CHECK(strncmp(steps, "lock", 4) || cell_count(&c, EVENT_TAKE) == 1,
	      "a lock is nobody's after its first");
	cell_free(&c);
}

static void check_signals_in(void)
{
	static const char *const executors[] = {"thread", "async", "spawn"};
	static const char *const steps[] = {"wait 60s", "cpu 60s", "call s 60s", "lock l 60s"};

	for (u32 i = 0; i < ARRAY_SIZE(executors); i++)
		for (u32 k = 0; k < ARRAY_SIZE(steps); k++)
			check_signal_in(executors[i], steps[k]);
}

/* No reader: what there is of the file is the trace's business. */
static int run_to(struct cell_run *c, const char *path)
{
	struct live_config cfg = {.spec = c->spec, .path = path};

	return live_run(&cfg, c->err, sizeof(c->err));
}

static void check_full_disk(void)
{
	char dir[64], path[96];
	struct cell_run c;
	int rc;

	snprintf(dir, sizeof(dir), "/tmp/holbench-test-full-%d", (int)getpid());
	snprintf(path, sizeof(path), "%s/cell.hbt", dir);
	mkdir(dir, 0755);
	if (mount("tmpfs", dir, "tmpfs", 0, "size=16k")) {
		CHECK(false, "cannot mount a small tmpfs: %s", strerror(errno));
		return;
	}
	cell_load(&c, short_run, ARRAY_SIZE(short_run));
	rc = run_to(&c, path);
	CHECK(rc == -ENOSPC && strstr(c.err, path), "a full disk: %s", c.err);
	CHECK(!strchr(c.err, '\n'), "in one line");
	umount(dir);
	rmdir(dir);
	cell_free(&c);
}

static void check_refused(void)
{
	char *cpus[] = {"workers.cpus=1000"};
	struct cell_run c;
	int fd, rc;

	cell_load(&c, short_run, ARRAY_SIZE(short_run));
	fd = open(c.path, O_CREAT | O_WRONLY, 0644);
	rc = run_to(&c, c.path);
	CHECK(fd >= 0 && rc == -EEXIST, "a file that exists: %s", c.err);
	close(fd);
	cell_free(&c);
	cell_load(&c, cpus, ARRAY_SIZE(cpus));
	rc = live_check(c.spec, false, c.err, sizeof(c.err));
	CHECK(rc == -EINVAL && strstr(c.err, "CPU 1000"), "%s", c.err);
	rc = run_to(&c, c.path);
	CHECK(rc == -EINVAL && access(c.path, F_OK), "and no file is made");
	cell_free(&c);
}

int main(void)
{
	if (geteuid()) {
		printf("1..0 # skip needs root: a real-time hog, a small tmpfs\n");
		return EXIT_SUCCESS;
	}
	check_stall();
	check_starved();
	check_signal(SIGINT);
	check_signal(SIGTERM);
	check_signals_in();
	check_full_disk();
	check_refused();
	return tap_done();
}
