/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the probe costs beside noise that makes 20,000 switches a second on the worker CPU: what it
 * loses, the CPU time of its programs and of the collector, and the victims' median with the probe
 * on and off, in interleaved pairs.
 *
 *   noise [PAIRS]
 *   noise switch HZ     the noise itself: HZ switches a second, until it is killed
 *
 * Prints lines for tools/bench/run: what, measured, wanted, ok or not. Runs $BUILD/holbench; needs
 * root.
 */
#include "core/types.h"

#include <bpf/bpf.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SWITCHES = 20000, PAIRS = 10, PAIRS_MAX = 100 };

static void die(const char *what)
{
	fprintf(stderr, "noise: %s\n", what);
	exit(EXIT_FAILURE);
}

/* Writes what it reads: half of the ping-pong. */
static _Noreturn void echo(int in, int out)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(in, &c, 1) == 1 && write(out, &c, 1) == 1)
		;
	_exit(0);
}

/* Four switches a round: to the echo and back, to sleep and back. */
static int make_switches(u32 hz)
{
	struct timespec next;
	int there[2], back[2];
	char c = 0;

	if (pipe(there) || pipe(back))
		die("no pipe");
	if (!fork())
		echo(there[0], back[1]);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;;) {
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			return 1;
		next.tv_nsec += 4 * 1000000000l / (long)hz;
		if (next.tv_nsec >= 1000000000l) {
			next.tv_nsec -= 1000000000l;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

/* Run a command of the shell; its output's beginning goes to `text`. Its exit status, or -1. */
static int shell(const char *command, char *text, size_t len)
{
	int out[2], status = -1;
	size_t have = 0;
	ssize_t n;
	pid_t pid;

	if (pipe(out))
		die("no pipe");
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	close(out[1]);
	while (have + 1 < len && (n = read(out[0], text + have, len - 1 - have)) > 0)
		have += (size_t)n;
	text[have] = '\0';
	close(out[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* One run; its files are in `dir`. */
static void run_holbench(const char *self, const char *dir, bool probe)
{
	const char *build = getenv("BUILD");
	char command[1024], text[16];
	int status;

	snprintf(command, sizeof(command),
		 "rm -rf %s; exec %s/holbench run --quiet --out %s workers.count=2 "
		 "workload.rate=150/s "
		 "workload.duration=2s workload.jitter=0%% hot.load=0 run.repeats=1 "
		 "run.late_gate=1000%% run.trace=%s "
		 "place.isolation=shared 'noise.command=exec %s switch %d' >/dev/null 2>&1",
		 dir, build ? build : "build", dir, probe ? "on" : "off", self, SWITCHES);
	status = shell(command, text, sizeof(text));
	if (status != 0 && status != 3)
		die("a run failed: is this root?");
}

/* A number by a pattern of awk on a file of the result; NAN when it is not there. */
static double figure(const char *dir, const char *program, const char *file)
{
	char command[1024], line[64];
	double value;

	snprintf(command, sizeof(command), "awk '%s' %s/%s", program, dir, file);
	if (shell(command, line, sizeof(line)))
		return (double)NAN;
	return sscanf(line, "%lf", &value) == 1 ? value : (double)NAN;
}

static double column(const char *dir, const char *name)
{
	char program[256];

	snprintf(program, sizeof(program),
		 "BEGIN { FS = \",\" } NR == 1 { for (i = 1; i <= NF; i++) if ($i == \"%s\") at = "
		 "i } "
		 "NR == 2 { print $at }",
		 name);
	return figure(dir, program, "cells.csv");
}

/* A note of the run: the manifest has its value on the line after its name. */
static double noted(const char *dir, const char *name)
{
	char program[256];

	snprintf(program, sizeof(program),
		 "found { gsub(/[^0-9]/, \"\"); print; exit } /\"%s\"/ { found = 1 }", name);
	return figure(dir, program, "manifest.json");
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void print_costs(const char *dir, u32 stats)
{
	/* Two seconds of items; the threads run a little longer than that. */
	double window = 2.0, collector = noted(dir, "collector.cpu_ns") / 1e9;
	double programs = stats ? noted(dir, "probe.run_ns") / 1e9 : (double)NAN;
	double share = (collector + (isnan(programs) ? 0 : programs)) / window * 100;

	printf("beside %d switches/s: collector %.2f %%, programs %.2f %% of a CPU\t%.2f %%\t< 3 "
	       "%%\t%s\n",
	       SWITCHES, collector / window * 100, programs / window * 100, share,
	       share < 3 ? "ok" : "not");
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/holbench-noise-XXXXXX", out[64], self[512] = "";
	double ratio[PAIRS_MAX], lost = 0;
	u32 pairs = argc > 1 ? (u32)strtoul(argv[1], NULL, 10) : PAIRS;
	int stats;

	if (argc > 2 && !strcmp(argv[1], "switch"))
		return make_switches((u32)strtoul(argv[2], NULL, 10));
	if (!mkdtemp(dir) || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 || !pairs ||
	    pairs > PAIRS_MAX)
		die("no place to work");
	snprintf(out, sizeof(out), "%s/run", dir);
	for (u32 i = 0; i < pairs; i++) {
		double on;

		run_holbench(self, out, true);
		lost += column(out, "lost_events");
		on = column(out, "victim_p50_ns");
		run_holbench(self, out, false);
		ratio[i] = on / column(out, "victim_p50_ns") - 1;
	}
	qsort(ratio, pairs, sizeof(*ratio), by_value);
	printf("beside %d switches/s: lost events in %u runs\t%.0f\t0\t%s\n", SWITCHES, pairs, lost,
	       lost == 0 ? "ok" : "not");
	printf("victims' p50 with the probe on against off, median of %u pairs\t%+.2f %%\t< 2 "
	       "%%\t%s\n",
	       pairs, ratio[pairs / 2] * 100, fabs(ratio[pairs / 2]) < .02 ? "ok" : "not");
	/* Last, since counting costs: the kernel's account of the programs, on for as long as this
	 * is open. */
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	run_holbench(self, out, true);
	print_costs(out, stats >= 0);
	if (stats >= 0)
		close(stats);
	snprintf(out, sizeof(out), "rm -rf %s", dir);
	return shell(out, self, sizeof(self)) ? 1 : 0;
}
