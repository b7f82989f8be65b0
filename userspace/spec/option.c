// SPDX-License-Identifier: GPL-2.0-only
/* One option of the table: text into struct spec, and back. */
#include "spec/options.h"
#include "spec/command.h"
#include "spec/cpulist.h"
#include "spec/steps.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* `base`: the spec, or the resource that the section is of. */
static void store(const struct field *f, void *base, const struct value *v)
{
	void *to = (char *)base + f->offset;

	if (f->type != VALUE_NONE && !value_is_whole(f->type))
		memcpy(to, &v->d, sizeof(v->d));
	else if (f->size == sizeof(u64))
		memcpy(to, &v->i, sizeof(v->i));
	else if (f->size == sizeof(u32))
		memcpy(to, &(u32){(u32)v->i}, sizeof(u32));
	else
		memcpy(to, &(bool){v->i != 0}, sizeof(bool));
}

static struct value load(const struct field *f, const void *base)
{
	const void *from = (const char *)base + f->offset;
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

static int set_number(const struct field *f, void *base, const char *text, char why[VALUE_WHY])
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
	store(f, base, &v);
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

static int set_choice(const struct option *o, void *base, const char *text, char why[VALUE_WHY])
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
	rc = c->parameter ? set_number(&c->field, base, text + len + 1, why) : 0;
	if (!rc)
		store(&o->field, base, &(struct value){.i = c->value});
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
static int set_number_or_word(const struct option *o, void *base, const char *text,
			      char why[VALUE_WHY])
{
	const struct choice *c = choice_called(o, text, strlen(text));

	if (c) {
		store(&o->field, base, &(struct value){.i = c->value});
		return 0;
	}
	if (o->choices && isalpha((unsigned char)*text)) {
		snprintf(why, VALUE_WHY, "is neither a number nor %s", o->choices->name);
		return -EINVAL;
	}
	return set_number(&o->field, base, text, why);
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

/* Of the kinds that may be in a section with a name. */
static int set_plain(const struct option *o, void *base, const char *text, char why[VALUE_WHY])
{
	return o->kind == OPTION_CHOICE ? set_choice(o, base, text, why)
					: set_number_or_word(o, base, text, why);
}

int option_set(const struct option *o, struct spec *s, const char *text, char why[VALUE_WHY])
{
	int rc = 0;

	switch (o->kind) {
	case OPTION_CPUS:
		rc = cpulist_normal((char *)s + o->field.offset, o->field.size, text, why);
		break;
	case OPTION_QUOTA:
		rc = set_quota(o, s, text, why);
		break;
	case OPTION_COMMAND:
		rc = text_copy((char *)s + o->field.offset, o->field.size, text,
			       "put it into a script", why);
		break;
	case OPTION_TEXT_OF:
		rc = text_copy((char *)s + o->field.offset, o->field.size, text, "rename it", why);
		break;
	case OPTION_DESIGN:
		rc = set_design(o, s, text, why);
		break;
	case OPTION_STEPS:
		rc = steps_set(s, text, why);
		break;
	case OPTION_CHOICE:
	case OPTION_NUMBER:
		rc = set_plain(o, s, text, why);
		break;
	}
	if (!rc && o->set)
		o->set(s);
	return rc;
}

static struct resource_config resource_default(const char *name)
{
	struct resource_config r = {.lock = false};
	const struct option *o;
	char why[VALUE_WHY];

	memcpy(r.name, name, strlen(name));
	for (u32 i = 0; (o = options_nth(i)); i++)
		if (option_named(o))
			set_plain(o, &r, o->def, why);
	return r;
}

int key_set(const struct key *k, struct spec *s, const char *text, char why[VALUE_WHY])
{
	struct resource_config *r, copy;
	int rc;

	if (!option_named(k->option))
		return option_set(k->option, s, text, why);
	r = resource_find(s, k->name);
	copy = r ? *r : resource_default(k->name);
	rc = set_plain(k->option, &copy, text, why);
	if (!rc && !r)
		r = resource_add(s, k->name, why);
	if (!rc && r)
		*r = copy;
	return r ? rc : -EINVAL;
}

/* The word that stands for the field's value, with its parameter; false when none does. */
static bool print_word(const struct option *o, const void *base, char text[OPTION_TEXT])
{
	struct value v = load(&o->field, base), p;
	const struct choice *c = o->choices;
	char number[VALUE_TEXT] = "";

	while (c && c->name && c->value != v.i)
		c++;
	if (!c || !c->name)
		return false;
	if (c->parameter) {
		p = load(&c->field, base);
		value_print(c->field.type, &p, number);
	}
	snprintf(text, OPTION_TEXT, "%s%s%s", c->name, c->parameter ? ":" : "", number);
	return true;
}

static void print_number(const struct field *f, const void *base, char text[VALUE_TEXT])
{
	struct value v = load(f, base);

	value_print(f->type, &v, text);
}

static void print_plain(const struct option *o, const void *base, char text[OPTION_TEXT])
{
	char number[VALUE_TEXT], period[VALUE_TEXT];

	if (print_word(o, base, text))
		return;
	print_number(&o->field, base, number);
	snprintf(text, OPTION_TEXT, "%s", number);
	if (o->kind == OPTION_QUOTA) {
		print_number(&o->period, base, period);
		snprintf(text, OPTION_TEXT, "%s/%s", number, period);
	}
}

void option_print(const struct option *o, const struct spec *s, char text[OPTION_TEXT])
{
	if (o->kind == OPTION_DESIGN)
		snprintf(text, OPTION_TEXT, "%s", s->design->name);
	else if (o->kind == OPTION_CPUS || o->kind == OPTION_COMMAND || o->kind == OPTION_TEXT_OF)
		snprintf(text, OPTION_TEXT, "%s", (const char *)s + o->field.offset);
	else if (o->kind == OPTION_STEPS)
		steps_print(s, text);
	else
		print_plain(o, s, text);
}

void key_print(const struct key *k, const struct spec *s, char text[OPTION_TEXT])
{
	const struct resource_config *r;

	text[0] = '\0';
	if (!option_named(k->option)) {
		option_print(k->option, s, text);
		return;
	}
	r = resource_find((struct spec *)s, k->name);
	if (r && !r->lock)
		print_plain(k->option, r, text);
}
