/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/ledger/internal.h"

#include <errno.h>
#include <stdlib.h>

static void workers_init(struct ledger *l)
{
	for (u32 i = 0; i < l->cfg.workers; i++) {
		struct ledger_worker *w = &l->workers[i];

		w->irq_task = NONE32;
		w->paused_until = NEVER_NS;
		ring_init(&w->segments, sizeof(struct segment));
		ring_init(&w->blames, sizeof(struct blame));
	}
}

static int parts_init(struct ledger *l)
{
	int err = groups_init(l);

	if (!err)
		err = lanes_init(l);
	return err ? err : tids_learn(l);
}

int ledger_new(struct ledger **out, const struct ledger_config *cfg)
{
	struct ledger *l = calloc(1, sizeof(*l));

	*out = NULL;
	if (!l)
		return -ENOMEM;
	l->cfg = *cfg;
	l->cfg.replicas = cfg->replicas ? cfg->replicas : 1;
	l->to = &l->account;
	l->resume_ns = NEVER_NS;
	ring_init(&l->aways, sizeof(struct away));
	if (cfg->workers % l->cfg.replicas) {
		free(l);
		return -EINVAL;
	}
	l->workers = calloc(cfg->workers, sizeof(*l->workers));
	if (l->workers)
		workers_init(l);
	if (!l->workers || parts_init(l)) {
		ledger_free(l);
		return -ENOMEM;
	}
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
		blocks_free(l->workers[i].queue_blocks);
		blocks_free(l->workers[i].carrier_blocks);
	}
	for (u32 i = 0; i < l->nr_cpus; i++)
		ring_free(&l->cpus[i].occupants);
	items_free(l);
	lanes_free(l);
	groups_free(l);
	resources_free(l);
	ring_free(&l->aways);
	free(l->workers);
	free(l->tids);
	free(l->task_workers);
	free(l->cpus);
	tally_free(&l->account);
	for (u32 i = 0; i < SUMS_NR; i++)
		tally_free(&l->scratch[i]);
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
	if (ev->kind == EVENT_ADMIT)
		return items_admit(l, ev);
	if (ev->worker >= l->cfg.workers)
		return -EINVAL;
	if (ev->kind == EVENT_IDLE && l->cfg.executor == EXECUTOR_SPAWN) {
		kernel_no_thread(l, &l->workers[ev->worker], ev->time_ns);
		return 0;
	}
	kernel_is_running(l, &l->workers[ev->worker], ev->time_ns);
	if (ev->kind == EVENT_START)
		return items_start(l, ev);
	if (ev->kind == EVENT_STEP)
		return items_step(l, ev);
	if (ev->kind == EVENT_TAKE)
		return items_take(l, ev);
	if (ev->kind == EVENT_PAUSE)
		return items_pause(l, ev);
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
	if (l->resume_ns <= ev->time_ns)
		workers_resume(l, ev->time_ns);
	switch (ev->kind) {
	case EVENT_SUBMIT ... EVENT_STEP:
	case EVENT_TAKE:
	case EVENT_PAUSE:
	case EVENT_ADMIT:
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
	bool spawn = l->cfg.executor == EXECUTOR_SPAWN;
	struct ledger_check c = {.measured = l->cfg.probe};

	for (u32 i = 0; i < l->cfg.workers; i++) {
		const struct ledger_worker *w = &l->workers[i];

		c.measured &= w->ended == w->begun && (w->ended || spawn);
		c.workers += w->ended;
		c.our_waits += w->ours_sum.waits;
		c.our_wait_ns += w->ours_sum.wait_ns;
		c.our_cpu_ns += w->ours_sum.cpu_ns;
		c.kernel_waits += w->kernel_sum.waits;
		c.kernel_wait_ns += w->kernel_sum.wait_ns;
		c.kernel_cpu_ns += w->kernel_sum.cpu_ns;
	}
	c.measured &= c.workers > 0;
	for (u32 i = 0; i < l->nr_cpus; i++)
		c.our_throttled_ns += l->cpus[i].throttled_ns;
	if (check)
		*check = c;
	if (counts) {
		*counts = l->counts;
		counts->unfinished += l->nr_inflight;
	}
}
