/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A spinner under a CPU quota: is it told apart from one that somebody else pushed off, and does
 * the clock of throttling say what cpu.stat says?
 */
#include "probe_help.h"
#include "slow.h"

#include <fcntl.h>
#include <sys/stat.h>

#define PERIOD_US 100000
#define QUOTA_US  20000
#define RUN_NS	  (2 * NSEC_PER_SEC)

struct group {
	char path[512];
	bool v1;
	char place[520];	     /* where the worker goes: the group, or one below it */
	u64 id;			     /* inode number of that */
	u64 throttled, throttled_ns; /* times, and for how long, between: */
	u64 from_ns, until_ns;
};

static bool put(const struct group *g, const char *file, const char *text)
{
	char path[600];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", g->path, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

static bool put_number(const struct group *g, const char *file, u64 n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	return put(g, file, text);
}

/* A group of our own where the CPU controller is; on v2 only if the root hands the controller down.
 */
static bool group_make(struct group *g, const char *root)
{
	char max[64];

	snprintf(g->path, sizeof(g->path), "%s/holbench-test-%d", root, getpid());
	if (mkdir(g->path, 0755))
		return false;
	g->v1 = put_number(g, "cpu.cfs_period_us", PERIOD_US) &&
		put_number(g, "cpu.cfs_quota_us", QUOTA_US);
	snprintf(max, sizeof(max), "%d %d", QUOTA_US, PERIOD_US);
	if (g->v1 || put(g, "cpu.max", max))
		return true;
	rmdir(g->path);
	return false;
}

static void group_read(struct group *g)
{
	char path[600], name[64];
	struct stat st;
	u64 n;
	FILE *f;

	g->id = stat(g->place, &st) ? 0 : st.st_ino;
	snprintf(path, sizeof(path), "%s/cpu.stat", g->path);
	f = fopen(path, "r");
	while (f && fscanf(f, "%63s %" SCNu64, name, &n) == 2) {
		if (!strcmp(name, "nr_throttled"))
			g->throttled = n;
		if (!strcmp(name, "throttled_time"))
			g->throttled_ns = n;
		if (!strcmp(name, "throttled_usec"))
			g->throttled_ns = n * NSEC_PER_USEC;
	}
	if (f)
		fclose(f);
}

/* The accounts as they are at until_ns, by a member that runs then: between two readings that are
 * the same. The quota may run out at any time, and is waited for wherever the kernel lets go of the
 * reader. */
static void group_read_running(struct group *g)
{
	u64 before;

	group_read(g);
	do {
		before = g->throttled_ns;
		g->until_ns = clock_ns(CLOCK_MONOTONIC);
		group_read(g);
	} while (g->throttled_ns != before);
}

/* The worker: marked, and in the group from before its spinning to behind it. */
struct capped {
	struct probe *probe;
	struct group *group, *home;
	u32 cpu, tid;
	int marked;
};

/* The accounts are read while it runs, at begin and end: so they are of whole waits, and of all of
 * them. A CPU that was taken away leaves a debt of several periods, and nobody waits for what is of
 * that in its sleep. */
static void *capped_main(void *arg)
{
	struct capped *c = arg;
	const char *tasks = c->group->v1 ? "tasks" : "cgroup.procs";
	struct group place = {0}, before;
	u64 end;

	snprintf(place.path, sizeof(place.path), "%.511s", c->group->place);
	c->tid = self_tid();
	settle("hb-capped", c->cpu);
	c->marked = probe_mark_self(c->probe);
	put_number(&place, tasks, c->tid);
	/* Switched in there once before it uses up a quota. */
	sleep_ns(NSEC_PER_MSEC);
	group_read_running(c->group);
	before = *c->group;
	end = clock_ns(CLOCK_MONOTONIC) + RUN_NS;
	while (clock_ns(CLOCK_MONOTONIC) < end)
		;
	group_read_running(c->group);
	c->group->from_ns = before.until_ns;
	c->group->throttled -= before.throttled;
	c->group->throttled_ns -= before.throttled_ns;
	put_number(c->home, tasks, c->tid);
	return NULL;
}

static void run(const char *root, struct group *g, struct records *r, struct capped *c)
{
	struct group home = {.v1 = g->v1};
	pthread_t thread;

	snprintf(home.path, sizeof(home.path), "%s", root);
	*c = (struct capped){.group = g, .home = &home, .cpu = test_cpu()};
	c->probe = must_open(16 << 20, &c->cpu, 1);
	pthread_create(&thread, NULL, capped_main, c);
	pthread_join(thread, NULL);
	r->n = 0;
	probe_drain(c->probe, records_take, r);
	probe_close(c->probe);
}

/* What the records say of the worker. */
struct sums {
	u64 times, flagged_ns; /* taken off by its quota: how often, and until it came back */
	u64 off_ns;	       /* runnable and not on the CPU */
	u64 clock_ns;	       /* of that, throttled, as its group's clock says */
	u64 backwards;
	u64 hidden; /* it came back without having gone, or went twice */
};

struct off {
	u64 since, clock_ns;
	bool flagged;
};

static void off_begins(struct off *o, const struct probe_event *ev)
{
	*o = (struct off){.since = ev->time_ns, .clock_ns = ev->throttled_ns};
	o->flagged = ev->kind == PROBE_SWITCH && ev->flags & PROBE_PREV_THROTTLED;
}

static void off_ends(struct sums *s, struct off *o, const struct probe_event *ev)
{
	s->hidden += !o->since;
	if (!o->since)
		return;
	s->off_ns += ev->time_ns - o->since;
	if (o->flagged)
		s->flagged_ns += ev->time_ns - o->since;
	s->backwards += ev->throttled_ns < o->clock_ns;
	s->clock_ns += ev->throttled_ns - o->clock_ns;
	o->since = 0;
}

static struct sums sum(const struct records *r, u32 tid, const struct group *g)
{
	struct sums s = {0};
	struct off o = {0};

	for (size_t i = 0; i < r->n; i++) {
		const struct probe_event *ev = &r->ev[i];

		if (ev->time_ns < g->from_ns || ev->time_ns > g->until_ns)
			continue;
		if (ev->kind == PROBE_SWITCH && ev->tid == tid)
			off_ends(&s, &o, ev);
		s.hidden += ev->kind == PROBE_SWITCH && ev->other_tid == tid && o.since;
		if (ev->other_tid == tid &&
		    ((ev->kind == PROBE_SWITCH && ev->flags & PROBE_PREV_RUNNABLE) ||
		     (ev->kind == PROBE_WAKEUP && !o.since)))
			off_begins(&o, ev);
		s.times += ev->kind == PROBE_SWITCH && ev->other_tid == tid && o.flagged;
	}
	return s;
}

static u32 count_in_group(const struct records *r, u32 tid, u64 id)
{
	u32 n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->ev[i].kind == PROBE_SWITCH && r->ev[i].tid == tid && r->ev[i].cgroup == id;
	return n;
}

static bool near(u64 a, u64 b, u64 part)
{
	return (a > b ? a - b : b - a) <= b / part;
}

enum how {
	ALONE,
	BELOW,	/* the quota is that of the group above the worker's */
	BESIDE, /* another one spins on the CPU, without a quota */
};

/*
 * An emulated CPU that is away while the worker runs leaves a debt. It is paid with a period's
 * quota, and the worker is taken off again in the same period, which cpu.stat counts once; beside a
 * spinner its group often has nothing left when it is chosen, and is throttled off the CPU, which
 * no switch shows.
 */
static void check(enum how how, const char *what, const struct capped *c, const struct sums *s)
{
	const struct group *g = c->group;
	u64 least = how == BESIDE ? BOUND(g->throttled, g->throttled / 4) : g->throttled;
	u64 most = BOUND(g->throttled, g->throttled * 5 / 4);

	CHECK(!c->marked && s->times + 1 >= least && s->times <= most + 1 && s->times > 5,
	      "%s: taken off by the quota %" PRIu64 " times, cpu.stat says %" PRIu64, what,
	      s->times, g->throttled);
	CHECK(near(s->clock_ns, g->throttled_ns, BOUND(100, 50)) && !s->backwards,
	      "%s: throttled for %" PRIu64 " us by the clock, cpu.stat says %" PRIu64 " us", what,
	      s->clock_ns / 1000, g->throttled_ns / 1000);
	/* The way back from the quota may lead over the run queue. */
	CHECK(s->flagged_ns >= s->clock_ns / 100 * BOUND(99, how == BESIDE ? 30 : 95),
	      "%s: by the flag alone %" PRIu64 " us", what, s->flagged_ns / 1000);
}

/* Some kernels hide the switches of tasks that cannot be traced: such a run is made again. */
static struct sums run_whole(const char *root, struct group *g, struct records *r, struct capped *c)
{
	struct sums s;

	for (u32 tries = 0; tries < 4; tries++) {
		run(root, g, r, c);
		s = sum(r, c->tid, g);
		if (!s.hidden)
			break;
		printf("# %" PRIu64 " switches were hidden: once more\n", s.hidden);
	}
	return s;
}

static bool test(const char *root, enum how how, struct records *r)
{
	static const char *const names[] = {"alone", "quota above", "beside a spinner"};
	const char *what = names[how];
	struct spinner other = {.name = "hb-other", .cpu = test_cpu()};
	struct group g = {0};
	struct capped c;
	struct sums s;

	if (!group_make(&g, root))
		return false;
	snprintf(g.place, sizeof(g.place), "%s%s", g.path, how == BELOW ? "/below" : "");
	if (how == BELOW)
		mkdir(g.place, 0755);
	if (how == BESIDE)
		spinner_start(&other);
	s = run_whole(root, &g, r, &c);
	if (how == BESIDE)
		spinner_end(&other);
	rmdir(g.place);
	rmdir(g.path);
	check(how, what, &c, &s);
	if (how == BESIDE)
		CHECK(s.off_ns > s.clock_ns + 100 * NSEC_PER_MSEC,
		      "%s: off the CPU for longer, %" PRIu64 " us", what, s.off_ns / 1000);
	CHECK(g.id && count_in_group(r, c.tid, g.id) + 1 >= s.times,
	      "%s: it comes back in cgroup %" PRIu64 " %u times", what, g.id,
	      count_in_group(r, c.tid, g.id));
	return true;
}

int main(void)
{
	struct records r = {.ev = calloc(RECORDS_MAX, sizeof(*r.ev))};
	struct probe *p;
	char root[256];

	need_root();
	p = must_open(4096, NULL, 0);
	snprintf(root, sizeof(root), "%s", probe_cgroup_root(p) ? probe_cgroup_root(p) : "");
	probe_close(p);
	if (!test(root, ALONE, &r)) {
		printf("1..0 # skip no cgroup with a CPU quota can be made below '%s'\n", root);
		return EXIT_SUCCESS;
	}
	CHECK(test(root, BELOW, &r) && test(root, BESIDE, &r), "two groups more");
	free(r.ev);
	return tap_done();
}
