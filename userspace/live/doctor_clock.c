/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock, and who may stop it unseen: the hypervisor. */
#include "live/clock.h"
#include "live/doctor_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_DIR "/sys/devices/system/clocksource/clocksource0/"

/* A system call instead of the vDSO takes this long, and more. */
#define READ_MAX_NS    100.0
#define READS	       1000
#define BATCHES	       31
#define STEAL_MAX_PART 0.01

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One reading: the median of batches, so that an interrupt in one does not count. */
static double read_cost_ns(void)
{
	double each[BATCHES];

	for (u32 b = 0; b < BATCHES; b++) {
		u64 from = clock_mono_ns(), to = from;

		for (u32 i = 0; i < READS; i++)
			to = clock_mono_ns();
		each[b] = (double)(to - from) / READS;
	}
	qsort(each, BATCHES, sizeof(*each), compare);
	return each[BATCHES / 2];
}

static void check_source(struct doctor *d)
{
	char name[64], all[256];
	double cost = read_cost_ns();
	struct doctor_finding *f;

	if (doctor_read(CLOCK_DIR "current_clocksource", name, sizeof(name)))
		doctor_found(d, "clock source", "%s", name);
	else
		doctor_found(d, "clock source", "not known: " CLOCK_DIR " cannot be read");
	f = doctor_found(d, "clock_gettime", "%.0f ns (median of %d times %d)", cost, BATCHES,
			 READS);
	if (cost <= READ_MAX_NS)
		return;
	doctor_lost(f, DOCTOR_LIMITED,
		    "every time stamp costs that, in the service and in the queue wait");
	doctor_read(CLOCK_DIR "available_clocksource", all, sizeof(all));
	if (strcmp(name, "tsc") && strstr(all, "tsc"))
		doctor_mend(f, "echo tsc > " CLOCK_DIR "current_clocksource");
}

/* Without high-resolution timers a sleep ends with a tick of the kernel. */
static void check_resolution(struct doctor *d)
{
	struct doctor_finding *f;
	struct timespec res = {0};

	clock_getres(CLOCK_MONOTONIC, &res);
	f = doctor_found(d, "timers", "resolution %ld ns", res.tv_nsec);
	if (!res.tv_sec && res.tv_nsec <= 1000)
		return;
	doctor_lost(f, DOCTOR_LIMITED, "waits and the generator are as coarse as that");
	doctor_mend(f, "boot a kernel with CONFIG_HIGH_RES_TIMERS=y, without highres=off");
}

static void check_hypervisor(struct doctor *d, const char *name)
{
	struct doctor_finding *f;

	f = doctor_found(d, "hypervisor", "%s", name ? name : "not known");
	if (!name || strcmp(name, "none"))
		doctor_lost(f, DOCTOR_LIMITED,
			    "%s takes CPUs away unseen by any trace, and wake-ups are slower",
			    name ? "it" : "if there is one, it");
}

/* "cpu user nice system idle iowait irq softirq steal …", in ticks: proc_stat(5). */
static bool read_steal(double *steal, double *all)
{
	FILE *f = fopen("/proc/stat", "re");
	u64 t[8] = {0};
	bool known = f && fscanf(f,
				 "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
				 " %" SCNu64 " %" SCNu64 " %" SCNu64,
				 &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) == 8;

	*steal = (double)t[7];
	*all = 0;
	for (u32 i = 0; i < ARRAY_SIZE(t); i++)
		*all += (double)t[i];
	if (f)
		fclose(f);
	return known && *all > 0;
}

static void check_steal(struct doctor *d, bool bare)
{
	struct doctor_finding *f;
	double steal, all;

	if (!read_steal(&steal, &all)) {
		doctor_found(d, "steal", "not known: /proc/stat cannot be read");
		return;
	}
	f = doctor_found(d, "steal", "%.2f %% of the CPUs' time since boot%s", 100 * steal / all,
			 bare || steal > 0 ? "" : ": none, or the hypervisor does not say");
	if (steal <= all * STEAL_MAX_PART)
		return;
	doctor_lost(f, DOCTOR_LIMITED,
		    "other guests have the CPUs, and items wait for that; each "
		    "run's own steal is in its manifest");
	doctor_mend(f, "use a host of your own, or one with fewer guests");
}

void doctor_check_clock(struct doctor *d, const char *hypervisor)
{
	check_source(d);
	check_resolution(d);
	check_hypervisor(d, hypervisor);
	check_steal(d, hypervisor && !strcmp(hypervisor, "none"));
}
