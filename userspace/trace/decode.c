// SPDX-License-Identifier: GPL-2.0-only
/* Bytes to events. encode.c says the order of the fields: the two change together. */
#include "trace/codec.h"

#include <errno.h>
#include <string.h>

static u32 get_index(struct cursor *in)
{
	u64 value = get_varint(in);

	/* NONE32 itself has one spelling, 0. */
	if (value > UINT32_MAX)
		in->bad = true;
	return value ? (u32)(value - 1) : NONE32;
}

static u32 get_delta32(struct cursor *in, u32 from)
{
	u64 value = get_delta(in, from);

	if (value > UINT32_MAX)
		in->bad = true;
	return (u32)value;
}

static u32 get_cpu(struct codec *c, u8 tag, struct cursor *in)
{
	if (!(tag & TAG_SAME_CPU))
		c->cpu = get_varint32(in);
	return c->cpu;
}

static u32 get_worker(struct codec *c, u8 tag, struct cursor *in)
{
	if (!(tag & TAG_SAME_WORKER))
		c->worker = get_varint32(in);
	return c->worker;
}

static u32 get_item(struct codec *c, struct cursor *in)
{
	c->item = get_delta32(in, c->item);
	return c->item;
}

static u64 get_seq(struct codec *c, u8 tag, struct cursor *in)
{
	if (tag & TAG_NO_SEQ)
		return 0;
	c->seq = get_delta(in, c->seq);
	return c->seq;
}

static void get_submit(struct codec *c, u8 tag, struct cursor *in, struct event *ev)
{
	c->submitted = get_delta32(in, c->submitted);
	ev->item = c->submitted;
	/* Stored as time less due. */
	ev->submit.due_ns = ev->time_ns - get_delta(in, 0);
	ev->submit.key = get_varint32(in);
	ev->submit.key_seq = get_varint32(in);
	ev->submit.queue = get_varint32(in);
	ev->submit.woken = get_index(in);
	ev->submit.nr_steps = get_varint32(in);
	if (ev->submit.nr_steps > ITEM_STEPS_MAX) {
		in->bad = true;
		return;
	}
	for (u32 i = 0; i < ev->submit.nr_steps; i++) {
		ev->submit.steps[i].kind = get_varint32(in);
		ev->submit.steps[i].ns = get_varint(in);
		if (step_has_resource(ev->submit.steps[i].kind))
			ev->submit.steps[i].resource = get_varint32(in);
	}
	if (tag & TAG_AGAIN)
		ev->submit.delivery = get_varint32(in);
}

static void get_move(struct codec *c, struct cursor *in, struct event *ev)
{
	ev->item = get_item(c, in);
	ev->move.from = get_varint32(in);
	ev->move.to = get_varint32(in);
	ev->move.left = get_varint32(in);
	ev->move.since_ns = ev->time_ns - get_delta(in, 0);
}

static void get_admit(struct codec *c, struct cursor *in, struct event *ev)
{
	ev->item = get_item(c, in);
	ev->admit.queue = get_varint32(in);
}

/* base + what follows; bad past the end of time. */
static u64 get_after(struct cursor *in, u64 base)
{
	u64 sum;

	if (__builtin_add_overflow(base, get_varint(in), &sum))
		in->bad = true;
	return sum;
}

static void get_take(struct codec *c, struct cursor *in, struct event *ev)
{
	u64 length;

	ev->item = get_item(c, in);
	ev->worker = get_varint32(in);
	ev->take.resource = get_varint32(in);
	ev->take.slot = get_varint32(in);
	ev->take.from_ns = get_after(in, ev->time_ns);
	length = get_varint(in);
	if (length && __builtin_add_overflow(ev->take.from_ns, length - 1, &ev->take.until_ns))
		in->bad = true;
}

static void get_pause(struct cursor *in, struct event *ev)
{
	ev->worker = get_varint32(in);
	ev->item = get_index(in);
	ev->pause.until_ns = get_after(in, ev->time_ns);
}

static void get_dispatch(struct codec *c, u8 tag, struct cursor *in, struct event *ev)
{
	ev->seq = get_seq(c, tag, in);
	if (ev->kind == EVENT_SUBMIT) {
		get_submit(c, tag, in, ev);
		return;
	}
	if (ev->kind == EVENT_MOVE) {
		get_move(c, in, ev);
		return;
	}
	if (ev->kind == EVENT_ADMIT) {
		get_admit(c, in, ev);
		return;
	}
	if (ev->kind != EVENT_IDLE)
		ev->item = get_item(c, in);
	ev->worker = get_varint32(in);
	if (ev->kind == EVENT_STEP)
		ev->step.index = get_varint32(in);
	if (tag & TAG_OUTCOME)
		ev->done.outcome = get_varint32(in);
}

static u64 get_throttled(struct codec *c, struct cursor *in)
{
	u64 ns = get_delta(in, c->throttled_ns);

	/* A delta of 0: see put_throttled(). */
	if (ns == c->throttled_ns)
		return 0;
	c->throttled_ns = ns;
	return ns;
}

static void get_switch(struct codec *c, const struct codec_limits *lim, u8 tag, struct cursor *in,
		       struct event *ev)
{
	u32 more = tag & TAG_MORE_FLAGS ? get_varint32(in) : 0;

	ev->sched_switch.flags = more & ~MORE_THROTTLED;
	if (tag & TAG_RUNNABLE)
		ev->sched_switch.flags |= SWITCH_PREV_RUNNABLE;
	ev->sched_switch.throttled_ns =
		more & MORE_THROTTLED ? get_throttled(c, in) : c->throttled_ns;
	if (!(tag & TAG_SAME_PREV))
		ev->sched_switch.prev_tid = get_varint32(in);
	else if (c->next_task < lim->nr_tasks)
		ev->sched_switch.prev_tid = lim->tasks[c->next_task].tid;
	else
		in->bad = true;
	ev->cpu = get_cpu(c, tag, in);
	c->next_task = get_index(in);
	ev->sched_switch.next_task = c->next_task;
}

static void get_waking(struct codec *c, u8 tag, struct cursor *in, struct event *ev)
{
	ev->worker = get_worker(c, tag, in);
	ev->cpu = get_cpu(c, tag, in);
	if (!(tag & TAG_SAME_WAKER))
		c->waker_task = get_index(in);
	ev->waking.waker_task = c->waker_task;
}

static void get_wakeup(struct codec *c, u8 tag, struct cursor *in, struct event *ev)
{
	ev->worker = get_worker(c, tag, in);
	ev->cpu = get_cpu(c, tag, in);
	ev->wakeup.throttled_ns = tag & TAG_THROTTLED ? get_throttled(c, in) : c->throttled_ns;
}

static void get_irq_enter(struct codec *c, u8 tag, struct cursor *in, struct event *ev)
{
	ev->cpu = get_cpu(c, tag, in);
	if (!(tag & TAG_SAME_IRQ))
		c->irq_task = get_varint32(in);
	ev->irq.irq_task = c->irq_task;
}

static void get_account(struct cursor *in, struct event *ev)
{
	ev->worker = get_varint32(in);
	ev->account.phase = get_varint32(in);
	ev->account.run_delay_ns = get_varint(in);
	ev->account.waits = get_varint(in);
	ev->account.cpu_ns = get_varint(in);
}

static void get_fields(struct codec *c, const struct codec_limits *lim, u8 tag, struct cursor *in,
		       struct event *ev)
{
	switch (ev->kind) {
	case EVENT_SWITCH:
		get_switch(c, lim, tag, in, ev);
		break;
	case EVENT_WAKING:
		get_waking(c, tag, in, ev);
		break;
	case EVENT_WAKEUP:
		get_wakeup(c, tag, in, ev);
		break;
	case EVENT_IRQ_ENTER:
		get_irq_enter(c, tag, in, ev);
		break;
	case EVENT_IRQ_EXIT:
		ev->cpu = get_cpu(c, tag, in);
		break;
	case EVENT_ACCOUNT:
		get_account(in, ev);
		break;
	case EVENT_TAKE:
		get_take(c, in, ev);
		break;
	case EVENT_PAUSE:
		get_pause(in, ev);
		break;
	case EVENT_LOST:
		ev->lost.count = get_varint(in);
		ev->lost.what = get_varint32(in);
		break;
	default:
		get_dispatch(c, tag, in, ev);
		break;
	}
}

/* The flags that a kind may carry; none for a kind that is not known, which the check refuses. */
static const u8 known_flags[EVENT_KIND_END] = {
	[EVENT_SUBMIT] = TAG_NO_SEQ | TAG_AGAIN,
	[EVENT_START] = TAG_NO_SEQ,
	[EVENT_DONE] = TAG_NO_SEQ | TAG_OUTCOME,
	[EVENT_IDLE] = TAG_NO_SEQ,
	[EVENT_MOVE] = TAG_NO_SEQ,
	[EVENT_STEP] = TAG_NO_SEQ,
	[EVENT_ADMIT] = TAG_NO_SEQ,
	[EVENT_SWITCH] = TAG_RUNNABLE | TAG_MORE_FLAGS | TAG_SAME_PREV | TAG_SAME_CPU,
	[EVENT_WAKING] = TAG_SAME_WAKER | TAG_SAME_WORKER | TAG_SAME_CPU,
	[EVENT_WAKEUP] = TAG_SAME_WORKER | TAG_THROTTLED | TAG_SAME_CPU,
	[EVENT_IRQ_ENTER] = TAG_SAME_IRQ | TAG_SAME_CPU,
	[EVENT_IRQ_EXIT] = TAG_SAME_CPU,
};

int codec_decode(struct codec *c, const struct codec_limits *lim, struct cursor *in,
		 struct event *ev)
{
	u64 delta;
	u8 tag;

	if (in->at >= in->end)
		return -EINVAL;
	memset(ev, 0, sizeof(*ev));
	tag = *in->at++;
	ev->kind = tag & TAG_KIND;
	if (ev->kind == TAG_KIND_FOLLOWS) {
		ev->kind = *in->at++;
		if (ev->kind <= TAG_KIND_FOLLOWS)
			return -EINVAL;
	}
	if (ev->kind >= EVENT_KIND_END || (tag & ~TAG_KIND & ~known_flags[ev->kind]))
		return -EINVAL;
	delta = get_varint(in);
	if (__builtin_add_overflow(c->time_ns, delta, &c->time_ns))
		return -EINVAL;
	ev->time_ns = c->time_ns;
	get_fields(c, lim, tag, in, ev);
	if (!cursor_ok(in))
		return -EINVAL;
	return codec_check(ev, lim);
}
