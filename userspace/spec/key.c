/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys: the options by name, where [resource.NAME] is a section for each name that a spec gives. */
#include "spec/options.h"

#include <ctype.h>
#include <string.h>

/* What the table writes for a name that the spec gives. */
#define ANY_NAME ".NAME"

bool option_named(const struct option *o)
{
	const char *dot = strchr(o->section, '.');

	return dot && !strcmp(dot, ANY_NAME);
}

bool resource_name_good(const char *name)
{
	size_t len = strlen(name);

	if (!isalpha((unsigned char)*name) || len > RESOURCE_NAME_MAX)
		return false;
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
			return false;
	return true;
}

/* The length of "resource" in "resource.NAME" and in "resource.db". */
static size_t base_length(const char *section)
{
	return strcspn(section, ".");
}

/* Is this section one of the option's? Then *name is what it is called, or empty. */
static bool section_of(const struct option *o, const char *section, const char **name)
{
	size_t len = base_length(o->section);

	*name = "";
	if (!option_named(o))
		return !strcmp(o->section, section);
	if (base_length(section) != len || strncmp(o->section, section, len) || !section[len])
		return false;
	*name = section + len + 1;
	return resource_name_good(*name);
}

bool options_section(const char *section)
{
	const struct option *o;
	const char *name;

	for (u32 i = 0; (o = options_nth(i)); i++)
		if (section_of(o, section, &name))
			return true;
	return false;
}

bool key_find(const char *section, const char *name, struct key *k)
{
	const struct option *o;
	const char *of;

	for (u32 i = 0; (o = options_nth(i)); i++) {
		if (strcmp(o->name, name) || !section_of(o, section, &of))
			continue;
		*k = (struct key){.option = o};
		memcpy(k->name, of, strlen(of) + 1);
		return true;
	}
	return false;
}

bool key_parse(const char *text, struct key *k)
{
	const char *dot = strrchr(text, '.');
	char section[KEY_TEXT];

	if (!dot || (size_t)(dot - text) >= sizeof(section))
		return false;
	memcpy(section, text, (size_t)(dot - text));
	section[dot - text] = '\0';
	return key_find(section, dot + 1, k);
}

const struct option *options_find(const char *section, const char *name)
{
	struct key k;

	return key_find(section, name, &k) ? k.option : NULL;
}

bool key_same(const struct key *a, const struct key *b)
{
	return a->option == b->option && !strcmp(a->name, b->name);
}

void key_section(const struct key *k, char text[KEY_TEXT])
{
	int len = (int)(option_named(k->option) ? base_length(k->option->section)
						: strlen(k->option->section));

	snprintf(text, KEY_TEXT, "%.*s%s%s", len, k->option->section, *k->name ? "." : "", k->name);
}

void key_text(const struct key *k, char text[KEY_TEXT])
{
	char section[KEY_TEXT];

	key_section(k, section);
	snprintf(text, KEY_TEXT, "%.*s.%s", KEY_TEXT - 16, section, k->option->name);
}

/* A walk goes through the options; where they are of named sections, through all of a resource's
 * before the next one's. */
bool key_next(struct key_walk *w, const struct spec *s, struct key *k)
{
	const struct workload_config *c = &s->workload;
	const struct option *o = options_nth(w->option), *next;

	while (o && option_named(o)) {
		while (w->resource < c->nr_resources && c->resources[w->resource].lock)
			w->resource++;
		if (w->resource < c->nr_resources)
			break;
		w->option++;
		o = options_nth(w->option);
	}
	if (!o)
		return false;
	*k = (struct key){.option = o};
	next = options_nth(++w->option);
	if (!option_named(o))
		return true;
	memcpy(k->name, c->resources[w->resource].name, sizeof(k->name));
	if (!next || strcmp(next->section, o->section)) {
		while (w->option && !strcmp(options_nth(w->option - 1)->section, o->section))
			w->option--;
		w->resource++;
	}
	return true;
}

static const char *name_in_section(const void *section, u32 i)
{
	const struct option *o;
	const char *of;

	for (u32 k = 0; (o = options_nth(k)); k++)
		if (section_of(o, section, &of) && !i--)
			return o->name;
	return NULL;
}

static const char *nth_section(const void *ctx, u32 i)
{
	const struct option *o = options_nth(i);

	(void)ctx;
	return o ? o->section : NULL;
}

/* "resource.db" for [resorce.db], "resource.NAME" for [resource]. */
bool options_nearest_section(const char *section, char near[KEY_TEXT])
{
	const char *name = strchr(section, '.'), *found;
	char text[KEY_TEXT];

	snprintf(text, sizeof(text), "%.*s%s", name ? (int)base_length(section) : KEY_TEXT - 8,
		 section, name ? ANY_NAME : "");
	found = nearest_name(text, nth_section, NULL);
	if (!found)
		return false;
	if (name && strchr(found, '.') && resource_name_good(name + 1))
		snprintf(near, KEY_TEXT, "%.*s%s", (int)base_length(found), found, name);
	else
		snprintf(near, KEY_TEXT, "%s", found);
	return true;
}

/* In the named section (a mistyped one counts as the one it resembles); else any section's key. */
bool options_nearest(const char *section, const char *name, char near[KEY_TEXT])
{
	char where[KEY_TEXT] = "";
	const struct option *o;
	const char *found;

	if (options_section(section))
		snprintf(where, sizeof(where), "%s", section);
	else
		options_nearest_section(section, where);
	for (u32 i = 0; (o = options_nth(i)) && !options_find(where, name); i++) {
		if (strcmp(o->name, name))
			continue;
		snprintf(near, KEY_TEXT, "%s.%s", o->section, name);
		return true;
	}
	found = *where ? nearest_name(name, name_in_section, where) : NULL;
	if (found)
		snprintf(near, KEY_TEXT, "%.*s.%s", KEY_TEXT - 16, where, found);
	return found != NULL;
}
