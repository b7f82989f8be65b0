// SPDX-License-Identifier: GPL-2.0-only
/* The list of values that an entry holds: splitting it and checking each. */
#include "spec/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Each value is compared with every other. */
#define LIST_MAX 1000

static int out_of_memory(struct spec_error *err)
{
	spec_fail(err, "out of memory while reading the spec; free some");
	return -ENOMEM;
}

/* "file:3: hot.load = 'x' " and the reason. */
int bad_value(const struct entry *e, const char *value, const char *why, struct spec_error *err)
{
	char name[KEY_TEXT];

	key_text(&e->key, name);
	return spec_fail(err, "%s: %s = '%.60s%s' %s", e->where, name, value,
			 strlen(value) > 60 ? "…" : "", why);
}

/* What makes two values the same: their canonical text; of designs, `steal` and `steal:half` differ
 * where dispatch.unit is not half. */
static int canonical(const struct entry *e, u32 i, char text[OPTION_TEXT], struct spec_error *err)
{
	struct spec scratch;
	char why[VALUE_WHY];

	spec_default(&scratch);
	if (key_set(&e->key, &scratch, e->values[i], why))
		return bad_value(e, e->values[i], why, err);
	if (e->key.option->kind == OPTION_DESIGN)
		snprintf(text, OPTION_TEXT, "%s", e->values[i]);
	else
		key_print(&e->key, &scratch, text);
	return 0;
}

static int check_values(const struct entry *e, struct spec_error *err)
{
	char(*seen)[OPTION_TEXT] = calloc(e->nr, sizeof(*seen));
	int rc = seen ? 0 : out_of_memory(err);

	for (u32 i = 0; i < e->nr && !rc; i++) {
		rc = canonical(e, i, seen[i], err);
		for (u32 k = 0; k < i && !rc; k++)
			if (!strcmp(seen[k], seen[i]))
				rc = bad_value(e, e->values[i],
					       "stands twice in the list; keep one", err);
	}
	free(seen);
	return rc;
}

static int add_value(struct entry *e, char *value, struct spec_error *err)
{
	char **values, name[KEY_TEXT];

	key_text(&e->key, name);
	if (e->nr == LIST_MAX)
		return spec_fail(err, "%s: %s has more than %d values; shorten the list", e->where,
				 name, LIST_MAX);
	values = reallocarray(e->values, e->nr + 1, sizeof(*values));
	if (!values)
		return out_of_memory(err);
	e->values = values;
	values[e->nr] = strdup(value);
	return values[e->nr++] ? 0 : out_of_memory(err);
}

/* A command keeps its commas: it is one value. */
static int split(struct entry *e, struct spec_error *err)
{
	const char *between = e->key.option->kind == OPTION_COMMAND ? "" : ",";
	char *copy = strdup(e->text), *rest = copy, *value, name[KEY_TEXT];
	int rc = copy ? 0 : out_of_memory(err);

	key_text(&e->key, name);
	if (!rc && !*entry_trim(copy))
		rc = spec_fail(err, "%s: %s has no value; write one, or take the key out", e->where,
			       name);
	while (!rc && (value = strsep(&rest, between))) {
		value = entry_trim(value);
		rc = *value ? add_value(e, value, err)
			    : bad_value(e, e->text, "has an empty element; take a comma out", err);
	}
	free(copy);
	return rc ? rc : check_values(e, err);
}

int entries_split(struct entries *e, struct spec_error *err)
{
	int rc = 0;

	for (u32 i = 0; i < e->nr && !rc; i++)
		rc = split(&e->list[i], err);
	return rc;
}
