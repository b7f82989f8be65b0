/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run from its set-up to its end. The main thread sets up, is the collector while the threads
 * run, and tears down in reverse, whichever step failed.
 */
#include "live/account.h"
#include "live/collector.h"
#include "live/notes.h"
#include "live/rights.h"
#include "live/setup.h"
#include "live/threads.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* From when all threads are ready to the stream's start. */
#define START_DELAY_NS (20 * NSEC_PER_MSEC)
#define DRAIN_NS       (5 * NSEC_PER_MSEC)
#define PROGRESS_NS    (100 * NSEC_PER_MSEC)
/* What a killed run may lose of its trace. */
#define FLUSH_NS NSEC_PER_SEC

struct run {
	struct engine e;
	struct placement place;
	struct collector collector;
	struct message msg;
	sigset_t signals, old_signals;
	cpu_set_t old_cpus;
	u64 *steal_before, *steal_after; /* per worker CPU */
	u64 next_progress_ns, next_flush_ns;
	u64 cpu_before_ns; /* of this thread, the collector, when the threads were let go */
	u64 memory_before; /* resident bytes of this process */
	bool locked;
};

/* Sanitizers keep shadow memory of many times the address space: locking it all would need it all.
 */
static bool can_lock_memory(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return false;
#else
	return true;
#endif
}

/* Stacks of threads that are made for an item are part of what it costs: they come as they are
 * touched. */
static int on_fault(const struct engine *e)
{
	return engine_spawns(e) ? MCL_ONFAULT : 0;
}

static void lock_memory(struct run *r)
{
	if (!can_lock_memory())
		return;
	r->locked = !mlockall(MCL_CURRENT | MCL_FUTURE | on_fault(&r->e));
	if (!r->locked)
		note(r->e.trace, "warning",
		     "memory is not locked (%s): page faults may be measured as service "
		     "time; " RIGHTS_FOR_MEMORY,
		     strerror(errno));
}

/* Until restore(): signals are taken by the collector, which has a CPU of its own if there is one.
 */
static void settle(struct run *r)
{
	sigemptyset(&r->signals);
	sigaddset(&r->signals, SIGINT);
	sigaddset(&r->signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &r->signals, &r->old_signals);
	sched_getaffinity(0, sizeof(r->old_cpus), &r->old_cpus);
}

static void restore(struct run *r)
{
	if (r->locked)
		munlockall();
	sched_setaffinity(0, sizeof(r->old_cpus), &r->old_cpus);
	pthread_sigmask(SIG_SETMASK, &r->old_signals, NULL);
}

static int trace_failed(struct run *r, int rc)
{
	return message_fail(&r->msg, rc, "%s: cannot write the trace: %s%s", r->e.cfg->path,
			    strerror(-rc), trace_mend(rc));
}

static int create_trace(struct run *r)
{
	struct engine *e = &r->e;
	const struct live_config *cfg = e->cfg;
	struct trace_info info = {.engine = TRACE_LIVE,
				  .probe = cfg->probe,
				  .workers = e->nr_workers,
				  .keys = workload_keys(&e->spec.workload),
				  .cell = cfg->cell,
				  .repeat = cfg->repeat,
				  .seed = e->spec.workload.seed};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int rc;

	if (!f)
		return trace_failed(r, -ENOMEM);
	spec_print(cfg->spec, f);
	rc = fclose(f) ? -ENOMEM : 0;
	if (!rc)
		rc = trace_create(&e->trace, cfg->path, &info, text, collector_streams(e));
	free(text);
	return rc ? trace_failed(r, rc) : 0;
}

static int open_probe(struct run *r)
{
	struct engine *e = &r->e;
	struct probe_config cfg = {.ring_bytes = e->spec.run.ring_bytes,
				   .cpus = e->cpus.workers.cpu,
				   .nr_cpus = e->cpus.workers.nr};

	return e->cfg->probe ? probe_open(&e->probe, &cfg, r->msg.text, r->msg.len) : 0;
}

/* The noise is forked first, before there is memory to share with it, and let go last. Files are
 * opened before any right is raised. */
static int prepare(struct run *r)
{
	struct engine *e = &r->e;
	int rc = placement_fork(&r->place, e->cfg->spec, e->cfg->noise_log, &r->msg);

	if (rc)
		return rc;
	rc = engine_init(e, e->cfg, &r->msg);
	if (rc)
		return rc;
	e->place = &r->place;
	r->steal_before = calloc(2 * e->cpus.workers.nr, sizeof(u64));
	if (!r->steal_before)
		return message_fail(&r->msg, -ENOMEM, "not enough memory for the run");
	r->steal_after = r->steal_before + e->cpus.workers.nr;
	rc = create_trace(r);
	if (rc)
		return rc;
	collector_init(&r->collector, e);
	notes_host(e->trace);
	if (*e->spec.csv.path)
		note(e->trace, "items_due", "%" PRIu64, e->items_due);
	rights_raise();
	lock_memory(r);
	rc = open_probe(r);
	if (!rc)
		rc = placement_make(&r->place, &r->msg);
	return rc ? rc : placement_start(&r->place, &r->msg);
}

static void report_progress(struct run *r, bool last)
{
	const struct live_config *cfg = r->e.cfg;
	u64 now = clock_mono_ns();

	if (!cfg->progress || (!last && now < r->next_progress_ns))
		return;
	cfg->progress(cfg->ctx, collector_done(&r->collector), r->e.nr_items);
	r->next_progress_ns = now + PROGRESS_NS;
}

/* What comes less often than draining. */
static int tend(struct run *r)
{
	struct engine *e = &r->e;
	u64 now = clock_mono_ns();
	int rc = 0;

	report_progress(r, false);
	reassign_call(e, now);
	if (threads_rescue_generator(e, now))
		note(e->trace, "warning",
		     "the generator did not get its CPU for a second at real-time priority; it is "
		     "an "
		     "ordinary thread since");
	if (now >= r->next_flush_ns) {
		rc = trace_flush(e->trace);
		r->next_flush_ns = now + FLUSH_NS;
	}
	return rc;
}

static int check_failure(struct run *r)
{
	const struct engine *e = &r->e;

	if (!__atomic_load_n(&e->failed, __ATOMIC_ACQUIRE))
		return 0;
	return message_fail(&r->msg, e->failure.error, "the run cannot %s: %s; %s", e->failure.what,
			    strerror(-e->failure.error),
			    "have fewer items in service (dispatch.limit, workload.rate)");
}

/* The collector's loop: 0 when the last item is done, -EINTR on a signal, or an error. */
static int collect(struct run *r)
{
	struct timespec tick = clock_timespec(DRAIN_NS);

	for (;;) {
		int signal = sigtimedwait(&r->signals, NULL, &tick);
		int rc = collector_drain(&r->collector);

		if (!rc)
			rc = tend(r);
		if (rc)
			return trace_failed(r, rc);
		if (signal > 0)
			return message_fail(&r->msg, -EINTR, "interrupted: %s", strsignal(signal));
		rc = check_failure(r);
		if (!rc)
			rc = placement_check(&r->place, &r->msg);
		if (rc || collector_done(&r->collector) == reassign_total(&r->e))
			return rc;
	}
}

/* From 5.19 on whoever holds a map or a program may read what it counts; before, with
 * kernel.unprivileged_bpf_disabled, CAP_BPF is asked for each time. */
static bool may_read_losses(struct run *r)
{
	struct probe_losses losses;
	u64 before = rights_effective();
	bool may;

	rights_restore(0);
	may = !r->e.probe || !probe_losses(r->e.probe, &losses);
	rights_restore(before);
	return may;
}

/* What the threads of items, which are started while the run goes on, need to be set up. */
static u64 rights_of_items(const struct engine *e, u64 bpf)
{
	const struct worker_config *w = &e->spec.workers;
	bool privileged = w->nice < 0 || w->policy == POLICY_FIFO || w->policy == POLICY_RR;

	return engine_spawns(e) ? bpf | (privileged ? RIGHT(CAP_SYS_NICE) : 0) : 0;
}

/*
 * Whoever has no CAP_IPC_LOCK any more may not map memory to be locked, as the collector would:
 * what is mapped up to now stays locked, and is all that workers and generator touch, but for light
 * threads and threads of items beyond the first, which are touched as they are made.
 */
static int start_threads(struct run *r)
{
	struct engine *e = &r->e;
	u64 bpf = may_read_losses(r) ? 0 : RIGHT(CAP_BPF);
	int rc;

	e->keep = rights_of_items(e, bpf);
	rc = threads_start(e, &r->msg);
	if (rc || e->cfg->keep_rights)
		return rc;
	if (r->locked)
		mlockall(MCL_CURRENT | on_fault(e));
	rc = rights_drop(bpf);
	return rc ? message_fail(&r->msg, rc, "cannot drop the capabilities: %s", strerror(-rc))
		  : 0;
}

static int run_threads(struct run *r)
{
	struct engine *e = &r->e;
	bool steal_known = !account_steal(r->steal_before, &e->cpus.workers);
	int rc;

	placement_begin(&r->place);
	rc = start_threads(r);
	if (!rc) {
		cpu_pin_self(e->cpus.collector);
		notes_placement(e);
		rc = collector_accounts(&r->collector, ACCOUNT_BEGIN);
		r->cpu_before_ns = clock_cpu_ns();
		threads_go(e, clock_mono_ns() + START_DELAY_NS);
		trace_set_base(e->trace, e->base_ns);
		rc = rc ? trace_failed(r, rc) : collect(r);
	}
	threads_stop(e);
	placement_notes(&r->place, e->trace);
	placement_quiet(&r->place);
	if (!rc && steal_known && !account_steal(r->steal_after, &e->cpus.workers))
		notes_steal(e, r->steal_before, r->steal_after);
	return rc;
}

/* What the threads wrote after the last drain, and what is known only now. */
static int finish(struct run *r)
{
	struct engine *e = &r->e;
	int rc = collector_drain(&r->collector);

	if (!rc)
		rc = collector_accounts(&r->collector, ACCOUNT_END);
	if (!rc)
		rc = collector_finish(&r->collector);
	if (rc)
		return trace_failed(r, rc);
	notes_memory(e, r->memory_before);
	notes_cost(e, clock_cpu_ns() - r->cpu_before_ns);
	note(e->trace, "generator.peak_late_ns", "%" PRIu64, e->generator.peak_late_ns);
	report_progress(r, true);
	return 0;
}

/* Ends what prepare() and run_threads() began, in reverse; `rc` is how they ended. */
static int tear_down(struct run *r, int rc)
{
	struct engine *e = &r->e;
	int error = 0;

	placement_end(&r->place);
	probe_close(e->probe);
	if (e->trace)
		error = trace_close(e->trace, !rc);
	if (error && !rc)
		rc = trace_failed(r, error);
	collector_fini(&r->collector);
	engine_fini(e);
	free(r->steal_before);
	return rc;
}

int live_run(const struct live_config *cfg, char *err, size_t err_len)
{
	struct run *r;
	int rc = live_check(cfg->spec, false, err, err_len);

	if (rc)
		return rc;
	r = aligned_alloc(_Alignof(struct run), sizeof(*r));
	if (!r) {
		struct message msg = {err, err_len};

		return message_fail(&msg, -ENOMEM, "not enough memory for the run");
	}
	memset(r, 0, sizeof(*r));
	r->msg = (struct message){err, err_len};
	r->e.cfg = cfg;
	settle(r);
	r->memory_before = notes_memory_begin();
	rc = prepare(r);
	if (!rc)
		rc = run_threads(r);
	if (!rc || rc == -EINTR) {
		int error = finish(r);

		rc = rc ? rc : error;
	}
	rc = tear_down(r, rc);
	restore(r);
	free(r);
	return rc;
}
