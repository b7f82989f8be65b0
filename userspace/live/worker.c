/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A worker: asks the policy for an item, serves it, asks again; parks when there is none. No
 * allocation, no system call and no lock but the queue's, beyond the wake-up and the work itself.
 */
#include "live/account.h"
#include "live/asking.h"
#include "live/carrier.h"
#include "live/serve.h"
#include "live/setup.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static struct item *meet_and_ask(struct worker *w, u64 *start_ns)
{
	reassign_meet(w);
	return ask_item(w, start_ns);
}

/* The next item, or NULL when the run ends. Told to steal or woken for an item: it asks. */
static struct item *next_item(struct worker *w, u64 *start_ns)
{
	struct engine *e = w->engine;
	struct item *it = meet_and_ask(w, start_ns);

	while (!it && !engine_stopped(e)) {
		u64 now = clock_mono_ns(), moves = reassign_at_ns(e);
		u64 again = balancer_ask_again(&e->policy, w->index, now);

		if (moves <= now) {
			it = meet_and_ask(w, start_ns);
		} else if (again <= now) {
			pause_worker(w);
			it = steal_item(w, start_ns);
		} else if (park(&w->parker, again < moves ? again : moves) && !engine_stopped(e)) {
			it = meet_and_ask(w, start_ns);
		}
	}
	return it;
}

static void work(struct worker *w)
{
	enum outcome outcome;
	struct item *it;
	u64 at_ns;

	while ((it = next_item(w, &at_ns))) {
		reassign_note_start(w->engine, it, at_ns);
		outcome = serve_item(w, it, &at_ns);
		if (outcome == SERVICE_CUT)
			break;
		end_item(w, it, at_ns, outcome);
		if (reassign_note_end(w->engine, it, outcome))
			__atomic_store_n(&w->finished, w->finished + 1, __ATOMIC_RELEASE);
		if (engine_stopped(w->engine))
			break;
	}
}

struct failure worker_set_up(struct worker *w)
{
	struct engine *e = w->engine;
	char name[16];
	int rc;

	snprintf(name, sizeof(name), "hb-worker-%u", w->index);
	pthread_setname_np(pthread_self(), name);
	if (!engine_spawns(e))
		w->tid = (u32)gettid();
	rc = placement_join(e->place);
	if (rc)
		return (struct failure){"join its cgroup", rc};
	rc = cpu_pin_self(w->cpu);
	if (rc)
		return (struct failure){"pin to its CPU", rc};
	/* The default slack of 50 us would be added to every wait that an item asks for. */
	if (prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0))
		return (struct failure){"set its timer slack", -errno};
	if (setpriority(PRIO_PROCESS, 0, e->spec.workers.nice))
		return (struct failure){"set workers.nice", -errno};
	rc = set_worker_policy(&e->spec.workers);
	if (rc)
		return (struct failure){"set workers.policy", rc};
	rc = e->probe ? probe_mark_self(e->probe) : 0;
	if (rc)
		return (struct failure){"be marked for the probe", rc};
	rc = engine_drop_rights(e);
	if (rc)
		return (struct failure){"drop its capabilities", rc};
	return (struct failure){0};
}

void *worker_main(void *arg)
{
	struct worker *w = arg;

	stack_prefault();
	w->failure = worker_set_up(w);
	if (!w->failure.error)
		account_read(&w->accounts[ACCOUNT_BEGIN]);
	__atomic_fetch_add(&w->engine->ready, 1, __ATOMIC_RELEASE);
	if (w->failure.error)
		return NULL;
	if (w->engine->spec.executor == EXECUTOR_ASYNC)
		carry_items(w);
	else
		work(w);
	account_read(&w->accounts[ACCOUNT_END]);
	return NULL;
}
