/* SPDX-License-Identifier: GPL-2.0-only */
/* One number as people write it in a spec, with its unit: text to value and back, nothing lost. */
#ifndef HOLBENCH_SPEC_VALUE_H
#define HOLBENCH_SPEC_VALUE_H

#include "core/types.h"

enum value_type {
	VALUE_NONE,
	VALUE_COUNT,	/* a whole number, no unit */
	VALUE_INT,	/* the same, may be negative */
	VALUE_NUMBER,	/* a decimal number, no unit */
	VALUE_SCALE,	/* a decimal number or a percentage: 0.1 or 10% */
	VALUE_PERCENT,	/* `%`; held as a fraction */
	VALUE_RATE,	/* `/s`; held per second */
	VALUE_DURATION, /* ns, us, ms, s, min, h; held in ns */
	VALUE_BYTES,	/* B, KiB, MiB, GiB; held in bytes */
};

/* Whole types use i, decimal ones d. */
struct value {
	s64 i;
	double d;
};

#define VALUE_TEXT 40 /* room for any printed value */
#define VALUE_WHY  256

bool value_is_whole(enum value_type type);
/* The units of a type for messages ("ns, us, ms, s, min or h"), or NULL when it takes none. */
const char *value_units(enum value_type type);
/*
 * Parse all of `text`. -EINVAL with the reason in `why` ("needs a unit: /s"): not a number,
 * negative, not finite, no or unknown unit, trailing text, out of the type, finer than its grain.
 */
int value_parse(enum value_type type, const char *text, struct value *out, char why[VALUE_WHY]);
/* The canonical text: value_parse() of it gives the same bits. */
void value_print(enum value_type type, const struct value *v, char text[VALUE_TEXT]);
/* -1, 0, 1 as a is below, equal to or above b. */
int value_compare(enum value_type type, const struct value *a, const struct value *b);

#endif
