/* SPDX-License-Identifier: GPL-2.0-only */
/* Who took most from the victims' slowest items, over all repeats of a cell. */
#include "report/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct suspect {
	const char *name; /* a summary's */
	double ns;	  /* mean of an item of the band, added up over the repeats */
};

struct suspects {
	struct suspect *list;
	u32 nr;
};

static int suspect_add(struct suspects *s, const char *name, double ns)
{
	struct suspect *list;

	for (u32 i = 0; i < s->nr; i++) {
		if (!strcmp(s->list[i].name, name)) {
			s->list[i].ns += ns;
			return 0;
		}
	}
	list = realloc(s->list, (s->nr + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	s->list = list;
	list[s->nr++] = (struct suspect){name, ns};
	return 0;
}

/* Run-queue time alone: who interrupted or woke somebody did not take the CPU from a worker, nor
 * did an item that had what was waited for. */
static bool is_runqueue(const struct summary *s, const struct ledger_row *row)
{
	return (row->part == PART_RUNQUEUE || row->front == FRONT_RUNQUEUE) &&
	       s->culprits[row->culprit].class != CULPRIT_ITEMS;
}

static int suspects_of(struct suspects *s, const struct summary *sum)
{
	u64 items = sum->groups[GROUP_VICTIM].band_items[BAND_P99];
	int rc = 0;

	for (u32 i = 0; items && !rc && i < sum->nr_rows; i++) {
		const struct ledger_row *row = &sum->rows[i];

		if (row->group == GROUP_VICTIM && row->band == BAND_P99 && row->culprit != NONE32 &&
		    is_runqueue(sum, row))
			rc = suspect_add(s, sum->culprits[row->culprit].name,
					 (double)row->ns / (double)items);
	}
	return rc;
}

int row_culprit(struct row *row, const struct result *r)
{
	struct suspects s = {0};
	const struct suspect *worst = NULL;
	int rc = 0;

	for (u32 i = 0; !rc && i < result_repeats(r, row->cell); i++)
		if (result_run(r, row->cell, i)->done)
			rc = suspects_of(&s, &result_run(r, row->cell, i)->summary);
	for (u32 i = 0; i < s.nr; i++)
		if (!worst || s.list[i].ns > worst->ns)
			worst = &s.list[i];
	if (worst && !rc) {
		snprintf(row->culprit, sizeof(row->culprit), "%s", worst->name);
		row->culprit_ns = (u64)(worst->ns / row->repeats);
	}
	free(s.list);
	return rc;
}
