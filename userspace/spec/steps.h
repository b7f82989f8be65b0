/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of a service as text, "cpu 4ms + call db 50ms", and the resources that they name. */
#ifndef HOLBENCH_SPEC_STEPS_H
#define HOLBENCH_SPEC_STEPS_H

#include "spec/options.h"

/*
 * Parse `text` into workload.steps. A resource that is called and not there yet is added without a
 * capacity, for spec_check() to find; a lock needs nothing else. -EINVAL with the reason in `why`.
 */
int steps_set(struct spec *s, const char *text, char why[VALUE_WHY]);
void steps_print(const struct spec *s, char text[OPTION_TEXT]);
/* The mean of a service: the sum of its steps. */
u64 steps_cost_ns(const struct spec *s);

/* NULL when the cell has none of that name. */
struct resource_config *resource_find(struct spec *s, const char *name);
/* One more, of good name, else empty; NULL with the reason when there are too many. */
struct resource_config *resource_add(struct spec *s, const char *name, char why[VALUE_WHY]);
/* In the order of their names: a cell is the same in whatever order its text was written. */
void resources_sort(struct spec *s);

#endif
