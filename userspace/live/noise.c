/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/noise.h"
#include "live/clock.h"
#include "live/rights.h"
#include "live/sched_attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long noise_start() waits for a sign of life, and how much CPU time is one. */
#define FIRST_SIGN_WAIT_NS (200 * NSEC_PER_MSEC)
#define FIRST_SIGN_CPU_NS  (5 * NSEC_PER_MSEC)
#define LOOK_AGAIN_NS	   NSEC_PER_MSEC
/* Exit status of sh when it cannot find or start the command: POSIX, Shell Command Language. */
#define SH_NOT_EXECUTABLE 126
#define SH_NOT_FOUND	  127

/* Descriptors of the noise's process: 0, 1, 2, and the pipe that it waits on. */
#define GO_FD 3

static void redirect(const char *path, int flags, int fd)
{
	int file = open(path, flags | O_CLOEXEC, 0644);

	if (file < 0)
		file = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (file >= 0)
		dup2(file, fd);
}

/* False: the run ended before. */
static bool was_let_go(void)
{
	ssize_t n;

	while ((n = read(GO_FD, &(char){0}, 1)) < 0 && errno == EINTR)
		;
	return n == 1;
}

/*
 * Nothing of the run: not its files (a pipe that the noise holds open would not end with the run),
 * its terminal, its signals, its scheduling class, its capabilities.
 */
static void shed(const struct noise *n, int go, const struct cpu_list *cpus)
{
	const char *log = n->cfg->kind == NOISE_COMMAND && n->log ? n->log : "/dev/null";
	cpu_set_t set;
	sigset_t none;
	int nice;

	setsid();
	dup2(go, GO_FD);
	fcntl(GO_FD, F_SETFD, FD_CLOEXEC);
	redirect("/dev/null", O_RDONLY, STDIN_FILENO);
	redirect(log, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	close_range(GO_FD + 1, ~0u, 0);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	nice = getpriority(PRIO_PROCESS, 0);
	sched_attributes_set(
		0, &(struct sched_attributes){.policy = SCHED_OTHER, .nice = nice < 0 ? 0 : nice});
	CPU_ZERO(&set);
	for (u32 i = 0; i < cpus->nr; i++)
		CPU_SET(cpus->cpu[i], &set);
	/* In its group by now: joining a cpuset sets the affinity anew. */
	if (!was_let_go())
		_exit(0);
	if (sched_setaffinity(0, sizeof(set), &set) || rights_drop(0))
		_exit(errno);
}

static _Noreturn void noise_main(const struct noise *n, int go, const struct cpu_list *cpus,
				 pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	shed(n, go, cpus);
	if (n->cfg->kind != NOISE_COMMAND)
		_exit(noise_work(n->cfg, cpus));
	execl("/bin/sh", "sh", "-c", n->cfg->command, (char *)NULL);
	_exit(SH_NOT_EXECUTABLE);
}

int noise_fork(struct noise *n, const struct noise_config *cfg, const struct cpu_list *cpus,
	       const char *log, const struct message *msg)
{
	pid_t parent = getpid(), pid;
	int go[2], rc = 0;

	*n = (struct noise){.cfg = cfg, .log = log, .go = -1};
	if (cfg->kind == NOISE_NONE)
		return 0;
	if (pipe2(go, O_CLOEXEC))
		return message_fail(msg, -errno, "cannot start the noise: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(go[1]);
		noise_main(n, go[0], cpus, parent);
	}
	if (pid < 0)
		rc = message_fail(msg, -errno, "cannot start the noise: %s; raise ulimit -u",
				  strerror(errno));
	else /* Now, and not when it gets there itself: a real-time task cannot be moved into a v1
		group. */
		sched_setscheduler(pid, SCHED_OTHER, &(struct sched_param){0});
	close(go[0]);
	if (rc) {
		close(go[1]);
		return rc;
	}
	n->pid = pid;
	n->go = go[1];
	return 0;
}

static void close_go(struct noise *n)
{
	if (n->go >= 0)
		close(n->go);
	n->go = -1;
}

static int wait_for_sign(struct noise *n, struct cgroups *g, const struct message *msg)
{
	struct timespec pause = clock_timespec(LOOK_AGAIN_NS);
	u64 until = clock_mono_ns() + FIRST_SIGN_WAIT_NS;
	struct cgroup_usage usage = {0};
	int rc = 0;

	/* A command's first CPU time is its shell's: it gets the whole moment to begin, or to fail.
	 */
	while (!rc && clock_mono_ns() < until &&
	       (n->cfg->kind == NOISE_COMMAND || usage.cpu_ns < FIRST_SIGN_CPU_NS)) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		rc = noise_check(n, msg);
		if (!rc && cgroups_usage(g, CGROUP_NOISE, &usage))
			break;
	}
	return rc;
}

int noise_start(struct noise *n, struct cgroups *g, const struct message *msg)
{
	int rc;

	if (!n->pid)
		return 0;
	rc = cgroups_join(g, CGROUP_NOISE, n->pid);
	if (rc)
		return message_fail(msg, rc, "cannot move the noise into its cgroup: %s",
				    strerror(-rc));
	/* That it has died meanwhile is seen next; the caller ignores SIGPIPE or would die of it.
	 */
	rc = write(n->go, "", 1) == 1 || errno == EPIPE ? 0 : -errno;
	if (rc)
		return message_fail(msg, rc, "cannot start the noise: %s", strerror(-rc));
	close_go(n);
	return wait_for_sign(n, g, msg);
}

/* How it ended, in words. */
static void describe(const struct noise *n, int status, char *text, size_t len)
{
	int code = WEXITSTATUS(status);

	if (WIFSIGNALED(status))
		snprintf(text, len, "was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (n->cfg->kind != NOISE_COMMAND)
		snprintf(text, len, "ended by itself: %s", code ? strerror(code) : "no reason");
	else
		snprintf(text, len, "ended with status %d%s", code,
			 code == SH_NOT_FOUND	     ? " (not found)"
			 : code == SH_NOT_EXECUTABLE ? " (not executable)"
						     : "");
}

int noise_check(struct noise *n, const struct message *msg)
{
	char how[128];
	int status;

	if (!n->pid || waitpid(n->pid, &status, WNOHANG) <= 0)
		return 0;
	n->pid = 0;
	describe(n, status, how, sizeof(how));
	if (n->cfg->kind != NOISE_COMMAND)
		return message_fail(msg, -ECHILD, "the noise (%s) %s while the run needed it",
				    noise_name(n->cfg->kind), how);
	return message_fail(
		msg, -ECHILD, "noise.command: '%.100s' %s, and has to go on until the run ends%s%s",
		n->cfg->command, how, n->log ? "; its output is in " : "", n->log ? n->log : "");
}

void noise_stop(struct noise *n, struct cgroups *g)
{
	if (n->pid)
		kill(n->pid, SIGKILL);
	if (n->pid && g)
		cgroups_kill(g, CGROUP_NOISE);
	while (n->pid && waitpid(n->pid, NULL, 0) < 0 && errno == EINTR)
		;
	n->pid = 0;
	if (n->cfg)
		close_go(n);
}

u64 noise_wish_ns(const struct noise_config *cfg, u32 cpus, u64 window_ns)
{
	bool cycle = cfg->kind == NOISE_CPU || cfg->kind == NOISE_BURST;
	double duty = cycle && cfg->period_ns ? cfg->duty : 1;
	u32 threads = cfg->kind == NOISE_COMMAND ? 1 : cfg->threads;
	u32 most = threads < cpus ? threads : cpus;

	if (cfg->kind == NOISE_CPU && duty < 1) {
		double all = duty * threads;

		return (u64)((double)window_ns * (all < cpus ? all : cpus));
	}
	return (u64)((double)window_ns * duty * most);
}
