/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/csv.h"

#include "report/field.h"

static void ledger_row(const struct summary *s, u32 cell, u32 repeat, const struct ledger_row *row,
		       FILE *f)
{
	u64 items = s->groups[row->group].band_items[row->band];
	u64 all = summary_sum(s, row->group, row->band, -1, -1);

	fprintf(f, "%u,%u,%s,%s,%s,%s,", cell, repeat, group_name(row->group), band_name(row->band),
		part_name(row->part), row->front == FRONT_NONE ? "" : front_name(row->front));
	if (row->culprit != NONE32)
		field_text(f, s->culprits[row->culprit].name);
	fprintf(f, ",%.3f,%.6f,", items ? (double)row->ns / (double)items : 0.0,
		all ? (double)row->ns / (double)all : 0.0);
	if (row->culprit != NONE32) {
		fputs(culprit_class_name(s->culprits[row->culprit].class), f);
		fputc(',', f);
		field_text(f, s->culprits[row->culprit].cgroup);
	} else {
		fputc(',', f);
	}
	fputc('\n', f);
}

void csv_ledger(const struct result *r, FILE *f)
{
	fputs("cell,repeat,class,band,part,front,culprit,ns_mean,share,culprit_class,culprit_"
	      "cgroup\n",
	      f);
	for (u32 c = 0; c < r->cells; c++) {
		for (u32 i = 0; i < result_repeats(r, c); i++) {
			const struct run *run = result_run(r, c, i);

			for (u32 j = 0; run->done && j < run->summary.nr_rows; j++)
				ledger_row(&run->summary, c, i, &run->summary.rows[j], f);
		}
	}
}
