/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One live run: what its threads share. The main thread sets up, is the collector while the others
 * run, and tears down. Owned by live.c; everything is allocated and touched before the stream
 * starts.
 */
#ifndef HOLBENCH_LIVE_ENGINE_H
#define HOLBENCH_LIVE_ENGINE_H

#include "live/cpus.h"
#include "live/futex.h"
#include "live/lights.h"
#include "live/live.h"
#include "live/locks.h"
#include "live/placement.h"
#include "live/probe.h"
#include "live/reassign.h"
#include "live/resources.h"
#include "live/spawner.h"
#include "live/thread_log.h"
#include "trace/trace.h"

#include <sched.h>

/* A bound on workers.count: past it a steal, which takes every lock, is not a benchmark of
 * stealing. */
#define LIVE_WORKERS_MAX 1024
/* The priority of a real-time generator: above any load's default, below the kernel's own threads.
 */
#define GENERATOR_PRIORITY 49
/* How long before an item is due the generator stops sleeping and watches the clock. */
#define GENERATOR_LEAD_NS (120 * NSEC_PER_USEC)
/*
 * A real-time generator that never sleeps would starve the collector, which may share its CPU, and
 * meet RT throttling (kernel/sched/rt.c: 95 % of a second). So it rests for a quarter of the time
 * that it was busy: soon while it only watches the clock, later while items are late. Below the gap
 * the collector needs more than that leaves, and the generator is an ordinary thread.
 */
#define GENERATOR_BUSY_WATCHING_NS NSEC_PER_MSEC
#define GENERATOR_BUSY_LATE_NS	   (50 * NSEC_PER_MSEC)
#define GENERATOR_REST_SHARE	   4
#define GENERATOR_RT_GAP_NS	   (20 * NSEC_PER_USEC)

/* So far behind, a real-time generator is not merely late: it does not get its CPU. */
#define GENERATOR_STARVED_NS NSEC_PER_SEC

/* The kernel's own account of a thread, read by itself. */
struct account_sample {
	u64 time_ns;
	u64 run_delay_ns, waits; /* /proc/thread-self/schedstat */
	u64 cpu_ns;
	bool known;
};

/* A thread that could not be set up: what failed, and why. */
struct failure {
	const char *what;
	int error; /* negative errno; 0: nothing failed */
};

struct worker {
	/* Written by others too: a line of its own. */
	struct parker parker;
	struct mailbox mail; /* the locks that were handed to who waits here */
	_Alignas(64) struct engine *engine;
	u32 index, cpu, tid;
	u32 stop; /* with the engine's; its own, so that waits of many do not meet in one futex */
	pthread_t thread;
	bool started;
	struct failure failure;
	struct account_sample accounts[2]; /* by enum account_phase */
	struct thread_log log;
	struct lights lights; /* EXECUTOR_ASYNC: of this carrier */
	/* Items whose service has ended, read by the collector. */
	_Alignas(64) u64 finished;
};

struct generator {
	u32 cpu;
	pthread_t thread;
	bool started;
	bool want_fifo; /* it has a CPU to itself and the stream has gaps */
	bool fifo;	/* and it is real-time */
	bool demoted;	/* the main thread's: it is no longer real-time */
	int fifo_error; /* it wanted to be real-time and was refused; it runs all the same */
	struct failure failure;
	/* Its own, until it was joined. */
	u64 awake_ns;	  /* since when it has not slept */
	u64 busy_ns;	  /* before that, less what it has rested for */
	u64 peak_late_ns; /* of all items */
	struct thread_log log;
};

struct engine {
	const struct live_config *cfg;
	struct spec spec; /* scaled, with this repeat's seed */
	struct cpu_plan cpus;
	struct item *items;
	u32 nr_items;
	u64 items_due; /* of a recorded stream: those due after the warm-up */
	u32 *home;
	struct balancer policy;
	bool policy_ready;
	struct locks locks;
	struct resources resources;
	struct spawner spawner; /* EXECUTOR_SPAWN */
	struct worker *workers;
	u32 nr_workers; /* EXECUTOR_SPAWN: slots */
	struct generator generator;
	struct placement *place; /* borrowed from the run; NULL: none */
	struct probe *probe;	 /* NULL: not asked for */
	u64 keep;		 /* rights that are not dropped, for the threads of items */
	struct trace_writer *trace;
	u64 base_ns;
	struct reassignment reassign;
	/* What no thread can go on without: it ends the run. Set once, `failed` last. */
	struct failure failure;
	u32 failing, failed;
	/* Set once, by the main thread, when all is done or all must end: then a futex for
	 * sleepers. */
	_Alignas(64) u32 stop;
	/* Threads that are set up, or failed to; and base_ns is set, a futex for the generator. */
	_Alignas(64) u32 ready;
	_Alignas(64) u32 go;
};

static inline bool engine_stopped(struct engine *e)
{
	return __atomic_load_n(&e->stop, __ATOMIC_ACQUIRE);
}

/* The run cannot go on: the collector ends it. `what` is a string that stays. The first one counts.
 */
static inline void engine_fail(struct engine *e, const char *what, int error)
{
	if (__atomic_exchange_n(&e->failing, 1, __ATOMIC_RELAXED))
		return;
	e->failure = (struct failure){what, error};
	__atomic_store_n(&e->failed, 1, __ATOMIC_RELEASE);
}

/*
 * After a submit to the queue or a steal from it: a queue that is old and had nothing to give may
 * have something now, and nobody but us tells an idle worker.
 */
static inline void engine_tell_thief(struct engine *e, u32 queue, u64 now_ns)
{
	u32 thief = balancer_thief(&e->policy, queue, now_ns);

	if (thief != NONE32)
		unpark(&e->workers[thief].parker);
}

/* Sleep until then, or until the run must end. Returns the time. */
static inline u64 engine_sleep(struct engine *e, u64 until_ns)
{
	u64 now = clock_mono_ns();

	while (now < until_ns && !engine_stopped(e)) {
		futex_wait_until(&e->stop, 0, until_ns);
		now = clock_mono_ns();
	}
	return now;
}

/* Thread bodies; the argument is the struct worker, the struct engine. */
void *worker_main(void *worker);
void *generator_main(void *engine);

/* The threads that the generator makes are no real-time threads: sched(7). */
static inline int generator_flags(const struct engine *e)
{
	return e->spec.executor == EXECUTOR_SPAWN ? SCHED_RESET_ON_FORK : 0;
}

static inline bool engine_spawns(const struct engine *e)
{
	return e->spec.executor == EXECUTOR_SPAWN;
}

/* The calling thread becomes a worker: its name, cgroup, CPU, class, mark. */
struct failure worker_set_up(struct worker *w);

/* Touch the calling thread's stack, so that the run meets no page fault on it. */
void stack_prefault(void);
/* Size of a thread's stack, and how much of it stack_prefault() touches. */
#define THREAD_STACK_BYTES   (256 * 1024)
#define THREAD_STACK_TOUCHED (64 * 1024)

#endif
