/* SPDX-License-Identifier: GPL-2.0-only */
/* Filling a struct spec_error. */
#ifndef HOLBENCH_SPEC_ERROR_H
#define HOLBENCH_SPEC_ERROR_H

#include "spec/spec.h"

/* Fill err->text as one printable line, cut at its end if it must be. Returns -EINVAL. */
int spec_fail(struct spec_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * The same of what no value is wrong in by itself, but with others. `keys`, static, are those that
 * it is about, the first one most: "hot.keys workload.keys".
 */
int spec_fail_keys(struct spec_error *err, const char *keys, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The end of a long path, so that a message keeps its reason. */
const char *spec_path(const char *path);

#endif
