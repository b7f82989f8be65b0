/* SPDX-License-Identifier: GPL-2.0-only */
/* The writer's own state. writer.c: its life and the events; output.c: blocks to disk; tables.c:
 * tasks, cgroups, notes. */
#ifndef HOLBENCH_TRACE_WRITER_H
#define HOLBENCH_TRACE_WRITER_H

#include "trace/codec.h"
#include "trace/format.h"
#include "trace/trace.h"

#include <zstd.h>

/* What has been written to a stream and is not on disk yet: at most one block. */
struct out_stream {
	u8 *buf; /* TRACE_EVENTS_MAX_BYTES, made at the stream's first event */
	u8 *at;
	struct codec codec;
	u64 first_ns;
	u64 last_ns; /* of the stream, not only of this block */
	u32 count;   /* in buf */
	u32 kinds;
};

/* Rows of a table that are not on disk yet. */
struct out_table {
	u8 *buf; /* TRACE_TABLE_MAX_BYTES, made at the first row */
	size_t used;
	u32 count;
};

/* Every task so far, and where to find it: open addressing, a slot holds an index plus one. */
struct task_table {
	struct task *tasks;
	u32 *slots;
	u32 nr, room; /* tasks */
	u32 nr_slots; /* a power of two, more than twice nr */
};

struct trace_writer {
	int fd;
	int error; /* the first, negative; sticks */
	u64 size;  /* whole blocks end here */
	struct trace_file_header head;
	ZSTD_CCtx *zstd;
	u8 *out; /* a block as stored: header and payload */
	struct out_stream *streams;
	struct task_table tasks;
	struct codec_limits limits;
	struct out_table rows[BLOCK_NOTES + 1]; /* by block type: TASKS, CGROUPS, NOTES */
};

/* Make the error stick; returns the first. */
int writer_fail(struct trace_writer *w, int err);
/* The buffers and the compressor; 0 or -ENOMEM. */
int output_init(struct trace_writer *w);
/* Write the file header with these flags set or cleared. 0 or the first error. */
int output_header(struct trace_writer *w, u32 flags);
/* Compress and append a block; type, stream, count, kinds, raw_bytes and times are the caller's. */
int output_block(struct trace_writer *w, struct trace_block_header *h, const u8 *raw);
/* Write the rows that wait, of one type or of all. */
int table_flush(struct trace_writer *w, enum trace_block_type type);
int tables_flush(struct trace_writer *w);
void tables_free(struct trace_writer *w);

#endif
