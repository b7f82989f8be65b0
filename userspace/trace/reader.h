/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader's own state. reader.c: its life and what it says; scan.c: the pass at open; load.c:
 * blocks and tables from disk; merge.c: events in order.
 */
#ifndef HOLBENCH_TRACE_READER_H
#define HOLBENCH_TRACE_READER_H

#include "trace/codec.h"
#include "trace/format.h"
#include "trace/trace.h"

#include <zstd.h>

/* A block of events: where, and the next one of its stream. */
struct block_ref {
	u64 offset;
	u64 first_ns;
	u32 next; /* NONE32 at the last */
};

struct in_stream {
	/* From the scan. */
	u32 first, last; /* its blocks; NONE32 when it has none */
	u32 kinds;
	u32 raw_max; /* of its blocks */
	u64 scan_ns; /* last_ns of its blocks so far */
	/* The pass. */
	u32 block; /* the one that comes next */
	u32 left;  /* events not yet taken from the block in memory */
	u8 *raw;   /* the block in memory: raw_max and the slack */
	struct cursor in;
	struct codec codec;
	u64 block_last_ns;
	u32 block_kinds;
	u64 block_offset;
	/*
	 * The next event, when the stream is in the heap. Of a block that has not been read yet
	 * only its time is known: then its kind is 0.
	 */
	struct event head;
};

struct name_ref {
	u64 id;
	char *name, *value; /* of a note; of a cgroup, value is its path and name is NULL */
};

struct trace_reader {
	int fd;
	u64 end; /* blocks end here: the size of the file, or what its header says */
	struct trace_info info;
	struct trace_damage damage;
	u32 nr_streams;
	struct in_stream *streams;
	struct block_ref *blocks;
	u32 nr_blocks, room_blocks;
	bool (*stop)(void *ctx); /* optional: end the pass? */
	void *stop_ctx;
	char *spec;
	struct task *tasks;
	u32 nr_tasks, room_tasks;
	struct name_ref *cgroups, *notes;
	u32 nr_cgroups, room_cgroups, nr_notes, room_notes;
	struct codec_limits limits;
	ZSTD_DCtx *zstd;
	u8 *stored; /* a block's payload as it lies in the file */
	size_t room_stored;
	/* The merge: streams by (time, number) of their next event. */
	u32 *heap;
	u32 nr_heap;
	enum trace_filter filter;
	bool started; /* the heap has been filled since the rewind */
};

/* Say that nothing from this offset on can be used; the lowest offset holds. */
void reader_damage(struct trace_reader *r, u64 offset, const char *what);
/* Bring damage.text up to date. */
void reader_describe(struct trace_reader *r);
/* Room for one more element: a new array, or NULL with the old one as it was. */
void *array_grow(void *array, u32 nr, u32 *room, size_t size);

/* Header and tables and the index; 0, -EINVAL or another errno with err filled. */
int scan_header(struct trace_reader *r, const char *path, char *err, size_t err_len);
int scan_blocks(struct trace_reader *r);

/*
 * The header of the block at `offset`, checked against the end of the file. NULL, or what is wrong.
 */
const char *load_header(struct trace_reader *r, u64 offset, struct trace_block_header *h);
/*
 * The payload, checked and decompressed into `raw` (raw_bytes and VARINT_SLACK, which is cleared).
 * NULL, or what is wrong. -ENOMEM goes to *err.
 */
const char *load_payload(struct trace_reader *r, u64 offset, const struct trace_block_header *h,
			 u8 *raw, int *err);
/* Take in the rows of a table's block. NULL, or what is wrong. -ENOMEM goes to *err. */
const char *load_table(struct trace_reader *r, const struct trace_block_header *h, const u8 *raw,
		       int *err);

#endif
