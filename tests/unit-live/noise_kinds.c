/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The noise itself: what each kind uses, where it runs and as what; and how it and a worker share a
 * CPU in each placement. Shares are of what the two got together: others may use the CPU, too.
 */
#include "live/clock.h"
#include "live/placement.h"
#include "run_cell.h"
#include "slow.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#define WINDOW_NS (600 * NSEC_PER_MSEC)

static char text[512];
static const struct message msg = {text, sizeof(text)};

static void sleep_ns(u64 ns)
{
	struct timespec ts = clock_timespec(ns);

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void set_up(struct placement *p, struct cell_run *c, char *const *words, int nr)
{
	cell_load(c, words, nr);
	if (placement_fork(p, c->spec, NULL, &msg) || placement_make(p, &msg) ||
	    placement_start(p, &msg)) {
		printf("Bail out! %s\n", text);
		placement_end(p);
		exit(EXIT_FAILURE);
	}
}

static void tear_down(struct placement *p, struct cell_run *c)
{
	pid_t pid = p->noise.pid;

	CHECK(!placement_end(p) && (!pid || (kill(pid, 0) && errno == ESRCH)),
	      "groups and noise are gone");
	cell_free(c);
}

/* CPU time of the noise in *window_ns, which becomes what the window really was. */
static u64 used_in(struct placement *p, u64 *window_ns)
{
	struct cgroup_usage before, after;
	u64 from;

	if (cgroups_usage(&p->groups, CGROUP_NOISE, &before))
		return 0;
	from = clock_mono_ns();
	sleep_ns(*window_ns);
	*window_ns = clock_mono_ns() - from;
	return cgroups_usage(&p->groups, CGROUP_NOISE, &after) ? 0 : after.cpu_ns - before.cpu_ns;
}

static void proc_word(pid_t pid, const char *file, const char *key, char *out, size_t len)
{
	char path[64], line[256];
	size_t n = strlen(key);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	f = fopen(path, "re");
	out[0] = 0;
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, n))
			snprintf(out, len, "%.*s", (int)strcspn(line + n, "\n"), line + n);
	if (f)
		fclose(f);
}

/* `least` and `most` of what it wants. */
static void check_kind(const char *kind, const char *name, const char *duty, double least,
		       double most)
{
	char kind_word[64], duty_word[64], comm[32];
	char *words[] = {kind_word, duty_word, "noise.period=20ms", "workers.count=1"};
	struct placement p;
	struct cell_run c;
	u64 window = WINDOW_NS;
	double wish, used;

	snprintf(kind_word, sizeof(kind_word), "noise.kind=%s", kind);
	snprintf(duty_word, sizeof(duty_word), "noise.duty=%s", duty);
	set_up(&p, &c, words, ARRAY_SIZE(words));
	used = (double)used_in(&p, &window);
	/* It names itself when it first runs. */
	proc_word(p.noise.pid, "comm", "", comm, sizeof(comm));
	CHECK(!strcmp(comm, name), "%s runs as '%s'", kind, comm);
	wish = (double)noise_wish_ns(&p.spec.noise, p.plan.noise.nr, window);
	/* An emulated CPU that is taken away looks like one that works. */
	most += is_slow() ? 0.8 : 0;
	CHECK(used >= least * wish && used <= most * wish, "%s, duty %s: %.0f ms of CPU of %.0f ms",
	      kind, duty, used / NSEC_PER_MSEC, wish / NSEC_PER_MSEC);
	CHECK(!placement_check(&p, &msg), "it lives");
	tear_down(&p, &c);
}

/* The caller's class, nice value and CPUs are not the noise's. */
static void check_shed(void)
{
	char *words[] = {"noise.kind=memory", "noise.threads=2", "workers.count=1"};
	struct sched_param param = {.sched_priority = 1}, none = {0};
	char rss[64], signals[64];
	struct placement p;
	struct cell_run c;
	cpu_set_t before, noise;
	u64 kib = 0;

	sched_getaffinity(0, sizeof(before), &before);
	sched_setscheduler(0, SCHED_FIFO, &param);
	set_up(&p, &c, words, ARRAY_SIZE(words));
	sched_setscheduler(0, SCHED_OTHER, &none);
	CHECK(sched_getscheduler(p.noise.pid) == SCHED_OTHER, "a real-time run's noise is not");
	sched_getaffinity(p.noise.pid, sizeof(noise), &noise);
	CHECK((u32)CPU_COUNT(&noise) == p.plan.noise.nr && CPU_ISSET(p.plan.noise.cpu[0], &noise),
	      "it has the CPUs that it was given");
	CHECK(getsid(p.noise.pid) == p.noise.pid, "and a session of its own");
	proc_word(p.noise.pid, "status", "SigBlk:", signals, sizeof(signals));
	CHECK(!strtoull(signals, NULL, 16), "and no blocked signals:%s", signals);
	sleep_ns(300 * NSEC_PER_MSEC);
	proc_word(p.noise.pid, "status", "VmRSS:", rss, sizeof(rss));
	sscanf(rss, "%" SCNu64, &kib);
	CHECK(kib > 1024, "memory: %" PRIu64 " KiB are in use", kib);
	tear_down(&p, &c);
}

static u32 stop;

struct spinner {
	struct placement *p;
	u32 cpu;
	int rc;
	u64 cpu_ns;
};

static void *spinner_main(void *arg)
{
	struct spinner *s = arg;

	s->rc = placement_join(s->p);
	if (!s->rc)
		s->rc = cpu_pin_self(s->cpu);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		;
	s->cpu_ns = clock_cpu_ns();
	return NULL;
}

/* A worker that spins beside one spinner of noise. */
static void check_share(const char *isolation, double least, double most)
{
	char word[64];
	char *words[] = {word, "noise.kind=cpu", "workers.count=1"};
	struct cpu_plan cpus;
	struct placement p;
	struct cell_run c;
	struct spinner s = {.p = &p};
	pthread_t thread;
	u64 noise, window = 2 * WINDOW_NS;
	double share;

	snprintf(word, sizeof(word), "place.isolation=%s", isolation);
	set_up(&p, &c, words, ARRAY_SIZE(words));
	if (cpu_plan_make(&cpus, "auto", 1, &msg))
		abort();
	s.cpu = cpus.workers.cpu[0];
	stop = 0;
	pthread_create(&thread, NULL, spinner_main, &s);
	noise = used_in(&p, &window);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	share = (double)noise / (double)(noise + s.cpu_ns);
	CHECK(!s.rc && share >= least && share <= most,
	      "%s: the noise has %.1f %% of what it and the worker have", isolation, 100 * share);
	tear_down(&p, &c);
}

static void check_isolated(void)
{
	char *words[] = {"place.isolation=isolated", "noise.kind=cpu", "workers.count=1"};
	struct cpu_plan cpus;
	struct placement p;
	struct cell_run c;
	cpu_set_t set;

	if (cpu_plan_make(&cpus, "auto", 1, &msg) || cpus.shared) {
		CHECK(true, "isolated # skip one CPU only");
		return;
	}
	set_up(&p, &c, words, ARRAY_SIZE(words));
	sched_getaffinity(p.noise.pid, sizeof(set), &set);
	CHECK(!CPU_ISSET(cpus.workers.cpu[0], &set) && CPU_COUNT(&set),
	      "isolated: the noise is elsewhere");
	/* Not even if it asks. */
	CPU_ZERO(&set);
	CPU_SET(cpus.workers.cpu[0], &set);
	CHECK(sched_setaffinity(p.noise.pid, sizeof(set), &set), "and stays there");
	CHECK(p.partition[0], "partition: %s", p.partition);
	tear_down(&p, &c);
}

static u64 note_number(const struct cell_run *c, const char *name)
{
	const char *value = NULL, *key, *found;

	for (u32 i = 0; trace_nth_note(c->reader, i, &key, &found); i++)
		if (!strcmp(key, name))
			value = found;
	return value ? strtoull(value, NULL, 10) : NEVER_NS;
}

/* 30 ms of work at 13 ms a period of 100: three periods have a part in it, so it takes one whole
 * one at least. A period's timer that was late makes the next one shorter. Others on the CPU make
 * periods pass without throttling. */
static void check_quota(void)
{
	char *words[] = {"workload.work=cpu", "workload.cost=30ms",   "workload.jitter=0%",
			 "workload.rate=1/s", "workload.duration=4s", "hot.load=0",
			 "workload.keys=16",  "workers.count=1",      "workers.cpu_max=13ms/100ms"};
	u64 start = 0, least = NEVER_NS, throttled, times, cpu;
	struct cell_run c;

	cell_load(&c, words, ARRAY_SIZE(words));
	cell_run(&c, false);
	for (u32 i = 0; i < c.nr; i++) {
		if (c.events[i].kind == EVENT_START)
			start = c.events[i].time_ns;
		if (c.events[i].kind == EVENT_DONE && c.events[i].time_ns - start < least)
			least = c.events[i].time_ns - start;
	}
	CHECK(!c.rc && cell_count(&c, EVENT_DONE) == 4 && least > 80 * NSEC_PER_MSEC &&
		      least != NEVER_NS,
	      "quota: the shortest of 4 items takes %.0f ms", (double)least / NSEC_PER_MSEC);
	throttled = note_number(&c, "cgroup_throttled_ns");
	times = note_number(&c, "nr_throttled");
	cpu = note_number(&c, "cgroup_cpu_ns");
	CHECK(times >= 4 && times < 40 && throttled > 100 * NSEC_PER_MSEC && throttled != NEVER_NS,
	      "throttled %" PRIu64 " times, for %.0f ms", times, (double)throttled / NSEC_PER_MSEC);
	CHECK(cpu > 115 * NSEC_PER_MSEC && cpu < 200 * NSEC_PER_MSEC,
	      "the workers used %.1f ms of CPU", (double)cpu / NSEC_PER_MSEC);
	cell_free(&c);
}

int main(void)
{
	if (getuid()) {
		printf("1..0 # skip needs root: run make test with sudo\n");
		return EXIT_SUCCESS;
	}
	check_kind("cpu", "burn", "100%", 0.1, 1.05);
	check_kind("cpu", "burn", "20%", 0.1, 1.2);
	check_kind("burst", "burst", "20%", 0.1, 1.2);
	check_kind("memory", "memory", "100%", 0.1, 1.05);
	check_kind("fork", "fork", "100%", 0.05, 1.05);
	check_shed();
	check_share("shared", 0.4, 0.6);
	check_share("weighted", 0, 0.05);
	check_isolated();
	check_quota();
	return tap_done();
}
