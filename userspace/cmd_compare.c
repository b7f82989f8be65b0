// SPDX-License-Identifier: GPL-2.0-only
/* Cells side by side: of one result by an axis, or of two results. */
#include "command.h"

#include "report/compare.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int parse_bands(const char *text, u32 *bands)
{
	char copy[64], *rest = copy;

	*bands = 0;
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return -EINVAL;
	for (char *word; (word = strsep(&rest, ","));) {
		u32 b = BAND_P50;

		while (b < BAND_NR && strcmp(word, band_name((enum band)b)) != 0)
			b++;
		if (b == BAND_NR)
			return -EINVAL;
		*bands |= 1u << b;
	}
	return 0;
}

static int check_words(const struct arguments *a, u32 *bands)
{
	if (a->nr_words < 1 || a->nr_words > 2)
		return command_fail(STATUS_USAGE,
				    "compare takes one result and --by AXIS, or two results: see "
				    "holbench compare --help");
	if (a->nr_words == 1 && !a->by)
		return command_fail(STATUS_USAGE,
				    "compare by what? --by AXIS, as in --by place.isolation, or "
				    "name a second result");
	if (a->nr_words == 2 && (a->by || a->base))
		return command_fail(STATUS_USAGE,
				    "--by and --base are for one result: leave them out, or one of "
				    "%s and %s",
				    a->words[0], a->words[1]);
	*bands = 1u << BAND_P95 | 1u << BAND_P99;
	if (a->band && parse_bands(a->band, bands))
		return command_fail(STATUS_USAGE, "--band: '%s' is no list of p50, p95, p99",
				    a->band);
	return STATUS_DONE;
}

static int status_of(const struct compare *c)
{
	int status = STATUS_DONE;

	for (u32 i = 0; i < c->nr_pairs; i++) {
		if (c->pairs[i].state == CELL_DEFECT)
			return command_fail(STATUS_FAILED,
					    "a ledger does not add up: a defect of this program; "
					    "report it with the trace");
		if (c->pairs[i].state != CELL_VALID)
			status = STATUS_INVALID;
	}
	return status;
}

static int compare(const struct arguments *a, const struct loaded *results, u32 bands)
{
	struct compare c;
	char err[1200];
	int rc = compare_results(&c, results, (u32)a->nr_words, a->by, a->base, err, sizeof(err)),
	    status;

	if (rc)
		return command_fail(rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED, "%s", err);
	rc = a->json ? compare_print_json(&c, stdout) : compare_print(&c, bands, stdout);
	status = rc ? command_fail(STATUS_FAILED, "out of memory") : status_of(&c);
	compare_free(&c);
	return status;
}

int cmd_compare(const struct command *c, const struct arguments *a)
{
	struct loaded results[2] = {0};
	char err[PATH_MAX + 400];
	u32 bands = 0;
	int status = check_words(a, &bands);

	(void)c;
	for (int i = 0; i < a->nr_words && !status; i++) {
		if (loaded_read(&results[i], a->words[i], err, sizeof(err)))
			status = command_fail(STATUS_FAILED, "%s", err);
	}
	if (!status)
		status = compare(a, results, bands);
	for (u32 i = 0; i < ARRAY_SIZE(results); i++)
		loaded_free(&results[i]);
	return status;
}
