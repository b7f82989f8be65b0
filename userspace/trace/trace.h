/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace file, cell-*.hbt: one run of one cell, live or simulated, from which every analysis is
 * made. The layout on disk is in trace/format.h and holbench-trace(5); this is what the other rooms
 * see.
 *
 * Events come in streams (one for the generator, one a worker or a few for all, one a CPU of the
 * probe); within a stream times do not go backwards. The reader merges the streams: it gives events
 * in the order of (time_ns, stream).
 */
#ifndef HOLBENCH_TRACE_H
#define HOLBENCH_TRACE_H

#include "core/event.h"

enum trace_engine { TRACE_LIVE = 1, TRACE_SIM = 2 };

struct trace_info {
	u32 engine;  /* enum trace_engine */
	bool probe;  /* kernel events were recorded */
	u64 base_ns; /* start of the stream on the event clock: due times count from here */
	u32 workers;
	u32 keys;
	u32 cell, repeat; /* which cell of the sweep, and which repeat, from 0 */
	u64 seed;	  /* the seed that this repeat used */
};

struct trace_cgroup {
	u64 id;
	const char *path; /* relative to the hierarchy's root: "/holbench/noise" */
};

/* --- writing: one thread at a time --- */

struct trace_writer;

/*
 * Create `path` (must not exist) with the header's *incomplete* flag set; `spec` is the cell as INI
 * text. `streams` is how many stream numbers will be used, from 0. Returns 0 and *out, or a
 * negative errno and no file.
 */
int trace_create(struct trace_writer **out, const char *path, const struct trace_info *info,
		 const char *spec, u32 streams);
/* base_ns is known only when the stream starts: set it before closing. Written to disk at once. */
void trace_set_base(struct trace_writer *w, u64 base_ns);
/*
 * Append an event to a stream. A time below the stream's last, a kind that is not known and a field
 * outside what the header and the tasks allow are -EINVAL. Fields that the kind does not have are
 * not stored and are read as 0. The first error (a full disk) sticks: it is returned by every later
 * call and by trace_close(); what is on disk stays a readable trace, marked incomplete.
 */
int trace_write(struct trace_writer *w, u32 stream, const struct event *ev);
/* The index of the task (tid, comm, cgroup, worker, class), the same for the same five. NONE32 on
 * error, which sticks. */
u32 trace_task(struct trace_writer *w, const struct task *t);
/* Name a cgroup; the path is copied; the last name of an id holds. */
int trace_cgroup(struct trace_writer *w, u64 id, const char *path);
/* A named fact about the run ("warning", "steal_ns"): for people and manifest.json. Names may
 * repeat. */
int trace_note(struct trace_writer *w, const char *name, const char *value);
/*
 * Write out everything that is buffered, so that a process killed later loses only what came after.
 * Not synced to the disk. Each call ends the streams' blocks: a few times a second, not per event.
 */
int trace_flush(struct trace_writer *w);
/*
 * Flush and close; with `complete` the *incomplete* flag is cleared last, after everything is on
 * disk. Returns the first error of the writer's life. Frees w either way; the file stays.
 */
int trace_close(struct trace_writer *w, bool complete);
/* What its user can do about an error of the writer, as the end of a line: "; make room …", or "".
 */
const char *trace_mend(int error);

/* --- reading --- */

struct trace_reader;

/* What is wrong with a file that can be read in part. */
struct trace_damage {
	bool incomplete; /* the writer did not finish */
	bool damaged;	 /* truncated, or a block does not check; what stands before it is given */
	u64 offset;	 /* of the first byte that could not be used; 0 when there is none */
	char text[160];	 /* one line, with the offset; empty when neither */
};

/*
 * Open and scan: header, tables, the index of the blocks. Returns 0 with *out; or -EINVAL (not a
 * trace, or a version or size this program does not know), -ENODATA (shorter than a header: as a
 * writer leaves it that is killed at once), -errno of the file, with err (≥ 1 byte) filled with one
 * line.
 */
int trace_open(struct trace_reader **out, const char *path, char *err, size_t err_len);
void trace_reader_free(struct trace_reader *r);

const struct trace_info *trace_info(const struct trace_reader *r);
const char *trace_spec(const struct trace_reader *r); /* INI text */
const struct trace_damage *trace_damage(const struct trace_reader *r);
u32 trace_nr_tasks(const struct trace_reader *r);
const struct task *trace_tasks(const struct trace_reader *r);
/* The path of a cgroup id, or NULL. */
const char *trace_cgroup_path(const struct trace_reader *r, u64 id);
/* The i-th note; false past the last. */
bool trace_nth_note(const struct trace_reader *r, u32 i, const char **name, const char **value);

/*
 * Optional: asked at every block; when it says true, trace_read() ends with -EINTR. For reading
 * that a user may interrupt.
 */
void trace_set_stop(struct trace_reader *r, bool (*stop)(void *ctx), void *ctx);

enum trace_filter {
	TRACE_ALL,
	/*
	 * Only streams that hold the dispatcher's events, with all that is in them; the others,
	 * kernel events with their LOST and ACCOUNT, are not even decompressed.
	 */
	TRACE_ITEMS,
};

/* Start over. 0 or -ENOMEM. */
int trace_rewind(struct trace_reader *r, enum trace_filter filter);
/*
 * Every event in merged order into `sink` until its end or the sink's error, which is returned. A
 * block found damaged while reading ends the pass there, is said in trace_damage(), and is not an
 * error.
 */
int trace_read(struct trace_reader *r, const struct event_sink *sink);

#endif
