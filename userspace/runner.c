// SPDX-License-Identifier: GPL-2.0-only
#include "runner.h"

#include "child.h"
#include "live/leftover.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

#define JOBS_MAX 64

struct job {
	struct child child;
	struct child_message last;
};

struct crew {
	struct runner *r;
	struct progress progress;
	struct job jobs[JOBS_MAX];
	u32 nr_jobs, running;
	u32 cell, repeat; /* the next to start */
	int signals;	  /* a signalfd */
	sigset_t old_signals;
	cpu_set_t cpus;
	int error; /* the first one; with it nothing more is started */
	char *err;
	size_t err_len;
};

bool runner_probe(const struct spec *s, bool no_bpf)
{
	return s->run.trace && !no_bpf;
}

static bool stopping(const struct crew *c)
{
	return c->error || c->r->signal;
}

/* Repeats outside, cells inside: whatever drifts while a sweep goes on hits all cells alike. */
static bool next_run(struct crew *c, u32 *cell, u32 *repeat)
{
	const struct result *res = c->r->result;

	for (; c->repeat < res->repeats; c->repeat++, c->cell = 0) {
		while (c->cell < res->cells) {
			u32 now = c->cell++;

			if (c->repeat < result_repeats(res, now) &&
			    !result_run(res, now, c->repeat)->done) {
				*cell = now;
				*repeat = c->repeat;
				return true;
			}
		}
	}
	return false;
}

static void fail(struct crew *c, int error, const char *text)
{
	if (c->error)
		return;
	c->error = error;
	snprintf(c->err, c->err_len, "%s", text);
}

static int trace_path(const struct crew *c, u32 cell, u32 repeat, char path[PATH_MAX])
{
	char name[64];

	return outdir_path(c->r->dir, result_trace_name(name, sizeof(name), cell, repeat), path);
}

/* Beside the trace: what noise.command says. */
static int noise_log_path(const struct crew *c, u32 cell, u32 repeat, char path[PATH_MAX])
{
	char name[64];

	snprintf(name, sizeof(name), "noise-%03u-r%u.log", cell, repeat);
	return outdir_path(c->r->dir, name, path);
}

static const char *start_mend(int error)
{
	switch (error) {
	case -EAGAIN:
		return "; raise ulimit -u";
	case -EMFILE:
		return "; raise ulimit -n";
	default:
		return "";
	}
}

static void start(struct crew *c, struct job *j, u32 cell, u32 repeat)
{
	const struct spec *spec = grid_cell(c->r->result->grid, cell);
	struct child_config cfg = {.spec = spec, .cell = cell, .repeat = repeat};
	char path[PATH_MAX], log[PATH_MAX], text[PATH_MAX + 100];
	int rc = trace_path(c, cell, repeat, path);

	if (!rc)
		rc = noise_log_path(c, cell, repeat, log);
	cfg.engine = c->r->result->engine;
	cfg.probe = runner_probe(spec, c->r->no_bpf);
	cfg.path = path;
	cfg.noise_log = log;
	if (!rc) {
		unlink(path); /* of an interrupted run */
		sched_setaffinity(0, sizeof(c->cpus), &c->cpus);
		rc = child_start(&j->child, &cfg);
	}
	if (rc) {
		snprintf(text, sizeof(text), "%s: its run cannot be started: %s%s", path,
			 strerror(-rc), start_mend(rc));
		fail(c, rc, text);
		return;
	}
	memset(&j->last, 0, sizeof(j->last));
	c->running++;
}

/* A run that was killed could not tidy up, and one that has given up its rights may not. */
static void remove_groups(const struct child *child)
{
	char text[600];

	if (child->group[0] && leftover_remove_of(child->group, text, sizeof(text)))
		fprintf(stderr, "holbench: note: %s\n", text);
}

static void finish(struct crew *c, struct job *j)
{
	u32 cell = j->child.cell, repeat = j->child.repeat;
	char path[PATH_MAX], text[600];
	int rc = child_wait(&j->child, &j->last, text, sizeof(text));

	c->running--;
	if (c->r->result->engine == TRACE_LIVE)
		remove_groups(&j->child);
	trace_path(c, cell, repeat, path);
	if (!rc)
		rc = result_read(c->r->result, cell, repeat, path, text, sizeof(text));
	if (!rc) {
		progress_done(&c->progress, cell);
		return;
	}
	/* A run that the user ended leaves what it has, marked incomplete. */
	if (rc == -EINTR && c->r->signal && !c->error)
		return;
	fail(c, rc, text);
	unlink(path);
}

/* The terminal sends to all of us, sudo or kill(1) to the parent alone: pass it on. */
static void take_signal(struct crew *c)
{
	struct signalfd_siginfo info;

	if (read(c->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	c->r->signal = (int)info.ssi_signo;
	for (u32 i = 0; i < c->nr_jobs; i++)
		if (c->jobs[i].child.pid)
			kill(c->jobs[i].child.pid, SIGTERM);
}

/* While a long trace is read: the run itself is finished, --resume reads it again. */
static bool user_stops(void *ctx)
{
	struct crew *c = ctx;

	take_signal(c);
	return c->r->signal != 0;
}

static void take_messages(struct crew *c, struct job *j)
{
	int got;

	while ((got = child_read(&j->child, &j->last)) > 0)
		if (j->last.kind == CHILD_PROGRESS)
			progress_show(&c->progress, j->child.cell, j->child.repeat, j->last.done,
				      j->last.total);
	if (got < 0) {
		/* A signal that reached both of us is known before its effect is judged. */
		take_signal(c);
		finish(c, j);
	}
}

static void wait_for_news(struct crew *c)
{
	struct pollfd fds[JOBS_MAX + 1];

	for (u32 i = 0; i < c->nr_jobs; i++)
		fds[i] =
			(struct pollfd){c->jobs[i].child.pid ? c->jobs[i].child.fd : -1, POLLIN, 0};
	fds[c->nr_jobs] = (struct pollfd){c->signals, POLLIN, 0};
	if (poll(fds, c->nr_jobs + 1, -1) < 0)
		return;
	if (fds[c->nr_jobs].revents)
		take_signal(c);
	for (u32 i = 0; i < c->nr_jobs; i++)
		if (fds[i].revents)
			take_messages(c, &c->jobs[i]);
}

/* Others of a run that failed are not worth waiting for. */
static void abandon(struct crew *c)
{
	for (u32 i = 0; i < c->nr_jobs; i++)
		if (c->jobs[i].child.pid)
			kill(c->jobs[i].child.pid, SIGTERM);
}

static void work(struct crew *c)
{
	bool more = true, abandoned = false;

	while (more || c->running) {
		u32 cell, repeat;

		for (u32 i = 0; more && i < c->nr_jobs; i++) {
			if (c->jobs[i].child.pid)
				continue;
			more = !stopping(c) && next_run(c, &cell, &repeat);
			if (more)
				start(c, &c->jobs[i], cell, repeat);
		}
		if (c->running)
			wait_for_news(c);
		if (c->error && !abandoned) {
			abandon(c);
			abandoned = true;
		}
	}
}

static int crew_init(struct crew *c)
{
	const struct result *res = c->r->result;
	sigset_t set;

	sigemptyset(&set);
	for (u32 i = 0; i < ARRAY_SIZE(stop_signals); i++)
		sigaddset(&set, stop_signals[i]);
	sigprocmask(SIG_BLOCK, &set, &c->old_signals);
	sched_getaffinity(0, sizeof(c->cpus), &c->cpus);
	c->nr_jobs = res->engine == TRACE_SIM ? (u32)CPU_COUNT(&c->cpus) : 1;
	if (c->nr_jobs > JOBS_MAX)
		c->nr_jobs = JOBS_MAX;
	c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return c->signals < 0 ? -errno : 0;
}

int runner_run(struct runner *r, char *err, size_t err_len)
{
	struct crew *c = calloc(1, sizeof(*c));
	int rc;

	if (!c) {
		snprintf(err, err_len, "out of memory");
		return -ENOMEM;
	}
	c->r = r;
	c->err = err;
	c->err_len = err_len;
	rc = crew_init(c);
	if (rc)
		fail(c, rc, strerror(-rc));
	r->result->stop = user_stops;
	r->result->stop_ctx = c;
	progress_begin(&c->progress, r->result, !r->quiet);
	for (u32 i = 0; i < r->result->cells; i++)
		for (u32 k = 0; k < result_repeats(r->result, i); k++)
			if (!result_run(r->result, i, k)->done)
				progress_expect(&c->progress, i);
	work(c);
	progress_end(&c->progress);
	if (c->signals >= 0)
		close(c->signals);
	sched_setaffinity(0, sizeof(c->cpus), &c->cpus);
	sigprocmask(SIG_SETMASK, &c->old_signals, NULL);
	r->result->stop = NULL;
	rc = c->error;
	free(c);
	return rc;
}
