/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of a whole cell. Each returns 0, or -EINVAL with err filled. */
#ifndef HOLBENCH_SPEC_CHECK_H
#define HOLBENCH_SPEC_CHECK_H

#include "spec/options.h"
#include "spec/steps.h"

#define SHOW_MAX (OPTION_TEXT + 64)

/* "hot.load = 0.4" */
const char *show(char text[SHOW_MAX], const struct spec *s, const char *section, const char *name);

/* Steps, resources, pauses, bursts. */
int check_service(const struct spec *s, struct spec_error *err);
/* Designs with executors, partitions and what moves them. */
int check_dispatch(const struct spec *s, struct spec_error *err);
/* Only designs with a lane a key, or a partition, can bound what they admit. */
bool design_has_buffer(const struct dispatch_ops *design);
/* Does any step of the cell call it? */
bool resource_called(const struct spec *s, u32 resource);

#endif
