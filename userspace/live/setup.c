/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/setup.h"

#include "live/rights.h"
#include "spec/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Logs are drained every few milliseconds: what a busy worker writes in ten times that, and a bound
 * on the memory of all together. */
#define LOG_RECORDS_MIN	 4096
#define LOG_RECORDS_MAX	 65536
#define LOG_RECORDS_SLOT 1024	       /* a slot's, whose pages come as they are touched */
#define LOG_BYTES_ALL	 (32ull << 20) /* each is rounded up: less than twice this */
/* Light threads of a carrier before it must get more memory. */
#define LIGHTS_FIRST 1024
/* The generator's log can hold a whole stream of this length: it may run without a pause. */
#define SUBMIT_RECORDS_MAX (1u << 20)

static int no_memory(const struct message *msg)
{
	return message_fail(msg, -ENOMEM,
			    "not enough memory for the run; use a shorter workload.duration or a "
			    "lower workload.rate");
}

static int read_items(struct engine *e, struct workload *stream)
{
	u32 size = 1024;

	e->items = malloc(size * sizeof(*e->items));
	while (e->items && workload_next(stream, &e->items[e->nr_items])) {
		struct item *bigger = e->items;

		if (++e->nr_items == size) {
			size = size > NONE32 / 2 ? NONE32 : 2 * size;
			bigger = realloc(e->items, size * sizeof(*e->items));
		}
		if (!bigger || e->nr_items == size)
			break;
		e->items = bigger;
	}
	return e->items && e->nr_items < size ? 0 : -ENOMEM;
}

/* The whole stream, before it starts: nothing is computed while it runs. */
static int make_items(struct engine *e, const struct message *msg)
{
	struct spec_error trouble;
	struct stream stream;
	int rc = stream_open(&stream, &e->spec, &trouble), error;

	if (rc)
		return message_fail(msg, rc, "%s", trouble.text);
	rc = read_items(e, &stream.workload);
	e->items_due = stream.items_due;
	error = stream_close(&stream, &trouble);
	if (error)
		return message_fail(msg, error, "%s", trouble.text);
	return rc ? no_memory(msg) : 0;
}

static int make_policy(struct engine *e, const struct message *msg)
{
	struct home_config home = spec_home(&e->spec);
	struct balancer_config cfg;
	int rc;

	e->home = calloc(home.keys, sizeof(*e->home));
	if (!e->home)
		return no_memory(msg);
	rc = home_assign(e->home, &home);
	if (rc)
		return message_fail(
			msg, rc,
			"hot.neighbours: %lld cold keys behind each hot queue cannot be "
			"had with these keys and workers",
			(long long)home.neighbours);
	cfg = spec_balancer(&e->spec, e->home);
	rc = balancer_init(&e->policy, &cfg);
	if (rc)
		return no_memory(msg);
	e->policy_ready = true;
	rc = locks_init(&e->locks, balancer_locks(&e->policy));
	if (!rc)
		rc = resources_init(&e->resources, &e->spec.workload);
	if (!rc)
		rc = reassign_init(e);
	return rc ? no_memory(msg) : 0;
}

static u64 clamp(u64 x, u64 low, u64 high)
{
	return x < low ? low : x > high ? high : x;
}

static u64 log_records(const struct engine *e, u32 workers)
{
	if (engine_spawns(e))
		return LOG_RECORDS_SLOT;
	return clamp(LOG_BYTES_ALL / workers / sizeof(struct record), LOG_RECORDS_MIN,
		     LOG_RECORDS_MAX);
}

static int make_workers(struct engine *e)
{
	u32 n = spec_workers(&e->spec);
	u64 records = log_records(e, n);
	size_t bytes = n * sizeof(*e->workers);
	int rc = 0;

	e->workers = aligned_alloc(_Alignof(struct worker), bytes);
	if (!e->workers)
		return -ENOMEM;
	memset(e->workers, 0, bytes);
	e->nr_workers = n;
	for (u32 i = 0; i < n && !rc; i++) {
		struct worker *w = &e->workers[i];

		w->engine = e;
		w->index = i;
		w->cpu = e->cpus.workers.cpu[i % e->cpus.workers.nr];
		rc = thread_log_init(&w->log, records, !engine_spawns(e));
		if (!rc && e->spec.executor == EXECUTOR_ASYNC)
			rc = lights_init(&w->lights, LIGHTS_FIRST);
	}
	return rc;
}

static int make_generator(struct engine *e)
{
	struct generator *g = &e->generator;
	double gap_ns =
		e->spec.workload.rate > 0 ? (double)NSEC_PER_SEC / e->spec.workload.rate : 0;

	g->cpu = e->cpus.generator;
	g->want_fifo = !e->cpus.shared && gap_ns >= (double)GENERATOR_RT_GAP_NS;
	return thread_log_init(&g->log, clamp(e->nr_items, LOG_RECORDS_MIN, SUBMIT_RECORDS_MAX),
			       true);
}

int engine_init(struct engine *e, const struct live_config *cfg, const struct message *msg)
{
	int rc;

	memset(e, 0, sizeof(*e));
	e->cfg = cfg;
	e->spec = spec_scaled(cfg->spec);
	e->spec.workload.seed += cfg->repeat;
	rc = cpu_plan_make(&e->cpus, e->spec.workers.cpus, cpu_plan_workers(&e->spec), msg);
	if (rc)
		return rc;
	rc = make_items(e, msg);
	if (rc)
		return rc;
	rc = make_policy(e, msg);
	if (rc)
		return rc;
	return make_workers(e) || make_generator(e) ? no_memory(msg) : 0;
}

int engine_drop_rights(const struct engine *e)
{
	return e->cfg->keep_rights ? 0 : rights_drop(e->keep);
}

void engine_fini(struct engine *e)
{
	spawner_fini(&e->spawner);
	thread_log_fini(&e->generator.log);
	for (u32 i = 0; i < e->nr_workers; i++) {
		thread_log_fini(&e->workers[i].log);
		lights_fini(&e->workers[i].lights);
	}
	free(e->workers);
	locks_fini(&e->locks);
	reassign_fini(e);
	resources_fini(&e->resources);
	if (e->policy_ready)
		balancer_fini(&e->policy);
	free(e->home);
	free(e->items);
	memset(e, 0, sizeof(*e));
}
