/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU lists as a spec writes them: numbers and ranges with blanks between, or `auto`. */
#ifndef HOLBENCH_SPEC_CPULIST_H
#define HOLBENCH_SPEC_CPULIST_H

#include "spec/value.h"

#define CPULIST_CPUS 8192 /* the kernel's largest NR_CPUS */

/*
 * Check `text` and copy it with single blanks. -EINVAL with the reason in `why`: not numbers, a
 * range that goes down, a CPU named twice, longer than `size`; then `out` is not changed.
 */
int cpulist_normal(char *out, size_t size, const char *text, char why[VALUE_WHY]);

#endif
