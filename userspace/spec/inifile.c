// SPDX-License-Identifier: GPL-2.0-only
/*
 * inih as distributions build it gives its handler no line number and cuts a line that does not fit
 * its buffer, so the lines go through a reader of our own that counts and measures them. The
 * handler is called while inih works on the line that the reader gave last.
 */
#include "spec/inifile.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 20)

struct parse {
	const char *name, *pos, *end;
	const struct ini_sink *sink;
	struct spec_error *err;
	u32 line;
	bool indented;	/* the line begins with a blank */
	bool have_name; /* a pair came since the last section: an indented line continues it */
	int rc;
};

/* Text has no control characters but tabs and line ends. */
static int check_text(struct parse *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p->pos[i];
		bool line_end = c == '\n' || (c == '\r' && i + 1 < len && p->pos[i + 1] == '\n');

		if ((c < ' ' && c != '\t' && !line_end) || c == 127)
			return spec_fail(p->err,
					 "%s:%u: byte 0x%02x is not text; a spec is an INI file",
					 p->name, p->line, c);
	}
	return 0;
}

/* inih reports a section only with its first key; an unknown one is wrong without any. */
static int check_section(struct parse *p, const char *line)
{
	char section[64];
	const char *end;

	while (isspace((unsigned char)*line))
		line++;
	end = strchr(line, ']');
	if (*line != '[' || !end || (p->indented && p->have_name))
		return 0;
	p->have_name = false;
	snprintf(section, sizeof(section), "%.*s", (int)(end - line - 1), line + 1);
	return p->sink->section(p->sink->ctx, section, p->line, p->err);
}

static size_t line_length(const struct parse *p)
{
	const char *newline = memchr(p->pos, '\n', (size_t)(p->end - p->pos));

	return (size_t)((newline ? newline + 1 : p->end) - p->pos);
}

static char *next_line(char *buf, int size, void *ctx)
{
	struct parse *p = ctx;
	size_t len;

	if (p->rc || p->pos == p->end)
		return NULL;
	len = line_length(p);
	p->line++;
	p->rc = check_text(p, len);
	if (!p->rc && len >= (size_t)size)
		p->rc = spec_fail(p->err,
				  "%s:%u: the line is longer than %d bytes; continue it on an "
				  "indented line",
				  p->name, p->line, size - 2);
	if (p->rc)
		return NULL;
	memcpy(buf, p->pos, len);
	buf[len] = 0;
	p->pos += len;
	p->indented = isspace((unsigned char)*buf);
	p->rc = check_section(p, buf);
	return p->rc ? NULL : buf;
}

/* inih leaves the comment behind a continuation where it is. */
static void cut_comment(char *value)
{
	char *p = value;

	while (*p && !(*p == ';' && (p == value || isspace((unsigned char)p[-1]))))
		p++;
	while (p > value && isspace((unsigned char)p[-1]))
		p--;
	*p = 0;
}

static int take_pair(void *ctx, const char *section, const char *name, const char *value)
{
	struct parse *p = ctx;
	struct ini_pair pair = {section, name, value, p->line, p->indented && p->have_name};
	char *copy = strdup(value);

	if (!copy) {
		p->rc = -ENOMEM;
		spec_fail(p->err, "%s: out of memory", p->name);
		return 0;
	}
	if (pair.more)
		cut_comment(copy);
	pair.value = copy;
	p->rc = p->sink->pair(p->sink->ctx, &pair, p->err);
	p->have_name = true;
	free(copy);
	return !p->rc;
}

int inifile_parse(const char *text, size_t len, const char *name, const struct ini_sink *sink,
		  struct spec_error *err)
{
	struct parse p = {.name = name, .pos = text, .end = text + len, .sink = sink, .err = err};
	int bad_line = ini_parse_stream(next_line, &p, take_pair, &p);

	/* inih goes on after a line it cannot read, so what stands first decides. */
	if (bad_line > 0 && (!p.rc || (u32)bad_line < p.line))
		return spec_fail(err, "%s:%d: neither [section] nor key = value nor ; comment",
				 name, bad_line);
	if (bad_line < 0 && !p.rc) {
		spec_fail(err, "%s: out of memory", name);
		return -ENOMEM;
	}
	return p.rc;
}

static int fail_errno(struct spec_error *err, const char *path, const char *mend)
{
	int error = errno;

	spec_fail(err, "%s: %s; %s", spec_path(path), strerror(error), mend);
	return -error;
}

int inifile_read(const char *path, char **text, size_t *len, struct spec_error *err)
{
	FILE *f = fopen(path, "re");
	int rc = 0;

	*text = NULL;
	if (!f)
		return fail_errno(err, path, "name a spec file that can be read");
	*text = malloc(FILE_MAX + 1);
	if (!*text) {
		spec_fail(err, "%s: out of memory", spec_path(path));
		rc = -ENOMEM;
		goto out;
	}
	*len = fread(*text, 1, FILE_MAX + 1, f);
	if (ferror(f))
		rc = fail_errno(err, path, "name a spec file that can be read");
	else if (*len > FILE_MAX)
		rc = spec_fail(err, "%s: larger than 1 MiB; that is no spec", spec_path(path));
out:
	fclose(f);
	if (rc) {
		free(*text);
		*text = NULL;
	}
	return rc;
}
