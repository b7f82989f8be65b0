/* SPDX-License-Identifier: GPL-2.0-only */
/* What is not the same on both sides: hosts, programs, and the keys of the specs. */
#include "report/compare.h"

#include "report/result.h"
#include "spec/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Empty when another key says the same thing in this spec, or it has no such resource. */
static void print_held(const struct key *k, const struct spec *s, char text[OPTION_TEXT])
{
	text[0] = '\0';
	if (!k->option->holds || k->option->holds(s))
		key_print(k, s, text);
}

static bool same_key(const struct key *k, const struct spec *a, const struct spec *b)
{
	char x[OPTION_TEXT], y[OPTION_TEXT];

	/* "steal:item" is a design and its unit. */
	if (k->option->kind == OPTION_DESIGN)
		return a->design == b->design &&
		       (a->unit == b->unit || strcmp(a->design->name, "steal") != 0);
	print_held(k, a, x);
	print_held(k, b, y);
	return !strcmp(x, y);
}

/* The next key that is not the same in both, of those that either has. */
static bool next_difference(struct key_walk walk[2], const struct spec *a, const struct spec *b,
			    struct key *k)
{
	char text[OPTION_TEXT];

	while (key_next(&walk[0], a, k))
		if (!same_key(k, a, b))
			return true;
	while (key_next(&walk[1], b, k)) {
		if (!option_named(k->option))
			continue;
		key_print(k, a, text);
		if (!*text)
			return true;
	}
	return false;
}

bool compare_same_value(const struct spec *a, const struct spec *b, const char *key)
{
	struct key k;

	return key_parse(key, &k) && same_key(&k, a, b);
}

const char *compare_value(char *buf, size_t len, const struct loaded *l, u32 cell, const char *key)
{
	const char *written = loaded_axis_value(l, cell, key);
	char text[OPTION_TEXT] = "";
	struct key k;

	if (!written && key_parse(key, &k))
		print_held(&k, l->cells[cell].spec, text);
	snprintf(buf, len, "%s", written ? written : text);
	return buf;
}

static u32 kind_of(const struct option *o)
{
	const char *s = o->section;

	if (!strcmp(s, "workload") &&
	    (!strcmp(o->name, "timeout") || !strcmp(o->name, "partitions")))
		return DIFFER_POLICY;
	if (!strcmp(s, "workload") || !strcmp(s, "hot") || !strcmp(s, "burst") || !strcmp(s, "csv"))
		return DIFFER_STREAM;
	if (!strcmp(s, "run"))
		return !strcmp(o->name, "warmup") || !strcmp(o->name, "time_scale") ? DIFFER_STREAM
										    : DIFFER_OTHER;
	if (!strcmp(s, "place"))
		return DIFFER_PLACEMENT;
	if (!strcmp(s, "noise"))
		return DIFFER_NOISE;
	if (!strcmp(s, "workers") && strcmp(o->name, "count") && strcmp(o->name, "replicas"))
		return DIFFER_PLACEMENT;
	return DIFFER_POLICY;
}

__attribute__((format(printf, 3, 4))) static int differ_add(struct compare *c, u32 kind,
							    const char *fmt, ...)
{
	struct difference *list = realloc(c->differences, (c->nr_differences + 1) * sizeof(*list));
	va_list ap;

	if (!list)
		return -ENOMEM;
	c->differences = list;
	list = &list[c->nr_differences++];
	list->kind = kind;
	va_start(ap, fmt);
	vsnprintf(list->text, sizeof(list->text), fmt, ap);
	va_end(ap);
	return 0;
}

static const struct {
	const char *object, *name, *words;
	bool live; /* of a simulation it does not matter */
} facts[] = {
	{NULL, "engine", "engines", false},
	{NULL, "version", "versions of holbench", false},
	{"host", "name", "hosts", true},
	{"host", "architecture", "hosts", true},
	{"host", "cpu_model", "hosts", true},
	{"host", "cpus_online", "hosts", true},
	{"host", "hypervisor", "hosts", true},
	{"host", "governor", "hosts", true},
	{"host", "clock_source", "hosts", true},
	{"host", "kernel_release", "kernels", true},
	{"host", "kernel_version", "kernels", true},
	{"host", "sched_ext", "kernels", true},
};

static int host_differences(struct compare *c)
{
	const struct loaded *a = &c->results[0], *b = &c->results[1];
	bool simulated = !strcmp(loaded_fact(a, NULL, "engine"), "sim") &&
			 !strcmp(loaded_fact(b, NULL, "engine"), "sim");
	int rc = 0;

	for (u32 i = 0; i < ARRAY_SIZE(facts) && !rc; i++) {
		const char *x = loaded_fact(a, facts[i].object, facts[i].name),
			   *y = loaded_fact(b, facts[i].object, facts[i].name);

		if (strcmp(x, y) && !(simulated && facts[i].live))
			rc = differ_add(c, 0, "different %s: %s is '%s' in A and '%s' in B",
					facts[i].words, facts[i].name, x, y);
	}
	return rc;
}

/* Axes agree within a pair of two results, so what differs is the same for all pairs. */
static int key_differences(struct compare *c, const struct pair *p)
{
	const struct spec *a = p->of[BASE]->cells[p->cell[BASE]].spec,
			  *b = p->of[OTHER]->cells[p->cell[OTHER]].spec;
	char x[OPTION_TEXT], y[OPTION_TEXT], name[KEY_TEXT];
	struct key_walk walk[2] = {{0}};
	struct key k;
	int rc = 0;

	while (!rc && next_difference(walk, a, b, &k)) {
		u32 kind = kind_of(k.option);

		print_held(&k, a, x);
		print_held(&k, b, y);
		key_text(&k, name);
		rc = differ_add(c, kind, "%s%s is %s in A and %s in B",
				kind == DIFFER_STREAM ? "different streams: " : "", name,
				*x ? x : "not given", *y ? y : "not given");
	}
	return rc;
}

static u32 pair_differs(const struct pair *p)
{
	const struct spec *a = p->of[BASE]->cells[p->cell[BASE]].spec,
			  *b = p->of[OTHER]->cells[p->cell[OTHER]].spec;
	struct key_walk walk[2] = {{0}};
	u32 differs = 0;
	struct key k;

	while (next_difference(walk, a, b, &k))
		differs |= kind_of(k.option);
	return differs;
}

int compare_differences(struct compare *c)
{
	int rc = 0;

	for (u32 i = 0; i < c->nr_pairs; i++)
		c->pairs[i].differs = pair_differs(&c->pairs[i]);
	if (!c->by) {
		rc = host_differences(c);
		return rc ? rc : key_differences(c, &c->pairs[0]);
	}
	if (c->pairs[0].differs & DIFFER_STREAM)
		rc = differ_add(c, DIFFER_STREAM,
				"different streams: %s makes other items, so repeats do not "
				"correspond",
				c->by);
	return rc;
}
