// SPDX-License-Identifier: GPL-2.0-only
/* Parsing numbers with units. Whole types are computed in integers, so 0.3ms is 300000 ns exactly.
 */
#include "spec/value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits that a mantissa may have: with the largest scale the product stays below 2^127. */
#define DIGITS_MAX 24

struct unit {
	const char *name;
	s64 scale;
};

static const struct unit no_units[] = {{"", 1}, {NULL, 0}};
static const struct unit time_units[] = {
	{"ns", 1},	   {"us", 1000},	 {"ms", 1000000},
	{"s", 1000000000}, {"min", 60000000000}, {"h", 3600000000000},
	{NULL, 0}};
static const struct unit byte_units[] = {
	{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {NULL, 0}};

/* The pieces of "12.5e3ms": what is the number, what follows it. */
struct scan {
	const char *start, *rest;
	unsigned __int128 digits; /* all digits, the point left out */
	u32 nr_digits, nr_fraction;
	bool negative, exponent;
};

bool value_is_whole(enum value_type type)
{
	return type == VALUE_COUNT || type == VALUE_INT || type == VALUE_DURATION ||
	       type == VALUE_BYTES;
}

const char *value_units(enum value_type type)
{
	switch (type) {
	case VALUE_PERCENT:
		return "%";
	case VALUE_RATE:
		return "/s";
	case VALUE_DURATION:
		return "ns, us, ms, s, min or h";
	case VALUE_BYTES:
		return "B, KiB, MiB or GiB";
	default:
		return NULL;
	}
}

static const char *scan_digits(struct scan *s, const char *p, u32 *count)
{
	for (; isdigit((unsigned char)*p); p++) {
		if (s->nr_digits < DIGITS_MAX)
			s->digits = s->digits * 10 + (unsigned)(*p - '0');
		s->nr_digits++;
		(*count)++;
	}
	return p;
}

static const char *scan_exponent(struct scan *s, const char *p)
{
	const char *q = p + 1;

	if (*p != 'e' && *p != 'E')
		return p;
	if (*q == '+' || *q == '-')
		q++;
	if (!isdigit((unsigned char)*q))
		return p;
	while (isdigit((unsigned char)*q))
		q++;
	s->exponent = true;
	return q;
}

static int scan_number(struct scan *s, const char *text, char why[VALUE_WHY])
{
	u32 whole = 0;
	const char *p = text;

	*s = (struct scan){.start = text, .negative = *text == '-'};
	p = scan_digits(s, p + s->negative, &whole);
	if (*p == '.')
		p = scan_digits(s, p + 1, &s->nr_fraction);
	if (!s->nr_digits) {
		snprintf(why, VALUE_WHY, "is not a number");
		return -EINVAL;
	}
	s->rest = scan_exponent(s, p);
	return 0;
}

/* What is wrong with the text after the number. */
static int bad_unit(enum value_type type, const char *rest, char why[VALUE_WHY])
{
	const char *units = value_units(type);

	if (isspace((unsigned char)*rest))
		snprintf(why, VALUE_WHY, "has a blank in it; take it out");
	else if (!units)
		snprintf(why, VALUE_WHY, "is not a number: '%.20s' follows it", rest);
	else if (!*rest)
		snprintf(why, VALUE_WHY, "needs a unit: %s", units);
	else
		snprintf(why, VALUE_WHY, "has the unknown unit '%.20s'; write %s", rest, units);
	return -EINVAL;
}

static int complain(char why[VALUE_WHY], const char *text)
{
	snprintf(why, VALUE_WHY, "%s", text);
	return -EINVAL;
}

static const struct unit *units_of(enum value_type type)
{
	if (type == VALUE_DURATION)
		return time_units;
	return type == VALUE_BYTES ? byte_units : no_units;
}

static int parse_whole(enum value_type type, const struct scan *s, s64 *out, char why[VALUE_WHY])
{
	const struct unit *u = units_of(type);
	unsigned __int128 n, grain = 1;

	while (u->name && strcmp(u->name, s->rest))
		u++;
	if (!u->name)
		return bad_unit(type, s->rest, why);
	if (s->exponent)
		return complain(why, "has an exponent; write the digits");
	if (s->nr_digits > DIGITS_MAX)
		return complain(why, "has too many digits");
	n = s->digits * (unsigned __int128)u->scale;
	for (u32 i = 0; i < s->nr_fraction; i++)
		grain *= 10;
	if (n % grain)
		return complain(why, type == VALUE_DURATION ? "is finer than 1ns"
							    : "is not a whole number");
	if (n / grain > INT64_MAX)
		return complain(why, "is too large");
	*out = (s64)(n / grain);
	return 0;
}

static int parse_decimal(enum value_type type, const struct scan *s, double *out,
			 char why[VALUE_WHY])
{
	bool percent = type == VALUE_PERCENT || (type == VALUE_SCALE && *s->rest);
	const char *unit = percent ? "%" : type == VALUE_RATE ? "/s" : "";
	char copy[128];
	size_t len = (size_t)(s->rest - s->start);

	if (strcmp(s->rest, unit))
		return bad_unit(type, s->rest, why);
	if (len >= sizeof(copy))
		return complain(why, "has too many digits");
	memcpy(copy, s->start, len);
	copy[len] = 0;
	*out = strtod(copy, NULL) / (percent ? 100 : 1);
	return isfinite(*out) ? 0 : complain(why, "is too large");
}

int value_parse(enum value_type type, const char *text, struct value *out, char why[VALUE_WHY])
{
	struct scan s;
	int rc = scan_number(&s, text, why);

	*out = (struct value){0};
	if (rc)
		return rc;
	if (s.negative && type != VALUE_INT)
		return complain(why, "is negative");
	if (!value_is_whole(type))
		return parse_decimal(type, &s, &out->d, why);
	rc = parse_whole(type, &s, &out->i, why);
	if (s.negative)
		out->i = -out->i;
	return rc;
}

static void print_whole(enum value_type type, s64 i, char text[VALUE_TEXT])
{
	const struct unit *u = units_of(type), *best = u;

	for (; u->name; u++) {
		/* Minutes and hours read worse than seconds in a table; 0 takes the usual unit. */
		if (type == VALUE_DURATION && u->scale > time_units[3].scale)
			break;
		if (i % u->scale == 0)
			best = u;
	}
	snprintf(text, VALUE_TEXT, "%" PRId64 "%s", i / best->scale, best->name);
}

/*
 * The fewest digits that give d back when parsed, but not below six, where 400 would be 4e+02. Of a
 * percentage, d × 100 rounds, but dividing it by 100 leads to d again (a test tries it).
 */
static void print_shortest(double d, double times, char text[VALUE_TEXT])
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, VALUE_TEXT, "%.*g", digits, d * times);
		if (strtod(text, NULL) / times == d)
			return;
	}
}

void value_print(enum value_type type, const struct value *v, char text[VALUE_TEXT])
{
	if (value_is_whole(type)) {
		print_whole(type, v->i, text);
		return;
	}
	print_shortest(v->d, type == VALUE_PERCENT ? 100 : 1, text);
	if (type == VALUE_PERCENT || type == VALUE_RATE)
		strcat(text, value_units(type));
}

int value_compare(enum value_type type, const struct value *a, const struct value *b)
{
	if (value_is_whole(type))
		return (a->i > b->i) - (a->i < b->i);
	return (a->d > b->d) - (a->d < b->d);
}
