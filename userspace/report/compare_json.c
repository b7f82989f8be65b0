/* SPDX-License-Identifier: GPL-2.0-only */
/* A comparison for programs: every number that the text has, and those that it folds. */
#include "report/compare.h"

#include "report/manifest.h"
#include "report/result.h"

#include <errno.h>
#include <string.h>

static const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_NOT_MEASURED] = "not measured", [VERDICT_NONE] = "no difference",
		[VERDICT_UNKNOWN] = "not explained",	 [VERDICT_UNCLEAR] = "unclear",
		[VERDICT_EXPLAINED] = "explained",
	};

	return names[v];
}

static json_t *two(const u64 n[SIDES])
{
	return json_pack("[I, I]", (json_int_t)n[BASE], (json_int_t)n[OTHER]);
}

/* ns are exact and items divide them; the difference is for those who do not want to. */
static json_t *row_json(const struct band_pair *b, const struct delta_row *r)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:f}", "part", part_name((enum part)r->part),
			 "front",
			 r->front == FRONT_NONE ? json_null()
						: json_string(front_name((enum front)r->front)),
			 "culprit", r->culprit ? text_json(r->culprit) : json_null(), "ns",
			 two(r->ns), "difference_ns", (double)delta_of(b, r->ns) / delta_scale(b));
}

static const char *cause_key(enum cause c)
{
	static const char *const names[CAUSE_NR] = {
		[CAUSE_RUNQUEUE] = "runqueue",
		[CAUSE_THROTTLED] = "throttled",
		[CAUSE_IRQ] = "irq",
		[CAUSE_WAKE] = "wake",
		[CAUSE_OVERSLEPT] = "overslept",
		[CAUSE_CONTENDED] = "contended",
		[CAUSE_LATE] = "late",
		[CAUSE_WORK] = "work",
		[CAUSE_QUEUE] = "queue",
		[CAUSE_UNKNOWN] = "unknown",
	};

	return names[c];
}

static json_t *ledger_json(const struct band_pair *b)
{
	json_t *rows = json_array(), *causes = json_object();

	for (u32 i = 0; i < b->nr_rows; i++)
		json_array_append_new(rows, row_json(b, &b->rows[i]));
	for (u32 c = 0; c < CAUSE_NR; c++)
		json_object_set_new(
			causes, cause_key((enum cause)c),
			json_real((double)cause_delta(b, (enum cause)c) / delta_scale(b)));
	return json_pack("{s:o, s:o, s:f, s:o, s:o}", "items", two(b->items), "ns", two(b->ns),
			 "difference_ns", (double)delta_of(b, b->ns) / delta_scale(b), "causes_ns",
			 causes, "rows", rows);
}

static json_t *interval_json(const struct band_pair *b)
{
	if (!b->has_interval)
		return json_null();
	return json_pack("{s:f, s:f, s:f}", "low", b->interval.low, "high", b->interval.high,
			 "level", b->interval.level);
}

static json_t *band_json(const struct pair *p, const struct band_pair *b)
{
	json_t *ratios = json_array();
	char text[600];

	for (u32 i = 0; i < b->n; i++)
		json_array_append_new(ratios, json_real(b->ratios[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "band",
			 band_name(b->band), "median_ns", b->n ? two(b->median_ns) : json_null(),
			 "min_ns", b->n ? two(b->min_ns) : json_null(), "max_ns",
			 b->n ? two(b->max_ns) : json_null(), "ratios", ratios, "ratio",
			 b->n ? json_real(b->ratio) : json_null(), "interval", interval_json(b),
			 "ledger", b->n ? ledger_json(b) : json_null(), "verdict",
			 verdict_name(b->verdict), "text",
			 text_json(verdict_text(text, sizeof(text), p, b)));
}

static json_t *axes_json(const struct compare *c, const struct pair *p)
{
	json_t *o = json_object();
	char text[160];

	for (u32 a = 0; a < c->nr_axes; a++)
		json_object_set_new(o, c->axes[a],
				    text_json(compare_value(text, sizeof(text), p->of[BASE],
							    p->cell[BASE], c->axes[a])));
	return o;
}

static json_t *side_json(const struct pair *p, u32 side)
{
	const struct loaded_cell *cell = &p->of[side]->cells[p->cell[side]];

	const struct outcomes *o = &p->outcomes[side];

	return json_pack("{s:o, s:i, s:o, s:s, s:o, s:I, s:I, s:I}", "result",
			 text_json(p->of[side]->path), "cell", (int)p->cell[side], "value",
			 text_json(p->name[side]), "state", state_name(cell->state), "why",
			 text_json(cell->why), "succeeded", (json_int_t)o->succeeded,
			 "failed_refused_lost", (json_int_t)o->failed, "timed_out",
			 (json_int_t)o->timed_out);
}

static json_t *pair_json(const struct compare *c, const struct pair *p)
{
	json_t *bands = json_array();

	for (u32 i = BAND_P50; i < BAND_NR; i++)
		json_array_append_new(bands, band_json(p, &p->bands[i]));
	return json_pack("{s:o, s:o, s:o, s:i, s:s, s:s, s:o}", "axes", axes_json(c, p), "base",
			 side_json(p, BASE), "other", side_json(p, OTHER), "repeats",
			 (int)p->repeats, "state", state_name(p->state), "headline",
			 band_name(pair_headline(p)->band), "bands", bands);
}

int compare_print_json(const struct compare *c, FILE *f)
{
	json_t *results = json_array(), *differences = json_array(), *notes = json_array(),
	       *pairs = json_array(), *o;

	for (u32 i = 0; i < c->nr_results; i++)
		json_array_append_new(results, text_json(c->results[i].path));
	for (u32 i = 0; i < c->nr_differences; i++)
		json_array_append_new(differences, text_json(c->differences[i].text));
	for (u32 i = 0; i < c->nr_notes; i++)
		json_array_append_new(notes, text_json(c->notes[i]));
	for (u32 i = 0; i < c->nr_pairs; i++)
		json_array_append_new(pairs, pair_json(c, &c->pairs[i]));
	o = json_pack("{s:o, s:o, s:o, s:o, s:o}", "results", results, "by",
		      c->by ? text_json(c->by) : json_null(), "differences", differences, "notes",
		      notes, "pairs", pairs);
	if (!o)
		return -ENOMEM;
	json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	fputc('\n', f);
	json_decref(o);
	return 0;
}
