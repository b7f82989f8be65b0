/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs: which there are, whom they are shared with, how fast they run. */
#include "live/cpus.h"
#include "live/doctor_check.h"

#include <stdio.h>
#include <string.h>

#define SYS_CPU "/sys/devices/system/cpu/"

static void check_online(struct doctor *d, const struct cpu_list *allowed)
{
	char online[256], mine[256];
	struct doctor_finding *f;

	doctor_read(SYS_CPU "online", online, sizeof(online));
	cpu_list_print(allowed, mine, sizeof(mine));
	if (strcmp(online, mine))
		f = doctor_found(d, "CPUs", "%s online, this process may use %s", online, mine);
	else
		f = doctor_found(d, "CPUs", "%s online", online);
	if (allowed->nr > 1)
		return;
	doctor_lost(f, DOCTOR_LIMITED,
		    "generator and collector share the workers' CPU and are part of what is "
		    "measured; no noise of its own CPU");
	if (strcmp(online, mine))
		doctor_mend(f, "taskset -c %s holbench", online);
	else
		doctor_mend(f, "use a machine of two CPUs or more");
}

static void check_lists(struct doctor *d)
{
	char text[256];

	doctor_read(SYS_CPU "offline", text, sizeof(text));
	doctor_found(d, "CPUs offline", "%s", text[0] ? text : "none");
	if (doctor_read(SYS_CPU "isolated", text, sizeof(text)) && text[0])
		doctor_found(d, "CPUs isolated", "%s; workers.cpus = %s puts the workers there",
			     text, text);
	else
		doctor_found(d, "CPUs isolated", "none");
}

static void check_smt(struct doctor *d)
{
	struct doctor_finding *f;
	char text[32];

	if (!doctor_read(SYS_CPU "smt/active", text, sizeof(text))) {
		doctor_found(d, "SMT", "not known: " SYS_CPU "smt/active cannot be read");
		return;
	}
	f = doctor_found(d, "SMT", "%s", strcmp(text, "1") ? "off" : "on");
	if (strcmp(text, "1"))
		return;
	doctor_lost(f, DOCTOR_LIMITED,
		    "who runs on a worker's sibling slows it down, and no trace shows it");
	doctor_mend(f, "echo off > " SYS_CPU "smt/control");
}

/* How many of the CPUs have a governor, and how many of these another one than performance. */
static u32 governors(const struct cpu_list *cpus, u32 *others, char *first, size_t len)
{
	u32 known = 0;

	*others = 0;
	for (u32 i = 0; i < cpus->nr; i++) {
		char path[96], text[64];

		snprintf(path, sizeof(path), SYS_CPU "cpu%u/cpufreq/scaling_governor",
			 cpus->cpu[i]);
		if (!doctor_read(path, text, sizeof(text)))
			continue;
		known++;
		if (!strcmp(text, "performance"))
			continue;
		if (!(*others)++)
			snprintf(first, len, "%s", text);
	}
	return known;
}

static void check_governor(struct doctor *d, const struct cpu_list *cpus)
{
	struct doctor_finding *f;
	char name[64] = "";
	u32 others, known = governors(cpus, &others, name, sizeof(name));

	if (known && !others) {
		doctor_found(d, "governor", "performance");
		return;
	}
	if (!known)
		f = doctor_found(d, "governor", "not known: no cpufreq here");
	else
		f = doctor_found(d, "governor", "%s on %u of %u CPUs", name, others, known);
	doctor_lost(f, DOCTOR_LIMITED,
		    "a CPU that %s slower when it has been idle makes work look longer",
		    known ? "is clocked" : "may be clocked");
	if (known)
		doctor_mend(f, "cpupower frequency-set -g performance");
}

/* Two drivers, two files; one says no to turbo, the other yes. */
static void check_turbo(struct doctor *d)
{
	static const struct {
		const char *path, *on, *off;
	} files[] = {
		{SYS_CPU "intel_pstate/no_turbo", "0", "1"},
		{SYS_CPU "cpufreq/boost", "1", "0"},
	};
	struct doctor_finding *f;
	char text[32];

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		if (!doctor_read(files[i].path, text, sizeof(text)))
			continue;
		f = doctor_found(d, "turbo", "%s", strcmp(text, files[i].on) ? "off" : "on");
		if (strcmp(text, files[i].on))
			return;
		doctor_lost(f, DOCTOR_LIMITED,
			    "a CPU is slower while others are busy or when it is hot");
		doctor_mend(f, "echo %s > %s", files[i].off, files[i].path);
		return;
	}
	doctor_found(d, "turbo", "not known: neither intel_pstate nor cpufreq/boost here");
}

void doctor_check_cpus(struct doctor *d)
{
	struct cpu_list allowed;
	int rc = cpu_list_allowed(&allowed);

	if (rc) {
		struct doctor_finding *f =
			doctor_found(d, "CPUs", "cannot be read: %s", strerror(-rc));

		doctor_lost(f, DOCTOR_MISSING, "a run pins its threads");
		return;
	}
	check_online(d, &allowed);
	check_lists(d);
	check_smt(d);
	check_governor(d, &allowed);
	check_turbo(d);
}
