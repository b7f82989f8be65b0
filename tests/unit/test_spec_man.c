// SPDX-License-Identifier: GPL-2.0-only
/* holbench-spec(5) against the table of options: every key, its default, its words and its range.
 */
#include "spec/options.h"
#include "tap.h"

#include <string.h>

#define PAGE "docs/holbench-spec.5" /* tests run at the top of the source */

static char *read_page(void)
{
	char *text = calloc(1, 1 << 20);
	FILE *f = fopen(PAGE, "re");

	if (text && f && !fread(text, 1, (1 << 20) - 1, f))
		text[0] = 0;
	if (f)
		fclose(f);
	return text;
}

/* The text of the option's entry, to be freed: from its .It Ic up to the next; NULL if none. */
static char *entry_of(const char *page, const struct option *o)
{
	char line[128];
	const char *section, *section_end, *start, *end;

	snprintf(line, sizeof(line), "\n.Ss %s\n", o->section);
	section = strstr(page, line);
	if (!section)
		return NULL;
	section_end = strstr(section + 1, "\n.Ss ");
	snprintf(line, sizeof(line), "\n.It Ic %s%s%s\n", o->name, o->def ? " Bq " : "",
		 o->def ? o->def : "");
	start = strstr(section, line);
	if (!start || (section_end && start > section_end))
		return NULL;
	end = strstr(start + 1, "\n.It Ic ");
	if (!end || (section_end && end > section_end))
		end = section_end;
	return end ? strndup(start, (size_t)(end - start)) : strdup(start);
}

/* Whole words only: `key` is not said by `keys`. */
static bool says(const char *text, const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	size_t len = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p++)
		if (!strchr(letters, p[-1]) && !(p[len] && strchr(letters, p[len])))
			return true;
	return false;
}

static void check_range(const struct option *o, const struct field *f, const char *text)
{
	char range[96];

	if (!f->min)
		return;
	snprintf(range, sizeof(range), "\n.Li %s to %s ", f->min, f->max);
	CHECK(strstr(text, range), "%s.%s: %s to %s", o->section, o->name, f->min, f->max);
}

static void check_option(const char *page, const struct option *o)
{
	char *text = entry_of(page, o);
	const char *word;

	if (!CHECK(text, "%s.%s [%s] has an entry", o->section, o->name, o->def ? o->def : "none"))
		return;
	for (u32 i = 0; (word = option_word(o, i)); i++)
		CHECK(says(text, word), "%s.%s: %s", o->section, o->name, word);
	check_range(o, &o->field, text);
	check_range(o, &o->period, text);
	for (const struct choice *c = o->choices; c && c->name; c++)
		check_range(o, &c->field, text);
	free(text);
}

int main(void)
{
	char *page = read_page();
	const struct option *o;
	const char *help, *name;
	u32 options = 0, entries = 0;

	if (!CHECK(page && *page, "%s can be read", PAGE))
		return tap_done();
	for (; (o = options_nth(options)); options++)
		check_option(page, o);
	for (const char *p = page; (p = strstr(p, "\n.It Ic ")); p++)
		entries++;
	CHECK(entries == options, "%u options, %u entries", options, entries);
	for (u32 i = 0; (name = preset_nth(i, &help)); i++) {
		char line[64];

		snprintf(line, sizeof(line), "\n.It Cm %s\n", name);
		CHECK(strstr(page, line), "preset %s has an entry", name);
	}
	free(page);
	return tap_done();
}
