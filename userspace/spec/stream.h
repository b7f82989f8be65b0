/* SPDX-License-Identifier: GPL-2.0-only */
/* The stream of a cell for whoever runs it: drawn, or recorded in a file. */
#ifndef HOLBENCH_SPEC_STREAM_H
#define HOLBENCH_SPEC_STREAM_H

#include "spec/recording.h"

struct stream {
	struct workload workload; /* its items, from workload_next() */
	u64 items_due;		  /* of those given, due at the warm-up's end or later */

	u64 warmup_ns;
	struct recording *file; /* owned; NULL: drawn */
	struct arrival_source source;
};

/*
 * Of a scaled cell, with the seed that it shall have. 0, or a negative errno with err filled; then
 * nothing is held. The struct stays where it is until stream_close().
 */
int stream_open(struct stream *st, const struct spec *scaled, struct spec_error *err);
/* Free it. 0 when the stream had no trouble, or a negative errno with err filled: its file. */
int stream_close(struct stream *st, struct spec_error *err);

#endif
