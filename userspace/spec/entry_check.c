// SPDX-License-Identifier: GPL-2.0-only
/* What must hold between the keys that were given, whatever cells they make. */
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

static bool given_key(const struct entries *e, const char *text)
{
	struct key k;

	if (!key_parse(text, &k))
		return false;
	return given(e, k.option->section, k.option->name) != NULL;
}

/* Someone who writes noise.threads and forgets noise.kind would take a quiet run for a noisy one.
 */
static int check_with(const struct entries *e, const struct entry *entry, struct spec_error *err)
{
	const struct option *o = entry->key.option;
	char name[KEY_TEXT];

	if (!o->with || given_key(e, o->with))
		return 0;
	/* A command says the kind of its noise. */
	if (!strcmp(o->section, "noise") && given(e, "noise", "command"))
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

/* Keys that others make idle, unless these are none in some cell. */
static const struct {
	const char *section, *name, *other_section, *other;
} idle[] = {
	{"workload", "cost", "workload", "steps"},
	{"workload", "work", "workload", "steps"},
	{"dispatch", "hash", "workload", "partitions"},
	{"hot", "placement", "workload", "partitions"},
};

static int check_idle(const struct entries *e, struct spec_error *err)
{
	for (u32 i = 0; i < ARRAY_SIZE(idle); i++) {
		const struct entry *entry = given(e, idle[i].section, idle[i].name),
				   *other = given(e, idle[i].other_section, idle[i].other);

		if (entry && other && !has_value(other, "none"))
			return spec_fail(err,
					 "%s: %s.%s has no effect with %s.%s; take one of them out",
					 entry->where, idle[i].section, idle[i].name,
					 idle[i].other_section, idle[i].other);
	}
	return 0;
}

/* One of the designs must be able to bound what it admits. */
static int check_buffer(const struct entries *e, struct spec_error *err)
{
	const struct entry *buffer = given(e, "dispatch", "buffer"),
			   *design = given(e, "dispatch", "design");

	if (!buffer || (buffer->nr == 1 && has_value(buffer, "none")) || has_value(design, "key") ||
	    has_value(design, "key:partition"))
		return 0;
	return spec_fail(err,
			 "%s: dispatch.buffer has no effect with dispatch.design = %.60s; choose "
			 "key or key:partition, or take it out",
			 buffer->where, design->text);
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

int entries_check(const struct entries *e, struct spec_error *err)
{
	int rc = 0;

	for (u32 i = 0; i < e->nr && !rc; i++)
		rc = check_with(e, &e->list[i], err);
	if (!rc)
		rc = check_idle(e, err);
	if (!rc)
		rc = check_buffer(e, err);
	return rc ? rc : check_command(e, err);
}
