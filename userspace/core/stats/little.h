/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Little's law as an accounting identity (Little, "A proof for the queuing formula L = λW", 1961):
 * over a run that begins and ends empty, the time integral of the number of items in the system is
 * the sum of the times that they were in it. The one is counted from arrivals and departures, the
 * other from what each item's account says.
 */
#ifndef HOLBENCH_CORE_LITTLE_H
#define HOLBENCH_CORE_LITTLE_H

#include "core/types.h"

/* All zero: empty. */
struct little {
	u64 in_system;
	u64 now_ns;  /* of the last arrival or departure */
	u64 area_ns; /* items × ns up to then */
	u64 sum_ns;  /* of the accounts */
};

/* An item arrives or departs; times do not go backwards. */
void little_arrive(struct little *l, u64 now_ns);
void little_depart(struct little *l, u64 now_ns);
/* How long one was in the system by its account. */
void little_account(struct little *l, u64 ns);
/* |area − sum| / sum; NAN without an account. */
double little_ratio(const struct little *l);

#endif
