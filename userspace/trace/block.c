// SPDX-License-Identifier: GPL-2.0-only
#include "trace/block.h"

#include <endian.h>
#include <errno.h>
#include <unistd.h>
#include <zlib.h>

u32 trace_crc(const void *data, size_t len)
{
	return (u32)crc32_z(0, data, len);
}

void file_header_swap(struct trace_file_header *h)
{
	u32 *const words[] = {
		&h->version, &h->header_bytes, &h->flags, &h->engine, &h->streams,
		&h->workers, &h->keys,	       &h->cell,  &h->repeat, &h->crc,
	};

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		*words[i] = le32toh(*words[i]);
	h->base_ns = le64toh(h->base_ns);
	h->seed = le64toh(h->seed);
	h->file_bytes = le64toh(h->file_bytes);
}

void block_header_swap(struct trace_block_header *h)
{
	u32 *const words[] = {
		&h->mark,      &h->stream,	 &h->count,	  &h->kinds,
		&h->raw_bytes, &h->stored_bytes, &h->payload_crc, &h->crc,
	};

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		*words[i] = le32toh(*words[i]);
	h->first_ns = le64toh(h->first_ns);
	h->last_ns = le64toh(h->last_ns);
}

void file_header_seal(struct trace_file_header *h)
{
	file_header_swap(h);
	h->crc = htole32(trace_crc(h, offsetof(struct trace_file_header, crc)));
}

void block_header_seal(struct trace_block_header *h)
{
	block_header_swap(h);
	h->crc = htole32(trace_crc(h, offsetof(struct trace_block_header, crc)));
}

const char *file_header_unseal(struct trace_file_header *h)
{
	u32 crc = trace_crc(h, offsetof(struct trace_file_header, crc));

	file_header_swap(h);
	return h->crc == crc ? NULL : "the header's checksum does not match";
}

static const char *events_header_check(const struct trace_block_header *h)
{
	if (h->raw_bytes > TRACE_EVENTS_MAX_BYTES)
		return "a block is larger than any writer makes";
	/* The shortest event has two bytes. */
	if (!h->count || h->count > h->raw_bytes / 2 || h->first_ns > h->last_ns)
		return "a block's header contradicts itself";
	return NULL;
}

const char *block_header_unseal(struct trace_block_header *h)
{
	u32 crc = trace_crc(h, offsetof(struct trace_block_header, crc));

	block_header_swap(h);
	if (h->mark != TRACE_BLOCK_MARK)
		return "no block begins here";
	if (h->crc != crc)
		return "a block header's checksum does not match";
	if (h->type < BLOCK_SPEC || h->type > BLOCK_NOTES || h->codec > CODEC_ZSTD)
		return "a block of a type that this program does not know";
	if (h->raw_bytes > TRACE_TABLE_MAX_BYTES)
		return "a block is larger than any writer makes";
	if (h->stored_bytes > h->raw_bytes ||
	    (h->codec == CODEC_RAW && h->stored_bytes != h->raw_bytes))
		return "a block's header contradicts itself";
	return h->type == BLOCK_EVENTS ? events_header_check(h) : NULL;
}

int pread_all(int fd, void *data, size_t len, u64 offset)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pread(fd, (u8 *)data + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		done += (size_t)n;
	}
	return 0;
}

int pwrite_all(int fd, const void *data, size_t len, u64 offset)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pwrite(fd, (const u8 *)data + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		done += (size_t)n;
	}
	return 0;
}
