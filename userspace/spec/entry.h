/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys that a spec gives, with their lists of values, in the order in which they were written.
 */
#ifndef HOLBENCH_SPEC_ENTRY_H
#define HOLBENCH_SPEC_ENTRY_H

#include "spec/error.h"
#include "spec/options.h"

struct entry {
	struct key key;
	char *where;   /* "file:3" or "argument 'hot.load=1'" */
	u32 line;      /* 0: from a word of the command line */
	char *text;    /* all of the value, as written */
	char **values; /* its list, blanks around each taken off */
	u32 nr;
};

struct entries {
	struct entry *list;
	u32 nr;
	const char *name; /* of the text being read, for messages */
};

/* Each returns 0, or a negative errno with err filled. */
int entries_parse(struct entries *e, const char *text, size_t len, const char *name,
		  struct spec_error *err);
/* "section.key=value[,value…]": replaces what was given before, in its place. */
int entries_word(struct entries *e, const char *word, struct spec_error *err);
/* Split and check every list: after the last word, before the values are used. */
int entries_split(struct entries *e, struct spec_error *err);
/* "file:3: hot.load = 'x' " and the reason. */
int bad_value(const struct entry *e, const char *value, const char *why, struct spec_error *err);
/* Do the keys go together? After entries_split(). */
int entries_check(const struct entries *e, struct spec_error *err);
/* The first of `keys`, "hot.keys workload.keys", that is given; NULL: none of them is. Words that
 * are no keys do not count. */
const struct entry *entries_given(const struct entries *e, const char *keys);
void entries_free(struct entries *e);
/* Blanks off both ends, in place. */
char *entry_trim(char *text);

#endif
