// SPDX-License-Identifier: GPL-2.0-only
/* What people read about the options: help, and the words for completion. */
#include "spec/options.h"

#include <string.h>

const char *option_word(const struct option *o, u32 i)
{
	const struct dispatch_ops *ops;

	if (o->kind == OPTION_CPUS)
		return i ? NULL : "auto";
	if (o->kind == OPTION_DESIGN) {
		ops = dispatch_nth(i);
		return ops ? ops->name : NULL;
	}
	for (const struct choice *c = o->choices; c && c->name; c++)
		if (!i--)
			return c->name;
	return NULL;
}

static const char *number_syntax(enum value_type type)
{
	switch (type) {
	case VALUE_PERCENT:
		return "P%";
	case VALUE_RATE:
		return "N/s";
	case VALUE_DURATION:
		return "TIME";
	case VALUE_BYTES:
		return "SIZE";
	default:
		return "N";
	}
}

void option_syntax(const struct option *o, char *text, size_t len)
{
	const char *number = o->kind == OPTION_NUMBER ? number_syntax(o->field.type) : NULL;
	const char *word;
	size_t n;

	if (o->kind == OPTION_CPUS)
		number = "CPUS";
	if (o->kind == OPTION_QUOTA)
		number = "TIME/TIME";
	if (o->kind == OPTION_COMMAND)
		number = "COMMAND";
	if (o->kind == OPTION_TEXT_OF)
		number = o->syntax;
	if (o->kind == OPTION_STEPS)
		number = "STEP + STEP";
	n = (size_t)snprintf(text, len, "%s", number ? number : "");
	for (u32 i = 0; (word = option_word(o, i)) && n < len; i++) {
		const char *parameter = o->choices ? o->choices[i].parameter : NULL;

		n += (size_t)snprintf(text + n, len - n, "%s%s%s%s", i || number ? "|" : "", word,
				      parameter ? ":" : "", parameter ? parameter : "");
	}
}

void options_help(FILE *f)
{
	const char *section = "";
	const struct option *o;
	char syntax[128], left[192];

	for (u32 i = 0; (o = options_nth(i)); i++) {
		if (strcmp(section, o->section)) {
			section = o->section;
			fprintf(f, "%s[%s]\n", i ? "\n" : "", section);
		}
		option_syntax(o, syntax, sizeof(syntax));
		snprintf(left, sizeof(left), "%s = %s", o->name, syntax);
		if (strlen(left) > 30)
			fprintf(f, "  %s\n  %30s", left, "");
		else
			fprintf(f, "  %-30s", left);
		fprintf(f, "  %s%s%s%s\n", o->help, o->def ? " [" : "", o->def ? o->def : "",
			o->def ? "]" : "");
	}
}
