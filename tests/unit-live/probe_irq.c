/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts on a worker CPU: are they there, in their place, and as many as the kernel counts? */
#include "probe_help.h"

#include <arpa/inet.h>
#include <linux/membarrier.h>
#include <sys/socket.h>

#define ROUNDS 150

/* A row of /proc/interrupts or /proc/softirqs, and the name that its records have. */
struct counter {
	const char *file, *row, *name;
	bool soft;
	u64 begin, end;	   /* what the kernel says */
	u64 inner, within; /* ours: between the two readings, and with the readings */
};

struct window {
	u64 begin_ns[2], end_ns[2]; /* of the first reading, and of the last */
};

/* One walk over the records. */
struct walk {
	bool inside;
	char name[16];
	u64 since;
	u64 enters, exits, longest_ns, total_ns;
	u32 stray, nested, elsewhere, nameless, switched, backwards;
	u32 wakings, inside_wakings, timer_wakings;
	u64 last_ns;
};

struct worker {
	struct probe *probe;
	u32 cpu;
	_Atomic bool done;
};

static u64 read_counter(const char *file, const char *row, u32 cpu)
{
	char line[4096], label[32];
	FILE *f = fopen(file, "r");
	u64 n = 0;

	/* Columns are the CPUs that are online; here they have no holes. */
	while (f && fgets(line, sizeof(line), f)) {
		char *at = line;
		int skip;

		if (sscanf(line, " %31[^:]:%n", label, &skip) != 1 || strcmp(label, row))
			continue;
		at += skip;
		for (u32 i = 0; i <= cpu; i++)
			n = strtoull(at, &at, 10);
	}
	if (f)
		fclose(f);
	return n;
}

static void read_all(struct counter *c, u32 nr, u32 cpu, bool end, u64 ns[2])
{
	ns[0] = clock_ns(CLOCK_MONOTONIC);
	for (u32 i = 0; i < nr; i++) {
		u64 n = read_counter(c[i].file, c[i].row, cpu);

		*(end ? &c[i].end : &c[i].begin) = n;
	}
	ns[1] = clock_ns(CLOCK_MONOTONIC);
}

/* To itself, over the loopback device: a soft interrupt for each packet. */
static void send_packets(int sock)
{
	char byte = 0;

	for (int i = 0; i < 10; i++)
		if (send(sock, &byte, 1, 0) == 1)
			(void)!recv(sock, &byte, 1, MSG_DONTWAIT);
}

static int open_socket(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (sock < 0 || bind(sock, (void *)&at, len) || getsockname(sock, (void *)&at, &len) ||
	    connect(sock, (void *)&at, len))
		return -1;
	return sock;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	int sock = open_socket();

	settle("hb-worker", w->cpu);
	probe_mark_self(w->probe);
	for (int i = 0; i < ROUNDS; i++) {
		sleep_ns(NSEC_PER_MSEC);
		send_packets(sock);
		spin_ns(NSEC_PER_MSEC);
	}
	if (sock >= 0)
		close(sock);
	atomic_store(&w->done, true);
	return NULL;
}

/* Each call interrupts the other CPUs that run a thread of this process. */
static void disturb(struct worker *w)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	while (!atomic_load(&w->done)) {
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
		sleep_ns(NSEC_PER_MSEC);
	}
}

static void on_enter(struct walk *k, const struct probe_event *ev)
{
	k->enters++;
	k->nested += k->inside;
	k->nameless += !ev->comm[0] || !memchr(ev->comm, 0, sizeof(ev->comm));
	k->inside = true;
	k->since = ev->time_ns;
	memcpy(k->name, ev->comm, sizeof(k->name));
}

static void on_exit_record(struct walk *k, const struct probe_event *ev)
{
	u64 ns = ev->time_ns - k->since;

	k->exits++;
	/* The probe may have come in the middle of the first. */
	k->stray += !k->inside && k->enters;
	if (k->inside) {
		k->total_ns += ns;
		k->longest_ns = ns > k->longest_ns ? ns : k->longest_ns;
	}
	k->inside = false;
}

static void walk_record(struct walk *k, u32 cpu, const struct probe_event *ev)
{
	bool irq = ev->kind == PROBE_IRQ_ENTER || ev->kind == PROBE_IRQ_EXIT;

	k->elsewhere += irq && ev->cpu != cpu;
	if (ev->cpu != cpu)
		return;
	k->backwards += ev->time_ns < k->last_ns;
	k->last_ns = ev->time_ns;
	if (ev->kind == PROBE_IRQ_ENTER)
		on_enter(k, ev);
	if (ev->kind == PROBE_IRQ_EXIT)
		on_exit_record(k, ev);
	k->switched += ev->kind == PROBE_SWITCH && k->inside;
	if (ev->kind == PROBE_WAKING) {
		k->wakings++;
		k->inside_wakings += k->inside;
		k->timer_wakings += k->inside && !strcmp(k->name, "local_timer");
	}
}

static void count(struct counter *c, const struct window *w, const struct records *r)
{
	c->inner = c->within = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct probe_event *ev = &r->ev[i];

		if (ev->kind != PROBE_IRQ_ENTER || strcmp(ev->comm, c->name))
			continue;
		c->inner += ev->time_ns > w->begin_ns[1] && ev->time_ns < w->end_ns[0];
		c->within += ev->time_ns > w->begin_ns[0] && ev->time_ns < w->end_ns[1];
	}
}

/*
 * Soft interrupts are never inside another, so each has a record. Hard ones are, inside soft ones:
 * of those some have none. One at each end may be counted and not yet recorded. Where the kernel
 * ran a thread without running the programs (a gap), it took that thread's interrupts as well.
 */
static void check_counter(const struct counter *c, u64 gaps)
{
	u64 theirs = c->end - c->begin, least = c->soft && !gaps ? theirs : theirs * 8 / 10;

	CHECK(c->inner <= theirs + 1 && c->within + 1 >= least,
	      "%s: %" PRIu64 " to %" PRIu64 " records, the kernel counts %" PRIu64 " %s", c->name,
	      c->inner, c->within, theirs, c->row);
}

static void check_walk(const struct walk *k, const struct window *w)
{
	CHECK(k->enters > ROUNDS && k->exits + 1 >= k->enters,
	      "%" PRIu64 " enters, %" PRIu64 " exits", k->enters, k->exits);
	CHECK(!k->stray && !k->nested, "they take turns: %u stray, %u nested", k->stray, k->nested);
	CHECK(!k->elsewhere, "none is of another CPU: %u are", k->elsewhere);
	CHECK(!k->nameless, "each has a name: %u have not", k->nameless);
	CHECK(!k->backwards, "times do not go backwards: %u do", k->backwards);
	CHECK(!k->switched, "no task is switched in one: %u are", k->switched);
	CHECK(k->total_ns < (w->end_ns[1] - w->begin_ns[0]) / 2 && k->longest_ns,
	      "they take %" PRIu64 " us of %" PRIu64 ", the longest %" PRIu64, k->total_ns / 1000,
	      (w->end_ns[1] - w->begin_ns[0]) / 1000, k->longest_ns / 1000);
	/* A sleep that was over before it began is ended by no interrupt. */
	CHECK(k->wakings >= ROUNDS * 9 / 10 && k->inside_wakings * 10 >= k->wakings * 9,
	      "%u wakings of the sleeper, %u inside an interrupt, %u inside the timer's",
	      k->wakings, k->inside_wakings, k->timer_wakings);
}

int main(void)
{
	struct counter counters[] = {
		{"/proc/interrupts", "LOC", "local_timer", .soft = false},
		{"/proc/interrupts", "RES", "reschedule", .soft = false},
		{"/proc/softirqs", "NET_RX", "NET_RX", .soft = true},
		{"/proc/softirqs", "TIMER", "TIMER", .soft = true},
		{"/proc/softirqs", "SCHED", "SCHED", .soft = true},
		{"/proc/softirqs", "RCU", "RCU", .soft = true},
		{"/proc/softirqs", "BLOCK", "BLOCK", .soft = true},
	};
	struct records r = {.ev = calloc(RECORDS_MAX, sizeof(*r.ev))};
	struct worker w = {.cpu = test_cpu()};
	struct probe_losses lost;
	struct window window;
	struct walk k = {0};
	pthread_t thread;
	int ret;

	need_root();
	w.probe = must_open(16 << 20, &w.cpu, 1);
	read_all(counters, ARRAY_SIZE(counters), w.cpu, false, window.begin_ns);
	pthread_create(&thread, NULL, worker_main, &w);
	disturb(&w);
	pthread_join(thread, NULL);
	read_all(counters, ARRAY_SIZE(counters), w.cpu, true, window.end_ns);
	sleep_ns(10 * NSEC_PER_MSEC);
	ret = probe_drain(w.probe, records_take, &r);
	CHECK(!ret && !probe_losses(w.probe, &lost), "%zu records", r.n);
	CHECK(!lost.ring_full && !lost.missed,
	      "none is lost: %" PRIu64 " ring full, %" PRIu64 " missed", lost.ring_full,
	      lost.missed);
	for (size_t i = 0; i < r.n; i++)
		walk_record(&k, w.cpu, &r.ev[i]);
	check_walk(&k, &window);
	for (u32 i = 0; i < ARRAY_SIZE(counters); i++) {
		count(&counters[i], &window, &r);
		check_counter(&counters[i], lost.gaps);
	}
	probe_close(w.probe);
	free(r.ev);
	return tap_done();
}
