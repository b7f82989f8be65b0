/* SPDX-License-Identifier: GPL-2.0-only */
/* The resources of a cell. */
#include "spec/steps.h"

#include <stdlib.h>
#include <string.h>

struct resource_config *resource_find(struct spec *s, const char *name)
{
	struct workload_config *w = &s->workload;

	for (u32 i = 0; i < w->nr_resources; i++)
		if (!strcmp(w->resources[i].name, name))
			return &w->resources[i];
	return NULL;
}

struct resource_config *resource_add(struct spec *s, const char *name, char why[VALUE_WHY])
{
	struct workload_config *w = &s->workload;
	struct resource_config *r = &w->resources[w->nr_resources];

	if (w->nr_resources == RESOURCES_MAX) {
		snprintf(why, VALUE_WHY,
			 "makes %s one more than %d resources and locks; take one out", name,
			 RESOURCES_MAX);
		return NULL;
	}
	w->nr_resources++;
	memset(r, 0, sizeof(*r));
	memcpy(r->name, name, strlen(name));
	return r;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct resource_config *)a)->name,
		      ((const struct resource_config *)b)->name);
}

void resources_sort(struct spec *s)
{
	struct workload_config *w = &s->workload;
	char names[ITEM_STEPS_MAX][RESOURCE_NAME_MAX + 1];

	for (u32 i = 0; i < w->nr_steps; i++)
		memcpy(names[i], w->resources[w->steps[i].resource].name, sizeof(names[i]));
	qsort(w->resources, w->nr_resources, sizeof(w->resources[0]), compare_names);
	for (u32 i = 0; i < w->nr_steps; i++)
		if (step_has_resource(w->steps[i].kind))
			w->steps[i].resource = (u32)(resource_find(s, names[i]) - w->resources);
}
