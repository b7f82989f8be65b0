/* SPDX-License-Identifier: GPL-2.0-only */
/* A result in memory: what each cell and repeat of a grid said, from the traces. */
#ifndef HOLBENCH_REPORT_RESULT_H
#define HOLBENCH_REPORT_RESULT_H

#include "report/summary.h"
#include "spec/spec.h"

struct note {
	char *name, *value; /* owned */
};

struct run {
	bool done;		/* the trace was read: summary and notes are there */
	struct summary summary; /* of one cell and repeat */
	struct note *notes;	/* owned: the trace's, in order */
	u32 nr_notes;
};

struct result {
	const struct grid *grid; /* borrowed */
	u32 engine;		 /* enum trace_engine */
	u32 cells, repeats;	 /* repeats: of the cell that has most */
	struct run *runs;	 /* owned: cells × repeats */
	bool (*stop)(
		void *ctx); /* optional: has the user had enough? Then result_read() is -EINTR */
	void *stop_ctx;
};

/* 0 or -ENOMEM. */
int result_init(struct result *r, const struct grid *grid, u32 engine);
/* The grid has got more cells, of as many repeats as `r->repeats` or fewer. 0 or -ENOMEM. */
int result_grow(struct result *r);
void result_fini(struct result *r);

/* A cell's own number of repeats. */
u32 result_repeats(const struct result *r, u32 cell);
struct run *result_run(const struct result *r, u32 cell, u32 repeat);
/* How many runs are done; *all gets how many there are. */
u32 result_done(const struct result *r, u32 *all);
/* The name of a run's trace within the result directory: "cell-003-r1.hbt". Returns buf. */
const char *result_trace_name(char *buf, size_t len, u32 cell, u32 repeat);
/* Analyse a run's trace. 0, or a negative errno with the line. */
int result_read(struct result *r, u32 cell, u32 repeat, const char *path, char *err,
		size_t err_len);

/* The graver of the two states. */
enum cell_state state_worse(enum cell_state a, enum cell_state b);
const char *state_name(enum cell_state s);
/* "valid", "invalid: generator": as people read it, with `sep` after the state. Returns buf. */
const char *state_text(char *buf, size_t len, const struct summary *s, const char *sep);

#endif
