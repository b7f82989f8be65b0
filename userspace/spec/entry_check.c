// SPDX-License-Identifier: GPL-2.0-only
/* What must hold between the keys that were given, whatever cells they make. */
#include "spec/entry.h"

#include <string.h>

static const struct entry *given(const struct entries *e, const char *section, const char *name)
{
	const struct option *o = options_find(section, name);

	for (u32 i = 0; i < e->nr; i++)
		if (e->list[i].option == o)
			return &e->list[i];
	return NULL;
}

/* Someone who writes noise.threads and forgets noise.kind would take a quiet run for a noisy one.
 */
static int check_with(const struct entries *e, const struct entry *entry, struct spec_error *err)
{
	const struct option *o = entry->option;

	if (!o->with || given(e, o->section, o->with))
		return 0;
	/* A command says the kind of its noise. */
	if (!strcmp(o->section, "noise") && given(e, "noise", "command"))
		return 0;
	return spec_fail(err, "%s: %s.%s has no effect without %s.%s; give both or neither",
			 entry->where, o->section, o->name, o->section, o->with);
}

/* Among several kinds, one must be the command's; `none` alone turns it off. */
static int check_command(const struct entries *e, struct spec_error *err)
{
	const struct entry *command = given(e, "noise", "command"),
			   *kind = given(e, "noise", "kind");

	if (!command || !kind || (kind->nr == 1 && !strcmp(kind->values[0], "none")))
		return 0;
	for (u32 i = 0; i < kind->nr; i++)
		if (!strcmp(kind->values[i], "command"))
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
	return rc ? rc : check_command(e, err);
}
