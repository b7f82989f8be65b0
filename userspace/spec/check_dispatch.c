/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of a whole cell: what goes with a design, and what does not. */
#include "spec/check.h"
#include "spec/error.h"

bool design_has_buffer(const struct dispatch_ops *design)
{
	return design->traits & (DISPATCH_KEY_SERIAL | DISPATCH_PARTITION_SERIAL) &&
	       design->traits & DISPATCH_ONE_QUEUE;
}

/* A thread that is made for an item has no queue of its own. */
static int check_spawn(const struct spec *s, struct spec_error *err)
{
	char design[SHOW_MAX];

	if (s->executor != EXECUTOR_SPAWN || s->design->traits & DISPATCH_ONE_QUEUE)
		return 0;
	return spec_fail_keys(
		err, "dispatch.design dispatch.executor",
		"%s has a queue for each worker, and dispatch.executor = spawn has no "
		"workers; choose a design with one queue, as shared or key",
		show(design, s, "dispatch", "design"));
}

bool spec_can_reassign(const struct spec *s)
{
	return s->workload.partitions && s->executor == EXECUTOR_THREAD &&
	       s->workers.replicas == 1 && s->design == dispatch_find("partition", s->unit);
}

static int check_reassign(const struct spec *s, struct spec_error *err)
{
	char at[SHOW_MAX];

	if (!s->reassign.at_ns)
		return 0;
	show(at, s, "reassign", "at");
	if (!s->workload.partitions)
		return spec_fail_keys(err, "reassign.at",
				      "%s without partitions: there is nothing to move; set "
				      "workload.partitions",
				      at);
	if (spec_can_reassign(s))
		return 0;
	return spec_fail_keys(err, "reassign.at",
			      "%s: partitions move between workers that have them; set "
			      "dispatch.design = partition, dispatch.executor = thread and "
			      "workers.replicas = 1",
			      at);
}

int check_dispatch(const struct spec *s, struct spec_error *err)
{
	int rc = check_spawn(s, err);

	return rc ? rc : check_reassign(s, err);
}
