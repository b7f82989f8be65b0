/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this host can and cannot do for a live run: asked by trying, where trying leaves nothing
 * behind, else read from /proc and /sys.
 */
#ifndef HOLBENCH_LIVE_DOCTOR_H
#define HOLBENCH_LIVE_DOCTOR_H

#include "core/types.h"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* a run works, and something is lost */
	DOCTOR_MISSING, /* a run with the probe does not work */
};

/* What was looked at. Texts are one line each. */
struct doctor_finding {
	const char *name;
	enum doctor_state state;
	char found[1024];
	char lost[256]; /* what a run cannot do, or its numbers do not say; "" with DOCTOR_OK */
	char mend[256]; /* what to do about it, a command where there is one; "" is nothing */
};

#define DOCTOR_FINDINGS_MAX 64

struct doctor {
	u32 nr;
	struct doctor_finding findings[DOCTOR_FINDINGS_MAX];
};

/*
 * Fill *d. `hypervisor` is its name, "none", or NULL where that is not known. Takes about a second:
 * the probe is loaded and some milliseconds are measured. The caller has one thread, whose
 * scheduling class and CPUs are as before afterwards.
 */
void doctor_run(struct doctor *d, const char *hypervisor);
/* "ok", "limited" or "missing". */
const char *doctor_state_name(enum doctor_state s);
/* How many findings are in this state. */
u32 doctor_count(const struct doctor *d, enum doctor_state s);

#endif
