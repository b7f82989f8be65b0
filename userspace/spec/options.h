/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options: every key of a spec, declared once. The parser, the checks, spec_print(), help,
 * completion, the manual's test and the hint at a mistyped name all read this table.
 */
#ifndef HOLBENCH_SPEC_OPTIONS_H
#define HOLBENCH_SPEC_OPTIONS_H

#include "spec/spec.h"
#include "spec/value.h"

/*
 * Where a number goes in struct spec, or, of a section with a name, in its struct resource_config;
 * and its range in the spec's own notation ("1ms").
 */
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
	OPTION_TEXT_OF, /* text of another kind: a path, a name */
	OPTION_STEPS,	/* steps of a service, or one of `choices` */
	OPTION_DESIGN,	/* a dispatch design */
};

struct option {
	const char *section; /* "resource.NAME": one for each name that a spec gives */
	const char *name;
	enum option_kind kind;
	struct field field, period;
	const struct choice *choices; /* ends with a NULL name */
	const char *def;	      /* the default as written, or NULL: not set */
	const char *help;
	const char *syntax; /* OPTION_TEXT_OF: "FILE" */
	/* Optional: called after the field was set. */
	void (*set)(struct spec *s);
	/* Optional: false when another key says the same thing in this spec. */
	bool (*holds)(const struct spec *s);
	/* Options of one group > 0 are names of one thing: only one may be given. */
	u32 group;
	/* Optional: a key ("noise.kind"), if need be with its value ("place.isolation = capped"),
	 * without which this one has no effect. */
	const char *with;
};

/* A key of a spec. */
struct key {
	const struct option *option;
	char name[RESOURCE_NAME_MAX + 1]; /* of its section: db of [resource.db]; else empty */
};

#define KEY_TEXT 64 /* room for "resource.db.capacity" */

/* The i-th option in the order of the manual, or NULL past the last. */
const struct option *options_nth(u32 i);
/* NULL when there is none. */
const struct option *options_find(const char *section, const char *name);
/* Is its section one of a name? */
bool option_named(const struct option *o);
/* A letter, then letters, digits, '_' and '-', not too many. */
bool resource_name_good(const char *name);
bool options_section(const char *section);
/* The key `name` of [section]; false when there is none. */
bool key_find(const char *section, const char *name, struct key *k);
/* The same from "section.key", as an axis is called. */
bool key_parse(const char *text, struct key *k);
bool key_same(const struct key *a, const struct key *b);
/* "resource.db", and "resource.db.capacity". */
void key_section(const struct key *k, char text[KEY_TEXT]);
void key_text(const struct key *k, char text[KEY_TEXT]);

struct key_walk {
	u32 option, resource;
};

/* Every key that a cell has, in the order in which it is printed, from a zeroed walk; false past
 * the last. A resource without a section of its own (a lock) has none. */
bool key_next(struct key_walk *w, const struct spec *s, struct key *k);
/* What comes close to a name that does not exist ("workload.keys"); false: nothing does. */
bool options_nearest(const char *section, const char *name, char near[KEY_TEXT]);
bool options_nearest_section(const char *section, char near[KEY_TEXT]);
/* The i-th word that the option takes ("zipf:"), or NULL past the last: for completion. */
const char *option_word(const struct option *o, u32 i);
/* How its value is written: "N", "TIME", "even|poisson". */
void option_syntax(const struct option *o, char *text, size_t len);
/* One line an option, by section: for --help. */
void options_help(FILE *f);

#define OPTION_TEXT 512 /* room for the value of any option */

/*
 * Parse `text` into the key's field of *s. -EINVAL with the reason in `why`; then *s is not
 * changed. A resource that *s does not have is added.
 */
int key_set(const struct key *k, struct spec *s, const char *text, char why[VALUE_WHY]);
/* The canonical text of its value in *s; empty where *s does not have the resource. */
void key_print(const struct key *k, const struct spec *s, char text[OPTION_TEXT]);
/* The same of an option whose section has no name. */
int option_set(const struct option *o, struct spec *s, const char *text, char why[VALUE_WHY]);
void option_print(const struct option *o, const struct spec *s, char text[OPTION_TEXT]);

/* Every option at its default. */
void spec_default(struct spec *s);

/* Of `count` names from nth(ctx, i), the one nearest to `text` if near enough to be meant, else
 * NULL. */
const char *nearest_name(const char *text, const char *(*nth)(const void *ctx, u32 i),
			 const void *ctx);

#endif
