/* SPDX-License-Identifier: GPL-2.0-only */
/* The probe: all of it as a run uses it, and each program. */
#include "live/doctor_check.h"
#include "live/live.h"
#include "live/probe_trial.h"
#include "live/rights.h"
#include "spec/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct programs {
	struct doctor *d;
	u32 interrupts; /* programs that record them, loaded */
	char absent[768];
};

static bool is_scheduler(const struct probe_trial *t)
{
	return !*t->tracepoint || !strncmp(t->tracepoint, "sched_", 6);
}

/* A pair of tracepoints that is not there is told once, by its name. */
static void keep_absent(struct programs *p, const char *tracepoint)
{
	size_t used = strlen(p->absent), len = strlen(tracepoint) - strlen("_entry");

	if (strlen(tracepoint) > strlen("_entry") && !strcmp(tracepoint + len, "_entry"))
		snprintf(p->absent + used, sizeof(p->absent) - used, "%s%.*s", used ? ", " : "",
			 (int)len, tracepoint);
}

static const char *mend_of(int error)
{
	switch (error) {
	case -EPERM:
	case -EACCES:
		return rights_mend();
	case -EMFILE:
		return "ulimit -n 1024";
	case -ENOSYS:
		return "boot a kernel with CONFIG_BPF_SYSCALL=y";
	default:
		return "HOLBENCH_DEBUG_BPF=1 holbench doctor shows why";
	}
}

static void refused(struct doctor_finding *f, int error)
{
	doctor_lost(f, DOCTOR_MISSING, "the kernel refuses the probe");
	doctor_mend(f, "%s, or holbench run --no-bpf", mend_of(error));
}

/* One of the scheduler's stands for itself; those of interrupts only when they are refused. */
static void tell(void *ctx, const struct probe_trial *t)
{
	struct programs *p = ctx;
	struct doctor_finding *f;

	if (!is_scheduler(t) && t->absent) {
		keep_absent(p, t->tracepoint);
		return;
	}
	if (!is_scheduler(t) && !t->error) {
		p->interrupts++;
		return;
	}
	f = doctor_found(p->d, "BPF program", "%s%s%s%s%s", t->program,
			 *t->tracepoint ? " at " : "", t->tracepoint,
			 t->absent || t->error ? ": " : "",
			 t->absent ? "this kernel has no such tracepoint" : t->why);
	if (!t->absent && !t->error)
		return;
	refused(f, t->absent ? -ENOENT : t->error);
}

static void check_programs(struct doctor *d)
{
	struct programs p = {.d = d};
	char err[512];
	int rc = probe_try(tell, &p, err, sizeof(err));

	if (rc)
		refused(doctor_found(d, "BPF programs", "%s", err), rc);
	else if (p.interrupts)
		doctor_found(d, "BPF programs", "%u of interrupts%s%s", p.interrupts,
			     p.absent[0] ? "; this kernel does not have: " : "", p.absent);
}

void doctor_check_probe(struct doctor *d)
{
	struct doctor_finding *f;
	struct spec s;
	char err[512];
	int rc;

	check_programs(d);
	spec_default(&s);
	rc = live_check(&s, true, err, sizeof(err));
	f = doctor_found(d, "live run", "%s",
			 rc ? err : "the probe sees this process's threads by their ids and clock");
	if (!rc)
		return;
	doctor_lost(f, DOCTOR_MISSING, "holbench run and sweep fail with these words");
	doctor_mend(f, "as it says; what else is missing here may be the reason");
}
