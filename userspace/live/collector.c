/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/collector.h"
#include "live/cgroup_names.h"
#include "live/kernel_events.h"
#include "live/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Stream 0 is the generator's, then one a worker, or SLOT_STREAMS for the slots, then one a CPU
 * that a probe record can name.
 */
static u32 worker_stream(const struct worker *w)
{
	return 1 + w->index;
}

static u32 nr_cpus_possible(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	return n > 0 && n < CPUS_MAX ? (u32)n : CPUS_MAX;
}

u32 collector_cpu_stream(const struct engine *e, u32 cpu)
{
	return 1 + (engine_spawns(e) ? SLOT_STREAMS : e->nr_workers) + cpu;
}

u32 collector_streams(const struct engine *e)
{
	return collector_cpu_stream(e, nr_cpus_possible());
}

void collector_init(struct collector *c, struct engine *e)
{
	*c = (struct collector){.e = e, .nr_cpus = nr_cpus_possible(), .last_task = NONE32};
}

void collector_fini(struct collector *c)
{
	free(c->cgroups.ids);
	slot_logs_fini(&c->slots);
	*c = (struct collector){0};
}

static void expand_submit(struct event *ev, const struct record *rec, const struct engine *e)
{
	const struct item *it = &e->items[rec->item];

	ev->submit.due_ns = e->base_ns + it->due_ns;
	ev->submit.key = it->key;
	ev->submit.key_seq = it->seq;
	ev->submit.queue = rec->a;
	ev->submit.woken = rec->b;
	ev->submit.delivery = (u32)rec->delivery;
	ev->submit.nr_steps = it->nr_steps;
	memcpy(ev->submit.steps, it->steps, sizeof(ev->submit.steps));
}

/* `worker` is the index of the ring's owner; a thief moves into its own queue. */
static void expand(struct event *ev, const struct record *rec, u32 worker, const struct engine *e)
{
	*ev = (struct event){
		.kind = rec->kind, .time_ns = rec->time_ns, .item = rec->item, .worker = worker};
	if (rec->kind != EVENT_TAKE && rec->kind != EVENT_PAUSE && rec->kind != EVENT_WAKING)
		ev->seq = rec->seq;
	switch (rec->kind) {
	case EVENT_SUBMIT:
		expand_submit(ev, rec, e);
		break;
	case EVENT_MOVE:
		ev->move.from = rec->a;
		ev->move.to = worker;
		ev->move.left = rec->b;
		ev->move.since_ns = rec->since_ns;
		break;
	case EVENT_STEP:
		ev->step.index = rec->a;
		break;
	case EVENT_DONE:
		ev->done.outcome = rec->a;
		break;
	case EVENT_ADMIT:
		ev->admit.queue = rec->a;
		break;
	case EVENT_WAKING:
		ev->worker = rec->a;
		ev->cpu = rec->b;
		ev->waking.waker_task = NONE32;
		break;
	case EVENT_PAUSE:
		ev->pause.until_ns = rec->until_ns;
		break;
	case EVENT_TAKE:
		ev->take.resource = rec->a;
		ev->take.slot = rec->b;
		ev->take.from_ns = rec->from_ns;
		ev->take.until_ns = rec->until_ns;
		break;
	}
}

/* No more than the ring holds: a producer that keeps pace must not keep the collector here. */
static int drain_log(struct engine *e, struct thread_log *log, u32 stream, u32 worker)
{
	const struct record *rec;
	struct event ev;
	int rc = 0;

	for (u64 n = 0; n <= log->mask && !rc && (rec = thread_log_peek(log)); n++) {
		expand(&ev, rec, worker, e);
		thread_log_pop(log);
		rc = trace_write(e->trace, stream, &ev);
	}
	return rc;
}

static int write_slots(struct collector *c)
{
	struct slot_logs *s = &c->slots;
	struct event ev;
	int rc = 0;

	slot_logs_sort(s);
	for (u32 i = 0; i < s->nr && !rc; i++) {
		const struct slot_record *r = &s->records[i];
		u32 stream = slot_logs_stream(s, r->rec.time_ns);

		expand(&ev, &r->rec, r->slot, c->e);
		if (stream != NONE32)
			rc = trace_write(c->e->trace, 1 + stream, &ev);
	}
	s->nr = 0;
	return rc;
}

static int drain_workers(struct collector *c)
{
	struct engine *e = c->e;
	int rc = 0;

	for (u32 i = 0; i < e->nr_workers && !rc; i++) {
		struct worker *w = &e->workers[i];

		if (engine_spawns(e))
			rc = slot_logs_take(&c->slots, &w->log, i);
		else
			rc = drain_log(e, &w->log, worker_stream(w), i);
	}
	return rc || !engine_spawns(e) ? rc : write_slots(c);
}

int collector_drain(struct collector *c)
{
	struct engine *e = c->e;
	int rc = drain_log(e, &e->generator.log, 0, 0);

	if (!rc)
		rc = drain_workers(c);
	if (!rc && e->probe)
		rc = probe_drain(e->probe, kernel_event_take, c);
	return rc;
}

int collector_accounts(struct collector *c, u32 phase)
{
	struct engine *e = c->e;
	int rc = 0;

	for (u32 i = 0; i < e->nr_workers && !rc; i++) {
		const struct account_sample *a = &e->workers[i].accounts[phase];
		struct event ev = {.kind = EVENT_ACCOUNT, .time_ns = a->time_ns, .worker = i};

		if (!a->known)
			continue;
		ev.account.phase = phase;
		ev.account.run_delay_ns = a->run_delay_ns;
		ev.account.waits = a->waits;
		ev.account.cpu_ns = a->cpu_ns;
		rc = trace_write(e->trace, worker_stream(&e->workers[i]), &ev);
	}
	return rc;
}

static int write_lost(struct engine *e, u32 what, u64 count)
{
	struct event ev = {.kind = EVENT_LOST, .time_ns = clock_mono_ns()};

	if (!count)
		return 0;
	ev.lost.what = what;
	ev.lost.count = count;
	return trace_write(e->trace, 0, &ev);
}

static u64 engine_losses(const struct collector *c)
{
	const struct engine *e = c->e;
	u64 lost = thread_log_lost(&e->generator.log) + c->slots.lost;

	for (u32 i = 0; i < e->nr_workers; i++)
		lost += thread_log_lost(&e->workers[i].log);
	return lost;
}

static int finish_probe(struct collector *c)
{
	struct engine *e = c->e;
	const char *root = probe_cgroup_root(e->probe);
	struct probe_losses losses;
	int rc = probe_losses(e->probe, &losses);

	if (!rc)
		rc = write_lost(e, LOST_PROBE, losses.ring_full + losses.missed);
	if (!rc && losses.gaps)
		note(e->trace, "probe.gaps", "%" PRIu64, losses.gaps);
	if (!rc && losses.backwards)
		note(e->trace, "probe.backwards", "%" PRIu64, losses.backwards);
	if (!rc && root)
		rc = cgroup_names_write(e->trace, root, c->cgroups.ids, c->cgroups.nr);
	return rc;
}

int collector_finish(struct collector *c)
{
	int rc = c->e->probe ? finish_probe(c) : 0;

	return rc ? rc : write_lost(c->e, LOST_ENGINE, engine_losses(c));
}

u64 collector_done(const struct collector *c)
{
	u64 done = 0;

	for (u32 i = 0; i < c->e->nr_workers; i++)
		done += __atomic_load_n(&c->e->workers[i].finished, __ATOMIC_ACQUIRE);
	return done;
}
