/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/rights.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In words of 32 capabilities: capget(2). */
struct sets {
	struct __user_cap_data_struct word[_LINUX_CAPABILITY_U32S_3];
};

static struct __user_cap_header_struct header(void)
{
	return (struct __user_cap_header_struct){.version = _LINUX_CAPABILITY_VERSION_3};
}

static void read_sets(u64 *effective, u64 *permitted)
{
	struct __user_cap_header_struct head = header();
	struct sets s = {0};

	syscall(SYS_capget, &head, s.word);
	*effective = (u64)s.word[1].effective << 32 | s.word[0].effective;
	*permitted = (u64)s.word[1].permitted << 32 | s.word[0].permitted;
}

/* Nothing is inheritable, so that nothing is ambient either. */
static int write_sets(u64 effective, u64 permitted)
{
	struct __user_cap_header_struct head = header();
	struct sets s = {0};

	for (u32 i = 0; i < ARRAY_SIZE(s.word); i++) {
		s.word[i].effective = (u32)(effective >> (32 * i));
		s.word[i].permitted = (u32)(permitted >> (32 * i));
	}
	return syscall(SYS_capset, &head, s.word) ? -errno : 0;
}

/* What stays effective between the steps that need more: root's files are anywhere. */
static u64 base(u64 permitted)
{
	return geteuid() ? 0 : permitted & RIGHT(CAP_DAC_OVERRIDE);
}

/* All ones is no id: setresuid(2). */
static bool parse_id(const char *text, u32 *id)
{
	unsigned long long n;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || *end || n >= UINT32_MAX)
		return false;
	*id = (u32)n;
	return true;
}

bool rights_caller(uid_t *uid, gid_t *gid)
{
	u32 user, group;

	if (geteuid() || !parse_id(getenv("SUDO_UID"), &user) || !user ||
	    !parse_id(getenv("SUDO_GID"), &group))
		return false;
	*uid = user;
	*gid = group;
	return true;
}

/* A noise command finds its own home, not root's. */
static void set_environment(const struct passwd *pw)
{
	setenv("HOME", pw->pw_dir, 1);
	setenv("USER", pw->pw_name, 1);
	setenv("LOGNAME", pw->pw_name, 1);
}

static int become(uid_t uid, gid_t gid)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw)
		set_environment(pw);
	if (pw ? initgroups(pw->pw_name, gid) : setgroups(1, &gid))
		return -errno;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresgid(gid, gid, gid) ||
	    setresuid(uid, uid, uid))
		return -errno;
	prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
	return 0;
}

int rights_try_caller(void)
{
	uid_t uid;
	gid_t gid;
	int status;
	pid_t pid;

	if (!rights_caller(&uid, &gid))
		return 0;
	pid = fork();
	if (!pid)
		_exit(-become(uid, gid));
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

int rights_begin(const struct message *msg)
{
	u64 effective, permitted;
	uid_t uid;
	gid_t gid;
	int rc = 0;

	if (rights_caller(&uid, &gid))
		rc = become(uid, gid);
	if (rc)
		return message_fail(msg, rc,
				    "cannot become user %u, who called sudo: %s; " RIGHTS_AS_ROOT
				    "; run holbench doctor",
				    uid, strerror(-rc));
	read_sets(&effective, &permitted);
	rc = write_sets(base(permitted), permitted);
	return rc ? message_fail(msg, rc, "cannot lower the capabilities: %s", strerror(-rc)) : 0;
}

/*
 * CAP_DAC_OVERRIDE and CAP_KILL: groups in root's directories, and what a noise command started as
 * another user. CAP_SYS_ADMIN: a cpuset partition below others (6.7); and it stands for the two
 * that were taken out of it in 5.8.
 */
u64 rights_of(const struct spec *s, bool probe)
{
	u64 bpf = RIGHT(CAP_BPF) | RIGHT(CAP_PERFMON), effective, permitted;
	u64 set = RIGHT(CAP_SYS_NICE) | RIGHT(CAP_IPC_LOCK) | RIGHT(CAP_DAC_OVERRIDE) |
		  RIGHT(CAP_KILL);

	read_sets(&effective, &permitted);
	if (probe)
		set |= bpf;
	if (s->place.isolation == PLACE_ISOLATED || (probe && (permitted & bpf) != bpf))
		set |= RIGHT(CAP_SYS_ADMIN);
	return set;
}

int rights_keep(u64 set)
{
	u64 effective, permitted;

	read_sets(&effective, &permitted);
	permitted &= set | base(permitted);
	return write_sets(base(permitted), permitted);
}

const char *rights_mend(void)
{
	if (!geteuid())
		return "run outside of the container, or docker run --privileged --userns=host";
	return "sudo holbench, or sudo systemd-run --pty --same-dir --uid=$USER -p Delegate=yes -p "
	       "AmbientCapabilities='CAP_BPF CAP_PERFMON CAP_SYS_NICE CAP_IPC_LOCK' holbench";
}

u64 rights_effective(void)
{
	u64 effective, permitted;

	read_sets(&effective, &permitted);
	return effective;
}

u64 rights_raise(void)
{
	u64 effective, permitted;

	read_sets(&effective, &permitted);
	write_sets(permitted, permitted);
	return effective;
}

void rights_restore(u64 before)
{
	u64 effective, permitted;

	read_sets(&effective, &permitted);
	write_sets(before & permitted, permitted);
}

int rights_drop(u64 keep)
{
	u64 effective, permitted;

	read_sets(&effective, &permitted);
	return write_sets(keep & effective, keep & permitted);
}
