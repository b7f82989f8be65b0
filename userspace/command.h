/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands share: the command line, parsed from one table, and the exit statuses. */
#ifndef HOLBENCH_COMMAND_H
#define HOLBENCH_COMMAND_H

#include "core/types.h"

/* What `knee` raises. */
#define KNEE_OVER "workload.rate"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,   /* the command line or the spec is wrong */
	STATUS_INVALID = 3, /* finished, but something in it is invalid or incomplete */
};

/* What follows the subcommand. Texts are those of argv. */
struct arguments {
	const char *out, *resume, *worst, *item, *where, *cell, *repeat;
	const char *by, *base, *band;
	const char *over, *from, *to, *factor;
	bool quiet, json, no_bpf, min_max, order, simulate;
	bool help;
	char **argv;  /* all of the command line, NULL at its end */
	char **words; /* owned array: everything that is not an option, in order */
	int nr_words;
	const char **vary; /* owned array: of each --vary */
	int nr_vary;
};

enum flag_bit {
	FLAG_OUT = 1 << 0,
	FLAG_RESUME = 1 << 1,
	FLAG_NO_BPF = 1 << 2,
	FLAG_MIN_MAX = 1 << 3,
	FLAG_WORST = 1 << 4,
	FLAG_ITEM = 1 << 5,
	FLAG_WHERE = 1 << 6,
	FLAG_CELL = 1 << 7,
	FLAG_REPEAT = 1 << 8,
	FLAG_QUIET = 1 << 9,
	FLAG_JSON = 1 << 10,
	FLAG_HELP = 1 << 11,
	FLAG_BY = 1 << 12,
	FLAG_BASE = 1 << 13,
	FLAG_BAND = 1 << 14,
	FLAG_ORDER = 1 << 15,
	FLAG_KNEE = 1 << 16, /* those of knee alone */
	FLAG_VARY = 1 << 17, /* may stand more than once */
};

struct command {
	const char *name;
	const char *syntax; /* of its words, for --help */
	const char *help;   /* one line */
	u32 flags;	    /* enum flag_bit: the options that it takes */
	bool takes_spec;    /* --help lists the keys of a spec */
	/* Returns an exit status. */
	int (*run)(const struct command *c, const struct arguments *a);
};

/* Ends with a NULL name. */
extern const struct command commands[];

int cmd_doctor(const struct command *c, const struct arguments *a);
int cmd_run(const struct command *c, const struct arguments *a);
int cmd_sweep(const struct command *c, const struct arguments *a);
int cmd_simulate(const struct command *c, const struct arguments *a);
int cmd_explain(const struct command *c, const struct arguments *a);
int cmd_compare(const struct command *c, const struct arguments *a);
int cmd_knee(const struct command *c, const struct arguments *a);

/* The whole program: finds the subcommand, parses, runs it. Returns an exit status. */
int command_main(int argc, char **argv);

/*
 * The i-th option that the command takes, without its dashes, or NULL past the last; *argument is
 * what follows it ("DIR"), or NULL.
 */
const char *command_option(const struct command *c, u32 i, const char **argument);
/* Print the script that completes holbench's command line in bash. */
void completion_bash(void);

/* Print "holbench: …" as one line on standard error and return `status`. */
int command_fail(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A whole number in [0, max]. 0 or -EINVAL. */
int command_number(const char *text, u32 max, u32 *out);

#endif
