/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs the workers, the generator and the collector get. */
#ifndef HOLBENCH_LIVE_CPUS_H
#define HOLBENCH_LIVE_CPUS_H

#include "core/types.h"
#include "live/message.h"

#define CPUS_MAX 1024

struct cpu_list {
	u32 nr;
	u32 cpu[CPUS_MAX]; /* ascending, each once */
};

struct cpu_plan {
	struct cpu_list workers; /* worker w is pinned to workers.cpu[w % workers.nr] */
	u32 generator, collector;
	bool shared; /* no CPU is free of workers: generator and collector run among them */
};

/* "1-3 8" or "1-3,8". 0 or -EINVAL. */
int cpu_list_parse(struct cpu_list *out, const char *text);
/* As the kernel writes it: "1-3,8". */
void cpu_list_print(const struct cpu_list *l, char *text, size_t len);
bool cpu_list_has(const struct cpu_list *l, u32 cpu);
/* The CPUs that are online and that this process may use. 0 or a negative errno. */
int cpu_list_allowed(struct cpu_list *out);
/* The hardware threads of cpu's core, itself included; itself alone where the kernel does not say.
 */
void cpu_list_core(struct cpu_list *out, u32 cpu);

/*
 * `auto`, as a pure function: of the allowed CPUs the first, and those of its core, are left to
 * generator and collector, unless nothing would be left for the workers; the workers get the last
 * ones of the rest, at most one each. One CPU: everybody shares it.
 */
void cpu_plan_auto(struct cpu_list *workers, const struct cpu_list *allowed,
		   const struct cpu_list *first_core, u32 nr_workers);
/* How many workers a cell has CPUs for: with executor = spawn, as many as its pool would have. */
struct spec;
u32 cpu_plan_workers(const struct spec *s);
/* The plan for workers.cpus = `text` ("auto" or a list). 0, or -EINVAL or -errno with the line. */
int cpu_plan_make(struct cpu_plan *plan, const char *text, u32 nr_workers,
		  const struct message *msg);
/* Pin the calling thread. 0 or a negative errno. */
int cpu_pin_self(u32 cpu);

#endif
