// SPDX-License-Identifier: GPL-2.0-only
/* What must hold between the keys that were given, whatever cells they make. */
#include "spec/check.h"
#include "spec/entry.h"

#include <string.h>

static const struct entry *given(const struct entries *e, const char *section, const char *name)
{
	const struct option *o = options_find(section, name);

	for (u32 i = 0; i < e->nr; i++)
		if (e->list[i].key.option == o)
			return &e->list[i];
	return NULL;
}

const struct entry *entries_given(const struct entries *e, const char *keys)
{
	const struct entry *found = NULL;
	char text[KEY_TEXT];
	struct key k;

	for (size_t len; *keys && !found; keys += len + (keys[len] == ' ')) {
		len = strcspn(keys, " ");
		snprintf(text, sizeof(text), "%.*s", (int)len, keys);
		if (key_parse(text, &k))
			found = given(e, k.option->section, k.option->name);
	}
	return found;
}

/* Someone who writes noise.threads and forgets noise.kind would take a quiet run for a noisy one.
 */
static int check_with(const struct entries *e, const struct entry *entry, struct spec_error *err)
{
	const struct option *o = entry->key.option;
	char name[KEY_TEXT];

	if (!o->with || entries_given(e, o->with))
		return 0;
	/* A command says the kind of its noise, a file which items have no key. */
	if ((!strcmp(o->section, "noise") && given(e, "noise", "command")) ||
	    (!strcmp(o->with, "workload.null") && given(e, "workload", "trace")))
		return 0;
	key_text(&entry->key, name);
	return spec_fail(err, "%s: %s has no effect without %s; give both or neither", entry->where,
			 name, o->with);
}

static bool has_value(const struct entry *entry, const char *value)
{
	for (u32 i = 0; entry && i < entry->nr; i++)
		if (!strcmp(entry->values[i], value))
			return true;
	return false;
}

/* Keys that others make idle, unless these are none in some cell; NULL: all of a section. */
static const struct {
	const char *section, *name, *other_section, *other;
} idle[] = {
	{"workload", "cost", "workload", "steps"},
	{"workload", "work", "workload", "steps"},
	{"dispatch", "hash", "workload", "partitions"},
	{"hot", "placement", "workload", "partitions"},
	{"workload", "keys", "workload", "trace"},
	{"workload", "rate", "workload", "trace"},
	{"workload", "duration", "workload", "trace"},
	{"workload", "arrivals", "workload", "trace"},
	{"workload", "cold_pick", "workload", "trace"},
	{"workload", "null", "workload", "trace"},
	{"hot", NULL, "workload", "trace"},
	{"burst", NULL, "workload", "trace"},
};

static int has_no_effect(const struct entry *entry, const char *what, struct spec_error *err)
{
	char name[KEY_TEXT];

	key_text(&entry->key, name);
	return spec_fail(err, "%s: %s has no effect with %s; take one of them out", entry->where,
			 name, what);
}

static int check_idle(const struct entries *e, const struct entry *entry, struct spec_error *err)
{
	const struct option *o = entry->key.option;
	char what[KEY_TEXT];

	for (u32 i = 0; i < ARRAY_SIZE(idle); i++) {
		const struct entry *other = given(e, idle[i].other_section, idle[i].other);

		if (strcmp(o->section, idle[i].section) ||
		    (idle[i].name && strcmp(o->name, idle[i].name)) || !other ||
		    has_value(other, "none"))
			continue;
		key_text(&other->key, what);
		return has_no_effect(entry, what, err);
	}
	return 0;
}

/* A file with costs leaves nothing to draw. */
static int check_costs(const struct entries *e, const struct entry *entry, struct spec_error *err)
{
	const struct option *o = entry->key.option;

	if (strcmp(o->section, "workload") ||
	    (strcmp(o->name, "cost") && strcmp(o->name, "jitter") && strcmp(o->name, "cost_dist")))
		return 0;
	if (!given(e, "workload", "trace") || has_value(given(e, "csv", "cost"), "none"))
		return 0;
	return has_no_effect(entry, "workload.trace, whose rows have costs (csv.cost)", err);
}

/* "key, key:partition": those that can bound what they admit; is one of them given? */
static bool list_with_buffer(char *list, size_t len, const struct entry *given_designs)
{
	const struct dispatch_ops *design;
	bool found = false;
	size_t n = 0;

	for (u32 i = 0; (design = dispatch_nth(i)); i++) {
		if (!design_has_buffer(design))
			continue;
		found |= has_value(given_designs, design->name);
		if (n < len)
			n += (size_t)snprintf(list + n, len - n, "%s%s", n ? ", " : "",
					      design->name);
	}
	return found;
}

/* One of the designs must be able to bound what it admits. */
static int check_buffer(const struct entries *e, struct spec_error *err)
{
	const struct entry *buffer = given(e, "dispatch", "buffer"),
			   *design = given(e, "dispatch", "design");
	char list[120];

	if (!buffer || (buffer->nr == 1 && has_value(buffer, "none")) ||
	    list_with_buffer(list, sizeof(list), design))
		return 0;
	return spec_fail(err,
			 "%s: dispatch.buffer has no effect with dispatch.design = %.60s%s; write "
			 "one there that has a buffer (%s), or take dispatch.buffer out",
			 buffer->where,
			 design ? design->text : options_find("dispatch", "design")->def,
			 design ? "" : ", the default", list);
}

/* Among several kinds, one must be the command's; `none` alone turns it off. */
static int check_command(const struct entries *e, struct spec_error *err)
{
	const struct entry *command = given(e, "noise", "command"),
			   *kind = given(e, "noise", "kind");

	if (!command || !kind || (kind->nr == 1 && !strcmp(kind->values[0], "none")))
		return 0;
	if (has_value(kind, "command"))
		return 0;
	return spec_fail(err,
			 "%s: noise.command contradicts noise.kind = %.60s; write command there, "
			 "or take one out",
			 command->where, kind->text);
}

static int check_entry(const struct entries *e, const struct entry *entry, struct spec_error *err)
{
	int rc = check_with(e, entry, err);

	if (!rc)
		rc = check_idle(e, entry, err);
	return rc ? rc : check_costs(e, entry, err);
}

int entries_check(const struct entries *e, struct spec_error *err)
{
	int rc = 0;

	for (u32 i = 0; i < e->nr && !rc; i++)
		rc = check_entry(e, &e->list[i], err);
	if (!rc)
		rc = check_buffer(e, err);
	return rc ? rc : check_command(e, err);
}
