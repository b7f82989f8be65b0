/* SPDX-License-Identifier: GPL-2.0-only */
/* An error is one line and a negative errno, made in one place. */
#ifndef HOLBENCH_LIVE_MESSAGE_H
#define HOLBENCH_LIVE_MESSAGE_H

#include <stdarg.h>
#include <stdio.h>

/* Where the one line goes. */
struct message {
	char *text;
	size_t len;
};

/* Fill the line and return `error`, so that a caller can `return message_fail(…)`. */
__attribute__((format(printf, 3, 4))) static inline int
message_fail(const struct message *m, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m->text, m->len, fmt, ap);
	va_end(ap);
	return error;
}

#endif
