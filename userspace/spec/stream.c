/* SPDX-License-Identifier: GPL-2.0-only */
#include "spec/stream.h"

#include <string.h>

static bool next(void *ctx, struct arrival *a)
{
	struct stream *st = ctx;

	if (!recording_next(st->file, a))
		return false;
	st->items_due += a->due_ns >= st->warmup_ns;
	return true;
}

int stream_open(struct stream *st, const struct spec *scaled, struct spec_error *err)
{
	int rc = 0;

	memset(st, 0, sizeof(*st));
	st->warmup_ns = scaled->run.warmup_ns;
	if (*scaled->csv.path)
		rc = recording_open(&st->file, &scaled->csv, err);
	if (rc)
		return rc;
	rc = workload_init(&st->workload, &scaled->workload);
	if (rc) {
		spec_fail(err, "out of memory for %u keys", scaled->workload.keys);
		recording_close(st->file);
		return rc;
	}
	st->source = (struct arrival_source){next, st};
	st->workload.source = &st->source;
	return 0;
}

int stream_close(struct stream *st, struct spec_error *err)
{
	int rc = st->file ? recording_error(st->file, err) : 0;

	workload_fini(&st->workload);
	recording_close(st->file);
	st->file = NULL;
	return rc;
}
