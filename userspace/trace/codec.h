/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The payload of a block of events. Each event is
 *
 *   tag     one byte: the kind in the low four bits, four flags above them; 15 in the low bits: the
 *           kind, 16 or more, is the next byte
 *   time    varint: ns since the event before it in the block; the first counts from first_ns
 *   fields  of the kind, in the order of encode.c
 *
 * Differences are taken against the last value of the same stream within the block: a block can be
 * read without the one before it. An index that may be NONE32 is stored plus one, NONE32 as 0.
 */
#ifndef HOLBENCH_TRACE_CODEC_H
#define HOLBENCH_TRACE_CODEC_H

#include "core/event.h"
#include "trace/varint.h"

#define EVENT_MAX_BYTES 128u /* no event is longer */
_Static_assert(EVENT_MAX_BYTES <= VARINT_SLACK, "an event is read without a test inside it");

enum {
	TAG_KIND = 0x0f,
	TAG_KIND_FOLLOWS = 0x0f, /* in place of a kind */
	/* SWITCH. */
	TAG_RUNNABLE = 0x10,   /* SWITCH_PREV_RUNNABLE */
	TAG_MORE_FLAGS = 0x20, /* the other flags follow; among them MORE_THROTTLED */
	TAG_SAME_PREV = 0x40,  /* prev_tid is the tid of the last SWITCH's next_task */
	/* WAKEUP. */
	TAG_THROTTLED = 0x10, /* throttled_ns follows */
	/* IRQ_ENTER. */
	TAG_SAME_IRQ = 0x10, /* the last IRQ_ENTER's irq_task */
	/* WAKING, WAKEUP. */
	TAG_SAME_WAKER = 0x10,	/* WAKING: the last WAKING's waker_task */
	TAG_SAME_WORKER = 0x20, /* the worker of the last WAKING or WAKEUP */
	/* SWITCH, WAKING, WAKEUP, IRQ_ENTER, IRQ_EXIT. */
	TAG_SAME_CPU = 0x80, /* the CPU of the last of these */
	/* The dispatcher's. */
	TAG_NO_SEQ = 0x10,  /* seq is 0 */
	TAG_OUTCOME = 0x20, /* DONE: outcome follows; else OUTCOME_SUCCEEDED */
	TAG_AGAIN = 0x20,   /* SUBMIT: delivery follows; else DELIVERY_FIRST */
};

/*
 * In a SWITCH's other flags, in the place of SWITCH_PREV_RUNNABLE, which the tag says: throttled_ns
 * follows.
 */
#define MORE_THROTTLED 1u

/* What the stream's last events of the block said; all zero but time_ns at its start. */
struct codec {
	u64 time_ns;
	u64 seq;
	u32 submitted; /* item of the last SUBMIT */
	u32 item;      /* item of the last START, DONE, MOVE, STEP, TAKE, PAUSE or ADMIT */
	u32 next_task; /* of the last SWITCH */
	u32 waker_task;
	u32 worker;	  /* of the last WAKING or WAKEUP */
	u32 cpu;	  /* of the last SWITCH, WAKING, WAKEUP, IRQ_ENTER or IRQ_EXIT */
	u32 irq_task;	  /* of the last IRQ_ENTER */
	u64 throttled_ns; /* of the last SWITCH or WAKEUP where it was not 0 */
};

/* What an event may say; kinds and steps have limits of their own. */
struct codec_limits {
	u32 workers, keys;
	u32 nr_tasks;
	const struct task *tasks;
};

static inline struct codec codec_start(u64 first_ns)
{
	return (struct codec){.time_ns = first_ns};
}

/* 0, or -EINVAL when a field is outside what its kind allows. The writer and the reader ask the
 * same. */
int codec_check(const struct event *ev, const struct codec_limits *lim);

/* Append a checked event at `at`, where EVENT_MAX_BYTES are free; returns the end. */
u8 *codec_encode(struct codec *c, const struct codec_limits *lim, u8 *at, const struct event *ev);

/*
 * Read the next event and check it. Fields that its kind does not have are 0. Returns 0 or -EINVAL:
 * an unknown kind or flag, a number out of range, a time that overflows, the end of the block.
 */
int codec_decode(struct codec *c, const struct codec_limits *lim, struct cursor *in,
		 struct event *ev);

#endif
