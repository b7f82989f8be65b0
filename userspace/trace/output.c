// SPDX-License-Identifier: GPL-2.0-only
/* The writer's blocks on their way to disk. */
#include "trace/block.h"
#include "trace/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The level is chosen by `tools/bench/trace.c`: higher ones gain little on varints. */
#define ZSTD_LEVEL 1

int writer_fail(struct trace_writer *w, int err)
{
	if (!w->error)
		w->error = err;
	return w->error;
}

int output_init(struct trace_writer *w)
{
	w->zstd = ZSTD_createCCtx();
	w->out = malloc(sizeof(struct trace_block_header) + TRACE_TABLE_MAX_BYTES);
	if (!w->zstd || !w->out)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	/* The block has a checksum and the size of its own. */
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 0);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_contentSizeFlag, 0);
	return 0;
}

int output_header(struct trace_writer *w, u32 flags)
{
	struct trace_file_header h = w->head;
	int err;

	h.flags = flags;
	h.file_bytes = flags & TRACE_INCOMPLETE ? 0 : w->size;
	file_header_seal(&h);
	err = pwrite_all(w->fd, &h, sizeof(h), 0);
	return err ? writer_fail(w, err) : 0;
}

/* The payload after the place of the header in w->out: compressed where that makes it smaller. */
static void compress(struct trace_writer *w, struct trace_block_header *h, const u8 *raw)
{
	u8 *payload = w->out + sizeof(*h);
	size_t n = 0;

	if (h->raw_bytes > 1)
		n = ZSTD_compress2(w->zstd, payload, h->raw_bytes - 1, raw, h->raw_bytes);
	h->codec = n && !ZSTD_isError(n) ? CODEC_ZSTD : CODEC_RAW;
	h->stored_bytes = h->codec == CODEC_ZSTD ? (u32)n : h->raw_bytes;
	if (h->codec == CODEC_RAW && h->raw_bytes)
		memcpy(payload, raw, h->raw_bytes);
	h->payload_crc = trace_crc(payload, h->stored_bytes);
}

int output_block(struct trace_writer *w, struct trace_block_header *h, const u8 *raw)
{
	size_t len;
	int err;

	if (w->error)
		return w->error;
	h->mark = TRACE_BLOCK_MARK;
	compress(w, h, raw);
	len = sizeof(*h) + h->stored_bytes;
	block_header_seal(h);
	memcpy(w->out, h, sizeof(*h));
	err = pwrite_all(w->fd, w->out, len, w->size);
	if (err) {
		/* Best effort: a reader finds the end of a block that is cut short, too. */
		int cut = ftruncate(w->fd, (off_t)w->size);

		(void)cut;
		return writer_fail(w, err);
	}
	w->size += len;
	return 0;
}
