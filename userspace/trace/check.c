// SPDX-License-Identifier: GPL-2.0-only
/* What an event in a trace may say: one truth for the writer and the reader. */
#include "core/resource.h"
#include "trace/codec.h"
#include "trace/format.h"

#include <errno.h>

#define SWITCH_FLAGS (SWITCH_PREV_RUNNABLE | SWITCH_PREV_THROTTLED)

static bool task_ok(u32 task, const struct codec_limits *lim)
{
	return task < lim->nr_tasks || task == NONE32;
}

static bool step_ok(const struct step *s)
{
	if (s->kind < STEP_CPU || s->kind > STEP_LOCK)
		return false;
	return !step_has_resource(s->kind) || s->resource < RESOURCES_MAX;
}

static bool submit_ok(const struct event *ev, const struct codec_limits *lim)
{
	if (ev->submit.key >= lim->keys || ev->submit.nr_steps > ITEM_STEPS_MAX ||
	    ev->submit.delivery >= DELIVERY_NR)
		return false;
	if (ev->submit.woken >= lim->workers && ev->submit.woken != NONE32)
		return false;
	for (u32 i = 0; i < ev->submit.nr_steps; i++)
		if (!step_ok(&ev->submit.steps[i]))
			return false;
	return true;
}

static bool take_ok(const struct event *ev, const struct codec_limits *lim)
{
	return ev->worker < lim->workers && ev->take.resource < RESOURCES_MAX &&
	       ev->take.slot < RESOURCE_SLOTS_MAX && ev->take.from_ns >= ev->time_ns &&
	       (!ev->take.until_ns || (ev->take.until_ns >= ev->take.from_ns &&
				       ev->take.until_ns - ev->take.from_ns < UINT64_MAX));
}

static bool event_ok(const struct event *ev, const struct codec_limits *lim)
{
	switch (ev->kind) {
	case EVENT_SUBMIT:
		return submit_ok(ev, lim);
	case EVENT_DONE:
		return ev->worker < lim->workers && ev->done.outcome < OUTCOME_NR;
	case EVENT_START:
	case EVENT_IDLE:
		return ev->worker < lim->workers;
	case EVENT_MOVE:
	case EVENT_ADMIT:
		return true;
	case EVENT_TAKE:
		return take_ok(ev, lim);
	case EVENT_PAUSE:
		return ev->worker < lim->workers && ev->pause.until_ns >= ev->time_ns;
	case EVENT_STEP:
		return ev->worker < lim->workers && ev->step.index < ITEM_STEPS_MAX;
	case EVENT_SWITCH:
		return ev->cpu < TRACE_CPUS_MAX && task_ok(ev->sched_switch.next_task, lim) &&
		       !(ev->sched_switch.flags & ~(u32)SWITCH_FLAGS);
	case EVENT_WAKING:
		return ev->cpu < TRACE_CPUS_MAX && ev->worker < lim->workers &&
		       task_ok(ev->waking.waker_task, lim);
	case EVENT_WAKEUP:
		return ev->cpu < TRACE_CPUS_MAX && ev->worker < lim->workers;
	case EVENT_IRQ_ENTER:
		return ev->cpu < TRACE_CPUS_MAX && ev->irq.irq_task < lim->nr_tasks;
	case EVENT_IRQ_EXIT:
		return ev->cpu < TRACE_CPUS_MAX;
	case EVENT_ACCOUNT:
		return ev->worker < lim->workers && ev->account.phase <= ACCOUNT_END;
	case EVENT_LOST:
		return ev->lost.what >= LOST_PROBE && ev->lost.what <= LOST_WRITER;
	default:
		return false;
	}
}

int codec_check(const struct event *ev, const struct codec_limits *lim)
{
	return event_ok(ev, lim) ? 0 : -EINVAL;
}
