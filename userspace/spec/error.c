// SPDX-License-Identifier: GPL-2.0-only
#include "spec/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define PATH_SHOWN 160

static int fill(struct spec_error *err, const char *keys, const char *fmt, va_list ap)
{
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	err->keys = keys;
	/* What the user wrote is quoted in it: nothing in there may move the cursor. */
	for (char *p = err->text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
	return -EINVAL;
}

int spec_fail(struct spec_error *err, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = fill(err, NULL, fmt, ap);
	va_end(ap);
	return rc;
}

int spec_fail_keys(struct spec_error *err, const char *keys, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = fill(err, keys, fmt, ap);
	va_end(ap);
	return rc;
}

const char *spec_path(const char *path)
{
	size_t len = strlen(path);

	return len > PATH_SHOWN ? path + len - PATH_SHOWN : path;
}
