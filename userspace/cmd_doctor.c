// SPDX-License-Identifier: GPL-2.0-only
/* What this machine can and cannot do for a run. */
#include "command.h"

#include "live/doctor.h"
#include "report/manifest.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>

#define INDENT 26

static void print_finding(const struct doctor_finding *f)
{
	printf("%-16s %-8s %s\n", f->name, doctor_state_name(f->state), f->found);
	if (f->lost[0])
		printf("%*s%s\n", INDENT, "", f->lost);
	if (f->mend[0])
		printf("%*smend: %s\n", INDENT, "", f->mend);
}

static void print_text(const struct doctor *d)
{
	u32 missing = doctor_count(d, DOCTOR_MISSING), limited = doctor_count(d, DOCTOR_LIMITED);

	for (u32 i = 0; i < d->nr; i++)
		print_finding(&d->findings[i]);
	if (missing)
		printf("\nLive runs with the probe do not work here: %u missing, %u limited.\n",
		       missing, limited);
	else
		printf("\nLive runs with the probe work here: %u limited.\n", limited);
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? text_json(text) : json_null();
}

static json_t *findings_json(const struct doctor *d)
{
	json_t *list = json_array();

	for (u32 i = 0; i < d->nr; i++) {
		const struct doctor_finding *f = &d->findings[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", f->name,
						"state", doctor_state_name(f->state), "found",
						text_json(f->found), "lost", text_or_null(f->lost),
						"mend", text_or_null(f->mend)));
	}
	return list;
}

/* Takes `host`. */
static int print_json(const struct doctor *d, json_t *host)
{
	json_t *root = json_pack("{s:s, s:b, s:o, s:o}", "version", HOLBENCH_VERSION, "live_runs",
				 !doctor_count(d, DOCTOR_MISSING), "host", host, "findings",
				 findings_json(d));

	if (!root)
		return command_fail(STATUS_FAILED, "out of memory");
	/* Whether it could be written is asked of all commands at their end. */
	json_dumpf(root, stdout, JSON_INDENT(2));
	json_decref(root);
	putchar('\n');
	return STATUS_DONE;
}

int cmd_doctor(const struct command *c, const struct arguments *a)
{
	struct doctor *d = calloc(1, sizeof(*d));
	json_t *host = host_json();
	int status = STATUS_DONE;

	if (a->nr_words) {
		status = command_fail(STATUS_USAGE,
				      "'%s': doctor takes no argument: see holbench "
				      "%s --help",
				      a->words[0], c->name);
	} else if (!d || !host) {
		status = command_fail(STATUS_FAILED, "out of memory");
	} else {
		doctor_run(d, json_string_value(json_object_get(host, "hypervisor")));
		if (a->json)
			status = print_json(d, json_incref(host));
		else
			print_text(d);
		if (!status && doctor_count(d, DOCTOR_MISSING))
			status = STATUS_FAILED;
	}
	json_decref(host);
	free(d);
	return status;
}
