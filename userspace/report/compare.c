/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cells make a pair. */
#include "report/compare.h"

#include "report/result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct pairing {
	struct compare *c;
	char *err;
	size_t err_len;
};

__attribute__((format(printf, 3, 4))) static int pairing_fail(struct pairing *x, int rc,
							      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->err, x->err_len, fmt, ap);
	va_end(ap);
	return rc;
}

__attribute__((format(printf, 2, 3))) static int note_add(struct compare *c, const char *fmt, ...)
{
	char **notes = realloc(c->notes, (c->nr_notes + 1) * sizeof(*notes));
	va_list ap;
	int rc;

	if (!notes)
		return -ENOMEM;
	c->notes = notes;
	va_start(ap, fmt);
	rc = vasprintf(&notes[c->nr_notes], fmt, ap);
	va_end(ap);
	if (rc < 0)
		return -ENOMEM;
	c->nr_notes++;
	return 0;
}

static int pair_add(struct compare *c, const struct loaded *const of[SIDES], u32 base, u32 other)
{
	struct pair *list = realloc(c->pairs, (c->nr_pairs + 1) * sizeof(*list));
	const struct loaded_cell *x = &of[BASE]->cells[base], *y = &of[OTHER]->cells[other];
	struct pair *p;

	if (!list)
		return -ENOMEM;
	c->pairs = list;
	p = &list[c->nr_pairs++];
	*p = (struct pair){.of = {of[BASE], of[OTHER]},
			   .cell = {base, other},
			   .name = {"A", "B"},
			   .state = state_worse(x->state, y->state)};
	if (c->by) {
		p->name[BASE] = loaded_axis_value(of[BASE], base, c->by);
		p->name[OTHER] = loaded_axis_value(of[OTHER], other, c->by);
	}
	return 0;
}

/* --- one result, by an axis --- */

static int no_such_axis(struct pairing *x, const struct loaded *l, const char *by)
{
	char list[512] = "";
	size_t n = 0;

	for (u32 a = 0; a < loaded_axes(l) && n < sizeof(list); a++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", a ? ", " : "",
				      loaded_axis_name(l, a));
	return pairing_fail(x, -EINVAL, "%s: no axis '%s': it has %s%s", l->path, by,
			    n ? "" : "one cell and no axis; name a second result", list);
}

/* The axis' first value when none is named; else the value must be there. */
static int find_base(struct pairing *x, const struct loaded *l, const char *by, const char **base)
{
	char list[512] = "";
	size_t n = 0;

	if (!*base) {
		*base = loaded_axis_value(l, 0, by);
		return 0;
	}
	for (u32 c = 0; c < l->nr_cells; c++) {
		const char *value = loaded_axis_value(l, c, by);
		bool seen = false;

		if (!strcmp(value, *base))
			return 0;
		for (u32 d = 0; d < c && !seen; d++)
			seen = !strcmp(loaded_axis_value(l, d, by), value);
		if (!seen && n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
					      value);
	}
	return pairing_fail(x, -EINVAL, "--base: %s has no value '%s': it has %s", by, *base, list);
}

static bool same_but_for(const struct loaded *l, u32 a, u32 b, const char *by)
{
	for (u32 i = 0; i < loaded_axes(l); i++) {
		const char *name = loaded_axis_name(l, i);

		if (strcmp(name, by) != 0 &&
		    strcmp(loaded_axis_value(l, a, name), loaded_axis_value(l, b, name)) != 0)
			return false;
	}
	return true;
}

/* Every axis is there with every cell, or the manifest is not ours. */
static bool axes_whole(const struct loaded *l)
{
	for (u32 c = 0; c < l->nr_cells; c++)
		for (u32 a = 0; a < loaded_axes(l); a++)
			if (!loaded_axis_value(l, c, loaded_axis_name(l, a)))
				return false;
	return true;
}

static int pair_by(struct pairing *x, const struct loaded *l, const char *base)
{
	struct compare *c = x->c;
	const struct loaded *const of[SIDES] = {l, l};
	int rc = 0;

	if (!loaded_axis_value(l, 0, c->by))
		return no_such_axis(x, l, c->by);
	rc = find_base(x, l, c->by, &base);
	for (u32 b = 0; b < l->nr_cells && !rc; b++) {
		if (strcmp(loaded_axis_value(l, b, c->by), base))
			continue;
		for (u32 o = 0; o < l->nr_cells && !rc; o++)
			if (o != b && same_but_for(l, b, o, c->by))
				rc = pair_add(c, of, b, o);
	}
	if (!rc && !c->nr_pairs)
		rc = pairing_fail(x, -EINVAL, "%s: no two cells differ in %s only", l->path, c->by);
	return rc;
}

/* --- two results --- */

static bool axes_agree(const struct compare *c, u32 a, u32 b)
{
	for (u32 i = 0; i < c->nr_axes; i++)
		if (!compare_same_value(c->results[0].cells[a].spec, c->results[1].cells[b].spec,
					c->axes[i]))
			return false;
	return true;
}

static bool is_paired(const struct compare *c, u32 side, u32 cell)
{
	for (u32 i = 0; i < c->nr_pairs; i++)
		if (c->pairs[i].cell[side] == cell)
			return true;
	return false;
}

/* One line for all of a side. */
static int note_unpaired(struct compare *c, u32 side)
{
	char list[256] = "";
	size_t n = 0;

	for (u32 i = 0; i < c->results[side].nr_cells && n < sizeof(list); i++)
		if (!is_paired(c, side, i))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%u", n ? ", " : "", i);
	if (!n)
		return 0;
	return note_add(c, "no partner in %s, so not compared: cell %s of %s",
			side == BASE ? "B" : "A", list, side == BASE ? "A" : "B");
}

static int pair_results(struct pairing *x)
{
	struct compare *c = x->c;
	const struct loaded *const of[SIDES] = {&c->results[0], &c->results[1]};
	int rc = 0;

	for (u32 a = 0; a < of[BASE]->nr_cells && !rc; a++)
		for (u32 b = 0; b < of[OTHER]->nr_cells && !rc; b++)
			if (axes_agree(c, a, b))
				rc = pair_add(c, of, a, b);
	if (!rc && !c->nr_pairs)
		return pairing_fail(
			x, -EINVAL,
			"no cell of %s has the axes' values of a cell of %s: nothing to "
			"compare",
			of[BASE]->path, of[OTHER]->path);
	for (u32 side = 0; side < SIDES && !rc; side++)
		rc = note_unpaired(c, side);
	return rc;
}

/* --- both --- */

/* The axes that name a pair: all but `by`, of both results. */
static int find_axes(struct compare *c)
{
	u32 room = 1;

	for (u32 r = 0; r < c->nr_results; r++)
		room += loaded_axes(&c->results[r]);
	c->axes = calloc(room, sizeof(*c->axes));
	if (!c->axes)
		return -ENOMEM;
	for (u32 r = 0; r < c->nr_results; r++) {
		for (u32 a = 0; a < loaded_axes(&c->results[r]); a++) {
			const char *name = loaded_axis_name(&c->results[r], a);
			bool known = c->by && !strcmp(c->by, name);

			for (u32 i = 0; i < c->nr_axes; i++)
				known |= !strcmp(c->axes[i], name);
			if (!known)
				c->axes[c->nr_axes++] = name;
		}
	}
	return 0;
}

/* Cells of pairs that are not what they should be, each once. */
static int note_states(struct compare *c)
{
	int rc = 0;

	for (u32 r = 0; r < c->nr_results; r++) {
		const struct loaded *l = &c->results[r];

		for (u32 i = 0; i < l->nr_cells && !rc; i++) {
			bool used = false;

			for (u32 k = 0; k < c->nr_pairs; k++)
				for (u32 side = 0; side < SIDES; side++)
					used |= c->pairs[k].of[side] == l &&
						c->pairs[k].cell[side] == i;
			if (used && l->cells[i].state != CELL_VALID)
				rc = note_add(c, "cell %u of %s is %s: %s: compared all the same",
					      i, l->path, state_name(l->cells[i].state),
					      l->cells[i].why);
		}
	}
	return rc;
}

int compare_results(struct compare *c, const struct loaded *results, u32 nr_results, const char *by,
		    const char *base, char *err, size_t err_len)
{
	struct pairing x = {c, err, err_len};
	int rc = 0;

	*c = (struct compare){.results = results, .nr_results = nr_results, .by = by};
	err[0] = '\0';
	for (u32 i = 0; i < nr_results && !rc; i++)
		if (!axes_whole(&results[i]))
			rc = pairing_fail(&x, -EINVAL,
					  "%s/manifest.json: a cell has no value of an axis: it is "
					  "not as holbench wrote it",
					  results[i].path);
	if (!rc)
		rc = find_axes(c);
	if (!rc)
		rc = by ? pair_by(&x, &results[0], base) : pair_results(&x);
	if (!rc)
		rc = compare_differences(c);
	for (u32 i = 0; i < c->nr_pairs && !rc; i++)
		rc = pair_measure(&c->pairs[i]);
	if (!rc)
		rc = note_states(c);
	if (rc) {
		if (!err[0])
			snprintf(err, err_len, "cannot compare: %s", strerror(-rc));
		compare_free(c);
	}
	return rc;
}

void compare_free(struct compare *c)
{
	for (u32 i = 0; i < c->nr_pairs; i++)
		pair_free(&c->pairs[i]);
	for (u32 i = 0; i < c->nr_notes; i++)
		free(c->notes[i]);
	free(c->notes);
	free(c->pairs);
	free(c->differences);
	free(c->axes);
	*c = (struct compare){0};
}
