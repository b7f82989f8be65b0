// SPDX-License-Identifier: GPL-2.0-only
/* One option of the table: text into struct spec, and back. */
#include "spec/options.h"
#include "spec/command.h"
#include "spec/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static void store(const struct field *f, struct spec *s, const struct value *v)
{
	void *to = (char *)s + f->offset;

	if (f->type != VALUE_NONE && !value_is_whole(f->type))
		memcpy(to, &v->d, sizeof(v->d));
	else if (f->size == sizeof(u64))
		memcpy(to, &v->i, sizeof(v->i));
	else if (f->size == sizeof(u32))
		memcpy(to, &(u32){(u32)v->i}, sizeof(u32));
	else
		memcpy(to, &(bool){v->i != 0}, sizeof(bool));
}

static struct value load(const struct field *f, const struct spec *s)
{
	const void *from = (const char *)s + f->offset;
	struct value v = {0};
	u32 n;

	if (f->type != VALUE_NONE && !value_is_whole(f->type)) {
		memcpy(&v.d, from, sizeof(v.d));
	} else if (f->size == sizeof(u64)) {
		memcpy(&v.i, from, sizeof(v.i));
	} else if (f->size == sizeof(u32)) {
		memcpy(&n, from, sizeof(n));
		v.i = f->type == VALUE_INT ? (s64)(int32_t)n : (s64)n;
	} else {
		v.i = *(const bool *)from;
	}
	return v;
}

static int set_number(const struct field *f, struct spec *s, const char *text, char why[VALUE_WHY])
{
	struct value v, min, max;
	int rc = value_parse(f->type, text, &v, why);

	if (rc)
		return rc;
	value_parse(f->type, f->min, &min, why);
	value_parse(f->type, f->max, &max, why);
	if (value_compare(f->type, &v, &min) < 0 || value_compare(f->type, &v, &max) > 0) {
		snprintf(why, VALUE_WHY, "is out of range: %s to %s", f->min, f->max);
		return -EINVAL;
	}
	store(f, s, &v);
	return 0;
}

static const struct choice *choice_called(const struct option *o, const char *text, size_t len)
{
	for (const struct choice *c = o->choices; c && c->name; c++)
		if (strlen(c->name) == len && !memcmp(c->name, text, len))
			return c;
	return NULL;
}

static const char *nth_word(const void *o, u32 i)
{
	return option_word(o, i);
}

/* "is not one of …; did you mean …?" */
static int no_such_word(const struct option *o, const char *text, char why[VALUE_WHY])
{
	const char *near = nearest_name(text, nth_word, o), *word;
	char list[VALUE_WHY - 64] = "";
	size_t len = 0;

	for (u32 i = 0; (word = option_word(o, i)) && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					word);
	snprintf(why, VALUE_WHY, "is not one of %s%s%s%s", list, near ? "; did you mean " : "",
		 near ? near : "", near ? "?" : "");
	return -EINVAL;
}

static int set_choice(const struct option *o, struct spec *s, const char *text, char why[VALUE_WHY])
{
	size_t len = strcspn(text, ":");
	const struct choice *c = choice_called(o, text, len);
	int rc;

	if (!c)
		return no_such_word(o, text, why);
	if (c->parameter && !text[len]) {
		snprintf(why, VALUE_WHY, "needs its parameter: %s:%s", c->name, c->parameter);
		return -EINVAL;
	}
	if (!c->parameter && text[len]) {
		snprintf(why, VALUE_WHY, "has a parameter, but %s takes none", c->name);
		return -EINVAL;
	}
	rc = c->parameter ? set_number(&c->field, s, text + len + 1, why) : 0;
	if (!rc)
		store(&o->field, s, &(struct value){.i = c->value});
	return rc;
}

/* `steal:UNIT` says the unit in the name, so that it can be a value of one axis. */
static int set_design(const struct option *o, struct spec *s, const char *text, char why[VALUE_WHY])
{
	const struct option *unit = options_find("dispatch", "unit");
	const char *colon = strchr(text, ':');
	const struct dispatch_ops *ops;
	struct spec copy = *s;
	int rc;

	if (colon && colon - text == 5 && !memcmp(text, "steal", 5)) {
		rc = option_set(unit, &copy, colon + 1, why);
		if (rc)
			return rc;
		text = "steal";
	}
	ops = dispatch_find(text, copy.unit);
	if (!ops)
		return no_such_word(o, text, why);
	s->unit = copy.unit;
	s->design = ops;
	return 0;
}

/* A number, or a word that stands for one. */
static int set_number_or_word(const struct option *o, struct spec *s, const char *text,
			      char why[VALUE_WHY])
{
	const struct choice *c = choice_called(o, text, strlen(text));

	if (c) {
		store(&o->field, s, &(struct value){.i = c->value});
		return 0;
	}
	if (o->choices && isalpha((unsigned char)*text)) {
		snprintf(why, VALUE_WHY, "is neither a number nor %s", o->choices->name);
		return -EINVAL;
	}
	return set_number(&o->field, s, text, why);
}

/* One of the two times of a quota: `what` names it in the reason. */
static int set_time(const struct field *f, const char *what, struct spec *s, const char *text,
		    char why[VALUE_WHY])
{
	char reason[VALUE_WHY];
	int rc = set_number(f, s, text, reason);

	if (!rc && load(f, s).i % (s64)NSEC_PER_USEC) {
		snprintf(reason, sizeof(reason), "is finer than 1us, the kernel's grain");
		rc = -EINVAL;
	}
	if (rc)
		snprintf(why, VALUE_WHY, "has a %s that %.200s", what, reason);
	return rc;
}

static int set_quota(const struct option *o, struct spec *s, const char *text, char why[VALUE_WHY])
{
	const char *slash = strchr(text, '/');
	struct spec copy = *s;
	char quota[64];
	int rc;

	if (choice_called(o, text, strlen(text))) {
		store(&o->field, s, &(struct value){.i = 0});
		store(&o->period, s, &(struct value){.i = 0});
		return 0;
	}
	if (!slash || slash - text >= (ptrdiff_t)sizeof(quota)) {
		snprintf(why, VALUE_WHY, "is neither QUOTA/PERIOD, as in 13ms/100ms, nor %s",
			 o->choices->name);
		return -EINVAL;
	}
	snprintf(quota, sizeof(quota), "%.*s", (int)(slash - text), text);
	rc = set_time(&o->field, "quota", &copy, quota, why);
	if (!rc)
		rc = set_time(&o->period, "period", &copy, slash + 1, why);
	if (!rc)
		*s = copy;
	return rc;
}

int option_set(const struct option *o, struct spec *s, const char *text, char why[VALUE_WHY])
{
	int rc = 0;

	switch (o->kind) {
	case OPTION_CHOICE:
		rc = set_choice(o, s, text, why);
		break;
	case OPTION_CPUS:
		rc = cpulist_normal((char *)s + o->field.offset, o->field.size, text, why);
		break;
	case OPTION_QUOTA:
		rc = set_quota(o, s, text, why);
		break;
	case OPTION_COMMAND:
		rc = command_copy((char *)s + o->field.offset, o->field.size, text, why);
		break;
	case OPTION_DESIGN:
		rc = set_design(o, s, text, why);
		break;
	case OPTION_NUMBER:
		rc = set_number_or_word(o, s, text, why);
		break;
	}
	if (!rc && o->set)
		o->set(s);
	return rc;
}

/* The word that stands for the field's value, with its parameter; false when none does. */
static bool print_word(const struct option *o, const struct spec *s, char text[OPTION_TEXT])
{
	struct value v = load(&o->field, s), p;
	const struct choice *c = o->choices;
	char number[VALUE_TEXT] = "";

	while (c && c->name && c->value != v.i)
		c++;
	if (!c || !c->name)
		return false;
	if (c->parameter) {
		p = load(&c->field, s);
		value_print(c->field.type, &p, number);
	}
	snprintf(text, OPTION_TEXT, "%s%s%s", c->name, c->parameter ? ":" : "", number);
	return true;
}

static void print_number(const struct field *f, const struct spec *s, char text[VALUE_TEXT])
{
	struct value v = load(f, s);

	value_print(f->type, &v, text);
}

void option_print(const struct option *o, const struct spec *s, char text[OPTION_TEXT])
{
	char number[VALUE_TEXT], period[VALUE_TEXT];

	if (o->kind == OPTION_DESIGN) {
		snprintf(text, OPTION_TEXT, "%s", s->design->name);
	} else if (o->kind == OPTION_CPUS || o->kind == OPTION_COMMAND) {
		snprintf(text, OPTION_TEXT, "%s", (const char *)s + o->field.offset);
	} else if (!print_word(o, s, text)) {
		print_number(&o->field, s, number);
		snprintf(text, OPTION_TEXT, "%s", number);
		if (o->kind == OPTION_QUOTA) {
			print_number(&o->period, s, period);
			snprintf(text, OPTION_TEXT, "%s/%s", number, period);
		}
	}
}
