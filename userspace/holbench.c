// SPDX-License-Identifier: GPL-2.0-only
/* The subcommands. */
#include "command.h"

#define FLAGS_COMMON (FLAG_QUIET | FLAG_JSON | FLAG_HELP)
#define FLAGS_RESULT (FLAGS_COMMON | FLAG_OUT | FLAG_RESUME | FLAG_MIN_MAX | FLAG_ORDER)

const struct command commands[] = {
	{"doctor", "", "what this machine can and cannot do for a run, and what mends it",
	 FLAGS_COMMON, false, cmd_doctor},
	{"run", "[SPEC|PRESET] [section.key=value ...]", "run one cell on this machine",
	 FLAGS_RESULT | FLAG_NO_BPF, true, cmd_run},
	{"sweep", "SPEC|PRESET [section.key=value[,value...] ...]",
	 "run a grid of cells on this machine", FLAGS_RESULT | FLAG_NO_BPF, true, cmd_sweep},
	{"simulate", "[SPEC|PRESET] [section.key=value[,value...] ...]",
	 "the same in virtual time, without a kernel", FLAGS_RESULT, true, cmd_simulate},
	{"knee", "SPEC|PRESET [section.key=value ...]",
	 "the rate at which p95 leaves its plain, and what was the wall",
	 FLAGS_COMMON | FLAG_OUT | FLAG_RESUME | FLAG_NO_BPF | FLAG_KNEE | FLAG_VARY, true,
	 cmd_knee},
	{"explain", "RESULT", "where the time of single items went, worst first",
	 FLAGS_COMMON | FLAG_WORST | FLAG_ITEM | FLAG_WHERE | FLAG_CELL | FLAG_REPEAT, false,
	 cmd_explain},
	{"compare", "RESULT --by AXIS | RESULT RESULT",
	 "two cells side by side: what makes the difference",
	 FLAGS_COMMON | FLAG_BY | FLAG_BASE | FLAG_BAND, false, cmd_compare},
	{0},
};

int main(int argc, char **argv)
{
	return command_main(argc, argv);
}
