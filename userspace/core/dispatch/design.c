/* SPDX-License-Identifier: GPL-2.0-only */
/* The designs by number and by name. */
#include "core/dispatch/design.h"

#include <string.h>

#define ADDRESS(name) &dispatch_##name,
static const struct dispatch_ops *const designs[] = {DISPATCH_DESIGNS(ADDRESS)};

const struct dispatch_ops *dispatch_nth(u32 i)
{
	return i < ARRAY_SIZE(designs) ? designs[i] : NULL;
}

static const struct dispatch_ops *steal_of_unit(u32 unit)
{
	switch (unit) {
	case STEAL_HALF:
		return &dispatch_steal_half;
	case STEAL_ITEM:
		return &dispatch_steal_item;
	case STEAL_KEY:
		return &dispatch_steal_key;
	default:
		return NULL;
	}
}

const struct dispatch_ops *dispatch_find(const char *name, u32 unit)
{
	if (!strcmp(name, "steal"))
		return steal_of_unit(unit);
	if (!strcmp(name, "steal:half"))
		return &dispatch_steal_half;
	for (u32 i = 0; i < ARRAY_SIZE(designs); i++) {
		if (!strcmp(name, designs[i]->name))
			return designs[i];
	}
	return NULL;
}
