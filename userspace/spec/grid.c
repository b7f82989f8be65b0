// SPDX-License-Identifier: GPL-2.0-only
/* The grid: every key with a list is an axis, and every combination a cell. */
#include "spec/grid.h"
#include "spec/inifile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX 10000

static int out_of_memory(struct spec_error *err)
{
	spec_fail(err, "out of memory for the grid; shorten a list");
	return -ENOMEM;
}

static int find_axes(struct grid *g, struct spec_error *err)
{
	u64 cells = 1;

	g->axes = calloc(g->entries.nr + 1, sizeof(*g->axes));
	if (!g->axes)
		return out_of_memory(err);
	for (u32 i = 0; i < g->entries.nr; i++) {
		const struct entry *e = &g->entries.list[i];
		struct axis *a = &g->axes[g->nr_axes];

		if (e->nr < 2)
			continue;
		a->entry = e;
		key_text(&e->key, a->name);
		g->nr_axes++;
		cells *= e->nr;
		if (cells > CELLS_MAX)
			return spec_fail(err, "%s: the lists make more than %d cells; shorten one",
					 e->where, CELLS_MAX);
	}
	g->nr_cells = (u32)cells;
	for (u32 i = g->nr_axes, stride = 1; i--; stride *= g->axes[i].entry->nr)
		g->axes[i].stride = stride;
	return 0;
}

/* Which of its values an entry has in a cell. */
static const char *value_in(const struct grid *g, const struct entry *e, u32 cell)
{
	for (u32 i = 0; i < g->nr_axes; i++)
		if (g->axes[i].entry == e)
			return e->values[cell / g->axes[i].stride % e->nr];
	return e->values[0];
}

/* "cell 3 (hot.load = 2.0, dispatch.design = steal): " before the text of err. */
static int name_cell(const struct grid *g, u32 cell, int rc, struct spec_error *err)
{
	struct spec_error why = *err;
	char axes[160] = "";
	size_t len = 0;

	if (!g->nr_axes)
		return rc;
	for (u32 i = 0; i < g->nr_axes && len < sizeof(axes); i++)
		len += (size_t)snprintf(axes + len, sizeof(axes) - len, "%s%s = %s", i ? ", " : "",
					grid_axis_name(g, i), grid_axis_value(g, i, cell));
	spec_fail(err, "cell %u (%s): %s", cell, axes, why.text);
	return rc;
}

/* Where it stands, before the text of an error that is about several keys. */
static int name_place(const struct grid *g, int rc, struct spec_error *err)
{
	struct spec_error why = *err;
	const struct entry *e = why.keys ? entries_given(&g->entries, why.keys) : NULL;

	if (e)
		spec_fail(err, "%s: %s", e->where, why.text);
	return rc;
}

/* What the spec gives of an option: of a section with a name, for each name. */
static int fill_option(const struct grid *g, u32 cell, const struct option *o,
		       struct spec_error *err)
{
	char why[VALUE_WHY];

	for (u32 i = 0; i < g->entries.nr; i++) {
		const struct entry *e = &g->entries.list[i];

		if (e->key.option == o &&
		    key_set(&e->key, &g->cells[cell], value_in(g, e, cell), why))
			return name_cell(g, cell, bad_value(e, value_in(g, e, cell), why, err),
					 err);
	}
	return 0;
}

static int fill_cell(struct grid *g, u32 cell, struct spec_error *err)
{
	struct spec *s = &g->cells[cell];
	u32 n = 0;
	int rc = 0;

	spec_default(s);
	while (options_nth(n))
		n++;
	while (n-- && !rc)
		rc = fill_option(g, cell, options_nth(n), err);
	if (rc)
		return rc;
	if (*s->csv.path && (g->reads || !s->csv.facts.rows))
		rc = files_read(&g->files, &s->csv, err);
	if (!rc)
		rc = spec_check(s, err);
	return rc ? name_cell(g, cell, name_place(g, rc, err), err) : 0;
}

/* A cell's text and which cell it is, to find equal ones by sorting. */
struct printed {
	char *text;
	u32 cell;
};

static int compare_printed(const void *a, const void *b)
{
	const struct printed *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->cell > y->cell) - (x->cell < y->cell);
}

static char *print_cell(const struct spec *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	spec_print(s, f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* The list in which two cells differ. */
static const struct entry *differ_in(const struct grid *g, u32 a, u32 b)
{
	u32 i = 0;

	while (!strcmp(grid_axis_value(g, i, a), grid_axis_value(g, i, b)))
		i++;
	return g->axes[i].entry;
}

static int equal_cells(const struct grid *g, u32 a, u32 b, struct spec_error *err)
{
	int rc = spec_fail(err, "%s: the same as cell %u; take a value out of a list",
			   differ_in(g, a, b)->where, a);

	return name_cell(g, b, rc, err);
}

static int find_equal(const struct grid *g, struct printed *p, struct spec_error *err)
{
	for (u32 i = 0; i < g->nr_cells; i++) {
		p[i] = (struct printed){print_cell(&g->cells[i]), i};
		if (!p[i].text)
			return out_of_memory(err);
	}
	qsort(p, g->nr_cells, sizeof(*p), compare_printed);
	for (u32 i = 1; i < g->nr_cells; i++)
		if (!strcmp(p[i - 1].text, p[i].text))
			return equal_cells(g, p[i - 1].cell, p[i].cell, err);
	return 0;
}

/* Lists without equal values can still make equal cells: steal, steal:half. */
static int check_equal(const struct grid *g, struct spec_error *err)
{
	struct printed *p = calloc(g->nr_cells, sizeof(*p));
	int rc = p ? find_equal(g, p, err) : out_of_memory(err);

	for (u32 i = 0; p && i < g->nr_cells; i++)
		free(p[i].text);
	free(p);
	return rc;
}

static int expand(struct grid *g, struct spec_error *err)
{
	int rc = entries_split(&g->entries, err);

	if (!rc)
		rc = entries_check(&g->entries, err);
	if (!rc)
		rc = find_axes(g, err);
	if (rc)
		return rc;
	g->cells = calloc(g->nr_cells, sizeof(*g->cells));
	if (!g->cells)
		return out_of_memory(err);
	for (u32 i = 0; i < g->nr_cells && !rc; i++)
		rc = fill_cell(g, i, err);
	return rc ? rc : check_equal(g, err);
}

/* What every way of making a grid ends with: hand it over, or take it apart. */
static int finish(struct grid **out, struct grid *g, int rc, struct spec_error *err)
{
	if (!rc)
		rc = expand(g, err);
	if (rc) {
		grid_free(g);
		g = NULL;
	}
	*out = g;
	return rc;
}

static const char *nth_preset(const void *ctx, u32 i)
{
	const char *help;

	(void)ctx;
	return preset_nth(i, &help);
}

static int no_such_spec(const char *path, struct spec_error *err)
{
	const char *near = nearest_name(path, nth_preset, NULL);

	path = spec_path(path);
	if (near)
		spec_fail(err,
			  "%s: no preset and no file of this name; did you mean the preset %s?",
			  path, near);
	else
		spec_fail(
			err,
			"%s: no preset and no file of this name; name a spec file, or a preset as "
			"in %s",
			path, nth_preset(NULL, 0));
	return -ENOENT;
}

/* A name without '.' and '/' is a preset's where there is one of that name; all else is a path. */
static int load_path(struct grid *g, const char *path, struct spec_error *err)
{
	bool bare = !strpbrk(path, "./");
	const char *preset = bare ? preset_text(path) : NULL;
	size_t len;
	char *text;
	int rc;

	if (preset)
		return entries_parse(&g->entries, preset, strlen(preset), path, err);
	rc = inifile_read(path, &text, &len, err);
	if (rc == -ENOENT && bare)
		return no_such_spec(path, err);
	if (rc)
		return rc;
	rc = entries_parse(&g->entries, text, len, spec_path(path), err);
	free(text);
	return rc;
}

int grid_load(struct grid **out, const char *path, char *const *words, int nr_words,
	      struct spec_error *err)
{
	struct grid *g = calloc(1, sizeof(*g));
	int rc = 0;

	*out = NULL;
	if (!g)
		return out_of_memory(err);
	g->reads = true;
	if (path)
		rc = load_path(g, path, err);
	for (int i = 0; i < nr_words && !rc; i++)
		rc = entries_word(&g->entries, words[i], err);
	return finish(out, g, rc, err);
}

int grid_parse(struct grid **out, const char *text, const char *name, struct spec_error *err)
{
	struct grid *g = calloc(1, sizeof(*g));

	*out = NULL;
	if (!g)
		return out_of_memory(err);
	return finish(out, g, entries_parse(&g->entries, text, strlen(text), name, err), err);
}

void grid_free(struct grid *g)
{
	if (!g)
		return;
	entries_free(&g->entries);
	for (size_t i = 0; g->values && i < (size_t)g->nr_axes * g->nr_cells; i++)
		free(g->values[i]);
	free(g->values);
	files_free(&g->files);
	free(g->axes);
	free(g->cells);
	free(g);
}

const struct csv_config *grid_file(const struct grid *g, u32 i)
{
	return i < g->files.nr ? &g->files.list[i].csv : NULL;
}

const char *grid_file_key(const struct grid *g, u32 i, u32 number)
{
	const struct names *names = g->files.list[i].names;

	return number < names_count(names) ? names_nth(names, number) : NULL;
}

u32 grid_cells(const struct grid *g)
{
	return g->nr_cells;
}

const struct spec *grid_cell(const struct grid *g, u32 i)
{
	return &g->cells[i];
}

u32 grid_axes(const struct grid *g)
{
	return g->nr_axes;
}

const char *grid_axis_name(const struct grid *g, u32 axis)
{
	return g->axes[axis].name;
}

const char *grid_axis_value(const struct grid *g, u32 axis, u32 cell)
{
	if (g->values)
		return g->values[(size_t)cell * g->nr_axes + axis];
	return value_in(g, g->axes[axis].entry, cell);
}
