/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/kernel_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static u32 worker_by_tid(const struct engine *e, u32 tid)
{
	if (engine_spawns(e))
		return spawner_slot(&e->spawner, tid);
	for (u32 i = 0; i < e->nr_workers; i++)
		if (e->workers[i].tid == tid)
			return i;
	return NONE32;
}

/* The id of a thread that has ended may be another's by now; the name, or that of its maker, is
 * not. */
static bool is_ours(const struct engine *e, const struct probe_event *pe)
{
	return !engine_spawns(e) || !strncmp(pe->comm, "hb-", 3);
}

/* Few cgroups run on the worker CPUs: a linear search, at each new task only. */
static int remember(struct id_set *s, u64 id)
{
	for (u32 i = 0; i < s->nr; i++)
		if (s->ids[i] == id)
			return 0;
	if (s->nr == s->size) {
		u32 size = s->size ? 2 * s->size : 16;
		u64 *ids = realloc(s->ids, size * sizeof(*ids));

		if (!ids)
			return -ENOMEM;
		s->ids = ids;
		s->size = size;
	}
	s->ids[s->nr++] = id;
	return 0;
}

/* tid, comm and cgroup are of one record, never put together from two. */
static int intern(struct collector *c, const struct probe_event *pe, u32 *index)
{
	struct task t = {.tid = pe->tid,
			 .worker = is_ours(c->e, pe) ? worker_by_tid(c->e, pe->tid) : NONE32,
			 .class = pe->flags & PROBE_KTHREAD ? TASK_KTHREAD : TASK_USER,
			 .cgroup = pe->cgroup};

	memcpy(t.comm, pe->comm, sizeof(t.comm));
	*index = trace_task(c->e->trace, &t);
	if (*index == NONE32)
		return -EIO;
	if (c->last_task != NONE32 && *index <= c->last_task)
		return 0;
	c->last_task = *index;
	return remember(&c->cgroups, pe->cgroup);
}

static u32 switch_flags(const struct probe_event *pe)
{
	return (pe->flags & PROBE_PREV_RUNNABLE ? SWITCH_PREV_RUNNABLE : 0) |
	       (pe->flags & PROBE_PREV_THROTTLED ? SWITCH_PREV_THROTTLED : 0);
}

static int take_switch(struct collector *c, const struct probe_event *pe, struct event *ev)
{
	ev->kind = EVENT_SWITCH;
	ev->cpu = pe->cpu;
	ev->sched_switch.prev_tid = pe->other_tid;
	ev->sched_switch.flags = switch_flags(pe);
	ev->sched_switch.throttled_ns = pe->throttled_ns;
	return intern(c, pe, &ev->sched_switch.next_task);
}

static int take_waking(struct collector *c, const struct probe_event *pe, struct event *ev)
{
	ev->kind = EVENT_WAKING;
	ev->cpu = pe->cpu;
	return intern(c, pe, &ev->waking.waker_task);
}

static int take_wakeup(const struct probe_event *pe, struct event *ev)
{
	ev->kind = EVENT_WAKEUP;
	ev->cpu = pe->other_cpu;
	ev->wakeup.throttled_ns = pe->throttled_ns;
	return 0;
}

/* An interrupt has a name, and nothing else of a task. */
static int take_irq_enter(struct collector *c, const struct probe_event *pe, struct event *ev)
{
	struct task t = {.tid = NONE32, .worker = NONE32, .class = TASK_INTERRUPT};

	memcpy(t.comm, pe->comm, sizeof(t.comm));
	ev->kind = EVENT_IRQ_ENTER;
	ev->cpu = pe->cpu;
	ev->irq.irq_task = trace_task(c->e->trace, &t);
	return ev->irq.irq_task == NONE32 ? -EIO : 0;
}

static int take_irq_exit(const struct probe_event *pe, struct event *ev)
{
	ev->kind = EVENT_IRQ_EXIT;
	ev->cpu = pe->cpu;
	return 0;
}

static int translate(struct collector *c, const struct probe_event *pe, struct event *ev)
{
	switch (pe->kind) {
	case PROBE_SWITCH:
		return take_switch(c, pe, ev);
	case PROBE_WAKING:
		return take_waking(c, pe, ev);
	case PROBE_WAKEUP:
		return take_wakeup(pe, ev);
	case PROBE_IRQ_ENTER:
		return take_irq_enter(c, pe, ev);
	case PROBE_IRQ_EXIT:
		return take_irq_exit(pe, ev);
	}
	return -EPROTO;
}

int kernel_event_take(void *collector, const struct probe_event *pe)
{
	struct collector *c = collector;
	struct engine *e = c->e;
	struct event ev = {.time_ns = pe->time_ns};
	int rc;

	if (pe->cpu >= c->nr_cpus)
		return -EPROTO;
	if (pe->kind == PROBE_WAKING || pe->kind == PROBE_WAKEUP) {
		ev.worker = worker_by_tid(e, pe->other_tid);
		/* A thread that was marked and is none of ours: its wake-ups say nothing here. */
		if (ev.worker == NONE32)
			return 0;
	}
	rc = translate(c, pe, &ev);
	return rc ? rc : trace_write(e->trace, collector_cpu_stream(e, pe->cpu), &ev);
}
