/* SPDX-License-Identifier: GPL-2.0-only */
#include "spec/csv.h"
#include "spec/csv_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_MAX 65536 /* bytes */
#define FIELDS_MAX 256

#define END (-1)

struct csv {
	struct csv_input in;
	const u8 *pos, *end;
	int error; /* of the input, found while a byte was asked for */
	struct spec_error *err;
	u64 line;	       /* of the next byte */
	u64 started;	       /* the line that the record began on */
	char text[RECORD_MAX]; /* the fields, each with its end mark */
	size_t len;
	u32 begins[FIELDS_MAX], nr;
};

/* The next byte without taking it, or END, also where the input fails. */
static int peek(struct csv *c)
{
	size_t len;

	if (c->pos == c->end && !c->error) {
		c->error = input_next(&c->in, &c->pos, &len, c->err);
		c->end = c->error ? c->pos : c->pos + len;
	}
	return c->pos == c->end ? END : *c->pos;
}

static int take(struct csv *c)
{
	int byte = peek(c);

	if (byte != END)
		c->pos++;
	c->line += byte == '\n';
	return byte;
}

__attribute__((format(printf, 3, 4))) static int fail(struct csv *c, u64 line, const char *fmt, ...)
{
	char what[200];
	__builtin_va_list ap;

	__builtin_va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	__builtin_va_end(ap);
	return spec_fail(c->err, "%s:%" PRIu64 ": %s", spec_path(c->in.path), line, what);
}

static int put(struct csv *c, int byte)
{
	if (c->len == sizeof(c->text))
		return fail(c, c->started, "a record of more than %d bytes; is a quote missing?",
			    RECORD_MAX);
	c->text[c->len++] = (char)byte;
	return 0;
}

static int begin_field(struct csv *c)
{
	if (c->nr == FIELDS_MAX)
		return fail(c, c->started, "more than %d fields", FIELDS_MAX);
	c->begins[c->nr++] = (u32)c->len;
	return 0;
}

static bool is_text(int byte)
{
	return byte >= ' ' ? byte != 127 : byte == '\t';
}

static int not_text(struct csv *c, int byte)
{
	return fail(c, c->line, "byte 0x%02x is not text; name a CSV file", (unsigned int)byte);
}

/* Behind its opening quote. Lines may end in it. */
static int quoted_field(struct csv *c)
{
	u64 line = c->line;
	int byte, rc = 0;

	while (!rc) {
		byte = take(c);
		if (byte == END)
			return c->error ? c->error
					: fail(c, line, "a quoted field without its second quote");
		if (byte == '"') {
			if (peek(c) != '"')
				return c->error;
			take(c);
		} else if (byte != '\n' && byte != '\r' && !is_text(byte)) {
			return not_text(c, byte);
		}
		rc = put(c, byte);
	}
	return rc;
}

static bool ends_field(int byte)
{
	return byte == END || byte == ',' || byte == '\n' || byte == '\r';
}

static int plain_field(struct csv *c)
{
	int rc = 0;

	while (!rc && !ends_field(peek(c))) {
		int byte = take(c);

		if (byte == '"')
			return fail(c, c->line, "a quote within a field that has none around it");
		if (!is_text(byte))
			return not_text(c, byte);
		rc = put(c, byte);
	}
	return rc;
}

/* One field with its end mark, and the comma behind it. *more: another one follows. */
static int field(struct csv *c, bool *more)
{
	int rc = begin_field(c);

	if (rc)
		return rc;
	if (peek(c) == '"') {
		take(c);
		rc = quoted_field(c);
		if (!rc && !ends_field(peek(c)))
			rc = fail(c, c->line, "text behind the second quote of a field");
	} else {
		rc = plain_field(c);
	}
	if (!rc)
		rc = put(c, '\0');
	*more = peek(c) == ',';
	if (*more)
		take(c);
	return rc ? rc : c->error;
}

static int end_line(struct csv *c)
{
	int byte = take(c);

	if (byte == '\r') {
		if (peek(c) != '\n')
			return c->error ? c->error : not_text(c, byte);
		take(c);
	}
	return c->error;
}

/* A line without anything is no record. */
static int skip_empty_lines(struct csv *c)
{
	int rc = 0;

	while (!rc && (peek(c) == '\n' || peek(c) == '\r'))
		rc = end_line(c);
	return rc ? rc : c->error;
}

int csv_next(struct csv *c, struct spec_error *err)
{
	bool more = true;
	int rc;

	c->err = err;
	rc = skip_empty_lines(c);
	c->len = c->nr = 0;
	c->started = c->line;
	if (rc || peek(c) == END)
		return rc;
	while (more && !rc)
		rc = field(c, &more);
	if (!rc)
		rc = end_line(c);
	return rc ? rc : 1;
}

static void skip_byte_order_mark(struct csv *c)
{
	peek(c);
	if (c->end - c->pos >= 3 && !memcmp(c->pos, "\xef\xbb\xbf", 3))
		c->pos += 3;
}

int csv_open(struct csv **out, const char *path, struct spec_error *err)
{
	struct csv *c = calloc(1, sizeof(*c));
	int rc;

	*out = c;
	if (!c) {
		spec_fail(err, "%s: out of memory", spec_path(path));
		return -ENOMEM;
	}
	c->line = 1;
	c->err = err;
	rc = input_open(&c->in, path, err);
	if (!rc) {
		skip_byte_order_mark(c);
		rc = c->error;
	}
	if (rc) {
		csv_close(c);
		*out = NULL;
	}
	return rc;
}

void csv_close(struct csv *c)
{
	if (!c)
		return;
	input_close(&c->in);
	free(c);
}

u64 csv_line(const struct csv *c)
{
	return c->started;
}

u32 csv_fields(const struct csv *c)
{
	return c->nr;
}

const char *csv_field(const struct csv *c, u32 i)
{
	return c->text + c->begins[i];
}

u64 csv_bytes(const struct csv *c)
{
	return c->in.bytes;
}

u32 csv_crc32(const struct csv *c)
{
	return c->in.crc;
}
