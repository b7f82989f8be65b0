/* SPDX-License-Identifier: GPL-2.0-only */
/* A spinner under a CPU quota: is it told apart from one that somebody else pushed off? */
#include "probe_help.h"

#include <fcntl.h>
#include <sys/stat.h>

#define PERIOD_US 50000
#define QUOTA_US  10000

struct group {
	char path[512];
	bool v1;
	u64 id;			     /* its inode number */
	u64 throttled, throttled_ns; /* times, and for how long */
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

	g->id = stat(g->path, &st) ? 0 : st.st_ino;
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

static void run(const char *root, struct group *g, struct records *r, u32 *tid)
{
	struct spinner s = {.name = "hb-capped", .cpu = test_cpu()};
	struct probe *p = must_open(4 << 20, &s.cpu, 1);
	struct group home = {.v1 = g->v1};

	spinner_start(&s);
	put_number(g, g->v1 ? "tasks" : "cgroup.procs", s.tid);
	sleep_ns(NSEC_PER_SEC);
	*tid = s.tid;
	group_read(g);
	snprintf(home.path, sizeof(home.path), "%s", root);
	put_number(&home, g->v1 ? "tasks" : "cgroup.procs", s.tid);
	spinner_end(&s);
	probe_drain(p, records_take, r);
	probe_close(p);
}

/* Times taken off by the quota, and the time until it came back. */
static void sum(const struct records *r, u32 tid, u64 *times, u64 *ns)
{
	u64 since = 0;

	*times = *ns = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct probe_event *ev = &r->ev[i];

		if (ev->kind != PROBE_SWITCH)
			continue;
		if (ev->tid == tid && since)
			*ns += ev->time_ns - since;
		if (ev->tid == tid || ev->other_tid == tid)
			since = 0;
		if (ev->other_tid == tid && ev->flags & PROBE_PREV_THROTTLED) {
			++*times;
			since = ev->time_ns;
		}
	}
}

static u32 count_in_group(const struct records *r, u32 tid, u64 id)
{
	u32 n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->ev[i].kind == PROBE_SWITCH && r->ev[i].tid == tid && r->ev[i].cgroup == id;
	return n;
}

int main(void)
{
	struct records r = {.ev = calloc(RECORDS_MAX, sizeof(*r.ev))};
	struct group g = {0};
	u64 times, ns, off;
	struct probe *p;
	char root[256];
	u32 tid;

	need_root();
	p = must_open(4096, NULL, 0);
	snprintf(root, sizeof(root), "%s", probe_cgroup_root(p) ? probe_cgroup_root(p) : "");
	probe_close(p);
	if (!group_make(&g, root)) {
		printf("1..0 # skip no cgroup with a CPU quota can be made below '%s'\n", root);
		return EXIT_SUCCESS;
	}
	run(root, &g, &r, &tid);
	rmdir(g.path);
	sum(&r, tid, &times, &ns);
	off = ns > g.throttled_ns ? ns - g.throttled_ns : g.throttled_ns - ns;
	CHECK(times + 1 >= g.throttled && times <= g.throttled + 1 && times > 5,
	      "taken off by the quota %" PRIu64 " times, cpu.stat says %" PRIu64, times,
	      g.throttled);
	/* The group may be left in the middle of a period. */
	CHECK(off <= g.throttled_ns / 10 + PERIOD_US * NSEC_PER_USEC,
	      "for %" PRIu64 " us, cpu.stat says %" PRIu64 " us", ns / 1000, g.throttled_ns / 1000);
	CHECK(g.id && count_in_group(&r, tid, g.id) + 1 >= times,
	      "it comes back in cgroup %" PRIu64 " %u times", g.id, count_in_group(&r, tid, g.id));
	free(r.ev);
	return tap_done();
}
