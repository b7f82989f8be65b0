// SPDX-License-Identifier: GPL-2.0-only
/* Events to bytes. decode.c is the same list read backwards: the two change together. */
#include "trace/codec.h"

static u8 *put_index(u8 *at, u32 index)
{
	return put_varint(at, index == NONE32 ? 0 : (u64)index + 1);
}

static u8 *put_cpu(struct codec *c, u8 *tag, u8 *at, u32 cpu)
{
	if (cpu == c->cpu) {
		*tag |= TAG_SAME_CPU;
		return at;
	}
	c->cpu = cpu;
	return put_varint(at, cpu);
}

static u8 *put_worker(struct codec *c, u8 *tag, u8 *at, u32 worker)
{
	if (worker == c->worker) {
		*tag |= TAG_SAME_WORKER;
		return at;
	}
	c->worker = worker;
	return put_varint(at, worker);
}

static u8 *put_item(struct codec *c, u8 *at, u32 item)
{
	at = put_delta(at, item, c->item);
	c->item = item;
	return at;
}

/* The dispatcher's events begin with their seq. */
static u8 *put_seq(struct codec *c, u8 *tag, u8 *at, u64 seq)
{
	if (!seq) {
		*tag |= TAG_NO_SEQ;
		return at;
	}
	at = put_delta(at, seq, c->seq);
	c->seq = seq;
	return at;
}

/* seq, item (from the last SUBMIT's), due (from the event's time), key, key_seq, queue,
 * woken (index), steps (kind, ns, and the resource where the kind has one), delivery if the tag
 * says so. */
static u8 *put_submit(struct codec *c, u8 *tag, u8 *at, const struct event *ev)
{
	at = put_delta(at, ev->item, c->submitted);
	c->submitted = ev->item;
	at = put_delta(at, ev->time_ns, ev->submit.due_ns);
	at = put_varint(at, ev->submit.key);
	at = put_varint(at, ev->submit.key_seq);
	at = put_varint(at, ev->submit.queue);
	at = put_index(at, ev->submit.woken);
	at = put_varint(at, ev->submit.nr_steps);
	for (u32 i = 0; i < ev->submit.nr_steps; i++) {
		at = put_varint(at, ev->submit.steps[i].kind);
		at = put_varint(at, ev->submit.steps[i].ns);
		if (step_has_resource(ev->submit.steps[i].kind))
			at = put_varint(at, ev->submit.steps[i].resource);
	}
	if (!ev->submit.delivery)
		return at;
	*tag |= TAG_AGAIN;
	return put_varint(at, ev->submit.delivery);
}

/* seq, item, from, to, left, since (from the event's time). */
static u8 *put_move(struct codec *c, u8 *at, const struct event *ev)
{
	at = put_item(c, at, ev->item);
	at = put_varint(at, ev->move.from);
	at = put_varint(at, ev->move.to);
	at = put_varint(at, ev->move.left);
	return put_delta(at, ev->time_ns, ev->move.since_ns);
}

/* seq, item, queue. */
static u8 *put_admit(struct codec *c, u8 *at, const struct event *ev)
{
	return put_varint(put_item(c, at, ev->item), ev->admit.queue);
}

/* item, worker, resource, slot, from (from the event's time), until (from `from`; 0: none). */
static u8 *put_take(struct codec *c, u8 *at, const struct event *ev)
{
	at = put_item(c, at, ev->item);
	at = put_varint(at, ev->worker);
	at = put_varint(at, ev->take.resource);
	at = put_varint(at, ev->take.slot);
	at = put_varint(at, ev->take.from_ns - ev->time_ns);
	return put_varint(at, ev->take.until_ns ? ev->take.until_ns - ev->take.from_ns + 1 : 0);
}

/* worker, item (index), until (from the event's time). */
static u8 *put_pause(u8 *at, const struct event *ev)
{
	at = put_varint(at, ev->worker);
	at = put_index(at, ev->item);
	return put_varint(at, ev->pause.until_ns - ev->time_ns);
}

/* START: seq, item, worker. DONE: the same, outcome if the tag says so. IDLE: seq, worker. STEP:
 * seq, item, worker, index. */
static u8 *put_dispatch(struct codec *c, u8 *tag, u8 *at, const struct event *ev)
{
	at = put_seq(c, tag, at, ev->seq);
	if (ev->kind == EVENT_SUBMIT)
		return put_submit(c, tag, at, ev);
	if (ev->kind == EVENT_MOVE)
		return put_move(c, at, ev);
	if (ev->kind == EVENT_ADMIT)
		return put_admit(c, at, ev);
	if (ev->kind != EVENT_IDLE)
		at = put_item(c, at, ev->item);
	at = put_varint(at, ev->worker);
	if (ev->kind == EVENT_STEP)
		return put_varint(at, ev->step.index);
	if (ev->kind == EVENT_DONE && ev->done.outcome) {
		*tag |= TAG_OUTCOME;
		return put_varint(at, ev->done.outcome);
	}
	return at;
}

/*
 * throttled_ns, when it is not the last one: few events have a new one. What the clock says comes
 * and goes (0: not known), so a delta of 0 stands for 0 and the last one stays.
 */
static u8 *put_throttled(struct codec *c, u8 *at, u64 throttled_ns)
{
	if (!throttled_ns)
		return put_delta(at, 0, 0);
	at = put_delta(at, throttled_ns, c->throttled_ns);
	c->throttled_ns = throttled_ns;
	return at;
}

/* Other flags, throttled_ns, prev_tid, cpu: each if the tag does not say it; next_task (index). */
static u8 *put_switch(struct codec *c, const struct codec_limits *lim, u8 *tag, u8 *at,
		      const struct event *ev)
{
	u32 flags = ev->sched_switch.flags;

	if (flags & SWITCH_PREV_RUNNABLE)
		*tag |= TAG_RUNNABLE;
	flags &= ~(u32)SWITCH_PREV_RUNNABLE;
	if (ev->sched_switch.throttled_ns != c->throttled_ns)
		flags |= MORE_THROTTLED;
	if (flags) {
		*tag |= TAG_MORE_FLAGS;
		at = put_varint(at, flags);
	}
	if (flags & MORE_THROTTLED)
		at = put_throttled(c, at, ev->sched_switch.throttled_ns);
	if (c->next_task < lim->nr_tasks &&
	    lim->tasks[c->next_task].tid == ev->sched_switch.prev_tid)
		*tag |= TAG_SAME_PREV;
	else
		at = put_varint(at, ev->sched_switch.prev_tid);
	at = put_cpu(c, tag, at, ev->cpu);
	c->next_task = ev->sched_switch.next_task;
	return put_index(at, c->next_task);
}

/* worker, cpu, waker_task (index): each if the tag does not say it. */
static u8 *put_waking(struct codec *c, u8 *tag, u8 *at, const struct event *ev)
{
	at = put_worker(c, tag, at, ev->worker);
	at = put_cpu(c, tag, at, ev->cpu);
	if (ev->waking.waker_task == c->waker_task) {
		*tag |= TAG_SAME_WAKER;
		return at;
	}
	c->waker_task = ev->waking.waker_task;
	return put_index(at, c->waker_task);
}

/* worker, cpu, throttled_ns: each if the tag does not say it. */
static u8 *put_wakeup(struct codec *c, u8 *tag, u8 *at, const struct event *ev)
{
	at = put_worker(c, tag, at, ev->worker);
	at = put_cpu(c, tag, at, ev->cpu);
	if (ev->wakeup.throttled_ns == c->throttled_ns)
		return at;
	*tag |= TAG_THROTTLED;
	return put_throttled(c, at, ev->wakeup.throttled_ns);
}

/* cpu, irq_task: each if the tag does not say it. */
static u8 *put_irq_enter(struct codec *c, u8 *tag, u8 *at, const struct event *ev)
{
	at = put_cpu(c, tag, at, ev->cpu);
	if (ev->irq.irq_task == c->irq_task) {
		*tag |= TAG_SAME_IRQ;
		return at;
	}
	c->irq_task = ev->irq.irq_task;
	return put_varint(at, c->irq_task);
}

/* worker, phase, run_delay_ns, waits, cpu_ns. */
static u8 *put_account(u8 *at, const struct event *ev)
{
	at = put_varint(at, ev->worker);
	at = put_varint(at, ev->account.phase);
	at = put_varint(at, ev->account.run_delay_ns);
	at = put_varint(at, ev->account.waits);
	return put_varint(at, ev->account.cpu_ns);
}

u8 *codec_encode(struct codec *c, const struct codec_limits *lim, u8 *at, const struct event *ev)
{
	u8 *tag = at++;

	*tag = ev->kind < TAG_KIND_FOLLOWS ? (u8)ev->kind : TAG_KIND_FOLLOWS;
	if (*tag == TAG_KIND_FOLLOWS)
		*at++ = (u8)ev->kind;
	at = put_varint(at, ev->time_ns - c->time_ns);
	c->time_ns = ev->time_ns;
	switch (ev->kind) {
	case EVENT_SWITCH:
		return put_switch(c, lim, tag, at, ev);
	case EVENT_WAKING:
		return put_waking(c, tag, at, ev);
	case EVENT_WAKEUP:
		return put_wakeup(c, tag, at, ev);
	case EVENT_IRQ_ENTER:
		return put_irq_enter(c, tag, at, ev);
	case EVENT_IRQ_EXIT: /* cpu. */
		return put_cpu(c, tag, at, ev->cpu);
	case EVENT_ACCOUNT:
		return put_account(at, ev);
	case EVENT_TAKE:
		return put_take(c, at, ev);
	case EVENT_PAUSE:
		return put_pause(at, ev);
	case EVENT_LOST: /* count, what. */
		at = put_varint(at, ev->lost.count);
		return put_varint(at, ev->lost.what);
	default:
		return put_dispatch(c, tag, at, ev);
	}
}
