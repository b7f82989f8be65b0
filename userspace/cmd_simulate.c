// SPDX-License-Identifier: GPL-2.0-only
/* The same spec in virtual time. */
#include "experiment.h"

#include "trace/trace.h"

int cmd_simulate(const struct command *c, const struct arguments *a)
{
	static const struct experiment_kind kind = {TRACE_SIM, false, true, NULL};

	return experiment_main(c, a, &kind);
}
