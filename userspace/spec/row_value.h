/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers in a recorded stream. */
#ifndef HOLBENCH_SPEC_ROW_VALUE_H
#define HOLBENCH_SPEC_ROW_VALUE_H

#include "spec/value.h"

/*
 * A time, which may be negative, and a cost, from 0 to 1h, in units of unit_ns; digits below a
 * nanosecond are rounded. 0, or -EINVAL with the reason in `why`.
 */
int row_time(const char *text, u64 unit_ns, s64 *ns, char why[VALUE_WHY]);
int row_cost(const char *text, u64 unit_ns, u64 *ns, char why[VALUE_WHY]);

#endif
