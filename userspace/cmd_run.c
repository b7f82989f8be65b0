// SPDX-License-Identifier: GPL-2.0-only
/* One cell on this machine. */
#include "experiment.h"

#include "trace/trace.h"

int cmd_run(const struct command *c, const struct arguments *a)
{
	static const struct experiment_kind kind = {TRACE_LIVE, true, true, NULL};

	return experiment_main(c, a, &kind);
}
