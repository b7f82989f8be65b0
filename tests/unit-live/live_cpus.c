/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU lists, and who gets which CPU. */
#include "live/cpus.h"
#include "tap.h"

#include <string.h>

static void check_list(const char *text, const char *printed)
{
	struct cpu_list l;
	char got[256] = "";

	if (!cpu_list_parse(&l, text))
		cpu_list_print(&l, got, sizeof(got));
	CHECK(!strcmp(got, printed), "\"%s\" reads \"%s\"", text, got);
}

static void check_lists(void)
{
	static const char *const bad[] = {
		"", "x", "1-", "-1", "3-1", "1x", "1;2", "0-99999999999", "1--2"};
	struct cpu_list l;

	check_list("3", "3");
	check_list("1-3 8", "1-3,8");
	check_list("1-3\t8", "1-3,8");
	check_list(" 8  1,2-3 2", "1-3,8");
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(cpu_list_parse(&l, bad[i]), "\"%s\" is no list", bad[i]);
}

static void check_auto(const char *allowed, const char *first_core, u32 workers,
		       const char *expected)
{
	struct cpu_list a, core, got;
	char text[256];

	cpu_list_parse(&a, allowed);
	cpu_list_parse(&core, first_core);
	cpu_plan_auto(&got, &a, &core, workers);
	cpu_list_print(&got, text, sizeof(text));
	CHECK(!strcmp(text, expected), "%u workers on CPUs %s (core %s): %s", workers, allowed,
	      first_core, text);
}

static void check_plan(void)
{
	char err[256] = "";
	struct message msg = {err, sizeof(err)};
	struct cpu_plan plan;

	CHECK(!cpu_plan_make(&plan, "auto", 8, &msg) && plan.workers.nr, "auto has a plan here");
	CHECK(plan.shared == cpu_list_has(&plan.workers, plan.generator),
	      "the generator has a CPU free of workers, or shares and says so");
	CHECK(plan.shared || !cpu_list_has(&plan.workers, plan.collector), "so has the collector");
	CHECK(cpu_plan_make(&plan, "1022-1023", 8, &msg) && strstr(err, "CPU 1022"), "%s", err);
	CHECK(cpu_plan_make(&plan, "one", 8, &msg) && strstr(err, "\"one\""), "%s", err);
}

int main(void)
{
	check_lists();
	check_auto("0", "0", 8, "0");
	check_auto("0-1", "0", 8, "1");
	check_auto("0-1", "0-1", 8, "1");
	check_auto("0-3", "0-1", 8, "2-3");
	check_auto("0-15", "0,8", 8, "7,9-15");
	check_auto("0-15", "0", 2, "14-15");
	check_auto("4-7", "4", 8, "5-7");
	check_plan();
	return tap_done();
}
