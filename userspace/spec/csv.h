/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CSV file, plain or compressed with zstd, record by record: fields between commas, which may be
 * quoted, a quote in them doubled. Lines end with LF or CR LF; empty ones are skipped. Memory is
 * for one record.
 */
#ifndef HOLBENCH_SPEC_CSV_H
#define HOLBENCH_SPEC_CSV_H

#include "spec/error.h"

struct csv;

/* Returns 0 with *out, or a negative errno with err filled. Only regular files. */
int csv_open(struct csv **out, const char *path, struct spec_error *err);
void csv_close(struct csv *c);
/* 1: a record was read; 0: there are no more; or a negative errno with err filled. */
int csv_next(struct csv *c, struct spec_error *err);
/* Of the last record: on which line it began, how many fields it has, and the i-th, which ends
 * with a zero byte and has no other. */
u64 csv_line(const struct csv *c);
u32 csv_fields(const struct csv *c);
const char *csv_field(const struct csv *c, u32 i);
/* At the end: the bytes of the file as it is on disk, and their CRC-32. */
u64 csv_bytes(const struct csv *c);
u32 csv_crc32(const struct csv *c);

#endif
