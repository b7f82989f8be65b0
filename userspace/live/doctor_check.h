/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of live/doctor, by what they look at, and what they share. */
#ifndef HOLBENCH_LIVE_DOCTOR_CHECK_H
#define HOLBENCH_LIVE_DOCTOR_CHECK_H

#include "live/doctor.h"

#include <stddef.h>

/* The next finding, DOCTOR_OK with this text until doctor_lost() says otherwise. */
__attribute__((format(printf, 3, 4))) struct doctor_finding *
doctor_found(struct doctor *d, const char *name, const char *fmt, ...);
__attribute__((format(printf, 3, 4))) void
doctor_lost(struct doctor_finding *f, enum doctor_state state, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void doctor_mend(struct doctor_finding *f, const char *fmt,
						       ...);

/* The first line of a file, without its end. False, and "", when it cannot be read. */
bool doctor_read(const char *path, char *text, size_t len);

void doctor_check_kernel(struct doctor *d);
/* The namespaces whose numbers the probe would not know again. */
void doctor_check_namespaces(struct doctor *d);
/* Whether a run with the defaults would start, and if not, which programs the kernel refuses. */
void doctor_check_probe(struct doctor *d);
void doctor_check_rights(struct doctor *d);
void doctor_check_cgroups(struct doctor *d);
void doctor_check_cpus(struct doctor *d);
void doctor_check_clock(struct doctor *d, const char *hypervisor);

#endif
