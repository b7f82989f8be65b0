/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace file as it lies on disk; holbench-trace(5) says the same in words for a reader in
 * another language. All integers are little endian. Values are explicit and append-only; a change
 * of layout is a new TRACE_VERSION.
 *
 *   file header, then blocks, each a block header and its payload; nothing between or after them.
 *
 * The first block is the spec. A block of events names only tasks of task blocks before it, so that
 * any prefix of the file that ends at a block is a whole trace.
 */
#ifndef HOLBENCH_TRACE_FORMAT_H
#define HOLBENCH_TRACE_FORMAT_H

#include "core/types.h"

/* High bit, line ends and end-of-file mark: a copy that went through text mode does not match. */
#define TRACE_MAGIC	 "\x89HBT\r\n\x1a\n"
#define TRACE_VERSION	 1u
#define TRACE_BLOCK_MARK 0x4b4c4248u /* "HBLK" */

enum trace_flags {
	/* Set when the file is made, cleared by one write after everything else is on disk. */
	TRACE_INCOMPLETE = 1,
	TRACE_PROBED = 2, /* kernel events were recorded */
};

struct trace_file_header {
	u8 magic[8];
	u32 version;
	u32 header_bytes; /* of this struct: blocks begin there */
	u32 flags;	  /* enum trace_flags; an unknown flag is an error */
	u32 engine;	  /* enum trace_engine */
	u32 streams;	  /* stream numbers are below this */
	u32 workers;
	u32 keys;
	u32 cell;
	u32 repeat;
	u32 reserved0;
	u64 base_ns;
	u64 seed;
	u64 file_bytes; /* of the whole file; 0 while incomplete */
	u8 reserved1[20];
	u32 crc; /* CRC-32 (zlib's) of the bytes before it */
};
_Static_assert(sizeof(struct trace_file_header) == 96, "layout on disk");
_Static_assert(offsetof(struct trace_file_header, base_ns) == 48, "layout on disk");
_Static_assert(offsetof(struct trace_file_header, crc) == 92, "layout on disk");

enum trace_block_type {
	BLOCK_SPEC = 1,	   /* the cell as INI text: one block, the first */
	BLOCK_EVENTS = 2,  /* of one stream; the payload is in codec.h */
	BLOCK_TASKS = 3,   /* count tasks; their indices go on where the last task block ended */
	BLOCK_CGROUPS = 4, /* count cgroup names; the last name of an id holds */
	BLOCK_NOTES = 5,   /* count notes */
};

enum trace_block_codec {
	CODEC_RAW = 0,	/* stored as it is: stored_bytes == raw_bytes */
	CODEC_ZSTD = 1, /* one zstd frame, smaller than what it holds */
};

struct trace_block_header {
	u32 mark;	  /* TRACE_BLOCK_MARK */
	u8 type;	  /* enum trace_block_type */
	u8 codec;	  /* enum trace_block_codec */
	u16 reserved0;	  /* 0 */
	u32 stream;	  /* EVENTS; 0 for the others */
	u32 count;	  /* of events, tasks, cgroups or notes; 0 for SPEC */
	u32 kinds;	  /* EVENTS: a bit (1 << kind) for every kind inside */
	u32 raw_bytes;	  /* of the payload once decompressed */
	u32 stored_bytes; /* of the payload in the file */
	u32 payload_crc;  /* CRC-32 of the payload as stored */
	u64 first_ns;	  /* EVENTS: time of the first event */
	u64 last_ns;	  /* EVENTS: time of the last event */
	u32 reserved1;	  /* 0 */
	u32 crc;	  /* CRC-32 of this header's bytes before it */
};
_Static_assert(sizeof(struct trace_block_header) == 56, "layout on disk");
_Static_assert(offsetof(struct trace_block_header, first_ns) == 32, "layout on disk");
_Static_assert(offsetof(struct trace_block_header, crc) == 52, "layout on disk");

/*
 * Limits: a writer keeps them, a reader refuses what is above them before it allocates. A stream's
 * buffer is one block, so streams × block bounds the memory of both.
 */
#define TRACE_EVENTS_MAX_BYTES 65536u	/* raw, of a block of events */
#define TRACE_TABLE_MAX_BYTES  1048576u /* raw, of any other block */
#define TRACE_STREAMS_MAX      4096u
#define TRACE_WORKERS_MAX      65536u
#define TRACE_KEYS_MAX	       (1u << 28)
#define TRACE_CPUS_MAX	       65536u
#define TRACE_TASKS_MAX	       (1u << 24)
#define TRACE_COMM_MAX	       15u    /* bytes, without the end mark */
#define TRACE_NAME_MAX	       65535u /* bytes of a cgroup path, a note's name or value */

#endif
