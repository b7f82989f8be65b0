/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/pause.h"

/* The end of the stretch that holds now_ns, or now_ns. A stretch may be as long as the period. */
static u64 periodic(u64 every_ns, u64 for_ns, u64 now_ns)
{
	u64 into = every_ns ? now_ns % every_ns : 0;

	if (!every_ns || !for_ns || now_ns < every_ns || into >= for_ns)
		return now_ns;
	return now_ns - into + for_ns;
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

u64 pause_workers(const struct pauses *p, u64 now_ns)
{
	return periodic(p->every_ns, p->for_ns, now_ns);
}

static u64 stall(const struct pauses *p, u32 key, u64 now_ns)
{
	bool within = now_ns >= p->stall_at_ns && now_ns - p->stall_at_ns < p->stall_for_ns;

	return within && key == p->stall_key ? p->stall_at_ns + p->stall_for_ns : now_ns;
}

u64 pause_step(const struct pauses *p, u32 key, u32 step, u64 now_ns)
{
	u64 until = later(pause_workers(p, now_ns), stall(p, key, now_ns));

	if (step == p->jitter_step)
		until = later(until, periodic(p->jitter_every_ns, p->jitter_for_ns, now_ns));
	return until;
}
