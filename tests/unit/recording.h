/* SPDX-License-Identifier: GPL-2.0-only */
/* A file for tests of recorded streams. */
#ifndef HOLBENCH_TESTS_RECORDING_H
#define HOLBENCH_TESTS_RECORDING_H

#include "spec/options.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

#define WORDS_MAX 8

static char dir[] = "/tmp/test_recording.XXXXXX", path[64];

static inline void write_bytes(const void *data, size_t len)
{
	FILE *f = fopen(path, "we");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		CHECK(false, "cannot write %s", path);
}

static inline void write_text(const char *text)
{
	write_bytes(text, strlen(text));
}

/* A grid of the file at `path` and these words. */
static inline struct grid *load(const char *const *words, struct spec_error *err)
{
	char trace[96], *all[WORDS_MAX + 1];
	struct grid *g;
	int n = 1;

	snprintf(trace, sizeof(trace), "workload.trace=%s", path);
	all[0] = trace;
	for (; words && words[n - 1]; n++)
		all[n] = (char *)words[n - 1];
	err->text[0] = '\0';
	grid_load(&g, NULL, all, n, err);
	return g;
}

static inline bool begin(void)
{
	if (!mkdtemp(dir))
		return false;
	snprintf(path, sizeof(path), "%s/a.csv", dir);
	return true;
}

static inline int end(void)
{
	unlink(path);
	rmdir(dir);
	return tap_done();
}

#endif
