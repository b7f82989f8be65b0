/* SPDX-License-Identifier: GPL-2.0-only */
/* Who had a CPU: tasks, interrupts, or nobody that is known. */
#include "core/ledger/internal.h"

struct ledger_cpu *cpu_get(const struct ledger *l, u32 cpu)
{
	return cpu < l->nr_cpus ? &l->cpus[cpu] : NULL;
}

void occupant_set(struct ledger *l, struct ledger_cpu *c, u64 t, u32 task)
{
	struct occupant *o;

	if (ring_full(&c->occupants))
		ring_forget(&c->occupants, ring_holding(&c->occupants, ledger_horizon(l)));
	o = ring_push(&c->occupants);
	if (!o)
		l->no_memory = true;
	else
		*o = (struct occupant){t, task};
}

struct occupant *occupant_last(const struct ledger_cpu *c)
{
	const struct ring *r = &c->occupants;

	return ring_len(r) ? ring_at(r, r->end - 1) : NULL;
}

/* Idle is never a culprit: the CPU was on its way out of idle, nobody else had it. */
static u32 culprit_of(const struct ledger *l, u32 task)
{
	if (task < l->cfg.nr_tasks && l->cfg.tasks[task].tid == 0)
		return NONE32;
	return task;
}

void blame_cpu(struct ledger *l, u32 cpu, u64 a, u64 b, void (*add)(void *ctx, u32 culprit, u64 ns),
	       void *ctx)
{
	const struct ledger_cpu *c = cpu_get(l, cpu);
	const struct ring *r = c ? &c->occupants : NULL;

	if (!r || !ring_len(r)) {
		add(ctx, CULPRIT_UNKNOWN, b - a);
		return;
	}
	for (u64 i = ring_holding(r, a); a < b; i++) {
		const struct occupant *o = ring_at(r, i);
		u64 end = i + 1 < r->end ? ((struct occupant *)ring_at(r, i + 1))->t : b;
		u64 upto = end < b ? end : b;

		if (o->t > a) { /* before the first that is known */
			add(ctx, CULPRIT_UNKNOWN, (o->t < b ? o->t : b) - a);
			a = o->t;
		}
		if (upto > a) {
			add(ctx, culprit_of(l, o->task), upto - a);
			a = upto;
		}
	}
}

/*
 * An interrupt takes the CPU from its task and gives it back: to those who wait it is the occupant,
 * and to a worker that was running it is time of the interrupt, not its own.
 */
void cpu_irq_enter(struct ledger *l, struct ledger_cpu *c, const struct event *ev)
{
	const struct occupant *last = occupant_last(c);
	u32 task = last ? last->task : CULPRIT_UNKNOWN;
	struct ledger_worker *w = worker_of_task(l, task);

	if (c->in_irq) {
		l->counts.impossible++;
		return;
	}
	c->in_irq = true;
	c->interrupted = task;
	if (w && w->state == THREAD_RUNNING) {
		worker_cut(l, w, ev->time_ns);
		w->irq_task = ev->irq.irq_task;
	}
	occupant_set(l, c, ev->time_ns, ev->irq.irq_task);
}

void cpu_irq_exit(struct ledger *l, struct ledger_cpu *c, u64 t)
{
	u32 task = c->interrupted;
	struct ledger_worker *w = worker_of_task(l, task);

	if (!c->in_irq)
		return; /* it began before the record did */
	c->in_irq = false;
	if (w) {
		worker_cut(l, w, t);
		w->irq_task = NONE32;
	}
	occupant_set(l, c, t, task);
}

/*
 * Time in which the workers' group was throttled on this CPU: the union of the workers' throttled
 * stretches [a, b), which end at the same instants but are known in the order of the switches after
 * them.
 */
void cpu_throttled(struct ledger_cpu *c, u64 a, u64 b)
{
	if (a >= c->throttled_to) {
		c->throttled_ns += b - a;
		c->throttled_from = a;
		c->throttled_to = b;
		return;
	}
	if (b > c->throttled_to) {
		c->throttled_ns += b - c->throttled_to;
		c->throttled_to = b;
	}
	if (a < c->throttled_from) {
		c->throttled_ns += c->throttled_from - a;
		c->throttled_from = a;
	}
}
