/* SPDX-License-Identifier: GPL-2.0-only */
/* A worker next to a spinner on one CPU: do the records tell what the kernel's own account tells?
 */
#include "probe_help.h"
#include "slow.h"

#include <sys/stat.h>

#define ROUNDS 60

struct worker {
	struct probe *probe;
	u32 cpu, tid;
	int marked;
	struct schedstat begin, end;
	u64 begin_ns, end_ns;
};

/* One walk over the records, as the ledger will make it. */
struct walk {
	u32 occupant; /* of the worker's CPU; only once `known` */
	bool known;
	char comm[16];
	bool runnable, ready; /* the worker: waits for the CPU; since a time that is known */
	u64 since, from;
	u64 waits, wait_ns, spinner_ns, others_ns, idle_ns;
	u64 last_ns[2];
	u32 backwards, broken, misnamed, strangers, misplaced, unwoken;
	/*
	 * Switches that the kernel made without passing the tracepoint. Here it does so now and
	 * then for threads that are not ours, so that the worker may get the CPU unseen: such a
	 * wait is not timed.
	 */
	u64 gaps, untimed_ns;
};

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	settle("hb-worker", w->cpu);
	w->tid = self_tid();
	w->marked = probe_mark_self(w->probe);
	w->begin_ns = clock_ns(CLOCK_MONOTONIC);
	read_schedstat(w->tid, &w->begin);
	for (int i = 0; i < ROUNDS; i++) {
		sleep_ns(2 * NSEC_PER_MSEC);
		spin_ns(6 * NSEC_PER_MSEC);
	}
	read_schedstat(w->tid, &w->end);
	w->end_ns = clock_ns(CLOCK_MONOTONIC);
	return NULL;
}

/* Charge [from, now) of the worker's wait to who had the CPU. */
static void charge(struct walk *k, u64 now, u32 spinner)
{
	u64 ns = now - k->from;

	k->from = now;
	if (!k->runnable || !k->known)
		return;
	if (k->occupant == spinner && !strcmp(k->comm, "hb-spinner"))
		k->spinner_ns += ns;
	else if (k->occupant)
		k->others_ns += ns;
	else
		k->idle_ns += ns;
}

static void wait_ends(struct walk *k, const struct worker *w, u64 now)
{
	if (now >= w->begin_ns && now <= w->end_ns) {
		k->waits++;
		k->wait_ns += k->runnable ? now - k->since : 0;
		k->unwoken += !k->runnable;
	}
	k->runnable = false;
}

static void wait_begins(struct walk *k, u64 now)
{
	k->runnable = true;
	k->since = k->from = now;
}

static void gap(struct walk *k, const struct worker *w, u32 spinner, u64 now)
{
	k->gaps++;
	k->broken += k->occupant == w->tid || k->occupant == spinner;
	if (k->runnable)
		k->untimed_ns += now - k->since;
	k->runnable = false;
}

static void on_switch(struct walk *k, const struct worker *w, u32 spinner,
		      const struct probe_event *ev)
{
	charge(k, ev->time_ns, spinner);
	if (k->known && k->occupant != ev->other_tid)
		gap(k, w, spinner, ev->time_ns);
	k->misplaced += ev->cpu != w->cpu;
	/* Before its begin the worker is still taking its name. */
	k->misnamed +=
		ev->time_ns > w->begin_ns && (ev->tid == w->tid) != !strcmp(ev->comm, "hb-worker");
	k->misnamed += (ev->tid == spinner) != !strcmp(ev->comm, "hb-spinner");
	k->misnamed += (ev->tid == 0) != !strncmp(ev->comm, "swapper/", 8);
	if (ev->tid == w->tid)
		wait_ends(k, w, ev->time_ns);
	if (ev->other_tid == w->tid && ev->flags & PROBE_PREV_RUNNABLE)
		wait_begins(k, ev->time_ns);
	k->occupant = ev->tid;
	k->known = true;
	memcpy(k->comm, ev->comm, sizeof(k->comm));
}

static void walk(struct walk *k, const struct worker *w, u32 spinner, const struct records *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct probe_event *ev = &r->ev[i];
		u64 *last = &k->last_ns[ev->cpu == w->cpu];

		k->backwards += ev->time_ns < *last;
		*last = ev->time_ns;
		if (ev->kind == PROBE_SWITCH) {
			on_switch(k, w, spinner, ev);
			continue;
		}
		if (ev->kind != PROBE_WAKING && ev->kind != PROBE_WAKEUP)
			continue;
		k->strangers += ev->other_tid != w->tid;
		if (ev->kind == PROBE_WAKEUP) {
			k->misplaced += ev->other_cpu != w->cpu;
			wait_begins(k, ev->time_ns);
		}
	}
}

/* The inode of this process's cgroup in the hierarchy that has the CPU controller. */
static u64 own_cgroup(const char *root)
{
	char line[512], path[1024] = "";
	FILE *f = fopen("/proc/self/cgroup", "r");
	struct stat st;

	while (f && fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':') + 1, *dir = strchr(list, ':');

		*dir++ = '\0';
		dir[strcspn(dir, "\n")] = '\0';
		/* v1 lists controllers, v2 none; v2 is the last line. */
		if (!strcmp(list, "cpu") || strstr(list, "cpu,") == list || strstr(list, ",cpu,") ||
		    (!*list && !*path))
			snprintf(path, sizeof(path), "%s%s", root, dir);
	}
	if (f)
		fclose(f);
	return stat(path, &st) ? 0 : st.st_ino;
}

static void check_identity(const struct records *r, const struct worker *w, const char *root)
{
	u64 own = own_cgroup(root);
	u32 wrong = 0, seen = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->ev[i].kind != PROBE_SWITCH)
			continue;
		seen += r->ev[i].tid == w->tid;
		wrong += r->ev[i].tid == w->tid && r->ev[i].cgroup != own;
		wrong += r->ev[i].tid == 0 && r->ev[i].cgroup != 0;
	}
	CHECK(own && seen && !wrong, "cgroup ids are inode numbers below %s: %u of %u differ", root,
	      wrong, seen);
}

/* Does /proc say that it is a thread of the kernel? False with *known false when it is gone. */
static bool is_kthread(u32 tid, bool *known)
{
	char path[64], text[512] = "";
	unsigned int flags = 0;
	const char *tail;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	f = fopen(path, "r");
	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	/* The name may hold anything; flags are the seventh field behind it. */
	tail = strrchr(text, ')');
	*known = tail && sscanf(tail, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1;
	return flags & 0x00200000;
}

static void check_classes(const struct records *r)
{
	u32 wrong = 0, seen[2] = {0};

	for (size_t i = 0; i < r->n; i++) {
		bool says = r->ev[i].flags & PROBE_KTHREAD, known, is;

		if (r->ev[i].kind != PROBE_SWITCH || !r->ev[i].tid)
			continue;
		is = is_kthread(r->ev[i].tid, &known);
		if (known)
			seen[is]++;
		wrong += known && is != says;
	}
	CHECK(seen[0] && !wrong, "threads of the kernel are told: %u wrong of %u, %u theirs", wrong,
	      seen[0] + seen[1], seen[1]);
}

static void check_account(const struct walk *k, const struct worker *w)
{
	u64 waits = w->end.waits - w->begin.waits, ns = w->end.wait_ns - w->begin.wait_ns;
	u64 off = k->wait_ns > ns ? k->wait_ns - ns : ns - k->wait_ns;

	/* One at each end; emulated, what reads /proc there loses the CPU itself. */
	CHECK(k->waits + BOUND(1, 3) + k->gaps >= waits && k->waits <= waits + BOUND(1, 3),
	      "put on the CPU %" PRIu64 " times, schedstat says %" PRIu64 ", gaps %" PRIu64,
	      k->waits, waits, k->gaps);
	CHECK(off <= ns / BOUND(100, 10) + waits * BOUND(10000, 100000) + k->untimed_ns,
	      "waited %" PRIu64 " us, schedstat says %" PRIu64 " us", k->wait_ns / 1000, ns / 1000);
	CHECK(k->wait_ns > 50 * NSEC_PER_MSEC, "the spinner made it wait");
	CHECK(k->spinner_ns + k->others_ns >= k->wait_ns / 100 * 99,
	      "99 %% of the wait is charged: %.1f %%",
	      100.0 * (double)(k->spinner_ns + k->others_ns) / (double)k->wait_ns);
	/* Others may be busy on this CPU too, so no share is certain; an even one would be half. */
	CHECK(k->spinner_ns > 10 * NSEC_PER_MSEC, "the spinner has its part: %.1f %%",
	      100.0 * (double)k->spinner_ns / (double)k->wait_ns);
	CHECK(!k->idle_ns, "nothing is the idle task's: %" PRIu64 " ns", k->idle_ns);
	CHECK(k->unwoken <= k->gaps, "every wait has its beginning: %u have not", k->unwoken);
}

static void check_records(const struct walk *k, const struct records *r)
{
	/* A sleep that is over before the worker has left the CPU needs no wake-up. */
	size_t waking = count_kind(r, PROBE_WAKING), wakeup = count_kind(r, PROBE_WAKEUP);

	CHECK(!k->backwards, "no time goes backwards on its CPU: %u do", k->backwards);
	CHECK(!k->broken, "who is switched out was switched in before: %u were not", k->broken);
	CHECK(!k->misnamed, "tid and name belong together: %u do not", k->misnamed);
	CHECK(!k->strangers, "wake-ups are the worker's only: %u are not", k->strangers);
	CHECK(!k->misplaced, "records say the worker's CPU: %u do not", k->misplaced);
	CHECK(waking >= ROUNDS / 10 * 9 && waking == wakeup, "%zu wakings, %zu wake-ups, %d sleeps",
	      waking, wakeup, ROUNDS);
}

int main(void)
{
	struct spinner spinner = {.name = "hb-spinner", .cpu = test_cpu()};
	struct worker w = {.cpu = test_cpu()};
	struct records r = {.ev = calloc(RECORDS_MAX, sizeof(*r.ev))};
	struct probe_losses lost;
	struct walk k = {0};
	pthread_t thread;
	int drained;

	need_root();
	spinner_start(&spinner);
	w.probe = must_open(4 << 20, &w.cpu, 1);
	pthread_create(&thread, NULL, worker_main, &w);
	pthread_join(thread, NULL);
	drained = probe_drain(w.probe, records_take, &r);
	CHECK(!drained && r.n, "%zu records", r.n);
	CHECK(!w.marked, "a thread that is not the main one marks itself");
	walk(&k, &w, spinner.tid, &r);
	CHECK(!probe_losses(w.probe, &lost) && !lost.ring_full && !lost.missed,
	      "nothing is lost: %" PRIu64 " ring full, %" PRIu64 " missed", lost.ring_full,
	      lost.missed);
	CHECK(lost.gaps == k.gaps, "gaps are counted: %" PRIu64, lost.gaps);
	check_account(&k, &w);
	check_records(&k, &r);
	check_identity(&r, &w, probe_cgroup_root(w.probe));
	/* By /proc, so while one of them is there. */
	check_classes(&r);
	spinner_end(&spinner);
	probe_close(w.probe);
	free(r.ev);
	return tap_done();
}
