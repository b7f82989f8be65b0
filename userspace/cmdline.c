// SPDX-License-Identifier: GPL-2.0-only
/* The command line: options from one table, for the parser, --help and the hint at a mistyped name.
 */
#include "command.h"

#include "spec/options.h"
#include "version.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flag {
	const char *name;
	const char *argument; /* NULL: takes none */
	const char *help;
	u32 bit;
	size_t offset; /* in struct arguments: const char * with an argument, else bool */
};

#define AT(field) offsetof(struct arguments, field)

static const struct flag flags[] = {
	{"out", "DIR", "the result directory, made by this run [results/TIME-NAME]", FLAG_OUT,
	 AT(out)},
	{"resume", "DIR", "go on in an interrupted result: only what is missing is run",
	 FLAG_RESUME, AT(resume)},
	{"no-bpf", NULL, "without the probe: the kernel's parts are not measured", FLAG_NO_BPF,
	 AT(no_bpf)},
	{"min-max", NULL, "the table shows the range over the repeats, too", FLAG_MIN_MAX,
	 AT(min_max)},
	{"order", NULL, "in which scopes order held, too: shown anyway with workload.partitions",
	 FLAG_ORDER, AT(order)},
	{"worst", "N", "how many items, the slowest first [5]", FLAG_WORST, AT(worst)},
	{"item", "ID", "this item", FLAG_ITEM, AT(item)},
	{"where", "class=CLASS", "only items of a class: victim, neighbour, far, hot or all [all]",
	 FLAG_WHERE, AT(where)},
	{"cell", "N", "which cell of the result, from 0 [all]", FLAG_CELL, AT(cell)},
	{"repeat", "N", "which repeat, from 0 [all]", FLAG_REPEAT, AT(repeat)},
	{"by", "AXIS", "compare the cells that differ in this axis only", FLAG_BY, AT(by)},
	{"base", "VALUE", "the axis' value that the others are compared with [its first]",
	 FLAG_BASE, AT(base)},
	{"band", "LIST", "whose ledgers are shown, of p50, p95, p99 [p95,p99]", FLAG_BAND,
	 AT(band)},
	{"over", "KEY", "what is raised until p95 leaves its plain [workload.rate]", FLAG_KNEE,
	 AT(over)},
	{"from", "RATE",
	 "the lowest rate: plain is there or nowhere [where it is, from the spec's]", FLAG_KNEE,
	 AT(from)},
	{"to", "RATE", "the highest rate [1000 times the first]", FLAG_KNEE, AT(to)},
	{"factor", "F", "how many times its plain p95 is beyond the knee [2]", FLAG_KNEE,
	 AT(factor)},
	{"vary", "KEY=LIST", "the same with each of these values; may be given for several keys",
	 FLAG_VARY, 0},
	{"simulate", NULL, "in virtual time, without a kernel", FLAG_KNEE, AT(simulate)},
	{"quiet", NULL, "no progress", FLAG_QUIET, AT(quiet)},
	{"json", NULL, "one JSON document on standard output", FLAG_JSON, AT(json)},
	{"help", NULL, "this text", FLAG_HELP, AT(help)},
};

int command_fail(int status, const char *fmt, ...)
{
	va_list ap;

	fputs("holbench: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return status;
}

int command_number(const char *text, u32 max, u32 *out)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || n > max)
		return -EINVAL;
	*out = (u32)n;
	return 0;
}

static const char *nth_command(const void *ctx, u32 i)
{
	(void)ctx;
	return commands[i].name;
}

const char *command_option(const struct command *c, u32 i, const char **argument)
{
	for (u32 f = 0; f < ARRAY_SIZE(flags); f++) {
		if (!(flags[f].bit & c->flags) || i--)
			continue;
		*argument = flags[f].argument;
		return flags[f].name;
	}
	return NULL;
}

/* ctx is the command: names of options that it does not take are no hint. */
static const char *nth_flag(const void *ctx, u32 i)
{
	return command_option(ctx, i, &(const char *){NULL});
}

static const struct flag *flag_find(const struct command *c, const char *name, size_t len)
{
	for (u32 f = 0; f < ARRAY_SIZE(flags); f++)
		if ((flags[f].bit & c->flags) && strlen(flags[f].name) == len &&
		    !strncmp(flags[f].name, name, len))
			return &flags[f];
	return NULL;
}

static int unknown_flag(const struct command *c, const char *text, size_t len)
{
	char name[64];
	const char *near;

	snprintf(name, sizeof(name), "%.*s", (int)len, text + 2);
	near = nearest_name(name, nth_flag, c);
	if (near)
		return command_fail(STATUS_USAGE, "%s takes no option '%s': did you mean --%s?",
				    c->name, text, near);
	return command_fail(STATUS_USAGE, "%s takes no option '%s': see holbench %s --help",
			    c->name, text, c->name);
}

/* One option at argv[*i]; its argument may be the next word. */
static int parse_flag(const struct command *c, struct arguments *a, char **argv, int *i)
{
	const char *text = argv[*i], *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) - 2 : strlen(text) - 2;
	const struct flag *f = flag_find(c, text + 2, len);
	const char *value;
	char *field;

	if (!f)
		return unknown_flag(c, text, len);
	field = (char *)a + f->offset;
	if (!f->argument) {
		if (equals)
			return command_fail(STATUS_USAGE, "--%s takes no value", f->name);
		*(bool *)field = true;
		return STATUS_DONE;
	}
	if (!equals && !argv[*i + 1])
		return command_fail(STATUS_USAGE, "--%s needs a value: --%s %s", f->name, f->name,
				    f->argument);
	value = equals ? equals + 1 : argv[++*i];
	if (f->bit == FLAG_VARY)
		a->vary[a->nr_vary++] = value;
	else
		*(const char **)field = value;
	if (!*value)
		return command_fail(STATUS_USAGE, "--%s is empty: --%s %s", f->name, f->name,
				    f->argument);
	return STATUS_DONE;
}

static int parse(const struct command *c, struct arguments *a, char **argv)
{
	bool only_words = false;
	int status;

	for (int i = 0; argv[i]; i++) {
		if (only_words || argv[i][0] != '-' || !argv[i][1]) {
			a->words[a->nr_words++] = argv[i];
		} else if (!strcmp(argv[i], "--")) {
			only_words = true;
		} else if (!strcmp(argv[i], "-h")) {
			a->help = true;
		} else if (argv[i][1] != '-') {
			return command_fail(STATUS_USAGE,
					    "%s takes no option '%s': see holbench %s --help",
					    c->name, argv[i], c->name);
		} else {
			status = parse_flag(c, a, argv, &i);
			if (status)
				return status;
		}
	}
	return STATUS_DONE;
}

static void help_program(FILE *f)
{
	fputs("usage: holbench COMMAND [OPTION ...] [ARGUMENT ...]\n\n"
	      "Where did an item's time go, and who took it: the queue in front of it, the "
	      "kernel's\n"
	      "scheduler, or its own work.\n\ncommands:\n",
	      f);
	for (const struct command *c = commands; c->name; c++)
		fprintf(f, "  %-10s %s\n", c->name, c->help);
	fputs("\nholbench COMMAND --help says more; holbench --version says which this is.\n", f);
}

static void help_presets(FILE *f)
{
	const char *name, *help;

	fputs("\npresets:\n", f);
	for (u32 i = 0; (name = preset_nth(i, &help)); i++)
		fprintf(f, "  %-16s %s\n", name, help);
	fputs("\nkeys of a spec (a list of values makes a key an axis of the sweep):\n", f);
	options_help(f);
}

static void help_command(const struct command *c, FILE *f)
{
	char name[40];

	fprintf(f, "usage: holbench %s [OPTION ...] %s\n\n%s\n\noptions:\n", c->name, c->syntax,
		c->help);
	for (u32 i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!(flags[i].bit & c->flags))
			continue;
		snprintf(name, sizeof(name), "--%s%s%s", flags[i].name,
			 flags[i].argument ? " " : "", flags[i].argument ? flags[i].argument : "");
		fprintf(f, "  %-20s %s\n", name, flags[i].help);
	}
	if (c->takes_spec)
		help_presets(f);
}

/* The status, or that what was printed is not all there. */
static int written(int status)
{
	if (fflush(stdout) || ferror(stdout))
		return command_fail(STATUS_FAILED, "standard output cannot be written: %s",
				    strerror(errno));
	return status;
}

static int command_call(const struct command *c, char **all, char **argv)
{
	struct arguments a = {.argv = all};
	int nr = 0, status;

	while (argv[nr])
		nr++;
	a.words = calloc((size_t)nr + 1, sizeof(*a.words));
	a.vary = calloc((size_t)nr + 1, sizeof(*a.vary));
	status = a.words && a.vary ? parse(c, &a, argv)
				   : command_fail(STATUS_FAILED, "out of memory");
	if (!status && a.help)
		help_command(c, stdout);
	else if (!status)
		status = c->run(c, &a);
	free(a.words);
	free(a.vary);
	return written(status);
}

int command_main(int argc, char **argv)
{
	const char *near, *name = argc > 1 ? argv[1] : NULL;

	/* A file that grows beyond `ulimit -f` is then an error of write(2), and told as one. */
	signal(SIGXFSZ, SIG_IGN);
	if (!name) {
		help_program(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		help_program(stdout);
		return written(STATUS_DONE);
	}
	if (!strcmp(name, "--version")) {
		puts("holbench " HOLBENCH_VERSION);
		return written(STATUS_DONE);
	}
	/* For `make install`: --help does not name it. */
	if (!strcmp(name, "--completion") && argc == 3 && !strcmp(argv[2], "bash")) {
		completion_bash();
		return written(STATUS_DONE);
	}
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return command_call(c, argv, argv + 2);
	near = nearest_name(name, nth_command, NULL);
	if (near)
		return command_fail(STATUS_USAGE, "no command '%s': did you mean %s?", name, near);
	return command_fail(STATUS_USAGE, "no command '%s': see holbench --help", name);
}
