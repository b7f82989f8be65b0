// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checking a text. A spec is printed with its long values folded at blanks, and ` ;` begins a
 * comment in it. Changing a command to fit could change what it does, so it is refused instead.
 */
#include "spec/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int check_bytes(const char *text, char why[VALUE_WHY])
{
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < ' ' || c == 127) {
			snprintf(why, VALUE_WHY, "has a control character in it; write blanks");
			return -EINVAL;
		}
	}
	return 0;
}

static int check_word(const char *word, size_t len, const char *mend, char why[VALUE_WHY])
{
	if (!len)
		snprintf(why, VALUE_WHY, "has two blanks in a row; write one, or %s", mend);
	else if (*word == ';' || *word == '#')
		snprintf(why, VALUE_WHY,
			 "has %c behind a blank, a comment in a spec; take the blank out, or %s",
			 *word, mend);
	else if (len > COMMAND_WORD_MAX)
		snprintf(why, VALUE_WHY, "has a word longer than %d bytes; %s", COMMAND_WORD_MAX,
			 mend);
	else
		return 0;
	return -EINVAL;
}

int text_copy(char *out, size_t size, const char *text, const char *mend, char why[VALUE_WHY])
{
	size_t len = strlen(text), n;
	int rc = check_bytes(text, why);

	if (!rc && len >= size) {
		snprintf(why, VALUE_WHY, "is longer than %zu bytes; %s", size - 1, mend);
		rc = -EINVAL;
	}
	for (const char *p = text; !rc; p += n + 1) {
		n = strcspn(p, " ");
		rc = check_word(p, n, mend, why);
		if (!p[n])
			break;
	}
	if (rc)
		return rc;
	memset(out, 0, size);
	memcpy(out, text, len);
	return 0;
}
