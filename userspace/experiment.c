// SPDX-License-Identifier: GPL-2.0-only
#include "experiment.h"

#include "live/cgroup_aside.h"
#include "live/leftover.h"
#include "live/live.h"
#include "live/rights.h"
#include "outcome.h"
#include "runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one word that is no section.key=value is the spec. */
static int split_words(struct experiment *x, const struct experiment_kind *kind)
{
	const struct arguments *a = x->args;
	const struct command *c = x->command;

	for (int i = 0; i < a->nr_words; i++) {
		if (strchr(a->words[i], '=')) {
			x->words[x->nr_words++] = a->words[i];
		} else if (!x->spec_path) {
			x->spec_path = a->words[i];
		} else {
			return command_fail(
				STATUS_USAGE,
				"'%s': only one spec, and that is '%s'; keys are written "
				"section.key=value",
				a->words[i], x->spec_path);
		}
	}
	if (!x->spec_path && !kind->defaults)
		return command_fail(
			STATUS_USAGE, "%s needs a spec: a file or a preset, as in holbench %s %s",
			c->name, c->name,
			kind->example ? kind->example : preset_nth(0, &(const char *){NULL}));
	if (a->out && a->resume)
		return command_fail(STATUS_USAGE,
				    "--out makes a result and --resume goes on in one: give one of "
				    "the two");
	return STATUS_DONE;
}

int experiment_words(struct experiment *x, const struct experiment_kind *kind)
{
	char err[512];
	struct message msg = {err, sizeof(err)};

	x->engine = kind->engine;
	x->began = time(NULL);
	x->words = calloc((size_t)x->args->nr_words + 1, sizeof(*x->words));
	if (!x->words)
		return command_fail(STATUS_FAILED, "out of memory");
	if (rights_begin(&msg))
		return command_fail(STATUS_FAILED, "%s", err);
	return split_words(x, kind);
}

static int load(struct experiment *x, const struct experiment_kind *kind)
{
	struct spec_error e;

	if (grid_load(&x->grid, x->spec_path, x->words, x->nr_words, &e))
		return command_fail(STATUS_USAGE, "%s", e.text);
	if (kind->one_cell && grid_cells(x->grid) > 1)
		return command_fail(STATUS_USAGE,
				    "run takes one cell, and %s is a list (%u cells): use "
				    "holbench sweep",
				    grid_axis_name(x->grid, 0), grid_cells(x->grid));
	return STATUS_DONE;
}

/* Before anything is checked: a group that a killed run left may be in the way. */
static void remove_leftover(const struct experiment *x)
{
	char text[600];

	if (x->engine != TRACE_LIVE)
		return;
	leftover_remove(text, sizeof(text));
	if (text[0])
		fprintf(stderr, "holbench: note: %s\n", text);
}

/* Loading the probe takes a while: once for each size of its ring is enough. */
static int check_cells(struct experiment *x, const struct grid *g)
{
	u64 ring = 0;
	char err[512];

	for (u32 c = 0; x->engine == TRACE_LIVE && c < grid_cells(g); c++) {
		const struct spec *s = grid_cell(g, c);
		bool traced = runner_probe(s, x->args->no_bpf);
		bool probe = traced && s->run.ring_bytes != ring;
		int rc = live_check(s, probe, err, sizeof(err));

		x->rights |= rights_of(s, traced);
		if (rc)
			return rc == -EINVAL ? command_fail(STATUS_USAGE, "%s", err)
					     : command_fail(STATUS_FAILED,
							    "%s; run holbench doctor", err);
		if (probe)
			ring = s->run.ring_bytes;
	}
	return STATUS_DONE;
}

/* True when it was not among them yet. */
static bool add_new(char ***said, u32 *nr, const char *text)
{
	char **more;

	for (u32 i = 0; i < *nr; i++)
		if (!strcmp((*said)[i], text))
			return false;
	more = reallocarray(*said, *nr + 1, sizeof(*more));
	if (more) {
		*said = more;
		more[*nr] = strdup(text);
		*nr += more[*nr] != NULL;
	}
	return true;
}

int experiment_check(struct experiment *x, const struct grid *g)
{
	remove_leftover(x);
	return check_cells(x, g);
}

/* Each remark once, however many cells it is true of. */
void experiment_remarks(const struct grid *g)
{
	char text[SPEC_REMARK], **said = NULL;
	u32 nr = 0;

	for (u32 c = 0; c < grid_cells(g); c++)
		for (u32 i = 0; spec_remark(grid_cell(g, c), i, text); i++)
			if (add_new(&said, &nr, text))
				fprintf(stderr, "holbench: note: %s\n", text);
	while (nr)
		free(said[--nr]);
	free(said);
}

/* "sub/ordering-x.ini" is "ordering-x"; what does not go well in a file name becomes a dash. */
static void name_of(struct experiment *x, const char *fallback)
{
	const char *base = x->spec_path ? strrchr(x->spec_path, '/') : NULL;
	char *dot;

	base = base ? base + 1 : x->spec_path ? x->spec_path : fallback;
	snprintf(x->name, sizeof(x->name), "%s", base);
	dot = strrchr(x->name, '.');
	if (dot && dot != x->name)
		*dot = '\0';
	for (char *p = x->name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
			    *p))
			*p = '-';
}

int experiment_open(struct experiment *x)
{
	char err[PATH_MAX + 256];
	int rc;

	name_of(x, "run");
	rc = rights_keep(x->rights);
	if (rc)
		return command_fail(STATUS_FAILED, "cannot drop the capabilities: %s",
				    strerror(-rc));
	if (x->args->resume) {
		rc = outdir_open(&x->dir, x->args->resume, err, sizeof(err));
		if (rc)
			return command_fail(rc == -EACCES || rc == -EROFS ? STATUS_FAILED
									  : STATUS_USAGE,
					    "%s", err);
		return outcome_resume(x);
	}
	rc = outdir_make(&x->dir, x->args->out, x->name, err, sizeof(err));
	if (rc)
		return command_fail(rc == -EEXIST ? STATUS_USAGE : STATUS_FAILED, "%s", err);
	return STATUS_DONE;
}

static int fail(const struct experiment *x, const char *err)
{
	u32 all, done = result_done(&x->result, &all);

	if (!done)
		return command_fail(STATUS_FAILED, "%s", err);
	return command_fail(STATUS_FAILED,
			    "%s; %u runs are done, and once this is mended the same command goes "
			    "on with --resume %s",
			    err, done, x->dir.path);
}

int experiment_run(struct experiment *x)
{
	struct runner r = {.result = &x->result, .dir = &x->dir, .no_bpf = x->args->no_bpf};
	char err[600];
	int rc;

	r.quiet = x->args->quiet;
	rc = runner_run(&r, err, sizeof(err));
	x->signal = r.signal;
	x->failed = rc != 0;
	return rc ? fail(x, err) : STATUS_DONE;
}

static int run(struct experiment *x)
{
	int ran = experiment_run(x), status = outcome_write(x);

	if (!status)
		status = outcome_show(x);
	return ran ? ran : status;
}

void experiment_end(const struct experiment *x)
{
	u64 before;

	if (x->engine != TRACE_LIVE)
		return;
	/* Before 6.6 cpuset asks for a right over each task that comes back, as
	 * sched_setaffinity(2). */
	before = rights_raise();
	cgroup_step_back_own();
	rights_restore(before);
}

int experiment_main(const struct command *c, const struct arguments *a,
		    const struct experiment_kind *kind)
{
	struct experiment x = {.command = c, .args = a};
	int status = experiment_words(&x, kind);

	if (!status)
		status = load(&x, kind);
	if (!status)
		status = experiment_check(&x, x.grid);
	if (!status && result_init(&x.result, x.grid, x.engine))
		status = command_fail(STATUS_FAILED, "out of memory");
	if (!status)
		status = experiment_open(&x);
	if (!status) {
		experiment_remarks(x.grid);
		status = run(&x);
	}
	experiment_end(&x);
	result_fini(&x.result);
	grid_free(x.grid);
	free(x.words);
	return status;
}
