/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options: every key of a spec, declared once. The parser, the checks, spec_print(), help,
 * completion, the manual's test and the hint at a mistyped name all read this table.
 */
#ifndef HOLBENCH_SPEC_OPTIONS_H
#define HOLBENCH_SPEC_OPTIONS_H

#include "spec/spec.h"
#include "spec/value.h"

/* Where a number goes in struct spec, and its range in the spec's own notation ("1ms"). */
struct field {
	enum value_type type;
	size_t offset, size;
	const char *min, *max;
};

/* A word that an option takes; with a parameter it is written name:PARAMETER. */
struct choice {
	const char *name;
	s64 value;
	const char *parameter; /* what the parameter is called, or NULL */
	struct field field;    /* the parameter's */
};

enum option_kind {
	OPTION_NUMBER,	/* a number, or one of `choices` (which stand for values of the same field)
			 */
	OPTION_CHOICE,	/* one of `choices` */
	OPTION_CPUS,	/* a CPU list, or auto */
	OPTION_QUOTA,	/* QUOTA/PERIOD, in `field` and `period`, or one of `choices` */
	OPTION_COMMAND, /* text for the shell: never a list */
	OPTION_DESIGN,	/* a dispatch design */
};

struct option {
	const char *section, *name;
	enum option_kind kind;
	struct field field, period;
	const struct choice *choices; /* ends with a NULL name */
	const char *def;	      /* the default as written, or NULL: not set */
	const char *help;
	/* Optional: called after the field was set. */
	void (*set)(struct spec *s);
	/* Optional: false when another key says the same thing in this spec. */
	bool (*holds)(const struct spec *s);
	/* Options of one group > 0 are names of one thing: only one may be given. */
	u32 group;
	/* Optional: a key of the same section without which this one has no effect. */
	const char *with;
};

/* The i-th option in the order of the manual, or NULL past the last. */
const struct option *options_nth(u32 i);
/* NULL when there is none. */
const struct option *options_find(const char *section, const char *name);
bool options_section(const char *section);
/* What comes close to a name that does not exist ("workload.keys"), or NULL. */
const struct option *options_nearest(const char *section, const char *name);
const char *options_nearest_section(const char *section);
/* The i-th word that the option takes ("zipf:"), or NULL past the last: for completion. */
const char *option_word(const struct option *o, u32 i);
/* How its value is written: "N", "TIME", "even|poisson". */
void option_syntax(const struct option *o, char *text, size_t len);
/* One line an option, by section: for --help. */
void options_help(FILE *f);

#define OPTION_TEXT 512 /* room for the value of any option */

/* Parse `text` into its field of *s. -EINVAL with the reason in `why`; then *s is not changed. */
int option_set(const struct option *o, struct spec *s, const char *text, char why[VALUE_WHY]);
/* The canonical text of the option's value in *s. */
void option_print(const struct option *o, const struct spec *s, char text[OPTION_TEXT]);

/* Every option at its default. */
void spec_default(struct spec *s);

/* Of `count` names from nth(ctx, i), the one nearest to `text` if near enough to be meant, else
 * NULL. */
const char *nearest_name(const char *text, const char *(*nth)(const void *ctx, u32 i),
			 const void *ctx);

#endif
