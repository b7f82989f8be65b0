// SPDX-License-Identifier: GPL-2.0-only
/* The writer: its life, and events into blocks. */
#include "trace/block.h"
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool info_ok(const struct trace_info *info, u32 streams)
{
	return (info->engine == TRACE_LIVE || info->engine == TRACE_SIM) && streams &&
	       streams <= TRACE_STREAMS_MAX && info->workers <= TRACE_WORKERS_MAX &&
	       info->keys <= TRACE_KEYS_MAX;
}

static void header_init(struct trace_file_header *h, const struct trace_info *info, u32 streams)
{
	*h = (struct trace_file_header){
		.version = TRACE_VERSION,
		.header_bytes = sizeof(*h),
		.flags = info->probe ? TRACE_PROBED : 0,
		.engine = info->engine,
		.streams = streams,
		.workers = info->workers,
		.keys = info->keys,
		.cell = info->cell,
		.repeat = info->repeat,
		.base_ns = info->base_ns,
		.seed = info->seed,
	};
	memcpy(h->magic, TRACE_MAGIC, sizeof(h->magic));
}

static void writer_free(struct trace_writer *w)
{
	for (u32 i = 0; w->streams && i < w->head.streams; i++)
		free(w->streams[i].buf);
	free(w->streams);
	tables_free(w);
	ZSTD_freeCCtx(w->zstd);
	free(w->out);
	free(w);
}

static struct trace_writer *writer_new(const struct trace_info *info, u32 streams)
{
	struct trace_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	header_init(&w->head, info, streams);
	w->size = sizeof(w->head);
	w->limits.workers = info->workers;
	w->limits.keys = info->keys;
	w->streams = calloc(streams, sizeof(*w->streams));
	if (!w->streams || output_init(w)) {
		writer_free(w);
		return NULL;
	}
	return w;
}

/* Header and spec, so that a file whose writer was killed says what it was to be. */
static int write_front(struct trace_writer *w, const char *spec)
{
	struct trace_block_header h = {.type = BLOCK_SPEC, .raw_bytes = (u32)strlen(spec)};
	int err = output_header(w, w->head.flags | TRACE_INCOMPLETE);

	return err ? err : output_block(w, &h, (const u8 *)spec);
}

int trace_create(struct trace_writer **out, const char *path, const struct trace_info *info,
		 const char *spec, u32 streams)
{
	struct trace_writer *w;
	int err;

	*out = NULL;
	if (!info_ok(info, streams) || strlen(spec) > TRACE_TABLE_MAX_BYTES)
		return -EINVAL;
	w = writer_new(info, streams);
	if (!w)
		return -ENOMEM;
	w->fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
	if (w->fd < 0) {
		err = -errno;
		writer_free(w);
		return err;
	}
	err = write_front(w, spec);
	if (err) {
		close(w->fd);
		unlink(path);
		writer_free(w);
		return err;
	}
	*out = w;
	return 0;
}

void trace_set_base(struct trace_writer *w, u64 base_ns)
{
	w->head.base_ns = base_ns;
	/* At once: a writer that is killed later leaves a file that knows it. */
	if (!w->error)
		output_header(w, w->head.flags | TRACE_INCOMPLETE);
}

static int stream_flush(struct trace_writer *w, u32 stream)
{
	struct out_stream *s = &w->streams[stream];
	struct trace_block_header h = {
		.type = BLOCK_EVENTS,
		.stream = stream,
		.count = s->count,
		.kinds = s->kinds,
		.first_ns = s->first_ns,
		.last_ns = s->last_ns,
	};

	if (w->error || !s->count)
		return w->error;
	h.raw_bytes = (u32)(s->at - s->buf);
	s->at = s->buf;
	s->count = 0;
	s->kinds = 0;
	/* The tasks that the block names go before it. */
	if (table_flush(w, BLOCK_TASKS))
		return w->error;
	return output_block(w, &h, s->buf);
}

/* Room for one event, in a block that has begun. */
static int stream_ready(struct trace_writer *w, u32 stream, u64 time_ns)
{
	struct out_stream *s = &w->streams[stream];

	if (!s->buf) {
		s->buf = malloc(TRACE_EVENTS_MAX_BYTES);
		if (!s->buf)
			return writer_fail(w, -ENOMEM);
		s->at = s->buf;
	}
	if (s->at > s->buf + TRACE_EVENTS_MAX_BYTES - EVENT_MAX_BYTES && stream_flush(w, stream))
		return w->error;
	if (!s->count) {
		s->codec = codec_start(time_ns);
		s->first_ns = time_ns;
	}
	return 0;
}

int trace_write(struct trace_writer *w, u32 stream, const struct event *ev)
{
	struct out_stream *s;

	if (w->error)
		return w->error;
	if (stream >= w->head.streams || codec_check(ev, &w->limits))
		return writer_fail(w, -EINVAL);
	s = &w->streams[stream];
	if (ev->time_ns < s->last_ns)
		return writer_fail(w, -EINVAL);
	if (stream_ready(w, stream, ev->time_ns))
		return w->error;
	s->at = codec_encode(&s->codec, &w->limits, s->at, ev);
	s->last_ns = ev->time_ns;
	s->kinds |= 1u << ev->kind;
	s->count++;
	return 0;
}

int trace_flush(struct trace_writer *w)
{
	tables_flush(w);
	for (u32 i = 0; i < w->head.streams; i++)
		stream_flush(w, i);
	return w->error;
}

/* The order is the promise: blocks on disk, then the header that says so. */
static int writer_finish(struct trace_writer *w)
{
	if (fdatasync(w->fd))
		return writer_fail(w, -errno);
	return output_header(w, w->head.flags);
}

const char *trace_mend(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
		return "; make room there, or name another place with --out";
	case -EFBIG:
		return "; raise the limit of a file's size (ulimit -f)";
	case -ENOMEM:
		return "";
	default:
		return "; name another place with --out";
	}
}

int trace_close(struct trace_writer *w, bool complete)
{
	int err;

	trace_flush(w);
	if (complete && !w->error)
		writer_finish(w);
	if (close(w->fd))
		writer_fail(w, -errno);
	err = w->error;
	writer_free(w);
	return err;
}
