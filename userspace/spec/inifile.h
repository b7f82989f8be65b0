/* SPDX-License-Identifier: GPL-2.0-only */
/* INI text through inih, with line numbers and nothing cut or skipped in silence. */
#ifndef HOLBENCH_SPEC_INIFILE_H
#define HOLBENCH_SPEC_INIFILE_H

#include "spec/error.h"

struct ini_pair {
	const char *section, *name, *value; /* valid during the call */
	u32 line;
	bool more; /* an indented line: its value continues the pair before it */
};

struct ini_sink {
	/* Each returns 0, or a negative errno with err filled, which ends the parse. */
	int (*section)(void *ctx, const char *section, u32 line, struct spec_error *err);
	int (*pair)(void *ctx, const struct ini_pair *pair, struct spec_error *err);
	void *ctx;
};

/* `name` stands for the text in messages. Returns 0, or a negative errno with err filled. */
int inifile_parse(const char *text, size_t len, const char *name, const struct ini_sink *sink,
		  struct spec_error *err);
/* The whole of a file, to be freed. Returns 0, or a negative errno with err filled. */
int inifile_read(const char *path, char **text, size_t *len, struct spec_error *err);

#endif
