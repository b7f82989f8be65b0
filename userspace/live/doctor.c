/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/doctor_check.h"
#include "live/rights.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct doctor_finding *doctor_found(struct doctor *d, const char *name, const char *fmt, ...)
{
	/* The last one is overwritten: more findings than there is room for is a wrong number in
	 * the header. */
	struct doctor_finding *f = &d->findings[d->nr];
	va_list ap;

	if (d->nr + 1 < DOCTOR_FINDINGS_MAX)
		d->nr++;
	memset(f, 0, sizeof(*f));
	f->name = name;
	va_start(ap, fmt);
	vsnprintf(f->found, sizeof(f->found), fmt, ap);
	va_end(ap);
	return f;
}

void doctor_lost(struct doctor_finding *f, enum doctor_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	vsnprintf(f->lost, sizeof(f->lost), fmt, ap);
	va_end(ap);
}

void doctor_mend(struct doctor_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->mend, sizeof(f->mend), fmt, ap);
	va_end(ap);
}

bool doctor_read(const char *path, char *text, size_t len)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(text, (int)len, f);

	if (!ok)
		text[0] = 0;
	text[strcspn(text, "\n")] = 0;
	if (f)
		fclose(f);
	return ok;
}

void doctor_run(struct doctor *d, const char *hypervisor)
{
	u64 before = rights_raise();

	d->nr = 0;
	doctor_check_kernel(d);
	doctor_check_namespaces(d);
	doctor_check_probe(d);
	doctor_check_rights(d);
	doctor_check_cgroups(d);
	doctor_check_cpus(d);
	doctor_check_clock(d, hypervisor);
	rights_restore(before);
}

const char *doctor_state_name(enum doctor_state s)
{
	static const char *const names[] = {
		[DOCTOR_OK] = "ok", [DOCTOR_LIMITED] = "limited", [DOCTOR_MISSING] = "missing"};

	return names[s];
}

u32 doctor_count(const struct doctor *d, enum doctor_state s)
{
	u32 nr = 0;

	for (u32 i = 0; i < d->nr; i++)
		nr += d->findings[i].state == s;
	return nr;
}
