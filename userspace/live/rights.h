/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the process may do, and what of it is given up: capabilities(7), and the user for whom it
 * works. Everything that is permitted is raised for the steps that need it and lowered after them;
 * a thread that is set up drops it for good.
 */
#ifndef HOLBENCH_LIVE_RIGHTS_H
#define HOLBENCH_LIVE_RIGHTS_H

#include "live/message.h"
#include "spec/spec.h"

#include <linux/capability.h>
#include <sys/types.h>

/* The kernel's headers may be older than 5.8. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

#define RIGHT(capability) (1ull << (capability))

/* What a run and doctor say when one is missing. */
#define RIGHTS_FOR_PROBE                                                                           \
	"run as root of the host (or with CAP_BPF and CAP_PERFMON), or with --no-bpf"
#define RIGHTS_FOR_NICE "run as root of the host or with CAP_SYS_NICE"
#define RIGHTS_FOR_REALTIME                                                                        \
	RIGHTS_FOR_NICE ", in a cgroup whose cpu.rt_runtime_us is set if it has one"
#define RIGHTS_FOR_MEMORY "run as root of the host, with CAP_IPC_LOCK, or raise ulimit -l"
#define RIGHTS_AS_ROOT	  "unset SUDO_UID to run all of it as root"
/* And how they are got. Root that lacks one is a container's: sudo is no further help to it. */
const char *rights_mend(void);

/* The user who called sudo. SUDO_UID and SUDO_GID mean something only to root: anybody may set
 * them. False: nobody did, or root. */
bool rights_caller(uid_t *uid, gid_t *gid);
/* Could this process become that user? Tried in another one. 0 (also where there is none) or a
 * negative errno. */
int rights_try_caller(void);

/*
 * Once, before the process has a thread or a file: become the user who called sudo, if one did,
 * with their groups, and lower everything. What is permitted stays so. 0, or a negative errno with
 * the line.
 */
int rights_begin(const struct message *msg);
/* What a run of this cell needs, as a set of RIGHT(): before its start, and to remove what it left.
 */
u64 rights_of(const struct spec *s, bool probe);
/* Give up the others for good, except the file rights of plain root. 0 or a negative errno. */
int rights_keep(u64 set);

/* The calling thread's effective set. */
u64 rights_effective(void);
/* Make effective what is permitted to the calling thread; returns what was before, for
 * rights_restore(). The threads that it starts have the same. */
u64 rights_raise(void);
void rights_restore(u64 before);
/* The calling thread gives up all but `keep`, for good. 0 or a negative errno. */
int rights_drop(u64 keep);

#endif
