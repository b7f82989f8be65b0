// SPDX-License-Identifier: GPL-2.0-only
/* Collecting keys: from a file, where a key stands once, and from words, where the last one holds.
 */
#include "spec/entry.h"
#include "spec/inifile.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(struct spec_error *err)
{
	spec_fail(err, "out of memory while reading the spec; free some");
	return -ENOMEM;
}

static void entry_clear(struct entry *e)
{
	free(e->where);
	free(e->text);
	for (u32 i = 0; i < e->nr; i++)
		free(e->values[i]);
	free(e->values);
	*e = (struct entry){0};
}

void entries_free(struct entries *e)
{
	for (u32 i = 0; i < e->nr; i++)
		entry_clear(&e->list[i]);
	free(e->list);
	*e = (struct entries){0};
}

static int unknown_section(const char *where, const char *section, struct spec_error *err)
{
	char near[KEY_TEXT], list[256] = "";
	const struct option *o;
	const char *last = "";

	if (options_nearest_section(section, near))
		return spec_fail(err, "%s: unknown section [%s]; did you mean [%s]?", where,
				 section, near);
	for (u32 i = 0; (o = options_nth(i)); i++) {
		if (strcmp(last, o->section))
			snprintf(list + strlen(list), sizeof(list) - strlen(list), " [%s]",
				 o->section);
		last = o->section;
	}
	return spec_fail(err, "%s: unknown section [%s]; there are%s", where, section, list);
}

static int unknown_key(const char *where, const char *section, const char *name,
		       struct spec_error *err)
{
	char near[KEY_TEXT], list[200] = "";
	const struct option *o;

	if (options_nearest(section, name, near))
		return spec_fail(err, "%s: unknown key %s.%s; did you mean %s?", where, section,
				 name, near);
	if (!options_section(section))
		return unknown_section(where, section, err);
	for (u32 i = 0; (o = options_nth(i)); i++)
		if (options_find(section, o->name) == o)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), " %s", o->name);
	return spec_fail(err, "%s: unknown key %s.%s; the keys of [%s] are%s", where, section, name,
			 section, list);
}

/* No section at all: before the first [section], or a word without a point. */
static int no_section(const char *where, const char *name, struct spec_error *err)
{
	char near[KEY_TEXT];

	if (options_nearest("", name, near))
		return spec_fail(err, "%s: %s has no section; did you mean %s?", where, name, near);
	return spec_fail(err, "%s: %s has no section; write [section] above it, or section.key",
			 where, name);
}

static struct entry *find_same(struct entries *e, const struct key *k)
{
	for (u32 i = 0; i < e->nr; i++) {
		const struct key *have = &e->list[i].key;

		if (key_same(have, k) ||
		    (k->option->group && have->option->group == k->option->group))
			return &e->list[i];
	}
	return NULL;
}

static struct entry *append(struct entries *e)
{
	struct entry *list = reallocarray(e->list, e->nr + 1, sizeof(*list));

	if (!list)
		return NULL;
	e->list = list;
	list[e->nr] = (struct entry){0};
	return &list[e->nr++];
}

static int fill(struct entry *entry, const struct key *k, const char *where, u32 line,
		const char *text, struct spec_error *err)
{
	entry_clear(entry);
	entry->key = *k;
	entry->line = line;
	entry->where = strdup(where);
	entry->text = strdup(text);
	return entry->where && entry->text ? 0 : out_of_memory(err);
}

static int given_twice(const char *where, const struct entry *have, const struct key *k,
		       struct spec_error *err)
{
	char name[KEY_TEXT], other[KEY_TEXT];

	key_text(k, name);
	key_text(&have->key, other);
	if (key_same(&have->key, k))
		return spec_fail(err, "%s: %s is given twice, first on line %u; keep one", where,
				 name, have->line);
	return spec_fail(err, "%s: %s and %s (line %u) say the same thing; keep one", where, name,
			 other, have->line);
}

static int continue_value(struct entries *e, const char *where, const char *more,
			  struct spec_error *err)
{
	struct entry *last = &e->list[e->nr - 1];
	char *text;

	if (last->key.option->kind != OPTION_COMMAND && strchr(more, '='))
		return spec_fail(err,
				 "%s: an indented line continues the value above it; begin '%.60s' "
				 "without a blank",
				 where, more);
	if (asprintf(&text, "%s %s", last->text, more) < 0)
		return out_of_memory(err);
	free(last->text);
	last->text = text;
	return 0;
}

static int file_section(void *ctx, const char *section, u32 line, struct spec_error *err)
{
	struct entries *e = ctx;
	char where[256];

	snprintf(where, sizeof(where), "%s:%u", e->name, line);
	return options_section(section) ? 0 : unknown_section(where, section, err);
}

static int file_pair(void *ctx, const struct ini_pair *pair, struct spec_error *err)
{
	struct entries *e = ctx;
	struct entry *have;
	char where[256];
	struct key k;

	snprintf(where, sizeof(where), "%s:%u", e->name, pair->line);
	if (pair->more)
		return continue_value(e, where, pair->value, err);
	if (!*pair->section)
		return no_section(where, pair->name, err);
	if (!key_find(pair->section, pair->name, &k))
		return unknown_key(where, pair->section, pair->name, err);
	have = find_same(e, &k);
	if (have)
		return given_twice(where, have, &k, err);
	have = append(e);
	return have ? fill(have, &k, where, pair->line, pair->value, err) : out_of_memory(err);
}

int entries_parse(struct entries *e, const char *text, size_t len, const char *name,
		  struct spec_error *err)
{
	struct ini_sink sink = {.section = file_section, .pair = file_pair, .ctx = e};

	e->name = name;
	return inifile_parse(text, len, name, &sink, err);
}

/* Blanks off both ends, in place. */
char *entry_trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	return text;
}

static int take_word(struct entries *e, const char *where, char *key, const char *value,
		     struct spec_error *err)
{
	char *point = strrchr(key, '.');
	struct entry *have;
	struct key k;

	if (!point)
		return no_section(where, key, err);
	*point = 0;
	if (!key_find(key, point + 1, &k))
		return unknown_key(where, key, point + 1, err);
	have = find_same(e, &k);
	if (!have)
		have = append(e);
	return have ? fill(have, &k, where, 0, value, err) : out_of_memory(err);
}

int entries_word(struct entries *e, const char *word, struct spec_error *err)
{
	char where[192], *copy = strdup(word), *equals;
	int rc;

	if (!copy)
		return out_of_memory(err);
	snprintf(where, sizeof(where), "argument '%.160s%s'", word, strlen(word) > 160 ? "…" : "");
	equals = strchr(copy, '=');
	if (equals) {
		*equals = 0;
		rc = take_word(e, where, entry_trim(copy), entry_trim(equals + 1), err);
	} else {
		rc = spec_fail(err, "%s: not section.key=value; write it as in hot.load=1", where);
	}
	free(copy);
	return rc;
}
