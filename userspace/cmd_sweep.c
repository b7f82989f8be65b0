// SPDX-License-Identifier: GPL-2.0-only
/* A grid of cells on this machine. */
#include "experiment.h"

#include "trace/trace.h"

int cmd_sweep(const struct command *c, const struct arguments *a)
{
	static const struct experiment_kind kind = {TRACE_LIVE, false, false, NULL};

	return experiment_main(c, a, &kind);
}
