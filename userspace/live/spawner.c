/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/asking.h"
#include "live/serve.h"
#include "live/setup.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* Thread ids are below it: proc_sys_kernel(5). */
static u32 tids_max(void)
{
	FILE *f = fopen("/proc/sys/kernel/pid_max", "re");
	u32 n = 0;

	if (f && fscanf(f, "%" SCNu32, &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n ? n : 1u << 22; /* the kernel's own limit */
}

/*
 * On its CPU from the beginning: on its maker's it would first wait for that one to rest, and the
 * generator does not. In a cgroup with CPUs of its own it is pinned when it has joined.
 */
static int make_attr(pthread_attr_t *attr, u32 cpu, bool pinned)
{
	cpu_set_t set;
	int rc = pthread_attr_init(attr);

	if (rc)
		return -rc;
	rc = pthread_attr_setstacksize(attr, SPAWN_STACK_BYTES);
	if (!rc)
		rc = pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!rc && pinned)
		rc = pthread_attr_setaffinity_np(attr, sizeof(set), &set);
	return -rc;
}

static void idle_all(struct engine *e)
{
	u64 now;

	for (u32 i = e->nr_workers; i-- > 0;)
		ask_item(&e->workers[i], &now);
}

int spawner_init(struct engine *e)
{
	struct spawner *s = &e->spawner;
	const struct cpu_list *cpus = &e->cpus.workers;
	bool pinned = !e->place || !e->place->plan.groups;
	int rc = 0;

	s->attrs = calloc(cpus->nr, sizeof(*s->attrs));
	if (!s->attrs)
		return -ENOMEM;
	for (; s->nr_attrs < cpus->nr && !rc; s->nr_attrs++)
		rc = make_attr(&s->attrs[s->nr_attrs], cpus->cpu[s->nr_attrs], pinned);
	if (!rc && e->probe) {
		s->nr_slots = tids_max() + 1;
		s->slots = calloc(s->nr_slots, sizeof(*s->slots));
		rc = s->slots ? 0 : -ENOMEM;
	}
	if (!rc)
		idle_all(e);
	return rc;
}

void spawner_fini(struct spawner *s)
{
	for (u32 i = 0; i < s->nr_attrs; i++)
		pthread_attr_destroy(&s->attrs[i]);
	free(s->attrs);
	free(s->slots);
	s->attrs = NULL;
	s->slots = NULL;
	s->nr_attrs = 0;
}

static void count_in(struct spawner *s)
{
	u32 alive = __atomic_add_fetch(&s->alive, 1, __ATOMIC_RELAXED);
	u32 peak = __atomic_load_n(&s->peak, __ATOMIC_RELAXED);

	while (alive > peak && !__atomic_compare_exchange_n(&s->peak, &peak, alive, true,
							    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* The last thing that a thread does with the run's memory. */
static void count_out(struct spawner *s)
{
	if (!__atomic_sub_fetch(&s->alive, 1, __ATOMIC_RELEASE))
		futex_wake(&s->alive, INT_MAX);
}

void spawner_wait(struct spawner *s)
{
	u32 alive;

	while ((alive = __atomic_load_n(&s->alive, __ATOMIC_ACQUIRE)))
		futex_wait_until(&s->alive, alive, NEVER_NS);
}

static void remember_tid(struct spawner *s, u32 tid, u32 slot)
{
	if (s->slots && tid < s->nr_slots)
		__atomic_store_n(&s->slots[tid], slot + 1, __ATOMIC_RELAXED);
}

u32 spawner_slot(const struct spawner *s, u32 tid)
{
	return tid < s->nr_slots ? __atomic_load_n(&s->slots[tid], __ATOMIC_RELAXED) - 1 : NONE32;
}

/* When ask_item() gave nothing the slot is no longer ours: no further look at *w. */
static void serve_all(struct worker *w)
{
	struct engine *e = w->engine;
	enum outcome outcome;
	struct item *it;
	u64 at_ns;

	while (!engine_stopped(e) && (it = ask_item(w, &at_ns))) {
		outcome = serve_item(w, it, &at_ns);
		if (outcome == SERVICE_CUT)
			break;
		end_item(w, it, at_ns, outcome);
		__atomic_store_n(&w->finished, w->finished + 1, __ATOMIC_RELEASE);
	}
}

static void *spawned_main(void *arg)
{
	struct worker *w = arg;
	struct engine *e = w->engine;
	struct failure failure;

	remember_tid(&e->spawner, (u32)gettid(), w->index);
	failure = worker_set_up(w);
	if (failure.error)
		engine_fail(e, failure.what, failure.error);
	else
		serve_all(w);
	count_out(&e->spawner);
	return NULL;
}

void spawn_thread(struct engine *e, u32 slot)
{
	struct spawner *s = &e->spawner;
	pthread_t thread;
	int rc;

	count_in(s);
	rc = pthread_create(&thread, &s->attrs[slot % s->nr_attrs], spawned_main,
			    &e->workers[slot]);
	if (!rc)
		return;
	engine_fail(e, "start a thread for an item", -rc);
	count_out(s);
}
