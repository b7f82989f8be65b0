/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts and their numbers, given in the order of first appearance. */
#ifndef HOLBENCH_SPEC_NAMES_H
#define HOLBENCH_SPEC_NAMES_H

#include "core/types.h"

struct names;

/* NULL: out of memory. */
struct names *names_new(void);
void names_free(struct names *n);
/* The number of a text, which is copied when it is new; NONE32: out of memory. */
u32 names_number(struct names *n, const char *text);
u32 names_count(const struct names *n);
/* Below names_count(). */
const char *names_nth(const struct names *n, u32 i);

#endif
