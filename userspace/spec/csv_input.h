/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of a file, decompressed where it is a zstd frame, and what they are on disk. */
#ifndef HOLBENCH_SPEC_CSV_INPUT_H
#define HOLBENCH_SPEC_CSV_INPUT_H

#include "spec/error.h"

#include <zstd.h>

#define INPUT_BYTES 65536

struct csv_input {
	const char *path; /* borrowed */
	int fd;
	ZSTD_DCtx *zstd; /* owned; NULL: plain */
	size_t more;	 /* zstd: 0 at the end of a frame */
	u8 raw[INPUT_BYTES], text[INPUT_BYTES];
	size_t raw_pos, raw_len;
	u64 bytes; /* read from the file */
	u32 crc;
	bool ended;
};

/* Each returns 0, or a negative errno with err filled. */
int input_open(struct csv_input *in, const char *path, struct spec_error *err);
/* *len bytes are at *text until the next call; 0: there are no more. */
int input_next(struct csv_input *in, const u8 **text, size_t *len, struct spec_error *err);
void input_close(struct csv_input *in);

#endif
