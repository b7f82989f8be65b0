// SPDX-License-Identifier: GPL-2.0-only
#include "simulate.h"

#include "sim/sim.h"
#include "spec/stream.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_ITEMS 4096

struct simulation {
	const struct simulate_config *cfg;
	struct spec spec; /* scaled */
	struct trace_writer *trace;
	u64 done, total;
	struct spec_error trouble; /* with the stream; empty: none */
};

static int take(void *ctx, const struct event *ev)
{
	struct simulation *s = ctx;

	if (ev->kind == EVENT_DONE && ++s->done % PROGRESS_ITEMS == 0 && s->cfg->progress)
		s->cfg->progress(s->cfg->ctx, s->done, s->total);
	return trace_write(s->trace, 0, ev);
}

static int create_trace(struct simulation *s)
{
	const struct simulate_config *cfg = s->cfg;
	struct trace_info info = {.engine = TRACE_SIM,
				  .workers = spec_workers(&s->spec),
				  .keys = workload_keys(&s->spec.workload),
				  .cell = cfg->cell,
				  .repeat = cfg->repeat,
				  .seed = s->spec.workload.seed};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int rc;

	if (!f)
		return -ENOMEM;
	spec_print(cfg->spec, f);
	rc = fclose(f) ? -ENOMEM : trace_create(&s->trace, cfg->path, &info, text, 1);
	free(text);
	return rc;
}

static int run_policy(struct simulation *s, const u32 *home, struct workload *stream)
{
	struct balancer_config policy_cfg = spec_balancer(&s->spec, home);
	struct event_sink sink = {take, s};
	struct balancer policy;
	int rc = balancer_init(&policy, &policy_cfg);

	if (rc)
		return rc;
	rc = sim_run(&(struct sim_config){.stream = stream,
					  .policy = &policy,
					  .sink = &sink,
					  .executor = s->spec.executor,
					  .reassign = s->spec.reassign.at_ns ? &s->spec.reassign
									     : NULL});
	balancer_fini(&policy);
	return rc;
}

/* For the analysis, which cannot draw a recorded stream again. */
static int note_items_due(struct simulation *s, u64 count)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, count);
	return trace_note(s->trace, "items_due", text);
}

static int run_stream(struct simulation *s, const u32 *home)
{
	struct stream stream;
	int rc = stream_open(&stream, &s->spec, &s->trouble), error;

	if (rc)
		return rc;
	rc = run_policy(s, home, &stream.workload);
	if (!rc && stream.file)
		rc = note_items_due(s, stream.items_due);
	error = stream_close(&stream, &s->trouble);
	return rc ? rc : error;
}

static int run_traced(struct simulation *s, const u32 *home)
{
	int rc = create_trace(s), error;

	if (rc)
		return rc;
	rc = run_stream(s, home);
	error = trace_close(s->trace, !rc);
	return rc ? rc : error;
}

int simulate_run(const struct simulate_config *cfg, char *err, size_t err_len)
{
	struct simulation s = {.cfg = cfg, .spec = spec_scaled(cfg->spec)};
	struct home_config home_cfg;
	u32 *home = calloc(workload_keys(&s.spec.workload), sizeof(*home));
	int rc = home ? 0 : -ENOMEM;

	s.spec.workload.seed += cfg->repeat;
	s.total = (u64)(s.spec.workload.rate * (double)s.spec.workload.duration_ns / 1e9);
	home_cfg = spec_home(&s.spec);
	if (!rc)
		rc = home_assign(home, &home_cfg);
	if (!rc)
		rc = run_traced(&s, home);
	free(home);
	if (rc && *s.trouble.text)
		snprintf(err, err_len, "%s", s.trouble.text);
	else if (rc)
		snprintf(err, err_len, "%s: %s%s", cfg->path, strerror(-rc), trace_mend(rc));
	return rc;
}
