// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of all streams in the order of (time_ns, stream): a binary heap of the streams by their
 * next event. Streams come in bursts, so events go on from the same stream for as long as it stays
 * ahead of the second in the heap, without touching the heap.
 */
#include "trace/block.h"
#include "trace/reader.h"

#include <errno.h>
#include <stdlib.h>

#define DISPATCHER_KINDS                                                                           \
	(1u << EVENT_SUBMIT | 1u << EVENT_START | 1u << EVENT_DONE | 1u << EVENT_IDLE |            \
	 1u << EVENT_MOVE | 1u << EVENT_STEP)

enum { STREAM_END = 1, STREAM_DAMAGED = 2 };

/* The block whose time is the stream's head, into memory: 0, STREAM_DAMAGED, -ENOMEM or -EINTR. */
static int block_load(struct trace_reader *r, u32 stream)
{
	struct in_stream *s = &r->streams[stream];
	const struct block_ref *ref = &r->blocks[s->block];
	struct trace_block_header h;
	const char *what = load_header(r, ref->offset, &h);
	int err = 0;

	if (r->stop && r->stop(r->stop_ctx))
		return -EINTR;
	/* The scan saw all this: a file that was changed since is damaged. */
	if (!what && (h.type != BLOCK_EVENTS || h.stream != stream || h.raw_bytes > s->raw_max ||
		      h.first_ns != ref->first_ns))
		what = "the file was changed while it was read";
	if (!what)
		what = load_payload(r, ref->offset, &h, s->raw, &err);
	if (err)
		return err;
	if (what) {
		reader_damage(r, ref->offset, what);
		return STREAM_DAMAGED;
	}
	s->block_offset = ref->offset;
	s->block = ref->next;
	s->in = (struct cursor){.at = s->raw, .end = s->raw + h.raw_bytes};
	s->codec = codec_start(h.first_ns);
	s->left = h.count;
	s->block_last_ns = h.last_ns;
	s->block_kinds = h.kinds;
	return 0;
}

/* Is the block what its header said, at this event and at its end? */
static bool block_agrees(const struct in_stream *s)
{
	if (!(s->block_kinds & 1u << s->head.kind) || s->head.time_ns > s->block_last_ns)
		return false;
	return s->left || (s->in.at == s->in.end && s->head.time_ns == s->block_last_ns);
}

/* The next event of the block in memory into the head: 0 or STREAM_DAMAGED. */
static int block_next(struct trace_reader *r, struct in_stream *s)
{
	s->left--;
	if (!codec_decode(&s->codec, &r->limits, &s->in, &s->head) && block_agrees(s))
		return 0;
	reader_damage(r, s->block_offset, "a block holds an event that no writer makes");
	return STREAM_DAMAGED;
}

/* The first event of a block, when its turn has come: at the time that the head already has. */
static int block_first(struct trace_reader *r, u32 stream)
{
	struct in_stream *s = &r->streams[stream];
	u64 time_ns = s->head.time_ns;
	int err = block_load(r, stream);

	if (!err)
		err = block_next(r, s);
	if (!err && s->head.time_ns != time_ns) {
		reader_damage(r, s->block_offset, "a block does not begin at its time");
		err = STREAM_DAMAGED;
	}
	return err;
}

/*
 * The stream's next event into its head; of the next block only the time, so that damage in it ends
 * the pass at that time and not before. 0, STREAM_END or STREAM_DAMAGED.
 */
static int stream_next(struct trace_reader *r, struct in_stream *s)
{
	if (s->left)
		return block_next(r, s);
	if (s->block == NONE32)
		return STREAM_END;
	s->head.kind = 0;
	s->head.time_ns = r->blocks[s->block].first_ns;
	return 0;
}

static bool before(const struct trace_reader *r, u32 a, u32 b)
{
	u64 time_a = r->streams[a].head.time_ns, time_b = r->streams[b].head.time_ns;

	return time_a < time_b || (time_a == time_b && a < b);
}

static void heap_down(struct trace_reader *r, u32 i)
{
	u32 *heap = r->heap;

	for (;;) {
		u32 child = 2 * i + 1, stream = heap[i];

		if (child + 1 < r->nr_heap && before(r, heap[child + 1], heap[child]))
			child++;
		if (child >= r->nr_heap || !before(r, heap[child], stream))
			return;
		heap[i] = heap[child];
		heap[child] = stream;
		i = child;
	}
}

/* The stream that comes after the first; NONE32 when there is none. */
static u32 heap_second(const struct trace_reader *r)
{
	if (r->nr_heap < 2)
		return NONE32;
	if (r->nr_heap > 2 && before(r, r->heap[2], r->heap[1]))
		return r->heap[2];
	return r->heap[1];
}

static void heap_fill(struct trace_reader *r)
{
	for (u32 i = 0; i < r->nr_streams; i++) {
		if (!stream_next(r, &r->streams[i]))
			r->heap[r->nr_heap++] = i;
	}
	for (u32 i = r->nr_heap / 2; i-- > 0;)
		heap_down(r, i);
}

/* Give events of the first stream while it is first: 0, STREAM_DAMAGED or an error. */
static int emit_first(struct trace_reader *r, const struct event_sink *sink)
{
	u32 stream = r->heap[0], second = heap_second(r);
	struct in_stream *s = &r->streams[stream];
	int err = 0;

	do {
		if (!s->head.kind)
			err = block_first(r, stream);
		if (!err)
			err = sink->take(sink->ctx, &s->head);
		if (!err)
			err = stream_next(r, s);
	} while (!err && (second == NONE32 || before(r, stream, second)));
	if (err == STREAM_END) {
		r->heap[0] = r->heap[--r->nr_heap];
		err = 0;
	}
	if (!err && r->nr_heap)
		heap_down(r, 0);
	return err;
}

static bool stream_wanted(const struct in_stream *s, enum trace_filter filter)
{
	return filter == TRACE_ALL || s->kinds & DISPATCHER_KINDS;
}

int trace_rewind(struct trace_reader *r, enum trace_filter filter)
{
	r->nr_heap = 0;
	r->started = false;
	for (u32 i = 0; i < r->nr_streams; i++) {
		struct in_stream *s = &r->streams[i];

		s->block = stream_wanted(s, filter) ? s->first : NONE32;
		s->left = 0;
		s->head.time_ns = 0;
		if (s->block != NONE32 && !s->raw)
			s->raw = malloc(s->raw_max + VARINT_SLACK);
		if (s->block != NONE32 && !s->raw)
			return -ENOMEM;
	}
	return 0;
}

int trace_read(struct trace_reader *r, const struct event_sink *sink)
{
	int err = 0;

	if (!r->started)
		heap_fill(r);
	r->started = true;
	while (!err && r->nr_heap)
		err = emit_first(r, sink);
	/* Nothing more comes from this pass, however often it is asked. */
	r->nr_heap = 0;
	return err == STREAM_DAMAGED ? 0 : err;
}
