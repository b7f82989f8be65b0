/* SPDX-License-Identifier: GPL-2.0-only */
/* The knees as one JSON document: --json, and knee.json of the result. Its form is in holbench(1).
 */
#include "report/knee.h"

#include "report/manifest.h"

#include <errno.h>
#include <math.h>

static json_t *rate_json(double rate)
{
	return rate > 0 ? json_real(rate) : json_null();
}

static json_t *ns_json(double x)
{
	return x > 0 ? json_integer((json_int_t)x) : json_null();
}

static json_t *real_json(double x)
{
	return isnan(x) ? json_null() : json_real(x);
}

static json_t *sample_json(const struct knee_factor *f, u32 i)
{
	const struct knee_sample *s = &f->search.samples[i];

	return json_pack("{s:i, s:f, s:o, s:f, s:o}", "cell", (int)(f->first + i), "rate", s->rate,
			 "p95_ns", ns_json(s->p95), "not_ok", s->lost, "busiest_utilisation",
			 real_json(s->busy));
}

static const struct row_usage *wall(const struct knee_report *k, const struct knee_factor *f)
{
	for (u32 i = 0; i < k->rows->nr; i++)
		if (k->rows->list[i].cell == knee_cell(f))
			return row_busiest(&k->rows->list[i]);
	return NULL;
}

static json_t *factor_json(const struct knee_report *k, const struct knee_factor *f)
{
	static const char *const states[] = {"searching", "found", "above", "no plain"};
	const struct row_usage *u = wall(k, f);
	const struct knee *s = &f->search;
	json_t *samples = json_array();

	for (u32 i = 0; i < s->nr; i++)
		json_array_append_new(samples, sample_json(f, i));
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "factor",
			 text_json(f->name), "state", states[s->state], "knee", rate_json(s->high),
			 "low", rate_json(f->low), "high", rate_json(f->high), "plain_rate",
			 rate_json(s->plain_rate), "plain_p95_ns", ns_json(s->plain_p95), "cell",
			 knee_cell(f) == NONE32 ? json_null() : json_integer(knee_cell(f)),
			 "busiest", u ? text_json(u->name) : json_null(), "busiest_utilisation",
			 u ? json_real(u->median) : json_null(), "moved",
			 f == k->factors ? json_null() : json_boolean(knee_moved(k->factors, f)),
			 "samples", samples);
}

int knee_print_json(const struct knee_report *k, FILE *f)
{
	json_t *knees = json_array(), *o;

	for (u32 i = 0; i < k->nr; i++)
		json_array_append_new(knees, factor_json(k, &k->factors[i]));
	o = json_pack("{s:o, s:s, s:s, s:f, s:o}", "result", text_json(k->path), "engine",
		      k->result->engine == TRACE_SIM ? "sim" : "live", "over", k->over, "factor",
		      k->factor, "knees", knees);
	if (!o)
		return -ENOMEM;
	json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	fputc('\n', f);
	json_decref(o);
	return 0;
}
