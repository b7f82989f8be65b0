/* SPDX-License-Identifier: GPL-2.0-only */
#include "spec/csv_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static int fail_errno(struct csv_input *in, struct spec_error *err)
{
	int error = errno;

	spec_fail_keys(err, "workload.trace", "%s: %s; name a CSV file that can be read",
		       spec_path(in->path), strerror(error));
	return -error;
}

static int refill(struct csv_input *in, struct spec_error *err)
{
	ssize_t n = read(in->fd, in->raw, sizeof(in->raw));

	if (n < 0)
		return fail_errno(in, err);
	in->raw_pos = 0;
	in->raw_len = (size_t)n;
	in->bytes += (u64)n;
	in->crc = (u32)crc32(in->crc, in->raw, (uInt)n);
	in->ended = !n;
	return 0;
}

static bool is_zstd(const struct csv_input *in)
{
	static const u8 magic[] = {0x28, 0xb5, 0x2f, 0xfd};

	return in->raw_len >= sizeof(magic) && !memcmp(in->raw, magic, sizeof(magic));
}

int input_open(struct csv_input *in, const char *path, struct spec_error *err)
{
	struct stat st;
	int rc;

	in->path = path;
	in->zstd = NULL;
	in->more = in->raw_pos = in->raw_len = 0;
	in->bytes = in->crc = 0;
	in->ended = false;
	in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in->fd < 0 || fstat(in->fd, &st))
		return fail_errno(in, err);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return spec_fail_keys(err, "workload.trace",
				      "%s: not a regular file, and it is read twice; name one",
				      spec_path(path));
	rc = refill(in, err);
	if (rc || !is_zstd(in))
		return rc;
	in->zstd = ZSTD_createDCtx();
	if (in->zstd)
		return 0;
	spec_fail(err, "%s: out of memory", spec_path(path));
	return -ENOMEM;
}

void input_close(struct csv_input *in)
{
	ZSTD_freeDCtx(in->zstd);
	in->zstd = NULL;
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}

static int inflate_some(struct csv_input *in, size_t *len, struct spec_error *err)
{
	ZSTD_outBuffer to = {in->text, sizeof(in->text), 0};
	ZSTD_inBuffer from = {in->raw, in->raw_len, in->raw_pos};
	size_t more = ZSTD_decompressStream(in->zstd, &to, &from);

	if (ZSTD_isError(more))
		return spec_fail_keys(err, "workload.trace",
				      "%s: is damaged: %s; compress it again", spec_path(in->path),
				      ZSTD_getErrorName(more));
	in->more = more;
	in->raw_pos = from.pos;
	*len = to.pos;
	return 0;
}

static int next_inflated(struct csv_input *in, size_t *len, struct spec_error *err)
{
	int rc = 0;

	/* What is left in the decoder comes out without further input. */
	for (*len = 0; !rc && !*len;) {
		if (in->raw_pos == in->raw_len && !in->ended)
			rc = refill(in, err);
		if (!rc && in->ended && !in->more)
			return 0;
		if (!rc)
			rc = inflate_some(in, len, err);
		if (!rc && in->ended && !*len && in->more)
			return spec_fail_keys(err, "workload.trace",
					      "%s: ends in the middle of its compressed data; "
					      "it was cut off",
					      spec_path(in->path));
	}
	return rc;
}

int input_next(struct csv_input *in, const u8 **text, size_t *len, struct spec_error *err)
{
	int rc = 0;

	*text = in->text;
	if (in->zstd)
		return next_inflated(in, len, err);
	if (in->raw_pos == in->raw_len && !in->ended)
		rc = refill(in, err);
	*text = in->raw + in->raw_pos;
	*len = in->raw_len - in->raw_pos;
	in->raw_pos = in->raw_len;
	return rc;
}
