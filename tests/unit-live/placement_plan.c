/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs the noise gets, on machines that are made up; whose a group is; where hierarchies are.
 */
#include "live/cgroup_find.h"
#include "live/cgroup_owner.h"
#include "live/placement_plan.h"
#include "tap.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Hardware threads of a core are neighbours: 0-1, 2-3, … */
static void core_of_two(struct cpu_list *out, u32 cpu)
{
	out->nr = 2;
	out->cpu[0] = cpu & ~1u;
	out->cpu[1] = cpu | 1;
}

static void core_of_one(struct cpu_list *out, u32 cpu)
{
	out->nr = 1;
	out->cpu[0] = cpu;
}

struct machine {
	const char *allowed, *workers;
	u32 generator, collector;
	bool smt;
};

static int plan(struct placement_plan *p, const struct machine *m, u32 isolation,
		const char *noise_cpus, u32 kind, char *err, size_t err_len)
{
	struct cpu_list allowed;
	struct placement_host host = {&allowed, m->smt ? core_of_two : core_of_one};
	struct cpu_plan cpus = {.generator = m->generator, .collector = m->collector};
	struct message msg = {err, err_len};
	struct spec s = {.place.isolation = isolation, .noise.kind = kind};

	err[0] = 0;
	if (cpu_list_parse(&allowed, m->allowed) || cpu_list_parse(&cpus.workers, m->workers))
		abort();
	cpus.shared = cpu_list_has(&cpus.workers, m->generator);
	snprintf(s.noise.cpus, sizeof(s.noise.cpus), "%s", noise_cpus);
	return placement_plan(p, &s, &cpus, &host, &msg);
}

/* The noise's CPUs, "" for none, or the error. */
static void check_noise(const struct machine *m, u32 isolation, const char *given,
			const char *expected)
{
	struct placement_plan p;
	char err[256], got[256];
	int rc = plan(&p, m, isolation, given, NOISE_CPU, err, sizeof(err));

	if (!rc)
		cpu_list_print(&p.noise, got, sizeof(got));
	CHECK(rc ? rc == -EINVAL && strstr(err, expected) : !strcmp(got, expected),
	      "CPUs %s%s, workers %s, placement %u, noise %s: %s (%s)", m->allowed,
	      m->smt ? " SMT" : "", m->workers, isolation, given, expected, rc ? err : got);
}

static void check_plans(void)
{
	static const struct machine small = {"0-1", "1", 0, 0, false},
				    four = {"0-3", "2-3", 0, 1, false},
				    smt = {"0-7", "4 6", 0, 1, true},
				    full = {"0-1", "0-1", 0, 0, false},
				    one_core = {"0-1", "1", 0, 0, true};

	check_noise(&small, PLACE_SHARED, "auto", "1");
	check_noise(&small, PLACE_WEIGHTED, "auto", "1");
	check_noise(&small, PLACE_CAPPED, "auto", "1");
	check_noise(&small, PLACE_ISOLATED, "auto", "0");
	check_noise(&small, PLACE_SHARED, "0-1", "0-1");
	check_noise(&small, PLACE_SHARED, "0 5", "CPU 5 is not online");
	check_noise(&small, PLACE_ISOLATED, "0-1", "CPU 1 belongs to a worker's core");
	/* The generator's and the collector's only when there are no others. */
	check_noise(&four, PLACE_ISOLATED, "auto", "0-1");
	check_noise(&smt, PLACE_ISOLATED, "auto", "2-3");
	check_noise(&smt, PLACE_ISOLATED, "2 7", "CPU 7 belongs to a worker's core");
	check_noise(&smt, PLACE_SHARED, "auto", "4,6");
	check_noise(&full, PLACE_SHARED, "auto", "0-1");
	check_noise(&full, PLACE_ISOLATED, "auto", "no CPU is free of workers");
	check_noise(&one_core, PLACE_ISOLATED, "auto", "none is left for the noise");
}

static void check_reserved(void)
{
	static const struct machine smt = {"0-7", "4 6", 0, 1, true},
				    outside = {"0-6", "4 6", 0, 1, true},
				    one_core = {"0-3", "1 2", 0, 0, true};
	struct placement_plan p;
	char err[256], got[256];

	plan(&p, &smt, PLACE_ISOLATED, "auto", NOISE_NONE, err, sizeof(err));
	cpu_list_print(&p.reserved, got, sizeof(got));
	CHECK(!strcmp(got, "4-7") && !p.warning[0] && !p.noise.nr && p.groups,
	      "whole cores are the workers' own: %s", got);
	plan(&p, &outside, PLACE_ISOLATED, "auto", NOISE_NONE, err, sizeof(err));
	cpu_list_print(&p.reserved, got, sizeof(got));
	CHECK(!strcmp(got, "4-6") && strstr(p.warning, "CPU 7 ") && strstr(p.warning, "not ours"),
	      "a sibling out of reach is a warning: %s", p.warning);
	plan(&p, &one_core, PLACE_ISOLATED, "auto", NOISE_NONE, err, sizeof(err));
	CHECK(strstr(p.warning, "CPU 0 ") && strstr(p.warning, "generator"),
	      "so is the generator on a sibling: %s", p.warning);
	plan(&p, &smt, PLACE_SHARED, "auto", NOISE_NONE, err, sizeof(err));
	CHECK(!p.groups && !p.reserved.nr, "shared without noise needs no groups");
}

static void check_owners(void)
{
	char name[64], other[80];
	unsigned int pid;
	u64 start;
	pid_t child;

	CHECK(!cgroup_owner_name(getpid(), name, sizeof(name)) &&
		      cgroup_owner_of(name) == CGROUP_OWNER_LIVES,
	      "%s: its owner lives", name);
	if (sscanf(name, "holbench-%u-%" SCNu64, &pid, &start) != 2)
		abort();
	snprintf(other, sizeof(other), "holbench-%u-%" PRIu64, pid, start - 1);
	CHECK(cgroup_owner_of(other) == CGROUP_OWNER_DEAD, "%s: the pid was given again", other);
	snprintf(other, sizeof(other), "%s.old", name);
	CHECK(cgroup_owner_of(other) == CGROUP_NOT_OURS, "%s: not ours", other);
	CHECK(cgroup_owner_of("holbench-test-1") == CGROUP_NOT_OURS &&
		      cgroup_owner_of("holbench-01-5") == CGROUP_NOT_OURS &&
		      cgroup_owner_of("user.slice") == CGROUP_NOT_OURS,
	      "nor are other names");
	child = fork();
	if (!child) {
		cgroup_owner_name(getpid(), name, sizeof(name));
		_exit(0);
	}
	/* A zombie until it is waited for. */
	waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT);
	snprintf(other, sizeof(other), "holbench-%d-%" PRIu64, child, start);
	CHECK(cgroup_owner_of(other) == CGROUP_OWNER_DEAD, "a process that has ended owns nothing");
	waitpid(child, NULL, 0);
}

static const char *file_of(char *path, const char *text)
{
	int fd;
	FILE *f;

	strcpy(path, "/tmp/holbench-test-XXXXXX");
	fd = mkstemp(path);
	f = fdopen(fd, "w");
	fputs(text, f);
	fclose(f);
	return path;
}

static void find_in(struct cgroup_mounts *m, const char *mountinfo, const char *self)
{
	char a[64], b[64];

	if (cgroup_find(m, file_of(a, mountinfo), file_of(b, self)))
		abort();
	unlink(a);
	unlink(b);
}

static void check_find(void)
{
	struct cgroup_mounts m;
	char dir[CGROUP_PATH_MAX] = "";

	find_in(&m,
		"31 23 0:28 / /cg rw - tmpfs tmpfs rw,mode=755\n"
		"32 31 0:29 / /cg/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
		"34 31 0:31 /box /cg/cpu\\040set rw - cgroup cgroup rw,cpuset\n"
		"36 31 0:33 / /cg/freezer rw - cgroup cgroup rw,freezer\n"
		"38 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n"
		"39 31 0:38 / /again rw - cgroup2 cgroup2 rw\n",
		"3:cpuset:/box/a\n2:cpu,cpuacct:/b/c\n0::/\n");
	CHECK(!strcmp(m.v1[CGROUP_CPU].own, "/cg/cpu,cpuacct/b/c") &&
		      !strcmp(m.v1[CGROUP_CPUACCT].own, m.v1[CGROUP_CPU].own),
	      "cpu and cpuacct in one hierarchy: %s", m.v1[CGROUP_CPU].own);
	CHECK(!strcmp(m.v1[CGROUP_CPUSET].point, "/cg/cpu set") &&
		      !strcmp(m.v1[CGROUP_CPUSET].own, "/cg/cpu set/a"),
	      "a part of a hierarchy, a blank in its path: %s", m.v1[CGROUP_CPUSET].own);
	CHECK(!strcmp(m.v2.point, "/cg/unified") && !strcmp(m.v2.own, "/cg/unified") &&
		      !m.v2_has[CGROUP_CPU],
	      "v2 beside them, without controllers: %s", m.v2.own);
	CHECK(cgroup_path_down(&m.v1[CGROUP_CPU], dir) && !strcmp(dir, "/cg/cpu,cpuacct") &&
		      cgroup_path_down(&m.v1[CGROUP_CPU], dir) &&
		      !strcmp(dir, "/cg/cpu,cpuacct/b") &&
		      cgroup_path_down(&m.v1[CGROUP_CPU], dir) &&
		      !strcmp(dir, "/cg/cpu,cpuacct/b/c") &&
		      !cgroup_path_down(&m.v1[CGROUP_CPU], dir),
	      "from the mount point down to the own group");
	find_in(&m, "1 0 0:1 / / rw - ext4 /dev/vda rw\n", "0::/x\n");
	dir[0] = 0;
	CHECK(!m.v2.point[0] && !m.v1[CGROUP_CPU].point[0] && !cgroup_path_down(&m.v2, dir),
	      "no hierarchy at all");
}

int main(void)
{
	check_plans();
	check_reserved();
	check_owners();
	check_find();
	return tap_done();
}
