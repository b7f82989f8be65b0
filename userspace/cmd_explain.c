// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of single items went: accounts from the traces of a result. */
#include "command.h"

#include "report/explain.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct explanation {
	const struct arguments *args;
	struct explain_query query;
	u32 cell, repeat; /* NONE32: all */
	struct explain_list list;
	char **damage; /* owned: a line for each trace that is not whole */
	u32 nr_damage;
	u32 traces; /* that were read */
};

static int parse_class(const char *text, enum group *g)
{
	if (strncmp(text, "class=", 6))
		return -EINVAL;
	for (u32 i = 0; i < GROUP_NR; i++) {
		if (!strcmp(group_name((enum group)i), text + 6)) {
			*g = (enum group)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_number(const char *flag, const char *text, u32 min, u32 max, u32 *out)
{
	if (!text || (!command_number(text, max, out) && *out >= min))
		return STATUS_DONE;
	return command_fail(STATUS_USAGE, "--%s: '%s' is no whole number from %u to %u", flag, text,
			    min, max);
}

static int parse(struct explanation *x)
{
	const struct arguments *a = x->args;
	int status;

	x->query = (struct explain_query){.group = GROUP_ALL, .worst = 5, .one = a->item != NULL};
	x->cell = x->repeat = NONE32;
	if (a->nr_words != 1)
		return command_fail(STATUS_USAGE, "explain takes one result: the directory of a "
						  "result, or a trace (cell-*.hbt)");
	if (a->item && (a->worst || a->where))
		return command_fail(STATUS_USAGE,
				    "--item names one item: leave out --worst and --where");
	if (a->where && parse_class(a->where, &x->query.group))
		return command_fail(STATUS_USAGE,
				    "--where: '%s' is none of class=victim, class=neighbour, "
				    "class=far, class=hot, class=all",
				    a->where);
	status = parse_number("worst", a->worst, 1, 100000, &x->query.worst);
	if (!status)
		status = parse_number("item", a->item, 0, NONE32 - 1, &x->query.item);
	if (!status)
		status = parse_number("cell", a->cell, 0, NONE32 - 1, &x->cell);
	if (!status)
		status = parse_number("repeat", a->repeat, 0, NONE32 - 1, &x->repeat);
	return status;
}

/* On standard error at once, and kept for the JSON document. */
static int keep_damage(struct explanation *x, const char *path, const struct trace_damage *d)
{
	char **damage;

	if (!d->damaged && !d->incomplete)
		return 0;
	fprintf(stderr, "holbench: %s: %s\n", path, d->text);
	damage = realloc(x->damage, (x->nr_damage + 1) * sizeof(*damage));
	if (!damage)
		return -ENOMEM;
	x->damage = damage;
	if (asprintf(&damage[x->nr_damage], "%s: %s", path, d->text) < 0)
		return -ENOMEM;
	x->nr_damage++;
	return 0;
}

static bool chosen(const struct explanation *x, const struct trace_info *info)
{
	return (x->cell == NONE32 || x->cell == info->cell) &&
	       (x->repeat == NONE32 || x->repeat == info->repeat);
}

static int read_trace(struct explanation *x, const char *path)
{
	char err[PATH_MAX + 256];
	struct trace_reader *r;
	int status = STATUS_DONE;

	if (trace_open(&r, path, err, sizeof(err)))
		return command_fail(STATUS_FAILED, "%s", err);
	if (chosen(x, trace_info(r))) {
		x->traces++;
		if (explain_trace(&x->list, &x->query, r, err, sizeof(err)))
			status = command_fail(STATUS_FAILED, "%s: %s", path, err);
		else if (keep_damage(x, path, trace_damage(r)))
			status = command_fail(STATUS_FAILED, "out of memory");
	}
	trace_reader_free(r);
	return status;
}

static int is_trace(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 4 && !strcmp(e->d_name + len - 4, ".hbt");
}

static int read_directory(struct explanation *x, const char *dir)
{
	struct dirent **names;
	int nr = scandir(dir, &names, is_trace, versionsort), status = STATUS_DONE;
	char path[PATH_MAX];

	if (nr < 0)
		return command_fail(STATUS_FAILED, "%s: %s", dir, strerror(errno));
	for (int i = 0; i < nr; i++) {
		if (!status && snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name) <
				       (int)sizeof(path))
			status = read_trace(x, path);
		free(names[i]);
	}
	free(names);
	if (!status && !nr)
		return command_fail(STATUS_FAILED, "%s: no trace (cell-*.hbt) in it", dir);
	return status;
}

static int show(struct explanation *x)
{
	if (!x->traces)
		return command_fail(STATUS_FAILED, "no trace of that cell and repeat in %s",
				    x->args->words[0]);
	if (!x->list.nr && x->query.one)
		return command_fail(STATUS_FAILED, "no item %u in %s that has ended", x->query.item,
				    x->args->words[0]);
	if (!x->list.nr && !x->nr_damage)
		fputs("holbench: no item of that class has ended\n", stderr);
	if (!x->args->json)
		explain_print(&x->list, stdout);
	else if (explain_print_json(&x->list, x->damage, x->nr_damage, stdout))
		return command_fail(STATUS_FAILED, "out of memory");
	for (u32 i = 0; i < x->list.nr; i++)
		if (explained_sum(&x->list.list[i]) != explained_latency(&x->list.list[i]))
			return command_fail(STATUS_FAILED,
					    "item %u: its ledger does not add up: a "
					    "defect of this program",
					    x->list.list[i].account.item);
	return x->nr_damage ? STATUS_INVALID : STATUS_DONE;
}

int cmd_explain(const struct command *c, const struct arguments *a)
{
	struct explanation x = {.args = a};
	int status = parse(&x);
	struct stat st;

	(void)c;
	if (!status && stat(a->words[0], &st))
		status = command_fail(STATUS_FAILED, "%s: %s", a->words[0], strerror(errno));
	else if (!status)
		status = S_ISDIR(st.st_mode) ? read_directory(&x, a->words[0])
					     : read_trace(&x, a->words[0]);
	if (!status)
		status = show(&x);
	explain_free(&x.list);
	for (u32 i = 0; i < x.nr_damage; i++)
		free(x.damage[i]);
	free(x.damage);
	return status;
}
