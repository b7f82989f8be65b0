/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of the live engine: one run of a cell, and all of its events in memory. */
#ifndef HOLBENCH_TESTS_RUN_CELL_H
#define HOLBENCH_TESTS_RUN_CELL_H

#include "live/live.h"
#include "tap.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cell_run {
	struct grid *grid;
	const struct spec *spec; /* as written */
	struct spec scaled;
	char path[64];
	int rc; /* live_run()'s */
	char err[512];
	struct trace_reader *reader;
	struct event *events; /* in the reader's order */
	u32 nr, size;
};

static inline int cell_keep(void *ctx, const struct event *ev)
{
	struct cell_run *c = ctx;

	if (c->nr == c->size) {
		c->size = c->size ? 2 * c->size : 4096;
		c->events = realloc(c->events, c->size * sizeof(*c->events));
		if (!c->events)
			abort();
	}
	c->events[c->nr++] = *ev;
	return 0;
}

static inline void cell_read(struct cell_run *c)
{
	struct event_sink sink = {cell_keep, c};
	char err[256] = "";

	if (trace_open(&c->reader, c->path, err, sizeof(err))) {
		printf("# %s: %s\n", c->path, err);
		return;
	}
	if (trace_rewind(c->reader, TRACE_ALL) || trace_read(c->reader, &sink))
		printf("# %s: cannot be read\n", c->path);
}

/* A cell of its own: `words` as on the command line. Exits when the words are wrong. */
static inline void cell_load(struct cell_run *c, char *const *words, int nr)
{
	struct spec_error err = {0};

	memset(c, 0, sizeof(*c));
	if (grid_load(&c->grid, NULL, words, nr, &err)) {
		printf("Bail out! %s\n", err.text);
		exit(EXIT_FAILURE);
	}
	c->spec = grid_cell(c->grid, 0);
	c->scaled = spec_scaled(c->spec);
	snprintf(c->path, sizeof(c->path), "/tmp/holbench-test-%d.hbt", (int)getpid());
	unlink(c->path);
}

static inline void cell_run(struct cell_run *c, bool probe)
{
	struct live_config cfg = {
		.spec = c->spec, .path = c->path, .probe = probe, .keep_rights = true};

	c->rc = live_run(&cfg, c->err, sizeof(c->err));
	if (c->rc)
		printf("# live_run: %d: %s\n", c->rc, c->err);
	cell_read(c);
}

static inline void cell_free(struct cell_run *c)
{
	trace_reader_free(c->reader);
	unlink(c->path);
	free(c->events);
	grid_free(c->grid);
}

static inline u32 cell_count(const struct cell_run *c, u32 kind)
{
	u32 n = 0;

	for (u32 i = 0; i < c->nr; i++)
		n += c->events[i].kind == kind;
	return n;
}

#endif
