/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What light threads cost: 100,000 items that all wait at once, for 10 s, on two carriers. The most
 * memory that the run had, all of it: items, light threads, logs, the trace's buffers.
 */
#include "live/live.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ITEMS	   100000
#define WANTED_MB  100
#define BYTES_A_MB 1e6

static void die(const char *what)
{
	fprintf(stderr, "lights: %s\n", what);
	exit(EXIT_FAILURE);
}

/* In a process of its own, as a run has. */
static void run(const struct spec *spec, const char *path)
{
	struct live_config cfg = {.spec = spec, .path = path};
	char err[512] = "";
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("cannot fork");
	if (!pid) {
		status = live_run(&cfg, err, sizeof(err));
		if (status)
			fprintf(stderr, "lights: %s\n", err);
		_exit(status ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		exit(EXIT_FAILURE);
}

struct seen {
	u32 waiting, peak;
	u64 first_ns, last_ns; /* start, end */
};

static int look(void *ctx, const struct event *ev)
{
	struct seen *s = ctx;

	if (ev->kind == EVENT_START) {
		if (!s->first_ns)
			s->first_ns = ev->time_ns;
		if (++s->waiting > s->peak)
			s->peak = s->waiting;
	} else if (ev->kind == EVENT_DONE) {
		s->waiting--;
		s->last_ns = ev->time_ns;
	}
	return 0;
}

static double peak_mb(const struct trace_reader *r)
{
	const char *name, *value;

	for (u32 i = 0; trace_nth_note(r, i, &name, &value); i++)
		if (!strcmp(name, "memory.peak_bytes"))
			return strtod(value, NULL) / BYTES_A_MB;
	die("the kernel does not say how much memory a process had at most");
	return 0;
}

static void report(const char *path)
{
	struct trace_reader *r;
	struct seen seen = {0};
	struct event_sink sink = {look, &seen};
	char err[256];
	double mb;

	if (trace_open(&r, path, err, sizeof(err)))
		die(err);
	if (trace_rewind(r, TRACE_ALL) || trace_read(r, &sink))
		die("the trace cannot be read");
	mb = peak_mb(r);
	printf("async: %u items wait at once on 2 carriers\t%.0f MB\tunder %d MB\t%s\n", seen.peak,
	       mb, WANTED_MB, seen.peak == ITEMS && mb < WANTED_MB ? "ok" : "not");
	printf("async: first start to last end, of 10 s each\t%.2f s\t\t-\n",
	       (double)(seen.last_ns - seen.first_ns) / 1e9);
	trace_reader_free(r);
}

int main(void)
{
	char *words[] = {
		"workload.arrivals=burst", "burst.every=1s",	      "workload.rate=100000/s",
		"workload.duration=1s",	   "workload.steps=wait 10s", "workload.cost_dist=fixed",
		"dispatch.executor=async", "workers.carriers=2",      "hot.load=0"};
	char path[] = "/tmp/holbench-bench-lights-XXXXXX";
	struct spec_error error;
	struct grid *grid;
	int fd;

	if (grid_load(&grid, NULL, words, ARRAY_SIZE(words), &error))
		die(error.text);
	fd = mkstemp(path); /* a name: the run makes the file itself */
	if (fd < 0)
		die("no temporary file");
	close(fd);
	unlink(path);
	run(grid_cell(grid, 0), path);
	report(path);
	unlink(path);
	grid_free(grid);
	return EXIT_SUCCESS;
}
