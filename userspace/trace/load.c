// SPDX-License-Identifier: GPL-2.0-only
/* Blocks from disk, checked before they are believed. pread, not mmap: a file that shrinks is an
 * error to report, not a SIGBUS. */
#include "trace/block.h"
#include "trace/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *read_error(int err)
{
	return err == -ENODATA ? "the file became shorter while it was read"
			       : "the disk could not read it";
}

const char *load_header(struct trace_reader *r, u64 offset, struct trace_block_header *h)
{
	const char *what;
	int err;

	if (r->end - offset < sizeof(*h))
		return "cut off inside a block";
	err = pread_all(r->fd, h, sizeof(*h), offset);
	if (err)
		return read_error(err);
	what = block_header_unseal(h);
	if (what)
		return what;
	if (h->stored_bytes > r->end - offset - sizeof(*h))
		return "cut off inside a block";
	return NULL;
}

static int stored_room(struct trace_reader *r, size_t len)
{
	u8 *stored;

	if (len <= r->room_stored)
		return 0;
	stored = realloc(r->stored, len);
	if (!stored)
		return -ENOMEM;
	r->stored = stored;
	r->room_stored = len;
	return 0;
}

const char *load_payload(struct trace_reader *r, u64 offset, const struct trace_block_header *h,
			 u8 *raw, int *err)
{
	bool zstd = h->codec == CODEC_ZSTD;
	u8 *stored = raw;
	int read_err;

	memset(raw + h->raw_bytes, 0, VARINT_SLACK);
	if (zstd) {
		*err = stored_room(r, h->stored_bytes);
		if (*err)
			return "out of memory";
		stored = r->stored;
	}
	read_err = pread_all(r->fd, stored, h->stored_bytes, offset + sizeof(*h));
	if (read_err)
		return read_error(read_err);
	if (trace_crc(stored, h->stored_bytes) != h->payload_crc)
		return "a block's checksum does not match";
	if (zstd && ZSTD_decompressDCtx(r->zstd, raw, h->raw_bytes, stored, h->stored_bytes) !=
			    h->raw_bytes)
		return "a block does not decompress to its size";
	return NULL;
}

static const char *load_tasks(struct trace_reader *r, struct cursor *in, u32 count, int *err)
{
	for (u32 i = 0; i < count && cursor_left(in); i++) {
		struct task task = {.tid = get_varint32(in)};
		u64 worker = get_varint(in);
		u64 len, left;
		struct task *tasks;

		task.class = get_varint32(in);
		task.cgroup = get_varint(in);
		task.worker = worker ? (u32)(worker - 1) : NONE32;
		len = get_varint(in);
		left = cursor_left(in);
		if (!cursor_ok(in) || worker > r->info.workers || task.class > TASK_INTERRUPT ||
		    len > TRACE_COMM_MAX || len > left || memchr(in->at, 0, len) ||
		    r->nr_tasks == TRACE_TASKS_MAX)
			return "a table of tasks contradicts itself";
		memcpy(task.comm, in->at, len);
		in->at += len;
		tasks = array_grow(r->tasks, r->nr_tasks, &r->room_tasks, sizeof(*tasks));
		if (!tasks) {
			*err = -ENOMEM;
			return "out of memory";
		}
		r->tasks = tasks;
		r->tasks[r->nr_tasks++] = task;
	}
	return NULL;
}

/* A length and that many bytes, as a string of its own; NULL when they are not there. */
static char *get_string(struct cursor *in, int *err)
{
	u64 len = get_varint(in);
	char *text;

	if (!cursor_ok(in) || len > TRACE_NAME_MAX || len > cursor_left(in) ||
	    memchr(in->at, 0, len)) {
		in->bad = true;
		return NULL;
	}
	text = strndup((const char *)in->at, len);
	if (!text)
		*err = -ENOMEM;
	in->at += len;
	return text;
}

static const char *load_names(struct cursor *in, u32 count, bool notes, struct name_ref **names,
			      u32 *nr, u32 *room, int *err)
{
	for (u32 i = 0; i < count && cursor_left(in); i++) {
		struct name_ref *grown = array_grow(*names, *nr, room, sizeof(*grown));
		struct name_ref *n;

		if (!grown) {
			*err = -ENOMEM;
			return "out of memory";
		}
		*names = grown;
		n = &grown[*nr];
		*n = (struct name_ref){0};
		if (notes)
			n->name = get_string(in, err);
		else
			n->id = get_varint(in);
		if (n->name || !notes)
			n->value = get_string(in, err);
		if (!n->value) {
			free(n->name);
			return *err ? "out of memory" : "a table of names contradicts itself";
		}
		++*nr;
	}
	return NULL;
}

static const char *load_spec(struct trace_reader *r, const u8 *raw, u32 len, int *err)
{
	if (r->spec || memchr(raw, 0, len))
		return "a spec that no writer makes";
	r->spec = strndup((const char *)raw, len);
	if (!r->spec)
		*err = -ENOMEM;
	return r->spec ? NULL : "out of memory";
}

const char *load_table(struct trace_reader *r, const struct trace_block_header *h, const u8 *raw,
		       int *err)
{
	struct cursor in = {.at = raw, .end = raw + h->raw_bytes};
	u32 before = r->nr_tasks + r->nr_cgroups + r->nr_notes;
	const char *what;

	if (h->type == BLOCK_SPEC)
		return load_spec(r, raw, h->raw_bytes, err);
	if (h->type == BLOCK_TASKS)
		what = load_tasks(r, &in, h->count, err);
	else if (h->type == BLOCK_CGROUPS)
		what = load_names(&in, h->count, false, &r->cgroups, &r->nr_cgroups,
				  &r->room_cgroups, err);
	else
		what = load_names(&in, h->count, true, &r->notes, &r->nr_notes, &r->room_notes,
				  err);
	if (what)
		return what;
	if (cursor_left(&in) || r->nr_tasks + r->nr_cgroups + r->nr_notes - before != h->count)
		return "a table is not as long as its header says";
	return NULL;
}
