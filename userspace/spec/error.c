// SPDX-License-Identifier: GPL-2.0-only
#include "spec/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define PATH_SHOWN 160

int spec_fail(struct spec_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	/* What the user wrote is quoted in it: nothing in there may move the cursor. */
	for (char *p = err->text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
	return -EINVAL;
}

const char *spec_path(const char *path)
{
	size_t len = strlen(path);

	return len > PATH_SHOWN ? path + len - PATH_SHOWN : path;
}
