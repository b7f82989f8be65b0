// SPDX-License-Identifier: GPL-2.0-only
#include "outcome.h"

#include "report/csv.h"
#include "report/manifest.h"
#include "report/table.h"
#include "version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- taking up an interrupted result --- */

static bool same_spec(const struct spec *s, const char *text)
{
	char *own = NULL;
	size_t len;
	FILE *f = open_memstream(&own, &len);
	bool same;

	if (!f)
		return false;
	spec_print(s, f);
	same = !fclose(f) && !strcmp(own, text);
	free(own);
	return same;
}

static bool same_run(const struct experiment *x, const struct trace_reader *t, u32 cell, u32 repeat)
{
	const struct trace_info *info = trace_info(t);

	return info->engine == x->engine && info->cell == cell && info->repeat == repeat &&
	       same_spec(grid_cell(x->grid, cell), trace_spec(t));
}

/* The file of a recorded stream has changed since: what else may differ is told once it is back. */
static bool file_changed(const struct csv_config *now, const char *text)
{
	struct spec_error err;
	struct grid *g;
	bool changed = false;

	if (*now->path && !grid_parse(&g, text, "the trace's spec", &err)) {
		const struct csv_config *then = &grid_cell(g, 0)->csv;

		changed =
			!strcmp(then->path, now->path) && (then->facts.bytes != now->facts.bytes ||
							   then->facts.crc32 != now->facts.crc32);
		grid_free(g);
	}
	return changed;
}

static int another_spec(const struct experiment *x, u32 cell, const char *path, bool changed)
{
	if (changed)
		return command_fail(STATUS_USAGE,
				    "%s is of %s as it was before it changed: put that back, or "
				    "run all again, without --resume %s",
				    path, grid_cell(x->grid, cell)->csv.path, x->dir.path);
	return command_fail(STATUS_USAGE,
			    "%s is of another spec: repeat the command that made it, with "
			    "--resume %s",
			    path, x->dir.path);
}

static int resume_run(struct experiment *x, u32 cell, u32 repeat)
{
	char name[64], path[PATH_MAX], err[PATH_MAX + 256];
	struct trace_reader *t;
	bool same, whole, changed;
	int rc;

	result_trace_name(name, sizeof(name), cell, repeat);
	if (outdir_path(&x->dir, name, path))
		return command_fail(STATUS_FAILED, "%s: %s", x->dir.path, strerror(ENAMETOOLONG));
	if (access(path, F_OK))
		return STATUS_DONE;
	rc = trace_open(&t, path, err, sizeof(err));
	if (rc == -ENODATA)
		return STATUS_DONE; /* killed before it had begun: it is run again */
	if (rc)
		return command_fail(STATUS_FAILED, "%s: remove it to have it run again", err);
	same = !*trace_spec(t) || same_run(x, t, cell, repeat);
	changed = !same && file_changed(&grid_cell(x->grid, cell)->csv, trace_spec(t));
	whole = !trace_damage(t)->incomplete && !trace_damage(t)->damaged;
	trace_reader_free(t);
	if (!same)
		return another_spec(x, cell, path, changed);
	if (whole && result_read(&x->result, cell, repeat, path, err, sizeof(err)))
		return command_fail(STATUS_FAILED, "%s", err);
	return STATUS_DONE;
}

int outcome_resume_cell(struct experiment *x, u32 cell)
{
	int status = STATUS_DONE;

	for (u32 i = 0; !status && i < result_repeats(&x->result, cell); i++)
		status = resume_run(x, cell, i);
	return status;
}

int outcome_resume(struct experiment *x)
{
	int status = STATUS_DONE;

	for (u32 c = 0; !status && c < x->result.cells; c++)
		status = outcome_resume_cell(x, c);
	return status;
}

/* --- files --- */

/* The text of the spec as it was read; NULL for a file that is gone by now, and for defaults. */
static char *spec_text(const char *path)
{
	const char *preset = path ? preset_text(path) : NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	if (!path)
		return NULL;
	if (preset)
		return strdup(preset);
	f = fopen(path, "re");
	if (f && getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

static int print_manifest(const struct experiment *x, FILE *f)
{
	char *text = spec_text(x->spec_path);
	struct manifest m = {.name = x->name,
			     .version = HOLBENCH_VERSION,
			     .spec = text,
			     .command = x->args->argv,
			     .result = &x->result,
			     .began = x->began};
	int rc;

	while (m.command[m.nr_command])
		m.nr_command++;
	rc = manifest_print(&m, f);
	free(text);
	return rc;
}

static int print_cells(const struct experiment *x, FILE *f)
{
	csv_cells(&x->result, f);
	return 0;
}

static int print_ledger(const struct experiment *x, FILE *f)
{
	csv_ledger(&x->result, f);
	return 0;
}

static int print_keys(const struct experiment *x, FILE *f)
{
	csv_keys(x->grid, f);
	return 0;
}

/* What matters most comes first, for a disk that takes no more of them: the manifest says which
 * runs are there. */
static const struct {
	const char *name;
	int (*print)(const struct experiment *x, FILE *f);
	bool recorded; /* only of a recorded stream */
} files[] = {
	{"manifest.json", print_manifest, false},
	{"cells.csv", print_cells, false},
	{"keys.csv", print_keys, true},
	{"ledger.csv", print_ledger, false},
};

static int write_file(const struct experiment *x, u32 i)
{
	struct outfile o;
	int rc = outfile_open(&o, &x->dir, files[i].name), error;

	if (rc)
		return rc;
	rc = files[i].print(x, o.f);
	error = outfile_commit(&o);
	return rc ? rc : error;
}

int outcome_write(struct experiment *x)
{
	u32 all;

	if (!result_done(&x->result, &all)) {
		outdir_discard(&x->dir);
		return STATUS_DONE;
	}
	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		int rc = 0;

		if (!files[i].recorded || grid_file(x->grid, 0))
			rc = write_file(x, i);
		if (rc && x->failed)
			return STATUS_DONE; /* the same disk: one line is enough */
		if (rc)
			return command_fail(
				STATUS_FAILED,
				"%s/%s cannot be written: %s; the traces are there: mend it "
				"and repeat the command with --resume %s",
				x->dir.path, files[i].name, strerror(-rc), x->dir.path);
	}
	return STATUS_DONE;
}

/* --- what people see --- */

void outcome_print_word(const char *word, FILE *f)
{
	if (!word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			       "@%+=:,./_-")])
		fputs(word, f);
	else
		fprintf(f, "'%s'", word);
}

/* Of an option that says where the result goes, the length in words; 0: another word. */
static int where_words(char *const *word)
{
	static const char *const names[] = {"--out", "--resume"};

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(*word, names[i], len) && (*word)[len] == '=')
			return 1;
		if (!strcmp(*word, names[i]))
			return word[1] ? 2 : 1;
	}
	return 0;
}

/* The command as it was given, but for where its result goes. */
static void print_command(const struct experiment *x, FILE *f)
{
	int skip;

	fprintf(f, "; to go on: holbench %s", x->command->name);
	for (char *const *word = x->args->argv + 2; *word; word += skip ? skip : 1) {
		skip = where_words(word);
		if (skip)
			continue;
		fputc(' ', f);
		outcome_print_word(*word, f);
	}
	fputs(" --resume ", f);
	outcome_print_word(x->dir.path, f);
}

/* An error has had its one line on standard error: the hint goes to standard output then. */
void outcome_print_again(const struct experiment *x, u32 done, u32 all)
{
	FILE *f = x->signal ? stderr : stdout;

	if (!x->signal && (!done || x->args->json))
		return;
	fprintf(f, "%s: %u", x->signal ? "holbench: interrupted" : "stopped", done);
	if (all)
		fprintf(f, " of %u", all);
	fputs(" runs done", f);
	if (!access(x->dir.path, F_OK))
		print_command(x, f);
	fputc('\n', f);
}

static int print_text(const struct experiment *x, const struct rows *rows)
{
	struct findings found;
	const char *text;
	char buf[300];

	if (table_print(&x->result, rows, x->args->min_max, stdout))
		return -ENOMEM;
	if (x->args->order || order_wanted(&x->result)) {
		putchar('\n');
		if (order_print(&x->result, rows, stdout))
			return -ENOMEM;
	}
	if (threads_wanted(&x->result)) {
		putchar('\n');
		if (threads_print(&x->result, rows, stdout))
			return -ENOMEM;
	}
	findings_draw(&found, &x->result, rows);
	if (found.nr)
		putchar('\n');
	for (u32 i = 0; i < found.nr; i++)
		puts(found.text[i]);
	text = result_order_warning(&x->result, buf, sizeof(buf));
	if (text)
		printf("warning: %s\n", text);
	for (u32 i = 0; (text = result_nth_warning(&x->result, i)); i++)
		printf("warning: %s\n", text);
	printf("\nresult: %s\n", x->dir.path);
	return 0;
}

static int print_json(const struct experiment *x, const struct rows *rows, u32 done, u32 all)
{
	struct document d = {.result = &x->result, .rows = rows, .path = x->dir.path};

	d.runs = all;
	d.runs_done = done;
	return document_print(&d, stdout);
}

int outcome_status(const struct rows *rows)
{
	enum cell_state worst = CELL_VALID;

	for (u32 i = 0; i < rows->nr; i++)
		worst = state_worse(worst, rows->list[i].state);
	if (worst == CELL_DEFECT)
		return command_fail(STATUS_FAILED,
				    "a ledger does not add up: a defect of this program; report it "
				    "with the trace");
	return worst == CELL_VALID ? STATUS_DONE : STATUS_INVALID;
}

static int show(const struct experiment *x, u32 done, u32 all)
{
	struct rows rows;
	int rc = result_rows(&rows, &x->result), status;

	if (!rc)
		rc = x->args->json ? print_json(x, &rows, done, all) : print_text(x, &rows);
	if (rc)
		return command_fail(STATUS_FAILED, "out of memory");
	status = outcome_status(&rows);
	result_rows_free(&rows);
	return status;
}

int outcome_show(struct experiment *x)
{
	u32 all, done = result_done(&x->result, &all);
	int status = done ? show(x, done, all) : STATUS_FAILED;

	if (done == all)
		return status;
	outcome_print_again(x, done, all);
	return STATUS_FAILED;
}
