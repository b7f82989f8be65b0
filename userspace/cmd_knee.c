// SPDX-License-Identifier: GPL-2.0-only
/* At which offered rate p95 leaves its plain, and which factor moves that. */
#include "knee_search.h"

#include "outcome.h"
#include "report/manifest.h"
#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR_DEFAULT 2.0
#define FACTOR_MAX     100.0  /* runs are as long as p95 takes to rise so far */
#define RATES_DEFAULT  1000.0 /* the highest rate, in the first */
#define TOLERANCE      0.02
#define FIRST_SHARE    0.4 /* of what can be served: below KNEE_PLAIN_BUSY, with room */
/* The presets have lists. */
#define EXAMPLE "replicas workers.replicas=1 noise.kind=none place.isolation=shared --simulate"

/* A positive number, with or without "/s". */
static int number(const char *option, const char *text, double *out)
{
	char *end;

	if (!text)
		return STATUS_DONE;
	*out = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "/s") != 0) || !(*out > 0) || !isfinite(*out))
		return command_fail(STATUS_USAGE, "--%s %s is not a number above 0", option, text);
	return STATUS_DONE;
}

/* What is searched for, apart from where it begins. */
static int settings(struct knee_search *s, const struct arguments *a)
{
	struct knee_config *cfg = &s->cfg;
	int status;

	*cfg = (struct knee_config){.factor = FACTOR_DEFAULT, .tolerance = TOLERANCE};
	if (a->over && strcmp(a->over, KNEE_OVER) != 0)
		return command_fail(STATUS_USAGE, "--over %s: only " KNEE_OVER " can be raised",
				    a->over);
	status = number("from", a->from, &cfg->from);
	if (!status)
		status = number("to", a->to, &cfg->to);
	if (!status)
		status = number("factor", a->factor, &cfg->factor);
	if (status)
		return status;
	if (cfg->factor <= 1)
		return command_fail(STATUS_USAGE, "--factor %s is not above 1", a->factor);
	if (cfg->factor > FACTOR_MAX)
		return command_fail(STATUS_USAGE, "--factor %s is above %g; lower it", a->factor,
				    FACTOR_MAX);
	cfg->fixed = a->from != NULL;
	return STATUS_DONE;
}

/* Said before anything runs: the user never gave the duration that is out of range then. */
static int high_enough(const char *what, double rate, const struct knee_bounds *b)
{
	if (rate < b->length)
		return command_fail(
			STATUS_USAGE,
			"%s %.6g/s: a run of %u items takes longer than workload.duration can be; "
			"raise it to %.3g/s",
			what, rate, KNEE_ITEMS, b->length * 1.01);
	if (rate < b->load)
		return command_fail(STATUS_USAGE,
				    "%s %.6g/s: hot.load cannot be reached below %.4g/s; raise it",
				    what, rate, b->load);
	return STATUS_DONE;
}

static int low_enough(const char *what, double rate, const struct knee_bounds *b)
{
	if (rate > b->rate)
		return command_fail(STATUS_USAGE,
				    "%s %.6g/s: above %.4g/s, the highest that workload.rate can "
				    "be%s; lower it",
				    what, rate, b->rate,
				    b->rate < 1e9 ? " with this run.time_scale" : "");
	if (rate > b->items)
		return command_fail(STATUS_USAGE,
				    "%s %.6g/s: a run has more than %.0g items, from %.3g/s on; "
				    "lower it",
				    what, rate, SPEC_ITEMS_MAX, b->items);
	return STATUS_DONE;
}

static int check_factor(const struct knee_config *cfg, const struct knee_bounds *b)
{
	if (cfg->factor <= b->factor)
		return STATUS_DONE;
	return command_fail(STATUS_USAGE,
			    "--factor %.6g: for p95 to rise so far a run takes longer than "
			    "workload.duration can be; lower it to %.3g",
			    cfg->factor, b->factor * 0.99);
}

/* Where the spec's rate is more than can be served, p95 is plain far below. */
static double first_rate(double rate, const struct knee_bounds *b)
{
	char text[32];

	if (rate <= b->capacity)
		return rate;
	snprintf(text, sizeof(text), "%.2g", b->capacity * FIRST_SHARE);
	return fmax(strtod(text, NULL), fmax(b->length, b->load) * 1.01);
}

/* --from is where p95 is plain, or nowhere. */
static int check_from(const struct knee_config *cfg, const struct knee_bounds *b)
{
	int status = low_enough("--from", cfg->from, b);

	if (!status)
		status = high_enough("--from", cfg->from, b);
	if (status || cfg->from <= b->capacity)
		return status;
	return command_fail(STATUS_USAGE,
			    "--from %.6g/s: p95 cannot be plain there, above the %.4g/s that can "
			    "be served; lower it",
			    cfg->from, b->capacity);
}

static int begin_at(struct knee_search *s)
{
	struct knee_config *cfg = &s->cfg;
	double rate = knee_base(s)->workload.rate;
	struct knee_bounds b;
	int status;

	knee_bounds(&b, knee_base(s), cfg->factor);
	cfg->least = fmax(b.length, b.load);
	status = check_factor(cfg, &b);
	if (!status && cfg->to > 0)
		status = low_enough("--to", cfg->to, &b);
	if (!status)
		status =
			cfg->fixed ? check_from(cfg, &b) : high_enough("workload.rate =", rate, &b);
	if (status)
		return status;
	if (!cfg->fixed)
		cfg->from = first_rate(rate, &b);
	if (cfg->to <= 0)
		cfg->to = fmin(cfg->from * RATES_DEFAULT, fmin(b.rate, b.items));
	if (cfg->to > cfg->from)
		return STATUS_DONE;
	return command_fail(STATUS_USAGE,
			    "the highest rate, %.6g/s, is not above the first, %.6g/s: raise "
			    "--to or lower --from",
			    cfg->to, cfg->from);
}

static int write_json(const struct knee_search *s, const struct knee_report *report)
{
	struct outfile o;
	int rc = outfile_open(&o, &s->x.dir, "knee.json"), error;

	if (rc)
		return rc;
	rc = knee_print_json(report, o.f);
	error = outfile_commit(&o);
	return rc ? rc : error;
}

static int print(const struct knee_search *s, const struct knee_report *report)
{
	const char *text;
	int rc;

	if (s->x.args->json)
		return knee_print_json(report, stdout);
	rc = knee_print(report, stdout);
	for (u32 i = 0; !rc && (text = result_nth_warning(&s->x.result, i)); i++)
		printf("warning: %s\n", text);
	if (!rc)
		printf("\nresult: %s\n", s->x.dir.path);
	return rc;
}

/* All searches have ended. */
static int show(const struct knee_search *s)
{
	struct rows rows;
	struct knee_report report = {.result = &s->x.result,
				     .rows = &rows,
				     .path = s->x.dir.path,
				     .over = KNEE_OVER,
				     .factor = s->cfg.factor,
				     .factors = s->factors,
				     .nr = s->nr};
	int rc, status;

	if (result_rows(&rows, &s->x.result))
		return command_fail(STATUS_FAILED, "out of memory");
	rc = write_json(s, &report);
	if (rc)
		status = command_fail(STATUS_FAILED, "%s/knee.json cannot be written: %s",
				      s->x.dir.path, strerror(-rc));
	else if (print(s, &report))
		status = command_fail(STATUS_FAILED, "out of memory");
	else
		status = outcome_status(&rows);
	for (u32 i = 0; !status && i < s->nr; i++)
		if (s->factors[i].search.state == KNEE_NO_PLAIN)
			status = STATUS_INVALID;
	result_rows_free(&rows);
	return status;
}

/* What is finished is kept, whatever ended it. */
static int search(struct knee_search *s)
{
	int status = knee_search_run(s), wrote = outcome_write(&s->x);

	if (!status && !s->x.signal)
		return wrote ? wrote : show(s);
	outcome_print_again(&s->x, knee_search_runs(s), 0);
	return status ? status : STATUS_FAILED;
}

int cmd_knee(const struct command *c, const struct arguments *a)
{
	struct experiment_kind kind = {a->simulate ? TRACE_SIM : TRACE_LIVE, true, false, EXAMPLE};
	struct knee_search s = {.x = {.command = c, .args = a}};
	int status = experiment_words(&s.x, &kind);

	if (!status)
		status = settings(&s, a);
	if (!status)
		status = knee_search_init(&s);
	if (!status)
		status = begin_at(&s);
	if (!status)
		status = experiment_open(&s.x);
	if (!status) {
		experiment_remarks(s.base);
		status = search(&s);
	}
	experiment_end(&s.x);
	knee_search_fini(&s);
	return status;
}
