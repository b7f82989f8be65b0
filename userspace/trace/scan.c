// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pass at open: the file header, every block header, every table. Blocks of events are only
 * noted; their payload is read when their turn comes.
 */
#include "trace/block.h"
#include "trace/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define KNOWN_FLAGS (TRACE_INCOMPLETE | TRACE_PROBED)

/* Why this header is not one to go on with; 0 when it is. */
static int header_refuse(const char *path, const char *why, char *err, size_t err_len)
{
	snprintf(err, err_len, "%s: %s; name a cell-*.hbt file that this version of holbench wrote",
		 path, why);
	return -EINVAL;
}

static const char *header_check(const struct trace_file_header *h)
{
	if (h->flags & ~(u32)KNOWN_FLAGS)
		return "the header has flags that this program does not know";
	if (h->engine != TRACE_LIVE && h->engine != TRACE_SIM)
		return "the header names an engine that this program does not know";
	if (!h->streams || h->streams > TRACE_STREAMS_MAX || h->workers > TRACE_WORKERS_MAX ||
	    h->keys > TRACE_KEYS_MAX ||
	    (!(h->flags & TRACE_INCOMPLETE) && h->file_bytes < sizeof(*h)))
		return "the header has a size that no writer makes";
	return NULL;
}

static void header_take(struct trace_reader *r, const struct trace_file_header *h, u64 size)
{
	r->info = (struct trace_info){
		.engine = h->engine,
		.probe = h->flags & TRACE_PROBED,
		.base_ns = h->base_ns,
		.workers = h->workers,
		.keys = h->keys,
		.cell = h->cell,
		.repeat = h->repeat,
		.seed = h->seed,
	};
	r->nr_streams = h->streams;
	r->damage.incomplete = h->flags & TRACE_INCOMPLETE;
	r->end = size;
	if (r->damage.incomplete || h->file_bytes == size)
		return;
	if (size > h->file_bytes)
		r->end = h->file_bytes;
	reader_damage(r, r->end, size < h->file_bytes ? "cut off" : "something follows the end");
}

int scan_header(struct trace_reader *r, const char *path, char *err, size_t err_len)
{
	struct trace_file_header h;
	struct stat st;
	const char *why;
	char text[80];

	if (fstat(r->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return header_refuse(path, "not a regular file", err, err_len);
	if (st.st_size < (off_t)sizeof(h) || pread_all(r->fd, &h, sizeof(h), 0)) {
		header_refuse(path, "too short for a trace", err, err_len);
		return -ENODATA;
	}
	if (memcmp(h.magic, TRACE_MAGIC, sizeof(h.magic)))
		return header_refuse(path, "not a trace", err, err_len);
	why = file_header_unseal(&h);
	/* Before the checksum: another version may have it in another place. */
	if (h.version != TRACE_VERSION || h.header_bytes != sizeof(h)) {
		snprintf(text, sizeof(text), "trace version %u (header of %u bytes), known is %u",
			 h.version, h.header_bytes, TRACE_VERSION);
		return header_refuse(path, text, err, err_len);
	}
	if (!why)
		why = header_check(&h);
	if (why)
		return header_refuse(path, why, err, err_len);
	header_take(r, &h, (u64)st.st_size);
	return 0;
}

/* Hang a block of events behind the last of its stream. NULL, or what is wrong. */
static const char *scan_events(struct trace_reader *r, u64 offset,
			       const struct trace_block_header *h, int *err)
{
	struct in_stream *s;
	struct block_ref *blocks;

	if (h->stream >= r->nr_streams)
		return "a block of a stream that the header does not have";
	s = &r->streams[h->stream];
	if (h->first_ns < s->scan_ns)
		return "a stream's time goes backwards";
	blocks = array_grow(r->blocks, r->nr_blocks, &r->room_blocks, sizeof(*blocks));
	if (!blocks) {
		*err = -ENOMEM;
		return "out of memory";
	}
	r->blocks = blocks;
	blocks[r->nr_blocks] =
		(struct block_ref){.offset = offset, .first_ns = h->first_ns, .next = NONE32};
	if (s->first == NONE32)
		s->first = r->nr_blocks;
	else
		blocks[s->last].next = r->nr_blocks;
	s->last = r->nr_blocks++;
	s->kinds |= h->kinds;
	s->scan_ns = h->last_ns;
	if (h->raw_bytes > s->raw_max)
		s->raw_max = h->raw_bytes;
	return NULL;
}

static const char *scan_table(struct trace_reader *r, u64 offset,
			      const struct trace_block_header *h, int *err)
{
	u8 *raw = malloc(h->raw_bytes + VARINT_SLACK);
	const char *what;

	if (!raw) {
		*err = -ENOMEM;
		return "out of memory";
	}
	what = load_payload(r, offset, h, raw, err);
	if (!what)
		what = load_table(r, h, raw, err);
	free(raw);
	return what;
}

int scan_blocks(struct trace_reader *r)
{
	u64 offset = sizeof(struct trace_file_header);
	int err = 0;

	while (offset < r->end) {
		struct trace_block_header h;
		const char *what = load_header(r, offset, &h);

		if (!what && (h.type == BLOCK_SPEC) != (r->spec == NULL))
			what = "the spec is not the first block";
		if (!what && h.type == BLOCK_EVENTS)
			what = scan_events(r, offset, &h, &err);
		else if (!what)
			what = scan_table(r, offset, &h, &err);
		if (err)
			return err;
		if (what) {
			reader_damage(r, offset, what);
			return 0;
		}
		offset += sizeof(h) + h.stored_bytes;
	}
	if (!r->damage.damaged)
		r->damage.offset = r->damage.incomplete ? offset : 0;
	return 0;
}
