/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers and checksums of the file, and whole reads and writes: what the writer and the reader
 * share. */
#ifndef HOLBENCH_TRACE_BLOCK_H
#define HOLBENCH_TRACE_BLOCK_H

#include "trace/format.h"

/* CRC-32 as in zlib, of at most 2^32-1 bytes. */
u32 trace_crc(const void *data, size_t len);

/* Between the host's order of bytes and the file's; the same call either way. */
void file_header_swap(struct trace_file_header *h);
void block_header_swap(struct trace_block_header *h);

/* Fill in the checksum and bring into the file's order of bytes. */
void file_header_seal(struct trace_file_header *h);
void block_header_seal(struct trace_block_header *h);

/*
 * Bring into the host's order and check what a header says by itself. NULL, or what is wrong with
 * it, in a few words. Of a file header only the checksum is checked here.
 */
const char *file_header_unseal(struct trace_file_header *h);
const char *block_header_unseal(struct trace_block_header *h);

/* All of it, or a negative errno; -ENODATA when the file ends before. */
int pread_all(int fd, void *data, size_t len, u64 offset);
/* All of it, or a negative errno, with any part written. */
int pwrite_all(int fd, const void *data, size_t len, u64 offset);

#endif
