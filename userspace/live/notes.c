/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/notes.h"
#include "live/rights.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

void note(struct trace_writer *t, const char *name, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	trace_note(t, name, text);
}

/* Not every clock source is cheap or steady: it belongs to the result. */
static void note_clock_source(struct trace_writer *t)
{
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	char name[64];

	if (f && fgets(name, sizeof(name), f)) {
		name[strcspn(name, "\n")] = 0;
		note(t, "clock.source", "%s", name);
	}
	if (f)
		fclose(f);
}

void notes_host(struct trace_writer *t)
{
	struct utsname uts;
	struct timespec res;

	if (!uname(&uts)) {
		note(t, "kernel.release", "%s", uts.release);
		note(t, "kernel.machine", "%s", uts.machine);
	}
	if (!clock_getres(CLOCK_MONOTONIC, &res))
		note(t, "clock.resolution_ns", "%lld",
		     (long long)res.tv_sec * (long long)NSEC_PER_SEC + res.tv_nsec);
	note_clock_source(t);
}

static void note_generator(const struct engine *e)
{
	const struct generator *g = &e->generator;

	if (g->fifo) {
		note(e->trace, "generator.policy", "fifo:%d", GENERATOR_PRIORITY);
		return;
	}
	note(e->trace, "generator.policy", "other");
	if (g->fifo_error)
		note(e->trace, "warning",
		     "the generator is not real-time: %s; " RIGHTS_FOR_REALTIME,
		     strerror(-g->fifo_error));
	else if (!e->cpus.shared)
		note(e->trace, "warning",
		     "the generator is not real-time: the stream is too dense for it to rest; "
		     "watch `late`");
}

void notes_placement(const struct engine *e)
{
	char cpus[256];

	cpu_list_print(&e->cpus.workers, cpus, sizeof(cpus));
	note(e->trace, "workers.cpus", "%s", cpus);
	note(e->trace, "generator.cpu", "%u", e->cpus.generator);
	note(e->trace, "collector.cpu", "%u", e->cpus.collector);
	if (e->cpus.shared)
		note(e->trace, "warning",
		     "no CPU is free of workers: generator and collector share theirs and are part "
		     "of what is measured");
	note_generator(e);
}

void notes_cost(const struct engine *e, u64 collector_cpu_ns)
{
	bool known = false;
	u64 probe_ns = e->probe ? probe_run_time_ns(e->probe, &known) : 0;

	note(e->trace, "collector.cpu_ns", "%" PRIu64, collector_cpu_ns);
	if (known)
		note(e->trace, "probe.run_ns", "%" PRIu64, probe_ns);
}

/* A line of /proc/self/status, in bytes; 0: there is none. */
static u64 status_bytes(const char *format)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	u64 kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, format, &kib) == 1)
			break;
	if (f)
		fclose(f);
	return 1024 * kib;
}

/* "5": proc_pid_clear_refs(5). Where it cannot be written the peak is not the run's own. */
u64 notes_memory_begin(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "we");
	bool forgotten;

	if (!f)
		return 0;
	malloc_trim(0);
	forgotten = fputs("5", f) >= 0;
	forgotten = !fclose(f) && forgotten;
	return forgotten ? status_bytes("VmRSS: %" SCNu64 " kB") : 0;
}

void notes_memory(const struct engine *e, u64 before)
{
	u64 peak = status_bytes("VmHWM: %" SCNu64 " kB");
	u64 serving = engine_spawns(e) ? e->spawner.peak : e->nr_workers;
	u64 each = engine_spawns(e) ? SPAWN_STACK_BYTES : THREAD_STACK_BYTES;

	note(e->trace, "threads.peak", "%" PRIu64, serving + 1);
	note(e->trace, "stack.bytes", "%" PRIu64, serving * each + THREAD_STACK_BYTES);
	if (before && peak > before)
		note(e->trace, "memory.peak_bytes", "%" PRIu64, peak - before);
}

void notes_steal(const struct engine *e, const u64 *before, const u64 *after)
{
	char name[32];

	for (u32 i = 0; i < e->cpus.workers.nr; i++) {
		snprintf(name, sizeof(name), "steal_ns.cpu%u", e->cpus.workers.cpu[i]);
		note(e->trace, name, "%" PRIu64, after[i] - before[i]);
	}
}
