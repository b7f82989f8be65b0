/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine, from /proc and /sys. */
#include "report/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first line of a file, or null. */
static json_t *file_line(const char *path)
{
	char line[512];
	FILE *f = fopen(path, "re");
	json_t *value = NULL;

	if (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		value = text_json(line);
	}
	if (f)
		fclose(f);
	return value ? value : json_null();
}

/* "key : value" of /proc/cpuinfo, its first processor's. */
static bool cpuinfo(const char *key, char *buf, size_t len)
{
	char line[8192];
	FILE *f = fopen("/proc/cpuinfo", "re");
	size_t n = strlen(key);
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, key, n) ||
		    (line[n] != '\t' && line[n] != ' ' && line[n] != ':'))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(buf, len, "%s", colon + 1 + strspn(colon + 1, " "));
		found = true;
	}
	if (f)
		fclose(f);
	return found;
}

/* Names that differ by architecture. */
static json_t *cpu_model(void)
{
	static const char *const keys[] = {"model name", "Model", "cpu", "uarch", "CPU part"};
	char text[256];

	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		if (cpuinfo(keys[i], text, sizeof(text)))
			return text_json(text);
	return json_null();
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

/* Named where the hypervisor says who it is; "none" only where the CPU says there is none. */
static json_t *hypervisor(void)
{
	char flags[8192];
	json_t *type = file_line("/sys/hypervisor/type");

	if (!json_is_null(type))
		return type;
	if (!cpuinfo("flags", flags, sizeof(flags)))
		return json_null();
	if (!has_word(flags, "hypervisor"))
		return json_string("none");
	type = file_line("/sys/class/dmi/id/sys_vendor");
	return json_is_null(type) ? json_string("yes, unnamed") : type;
}

/* Which CPUs are hardware threads of one core: a list a core. */
static json_t *siblings(void)
{
	json_t *cores = json_array();
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < nr; cpu++) {
		char path[128];
		json_t *list;
		bool known = false;

		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%ld/topology/thread_siblings_list", cpu);
		list = file_line(path);
		for (size_t i = 0; i < json_array_size(cores); i++)
			known |= json_equal(json_array_get(cores, i), list);
		if (json_is_null(list) || known)
			json_decref(list);
		else
			json_array_append_new(cores, list);
	}
	if (json_array_size(cores))
		return cores;
	json_decref(cores);
	return json_null();
}

/* Whether a scheduler of the class was loaded: "enabled"; "disabled"; "not supported" by a kernel
 * without the class; null is not known. */
static json_t *sched_ext(void)
{
	json_t *state = file_line("/sys/kernel/sched_ext/state");

	if (!json_is_null(state) || access("/sys/kernel/mm", F_OK) ||
	    !access("/sys/kernel/sched_ext", F_OK))
		return state;
	return json_string("not supported");
}

json_t *host_json(void)
{
	struct utsname u;
	bool known = !uname(&u);

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
		known ? text_json(u.nodename) : json_null(), "kernel_release",
		known ? text_json(u.release) : json_null(), "kernel_version",
		known ? text_json(u.version) : json_null(), "architecture",
		known ? text_json(u.machine) : json_null(), "cpu_model", cpu_model(), "cpus_online",
		file_line("/sys/devices/system/cpu/online"), "smt_siblings", siblings(), "governor",
		file_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), "clock_source",
		file_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		"hypervisor", hypervisor(), "sched_ext", sched_ext());
}
