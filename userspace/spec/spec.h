/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The spec: what a run is asked to do. A spec is an INI file and `section.key=value` words; every
 * key is declared once, in options.c. A list of values makes a key a sweep axis; a grid of axes
 * gives cells, and each cell is a struct spec.
 */
#ifndef HOLBENCH_SPEC_H
#define HOLBENCH_SPEC_H

#include "core/dispatch/balancer.h"
#include "core/home.h"
#include "core/reassign.h"
#include "core/workload.h"

#include <stdio.h>
#include <string.h>

enum worker_policy { POLICY_OTHER, POLICY_BATCH, POLICY_IDLE, POLICY_FIFO, POLICY_RR };

struct worker_config {
	u32 count;	/* of each replica */
	u32 carriers;	/* EXECUTOR_ASYNC: workers of each replica in place of count; 0: count */
	u32 replicas;	/* groups of workers behind a balancer */
	char cpus[256]; /* a CPU list as the kernel writes it ("1-3 8" or "1-3,8"), "auto" for the
			   default */
	u32 policy;	/* enum worker_policy */
	u32 rt_priority;
	int nice;
	u64 slice_ns; /* the request size of the fair class; 0: the kernel's own */
	u64 cpu_max_ns,
		cpu_max_period_ns; /* the workers' own quota, all of them together; 0: none */
};

enum isolation { PLACE_SHARED, PLACE_WEIGHTED, PLACE_CAPPED, PLACE_ISOLATED };

struct place_config {
	u32 isolation;	  /* enum isolation */
	double noise_max; /* PLACE_CAPPED: the noise's quota, as a share of one CPU */
};

enum noise_kind { NOISE_NONE, NOISE_CPU, NOISE_BURST, NOISE_MEMORY, NOISE_FORK, NOISE_COMMAND };

struct noise_config {
	u32 kind;	   /* enum noise_kind */
	u32 threads;	   /* built-in kinds: how many at once */
	double duty;	   /* NOISE_CPU, NOISE_BURST: share of each period that is spent spinning */
	u64 period_ns;	   /* of the duty cycle; the threads of a burst begin it together */
	char command[512]; /* NOISE_COMMAND: for /bin/sh -c */
	char cpus[256];	   /* a CPU list, or "auto": by the placement */
};

struct run_config {
	u32 repeats;
	u64 warmup_ns;
	double time_scale;
	double late_gate; /* p99 of `late` over this share of the victims' median makes a run
			     invalid */
	bool trace;	  /* the BPF probe; off with run.trace=off or --no-bpf */
	u64 ring_bytes;	  /* BPF ring buffer */
};

/* What was found in the file of a recorded stream, which the spec of a result keeps: with it nobody
 * needs the file any more. rows = 0: it was not read yet. */
struct csv_facts {
	u64 bytes; /* as it is on disk */
	u32 crc32; /* of these */
	u32 keys;  /* different ones */
	u64 rows;
	u64 keyless; /* rows without a key */
	u64 span_ns; /* from the smallest to the largest time, as written */
	u64 cost_ns; /* mean, as written */
};

/* A recorded stream. */
struct csv_config {
	char path[512]; /* empty: the stream is not recorded */
	char time[64], key[64],
		cost[64];  /* names of columns; cost "none": there is none, costs are drawn */
	u64 unit_ns;	   /* of times and costs */
	u64 window_ns;	   /* how far times may go back, as written */
	double speed;	   /* times are divided by it */
	double cost_scale; /* costs are multiplied by it */
	struct csv_facts facts;
};

static inline bool csv_has_cost(const struct csv_config *csv)
{
	return strcmp(csv->cost, "none") != 0;
}

/* One cell, as written: durations not yet scaled. */
struct spec {
	struct workload_config
		workload;  /* hot_share is filled from hot.load or hot.share by spec_check() */
	double hot_load;   /* in workers; NAN when hot.share was given */
	u32 hash;	   /* enum hash_kind */
	u32 hot_placement; /* enum hot_placement */
	s64 neighbours;	   /* -1: the hash decides */
	const struct dispatch_ops *design;
	u32 unit; /* enum steal_unit */
	u64 threshold_ns;
	u32 executor; /* enum executor */
	u32 limit;    /* at most so many items in service, in each replica; 0: no limit */
	u32 buffer;   /* key, key:partition: at most so many admitted items unfinished, in each
			 replica; 0: no bound */
	bool null_unordered; /* items without a key have no order; else they are one key */
	u32 balance;	     /* enum balance */
	struct reassign_config reassign;
	struct csv_config csv;
	struct worker_config workers;
	struct place_config place;
	struct noise_config noise;
	struct run_config run;
};

/* An error of the user's making: one line, complete: what, where, what to do. Exit status 2. */
struct spec_error {
	char text[768];
	/* Of a whole cell: the keys that it is about, blanks between them, for grid_load() to say
	 * where the first of them that was given stands. NULL: text says where. */
	const char *keys;
};

struct grid; /* opaque: a parsed spec with its axes */

/*
 * Read `path` (a preset's name or an INI file; NULL: defaults only), then apply `words`
 * ("section.key=value[,value…]"), later wins. A name without '.' and '/' is a preset's where there
 * is one of that name; everything else is a path. Returns 0 and *out (free with grid_free()), or a
 * negative errno with err->text filled; then *out is NULL.
 */
int grid_load(struct grid **out, const char *path, char *const *words, int nr_words,
	      struct spec_error *err);
/* The same from text, as a trace header holds it; `name` stands for the file in messages. */
int grid_parse(struct grid **out, const char *text, const char *name, struct spec_error *err);
void grid_free(struct grid *g);

/*
 * A grid without cells, for a search that adds them one by one; then the axes' values are texts,
 * and pointers that grid_cell() gave before do not hold. 0 or -ENOMEM.
 */
int grid_list_new(struct grid **out, const char *const *axes, u32 nr_axes);
/* A checked cell, and its value of each axis; all are copied. 0 or -ENOMEM. */
int grid_list_add(struct grid *g, const struct spec *cell, const char *const *values);

/*
 * Files of recorded streams that grid_load() has read (grid_parse() reads none whose facts the text
 * has): the i-th, or NULL past the last; and the text of its key `number`, or NULL.
 */
const struct csv_config *grid_file(const struct grid *g, u32 i);
const char *grid_file_key(const struct grid *g, u32 i, u32 number);

u32 grid_cells(const struct grid *g);
/* Cell i, first axis slowest. Already checked as a whole (spec_check) by grid_load(). */
const struct spec *grid_cell(const struct grid *g, u32 i);

/* Axes in the order in which they were written: names ("hot.load") and each cell's value as written
 * ("0.4"). */
u32 grid_axes(const struct grid *g);
const char *grid_axis_name(const struct grid *g, u32 axis);
const char *grid_axis_value(const struct grid *g, u32 axis, u32 cell);

/*
 * Can the cell work as a whole? Fills workload.hot_share from hot_load, and empties noise.command
 * where the noise is of another kind. Returns 0, or a negative errno with err naming the keys,
 * their values and the mend, and with err->keys.
 */
int spec_check(struct spec *s, struct spec_error *err);
#define SPEC_REMARK 256
/* The i-th thing in the (checked) cell that works but may surprise, as one line; false past the
 * last. */
bool spec_remark(const struct spec *s, u32 i, char text[SPEC_REMARK]);

/* The whole of one cell as INI text, every key, canonical: spec_print then grid_parse gives the
 * same cell. */
void spec_print(const struct spec *s, FILE *f);
/*
 * The cell as it is run: a copy with durations multiplied, and rates divided, by run.time_scale;
 * its time_scale is 1. The kernel's granularity does not scale: workers.cpu_max and noise.period
 * stay. Without a share of the arrivals for hot keys no key is hot.
 */
struct spec spec_scaled(const struct spec *s);
/* Of a run: item ids are 32 bits wide, and a random stream may be longer than its mean. */
#define SPEC_ITEMS_MAX 4e9
/* For the rooms that take their own configuration. `home` is borrowed. */
struct home_config spec_home(const struct spec *s);
struct balancer_config spec_balancer(const struct spec *s, const u32 *home);
/* EXECUTOR_SPAWN: at most so many threads at once, over all replicas. */
#define SPAWN_WORKERS 4096
/* Workers that have partitions, and hold an item until its end: can these move between them? */
bool spec_can_reassign(const struct spec *s);
/* The worker threads of a replica: those of the executor. */
u32 spec_workers_each(const struct spec *s);
/* All worker threads (EXECUTOR_SPAWN: as many as there may be at once). */
u32 spec_workers(const struct spec *s);

/* The INI text of a preset, or NULL when there is none of that name. Presets are compiled in. */
const char *preset_text(const char *name);
/* The i-th preset's name, or NULL past the last; *help gets its one line. */
const char *preset_nth(u32 i, const char **help);

#endif
