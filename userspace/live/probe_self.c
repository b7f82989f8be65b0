/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/probe_self.h"
#include "live/clock.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/*
 * One nap is enough as a rule. But a small ring may be full of switches by its end, and a record
 * that another CPU has begun holds back those behind it: for long, if a hypervisor takes that CPU
 * away.
 */
#define NAP_NS (2 * NSEC_PER_MSEC)
#define NAPS   50

struct sight {
	u64 from_ns, to_ns;
	u32 tid;
	u32 wakeups, same_tid, same_clock;
};

/* One thread is marked, so every wake-up that is recorded is that one's. */
static int look(void *ctx, const struct probe_event *ev)
{
	struct sight *s = ctx;

	if (ev->kind != PROBE_WAKEUP)
		return 0;
	s->wakeups++;
	s->same_tid += ev->other_tid == s->tid;
	s->same_clock += ev->time_ns >= s->from_ns && ev->time_ns <= s->to_ns;
	return 0;
}

int probe_self(struct probe *p, const struct message *msg)
{
	struct sight s = {.tid = (u32)gettid(), .from_ns = clock_mono_ns()};
	struct timespec nap = clock_timespec(NAP_NS);
	int rc = probe_mark_self(p);

	if (rc)
		return message_fail(msg, rc,
				    "probe: cannot mark a thread: %s; use a kernel of 5.15 or "
				    "later, or run with --no-bpf",
				    strerror(-rc));
	for (u32 i = 0; i < NAPS && !rc && !s.wakeups; i++) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
		s.to_ns = clock_mono_ns();
		rc = probe_drain(p, look, &s);
	}
	if (rc || !s.wakeups)
		return message_fail(msg, -ENOTSUP,
				    "probe: its programs are loaded and record nothing; see "
				    "HOLBENCH_DEBUG_BPF=1, or run with --no-bpf");
	if (!s.same_tid)
		return message_fail(msg, -ENOTSUP,
				    "probe: this is a pid namespace, and the kernel's trace has "
				    "other thread ids than the threads themselves; run outside of "
				    "the container (docker run --pid=host), or with --no-bpf");
	if (!s.same_clock)
		return message_fail(msg, -ENOTSUP,
				    "probe: this is a time namespace, and its clock is not that "
				    "of the kernel's trace; run outside of it, or with --no-bpf");
	return 0;
}
