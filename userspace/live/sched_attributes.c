/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/sched_attributes.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int sched_attributes_get(pid_t pid, struct sched_attributes *a)
{
	return syscall(SYS_sched_getattr, pid, a, sizeof(*a), 0) ? -errno : 0;
}

int sched_attributes_set(pid_t pid, const struct sched_attributes *a)
{
	struct sched_attributes sized = *a;

	sized.size = sizeof(sized);
	return syscall(SYS_sched_setattr, pid, &sized, 0) ? -errno : 0;
}
