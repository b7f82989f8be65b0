// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checking a command. A spec is printed with its long values folded at blanks, and ` ;` begins a
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

static int check_word(const char *word, size_t len, char why[VALUE_WHY])
{
	if (!len)
		snprintf(why, VALUE_WHY,
			 "has two blanks in a row; write one, or put it into a script");
	else if (*word == ';' || *word == '#')
		snprintf(why, VALUE_WHY,
			 "has %c behind a blank, a comment in a spec; take the blank out, or put "
			 "it into a script",
			 *word);
	else if (len > COMMAND_WORD_MAX)
		snprintf(why, VALUE_WHY,
			 "has a word longer than %d bytes; put the command into a script",
			 COMMAND_WORD_MAX);
	else
		return 0;
	return -EINVAL;
}

int command_copy(char *out, size_t size, const char *text, char why[VALUE_WHY])
{
	size_t len = strlen(text), n;
	int rc = check_bytes(text, why);

	if (!rc && len >= size) {
		snprintf(why, VALUE_WHY, "is longer than %zu bytes; put the command into a script",
			 size - 1);
		rc = -EINVAL;
	}
	for (const char *p = text; !rc; p += n + 1) {
		n = strcspn(p, " ");
		rc = check_word(p, n, why);
		if (!p[n])
			break;
	}
	if (rc)
		return rc;
	memset(out, 0, size);
	memcpy(out, text, len);
	return 0;
}
