/* SPDX-License-Identifier: GPL-2.0-only */
/* Each program of the probe by itself: will this kernel have it? */
#ifndef HOLBENCH_LIVE_PROBE_TRIAL_H
#define HOLBENCH_LIVE_PROBE_TRIAL_H

#include "core/types.h"

#include <stddef.h>

struct probe_trial {
	const char *program, *tracepoint; /* "" for one that is attached to none */
	bool absent;			  /* this kernel has no such tracepoint: not loaded */
	int error;			  /* 0 or a negative errno */
	const char *why;		  /* the verifier's last word, or the errno's */
};

/*
 * Load all programs at once and attach them; where that fails, each alone, so that each is told
 * whether the kernel takes it. Nothing stays loaded. Strings last as long as the call of `tell`. 0,
 * also when programs were refused; a negative errno with err one line when none could be tried.
 */
int probe_try(void (*tell)(void *ctx, const struct probe_trial *t), void *ctx, char *err,
	      size_t err_len);

#endif
