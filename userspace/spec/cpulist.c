// SPDX-License-Identifier: GPL-2.0-only
/* Checking a CPU list. Whether the machine has these CPUs is the engine's question. */
#include "spec/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *parse_cpu(const char *p, u32 *cpu)
{
	if (!isdigit((unsigned char)*p))
		return NULL;
	for (*cpu = 0; isdigit((unsigned char)*p); p++)
		if (*cpu < CPULIST_CPUS)
			*cpu = *cpu * 10 + (u32)(*p - '0');
	return p;
}

/* "3" or "1-3", up to a blank or the end. NULL when it is neither. */
static const char *parse_range(const char *p, u32 *first, u32 *last)
{
	p = parse_cpu(p, first);
	*last = *first;
	if (p && *p == '-')
		p = parse_cpu(p + 1, last);
	return p && (!*p || isspace((unsigned char)*p)) ? p : NULL;
}

static int mark(u8 *seen, u32 first, u32 last, char why[VALUE_WHY])
{
	if (first > last) {
		snprintf(why, VALUE_WHY, "has a range that goes down: %u-%u", first, last);
		return -EINVAL;
	}
	if (last >= CPULIST_CPUS) {
		snprintf(why, VALUE_WHY, "names a CPU above %u", CPULIST_CPUS - 1);
		return -EINVAL;
	}
	for (u32 cpu = first; cpu <= last; cpu++) {
		if (seen[cpu]++) {
			snprintf(why, VALUE_WHY, "names CPU %u twice", cpu);
			return -EINVAL;
		}
	}
	return 0;
}

int cpulist_normal(char *out, size_t size, const char *text, char why[VALUE_WHY])
{
	u8 seen[CPULIST_CPUS] = {0};
	char copy[256] = "";
	size_t len = 0;
	u32 first, last;

	if (!strcmp(text, "auto")) {
		snprintf(out, size, "%s", text);
		return 0;
	}
	for (const char *p = text, *end; *p; p = end) {
		end = parse_range(p, &first, &last);
		if (!end) {
			snprintf(why, VALUE_WHY,
				 "is not a CPU list; write numbers and ranges with "
				 "blanks between, as in 1-3 8, or auto");
			return -EINVAL;
		}
		if (mark(seen, first, last, why))
			return -EINVAL;
		if (len + (size_t)(end - p) + 2 > sizeof(copy) ||
		    len + (size_t)(end - p) + 2 > size) {
			snprintf(why, VALUE_WHY, "is too long; write ranges");
			return -EINVAL;
		}
		len += (size_t)sprintf(copy + len, "%s%.*s", len ? " " : "", (int)(end - p), p);
		while (isspace((unsigned char)*end))
			end++;
	}
	memcpy(out, copy, len + 1);
	return 0;
}
