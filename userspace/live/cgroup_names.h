/* SPDX-License-Identifier: GPL-2.0-only */
/* From cgroup ids to paths. */
#ifndef HOLBENCH_LIVE_CGROUP_NAMES_H
#define HOLBENCH_LIVE_CGROUP_NAMES_H

#include "trace/trace.h"

/*
 * Name the `nr` cgroups below `root` in the trace: an id is its directory's inode number (kernfs,
 * 64 bit). One that is gone stays without a name. 0 or a negative errno.
 */
int cgroup_names_write(struct trace_writer *trace, const char *root, const u64 *ids, u32 nr);

#endif
