/* SPDX-License-Identifier: GPL-2.0-only */
#include "spec/files.h"
#include "spec/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Does the same stand in it? Speed and scale are not read from it. */
static bool same(const struct csv_config *a, const struct csv_config *b)
{
	return !strcmp(a->path, b->path) && !strcmp(a->time, b->time) && !strcmp(a->key, b->key) &&
	       !strcmp(a->cost, b->cost) && a->unit_ns == b->unit_ns &&
	       a->window_ns == b->window_ns;
}

static const struct file *find(const struct files *f, const struct csv_config *csv)
{
	for (u32 i = 0; i < f->nr; i++)
		if (same(&f->list[i].csv, csv))
			return &f->list[i];
	return NULL;
}

static int add(struct files *f, const struct csv_config *csv, struct spec_error *err)
{
	struct file *list = reallocarray(f->list, f->nr + 1, sizeof(*list));
	int rc;

	if (!list) {
		spec_fail(err, "out of memory while reading the spec; free some");
		return -ENOMEM;
	}
	f->list = list;
	list[f->nr] = (struct file){.csv = *csv};
	rc = recording_survey(&list[f->nr].csv, &list[f->nr].names, err);
	f->nr += !rc;
	return rc;
}

int files_read(struct files *f, struct csv_config *csv, struct spec_error *err)
{
	const struct file *file = find(f, csv);
	int rc = file ? 0 : add(f, csv, err);

	if (rc)
		return rc;
	if (!file)
		file = &f->list[f->nr - 1];
	if (csv->facts.crc32 && csv->facts.crc32 != file->csv.facts.crc32)
		return spec_fail_keys(
			err, "csv.crc32",
			"%s is another file than the spec is of: its csv.crc32 is %u, and "
			"not %u; find that one, or take csv.crc32 out",
			spec_path(csv->path), file->csv.facts.crc32, csv->facts.crc32);
	csv->facts = file->csv.facts;
	return 0;
}

void files_free(struct files *f)
{
	for (u32 i = 0; i < f->nr; i++)
		names_free(f->list[i].names);
	free(f->list);
	*f = (struct files){0};
}
