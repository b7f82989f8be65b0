/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/ledger/internal.h"

#include <errno.h>
#include <stdlib.h>

/* Tasks that are workers' threads tell each worker's tid; every CPU that an event can name has a
 * history. */
static void tids_learn(struct ledger *l)
{
	for (u32 i = 0; i < l->cfg.nr_tasks; i++) {
		const struct task *t = &l->cfg.tasks[i];

		if (t->worker < l->cfg.workers)
			l->workers[t->worker].tid = t->tid;
	}
}

int ledger_new(struct ledger **out, const struct ledger_config *cfg)
{
	struct ledger *l = calloc(1, sizeof(*l));
	struct saturation *s;

	*out = NULL;
	if (!l)
		return -ENOMEM;
	l->cfg = *cfg;
	l->to = &l->account;
	ring_init(&l->saturation, sizeof(struct saturation));
	l->workers = calloc(cfg->workers, sizeof(*l->workers));
	l->keys = calloc(cfg->keys, sizeof(*l->keys));
	s = ring_push(&l->saturation);
	if (!l->workers || !l->keys || !s) {
		ledger_free(l);
		return -ENOMEM;
	}
	for (u32 i = 0; i < cfg->workers; i++) {
		l->workers[i].irq_task = NONE32;
		ring_init(&l->workers[i].segments, sizeof(struct segment));
		ring_init(&l->workers[i].blames, sizeof(struct blame));
		blocks_init(&l->workers[i]);
	}
	for (u32 i = 0; i < cfg->keys; i++)
		ring_init(&l->keys[i].services, sizeof(struct key_service));
	tids_learn(l);
	*out = l;
	return 0;
}

void ledger_free(struct ledger *l)
{
	if (!l)
		return;
	for (u32 i = 0; l->workers && i < l->cfg.workers; i++) {
		ring_free(&l->workers[i].segments);
		ring_free(&l->workers[i].blames);
		blocks_free(&l->workers[i]);
	}
	for (u32 i = 0; l->keys && i < l->cfg.keys; i++)
		ring_free(&l->keys[i].services);
	for (u32 i = 0; i < l->nr_cpus; i++)
		ring_free(&l->cpus[i].occupants);
	items_free(l);
	ring_free(&l->saturation);
	free(l->workers);
	free(l->keys);
	free(l->cpus);
	tally_free(&l->account);
	tally_free(&l->scratch);
	free(l);
}

#define LEDGER_MAX_CPUS 8192 /* the kernel's own limit on x86 */

static int cpus_grow(struct ledger *l, u32 cpu)
{
	struct ledger_cpu *cpus;

	if (cpu < l->nr_cpus)
		return 0;
	if (cpu >= LEDGER_MAX_CPUS)
		return -EINVAL;
	cpus = realloc(l->cpus, (cpu + 1) * sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	l->cpus = cpus;
	for (; l->nr_cpus <= cpu; l->nr_cpus++) {
		cpus[l->nr_cpus] = (struct ledger_cpu){.interrupted = NONE32};
		ring_init(&cpus[l->nr_cpus].occupants, sizeof(struct occupant));
	}
	return 0;
}

/* The CPU of an event, with a history; NULL and *err when there cannot be one. */
static struct ledger_cpu *cpu_of(struct ledger *l, const struct event *ev, int *err)
{
	*err = cpus_grow(l, ev->cpu);
	return *err ? NULL : cpu_get(l, ev->cpu);
}

static int cpu_event(struct ledger *l, const struct event *ev)
{
	struct ledger_cpu *c;
	int err;

	if (ev->kind == EVENT_SWITCH && ev->sched_switch.next_task >= l->cfg.nr_tasks)
		return -EINVAL;
	if (ev->kind == EVENT_IRQ_ENTER && ev->irq.irq_task >= l->cfg.nr_tasks)
		return -EINVAL;
	c = cpu_of(l, ev, &err);
	if (err)
		return err;
	if (ev->kind == EVENT_SWITCH)
		kernel_switch(l, ev);
	else if (ev->kind == EVENT_IRQ_ENTER)
		cpu_irq_enter(l, c, ev);
	else
		cpu_irq_exit(l, c, ev->time_ns);
	return 0;
}

static int worker_event(struct ledger *l, const struct event *ev)
{
	if (ev->worker >= l->cfg.workers)
		return -EINVAL;
	if (ev->kind == EVENT_WAKING) {
		kernel_waking(l, ev);
	} else if (ev->kind == EVENT_ACCOUNT) {
		kernel_account(l, ev);
	} else {
		int err = cpus_grow(l, ev->cpu);

		if (err)
			return err;
		kernel_wakeup(l, ev);
	}
	return 0;
}

static int dispatcher_event(struct ledger *l, const struct event *ev)
{
	if (ev->kind == EVENT_SUBMIT)
		return items_submit(l, ev);
	if (ev->kind == EVENT_MOVE)
		return items_move(l, ev);
	if (ev->worker >= l->cfg.workers)
		return -EINVAL;
	kernel_is_running(l, &l->workers[ev->worker], ev->time_ns);
	if (ev->kind == EVENT_START)
		return items_start(l, ev);
	if (ev->kind == EVENT_STEP)
		return items_step(l, ev);
	if (ev->kind == EVENT_DONE)
		return items_done(l, ev);
	return 0; /* EVENT_IDLE: that a worker is free is known from its last DONE */
}

int ledger_take(void *ledger, const struct event *ev)
{
	struct ledger *l = ledger;
	int err;

	l->counts.events++;
	l->now = ev->time_ns;
	switch (ev->kind) {
	case EVENT_SUBMIT ... EVENT_STEP:
		err = dispatcher_event(l, ev);
		break;
	case EVENT_SWITCH:
	case EVENT_IRQ_ENTER:
	case EVENT_IRQ_EXIT:
		err = cpu_event(l, ev);
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_ACCOUNT:
		err = worker_event(l, ev);
		break;
	case EVENT_LOST:
		l->counts.lost += ev->lost.count;
		err = 0;
		break;
	default:
		err = -EINVAL;
	}
	return err ? err : l->no_memory ? -ENOMEM : 0;
}

void ledger_end(struct ledger *l, struct ledger_counts *counts, struct ledger_check *check)
{
	struct ledger_check c = {.measured = l->cfg.probe, .workers = l->cfg.workers};

	for (u32 i = 0; i < l->cfg.workers; i++) {
		const struct ledger_worker *w = &l->workers[i];

		c.measured &= w->ended;
		c.our_waits += w->base_waits;
		c.our_wait_ns += w->base_wait_ns;
		c.our_cpu_ns += w->base_cpu_ns;
		c.kernel_waits += w->kernel_waits;
		c.kernel_wait_ns += w->kernel_wait_ns;
		c.kernel_cpu_ns += w->kernel_cpu_ns;
	}
	for (u32 i = 0; i < l->nr_cpus; i++)
		c.our_throttled_ns += l->cpus[i].throttled_ns;
	if (check)
		*check = c;
	if (counts) {
		*counts = l->counts;
		counts->unfinished += l->nr_inflight;
	}
}
