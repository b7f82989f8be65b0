// SPDX-License-Identifier: GPL-2.0-only
#include "child.h"

#include "live/cgroup_owner.h"
#include "live/cpus.h"
#include "live/live.h"
#include "simulate.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A message of progress that does not fit into the pipe is dropped: a run never waits for its
 * parent. */
static void child_progress(void *ctx, u64 done, u64 total)
{
	struct child_message m = {.kind = CHILD_PROGRESS, .done = done, .total = total};

	if (write(*(int *)ctx, &m, sizeof(m)) < 0)
		return;
}

static int run(const struct child_config *cfg, int fd, char *err, size_t err_len)
{
	struct simulate_config sim = {cfg->spec, cfg->cell,	 cfg->repeat,
				      cfg->path, child_progress, &fd};
	struct live_config live = {.spec = cfg->spec,
				   .cell = cfg->cell,
				   .repeat = cfg->repeat,
				   .path = cfg->path,
				   .noise_log = cfg->noise_log,
				   .probe = cfg->probe,
				   .progress = child_progress,
				   .ctx = &fd};

	return cfg->engine == TRACE_SIM ? simulate_run(&sim, err, err_len)
					: live_run(&live, err, err_len);
}

/*
 * A simulation has nothing to put in order: a signal just ends it. A pipe that nobody reads any
 * more ends nothing: its reader's death is told by SIGTERM, which a live run ends on in order.
 */
static void settle_signals(u32 engine)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	if (engine == TRACE_SIM)
		sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static _Noreturn void child_main(const struct child_config *cfg, int fd, pid_t parent)
{
	struct child_message m = {.kind = CHILD_ERROR};

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	settle_signals(cfg->engine);
	m.error = run(cfg, fd, m.text, sizeof(m.text));
	if (m.error) {
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
		if (write(fd, &m, sizeof(m)) < 0)
			_exit(1);
	}
	_exit(m.error ? 1 : 0);
}

/* While a live run goes on, its parent keeps off the workers' CPUs: it would be a culprit. */
static void keep_away(const struct child_config *cfg)
{
	char text[256];
	struct message msg = {text, sizeof(text)};
	struct cpu_plan plan;

	if (cfg->engine == TRACE_LIVE &&
	    !cpu_plan_make(&plan, cfg->spec->workers.cpus, cpu_plan_workers(cfg->spec), &msg))
		cpu_pin_self(plan.collector);
}

int child_start(struct child *c, const struct child_config *cfg)
{
	pid_t parent = getpid(), pid;
	int fds[2], err;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		child_main(cfg, fds[1], parent);
	}
	err = errno;
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return -err;
	}
	*c = (struct child){.pid = pid, .fd = fds[0], .cell = cfg->cell, .repeat = cfg->repeat};
	if (cgroup_owner_name(pid, c->group, sizeof(c->group)))
		c->group[0] = 0;
	keep_away(cfg);
	return 0;
}

int child_read(const struct child *c, struct child_message *m)
{
	struct child_message got;
	ssize_t n = read(c->fd, &got, sizeof(got));

	if (n == (ssize_t)sizeof(got)) {
		*m = got;
		return 1;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

int child_wait(struct child *c, const struct child_message *last, char *err, size_t err_len)
{
	int status = 0;

	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(c->fd);
	c->pid = 0;
	if (last->kind == CHILD_ERROR) {
		snprintf(err, err_len, "%s", last->text);
		return last->error;
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFSIGNALED(status)) {
		snprintf(err, err_len, "cell %u repeat %u: its process was ended by signal %d (%s)",
			 c->cell, c->repeat, WTERMSIG(status), strsignal(WTERMSIG(status)));
		return -EINTR;
	}
	snprintf(err, err_len, "cell %u repeat %u: its process ended with status %d", c->cell,
		 c->repeat, WEXITSTATUS(status));
	return -ECHILD;
}
