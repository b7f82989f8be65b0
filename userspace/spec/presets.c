// SPDX-License-Identifier: GPL-2.0-only
/* The presets: INI files of presets/, made into a table of strings by the build. */
#include "spec/spec.h"

#include <string.h>

static const struct preset {
	const char *name, *help, *text;
} presets[] = {
#include "presets.h"
};

const char *preset_text(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].name, name))
			return presets[i].text;
	return NULL;
}

const char *preset_nth(u32 i, const char **help)
{
	if (i >= ARRAY_SIZE(presets))
		return NULL;
	*help = presets[i].help;
	return presets[i].name;
}
