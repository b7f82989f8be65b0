/* SPDX-License-Identifier: GPL-2.0-only */
/* A worker as a carrier of light threads: dispatch.executor = async. */
#ifndef HOLBENCH_LIVE_CARRIER_H
#define HOLBENCH_LIVE_CARRIER_H

#include "live/engine.h"

/* Carry items until the run ends and none is left in service. */
void carry_items(struct worker *w);

#endif
