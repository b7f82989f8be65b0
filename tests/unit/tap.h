/* SPDX-License-Identifier: GPL-2.0-only */
/* What a unit test needs: checks that print TAP lines and an exit status. One program a file. */
#ifndef HOLBENCH_TESTS_TAP_H
#define HOLBENCH_TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_run, tap_failed;

/* One test: `ok`, and what it says. A failure prints where. */
#define CHECK(ok, ...) tap_check((ok), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 4, 5))) static inline bool tap_check(bool ok, const char *file,
								   int line, const char *fmt, ...)
{
	__builtin_va_list ap;

	printf("%sok %d - ", ok ? "" : "not ", ++tap_run);
	__builtin_va_start(ap, fmt);
	vprintf(fmt, ap);
	__builtin_va_end(ap);
	printf("\n");
	if (!ok) {
		printf("# failed at %s:%d\n", file, line);
		tap_failed++;
	}
	return ok;
}

/* The last line of main(): the plan, and the exit status. */
static inline int tap_done(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
