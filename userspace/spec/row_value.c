/* SPDX-License-Identifier: GPL-2.0-only */
/* Times of today in nanoseconds have more digits than a double: digits are read as digits. */
#include "spec/row_value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COST_MAX (3600 * NSEC_PER_SEC)
/* 146 years. A difference of two times fits 63 bits as well. */
#define TIME_MAX 4600000000000000000
/* Digits whose value times a second in ns fits 127 bits. */
#define DIGITS_MAX 27

static int complain(char why[VALUE_WHY], const char *text)
{
	snprintf(why, VALUE_WHY, "%s", text);
	return -EINVAL;
}

/* Digits, and a point among them. Returns where they end. */
static const char *scan(const char *p, unsigned __int128 *digits, u32 *nr, u32 *fraction)
{
	bool point = false;

	for (*digits = *nr = *fraction = 0; isdigit((unsigned char)*p) || (*p == '.' && !point);
	     p++) {
		if (*p == '.') {
			point = true;
		} else if (*nr < DIGITS_MAX) {
			*digits = *digits * 10 + (unsigned)(*p - '0');
			*nr += *digits > 0 || point;
			*fraction += point;
		} else if (!point) {
			*nr = DIGITS_MAX + 1; /* too large; behind the point only too fine */
		}
	}
	return p;
}

static int with_exponent(const char *text, u64 unit_ns, s64 *ns, char why[VALUE_WHY])
{
	char *end;
	long double x = strtold(text, &end) * (long double)unit_ns;

	if (*end)
		return complain(why, "is not a number");
	if (!(fabsl(x) <= (long double)TIME_MAX))
		return complain(why, "is too large; is csv.unit right?");
	*ns = (s64)llroundl(x);
	return 0;
}

static int parse(const char *text, u64 unit_ns, s64 *ns, char why[VALUE_WHY])
{
	bool negative = *text == '-';
	unsigned __int128 n, grain = 1;
	const char *first = text + (negative || *text == '+'), *end;
	u32 nr, fraction;

	end = scan(first, &n, &nr, &fraction);
	if (!isdigit((unsigned char)*first) && !isdigit((unsigned char)first[*first != '\0']))
		return complain(why, *text ? "is not a number" : "is empty");
	if ((*end == 'e' || *end == 'E') && end > first)
		return with_exponent(text, unit_ns, ns, why);
	if (*end)
		return complain(why, "is not a number");
	for (u32 i = 0; i < fraction; i++)
		grain *= 10;
	n = (n * unit_ns + grain / 2) / grain;
	if (nr > DIGITS_MAX || n > TIME_MAX)
		return complain(why, "is too large; is csv.unit right?");
	*ns = negative ? -(s64)n : (s64)n;
	return 0;
}

/* Without the blanks around it. */
static int parse_trimmed(const char *text, u64 unit_ns, s64 *ns, char why[VALUE_WHY])
{
	char copy[64];
	size_t len;

	while (isblank((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len && isblank((unsigned char)text[len - 1]))
		len--;
	if (len >= sizeof(copy))
		return complain(why, "is too long for a number");
	memcpy(copy, text, len);
	copy[len] = '\0';
	return parse(copy, unit_ns, ns, why);
}

int row_time(const char *text, u64 unit_ns, s64 *ns, char why[VALUE_WHY])
{
	return parse_trimmed(text, unit_ns, ns, why);
}

int row_cost(const char *text, u64 unit_ns, u64 *ns, char why[VALUE_WHY])
{
	s64 cost;
	int rc = parse_trimmed(text, unit_ns, &cost, why);

	if (rc)
		return rc;
	if (cost < 0)
		return complain(why, "is negative");
	if (cost > (s64)COST_MAX)
		return complain(why, "is more than 1h; is csv.unit right?");
	*ns = (u64)cost;
	return 0;
}
