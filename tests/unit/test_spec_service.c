// SPDX-License-Identifier: GPL-2.0-only
/* Steps, resources, executors, pauses: what a cell gets, how it scales, and what is refused. */
#include "spec/options.h"
#include "tap.h"

#include <string.h>

#define WORDS_MAX 6

static struct grid *load(const char *const *words, struct spec_error *err)
{
	struct grid *g;
	int n = 0;

	while (n < WORDS_MAX && words[n])
		n++;
	err->text[0] = 0;
	grid_load(&g, NULL, (char *const *)words, n, err);
	return g;
}

static struct grid *parse(const char *text)
{
	struct spec_error err = {0};
	struct grid *g;

	if (grid_parse(&g, text, "f", &err))
		printf("# %s\n", err.text);
	return g;
}

static bool is_step(const struct spec *s, u32 i, u32 kind, u64 ns, const char *name)
{
	const struct step *step = &s->workload.steps[i];

	return step->kind == kind && step->ns == ns &&
	       (!name || !strcmp(s->workload.resources[step->resource].name, name));
}

static const char service[] = "[workload]\n"
			      "steps = cpu 4ms+lock table 1ms + call db 50ms +\n\twait 0.5s\n"
			      "timeout = 5s\nnull = 10%\narrivals = burst\n"
			      "[resource.db]\ncapacity = 13\nqueue = 0\ndist = lognormal:0.5\n"
			      "[resource.cache]\ndist = uniform:25%\n"
			      "[burst]\nevery = 2s\nfor = 500ms\n"
			      "[dispatch]\nexecutor = async\nlimit = 100\ndesign = key\n"
			      "buffer = 7\nnull = unordered\nbalance = least\n"
			      "[workers]\nreplicas = 3\n"
			      "[pause]\nevery = 45s\nfor = 1.2s\n"
			      "[jitter]\nevery = 10s\nfor = 300ms\nstep = 3\n"
			      "[stall]\nat = 5s\nfor = 2s\nkey = 7\n";

static void test_service(void)
{
	struct grid *g = parse(service);
	const struct spec *s = g ? grid_cell(g, 0) : NULL;
	const struct workload_config *w = s ? &s->workload : NULL;

	if (!CHECK(s, "it parses"))
		return;
	CHECK(w->nr_steps == 4 && is_step(s, 0, STEP_CPU, 4000000, NULL) &&
		      is_step(s, 1, STEP_LOCK, 1000000, "table") &&
		      is_step(s, 2, STEP_CALL, 50000000, "db") &&
		      is_step(s, 3, STEP_WAIT, 500000000, NULL),
	      "four steps, over two lines");
	CHECK(w->cost_ns == 555 * NSEC_PER_MSEC, "the cost is their sum");
	CHECK(w->nr_resources == 3 && !strcmp(w->resources[0].name, "cache") &&
		      !strcmp(w->resources[1].name, "db") && !strcmp(w->resources[2].name, "table"),
	      "resources are sorted by name");
	CHECK(w->resources[1].capacity == 13 && w->resources[1].queue == 0 &&
		      w->resources[1].dist == RESOURCE_LOGNORMAL && w->resources[1].sigma == 0.5 &&
		      !w->resources[1].lock,
	      "what a section says");
	CHECK(w->resources[0].capacity == 1 && w->resources[0].queue == RESOURCE_QUEUE_NEVER &&
		      w->resources[0].dist == RESOURCE_UNIFORM && w->resources[0].jitter == 0.25,
	      "and what it does not");
	CHECK(w->resources[2].lock && w->resources[2].capacity == 1, "a lock needs no section");
	CHECK(w->timeout_ns == 5 * NSEC_PER_SEC && w->null_share == 0.1 &&
		      w->arrivals == ARRIVALS_BURST && w->burst_every_ns == 2 * NSEC_PER_SEC &&
		      w->burst_for_ns == 500 * NSEC_PER_MSEC,
	      "the stream");
	CHECK(s->executor == EXECUTOR_ASYNC && s->limit == 100 && s->buffer == 7 &&
		      s->null_unordered && s->balance == BALANCE_LEAST && s->workers.replicas == 3,
	      "dispatch");
	CHECK(w->pauses.every_ns == 45 * NSEC_PER_SEC && w->pauses.for_ns == 1200 * NSEC_PER_MSEC &&
		      w->pauses.jitter_every_ns == 10 * NSEC_PER_SEC &&
		      w->pauses.jitter_for_ns == 300 * NSEC_PER_MSEC && w->pauses.jitter_step == 3,
	      "pauses");
	CHECK(w->pauses.stall_at_ns == 5 * NSEC_PER_SEC &&
		      w->pauses.stall_for_ns == 2 * NSEC_PER_SEC && w->pauses.stall_key == 7,
	      "a stall");
	CHECK(spec_workers(s) == 24 && spec_balancer(s, NULL).dispatch.limit == 100, "views");
	grid_free(g);
}

static void test_printed(void)
{
	struct grid *g = parse(service), *again;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	spec_print(grid_cell(g, 0), f);
	fclose(f);
	CHECK(strstr(text, "\nsteps = cpu 4ms + lock table 1ms + call db 50ms + wait 500ms\n"),
	      "steps as they are written");
	CHECK(strstr(text, "[resource.cache]\ncapacity = 1\nqueue = none\ndist = uniform:25%\n\n"
			   "[resource.db]\ncapacity = 13\nqueue = 0\ndist = lognormal:0.5\n"),
	      "a section for each resource");
	CHECK(!strstr(text, "table]") && !strstr(text, "\nwork =") && !strstr(text, "cost = 5"),
	      "none for a lock, and nothing that does not count");
	again = parse(text);
	CHECK(again && !memcmp(grid_cell(g, 0), grid_cell(again, 0), sizeof(struct spec)),
	      "printed and read it is the same cell, bit by bit");
	grid_free(again);
	grid_free(g);
	free(text);
}

static void test_scaled(void)
{
	static const char *const words[WORDS_MAX] = {
		"run.time_scale=0.1", "workload.partitions=4", "dispatch.design=partition",
		"reassign.at=3s",     "reassign.for=1s",       "reassign.commit=interval:500ms"};
	struct spec_error err;
	struct grid *g = parse(service), *h = load(words, &err);
	struct spec s = *grid_cell(g, 0);

	s.run.time_scale = 0.1;
	s = spec_scaled(&s);
	CHECK(is_step(&s, 0, STEP_CPU, 400000, NULL) && is_step(&s, 3, STEP_WAIT, 50000000, NULL) &&
		      s.workload.timeout_ns == 500 * NSEC_PER_MSEC,
	      "steps and time-out scale");
	CHECK(s.workload.burst_every_ns == 200 * NSEC_PER_MSEC &&
		      s.workload.burst_for_ns == 50 * NSEC_PER_MSEC,
	      "so do bursts");
	CHECK(s.workload.pauses.every_ns == 4500 * NSEC_PER_MSEC &&
		      s.workload.pauses.for_ns == 120 * NSEC_PER_MSEC &&
		      s.workload.pauses.jitter_every_ns == NSEC_PER_SEC &&
		      s.workload.pauses.jitter_for_ns == 30 * NSEC_PER_MSEC &&
		      s.workload.pauses.stall_at_ns == 500 * NSEC_PER_MSEC &&
		      s.workload.pauses.stall_for_ns == 200 * NSEC_PER_MSEC,
	      "and pauses");
	grid_free(g);
	s = spec_scaled(grid_cell(h, 0));
	CHECK(s.reassign.at_ns == 300 * NSEC_PER_MSEC && s.reassign.for_ns == 100 * NSEC_PER_MSEC &&
		      s.reassign.commit == COMMIT_INTERVAL &&
		      s.reassign.interval_ns == 50 * NSEC_PER_MSEC,
	      "and a reassignment");
	grid_free(h);
}

static void test_axes(void)
{
	static const char *const words[WORDS_MAX] = {
		"resource.db.capacity=13,26", "workload.steps=cpu 4ms + call db 50ms, call db 5ms"};
	static const char *const spawn[WORDS_MAX] = {"dispatch.executor=spawn",
						     "workers.replicas=3"};
	static const char *const idle[WORDS_MAX] = {
		"dispatch.design=shared,key", "dispatch.buffer=5", "workload.steps=none,wait 1ms",
		"workload.cost=3ms"};
	struct spec_error err;
	struct grid *g = load(words, &err);

	if (!CHECK(g && grid_cells(g) == 4, "a resource's key and the steps are axes %s", err.text))
		return;
	CHECK(!strcmp(grid_axis_name(g, 0), "resource.db.capacity") &&
		      !strcmp(grid_axis_value(g, 0, 2), "26"),
	      "an axis has the whole name of its key");
	CHECK(grid_cell(g, 3)->workload.resources[0].capacity == 26 &&
		      is_step(grid_cell(g, 3), 0, STEP_CALL, 5000000, "db"),
	      "and the cell its values");
	grid_free(g);
	g = load(spawn, &err);
	CHECK(g && spec_workers(grid_cell(g, 0)) == SPAWN_WORKERS / 3 * 3 &&
		      spec_balancer(grid_cell(g, 0), NULL).dispatch.workers == SPAWN_WORKERS / 3,
	      "spawned threads are bounded, not counted");
	CHECK(g && spec_home(grid_cell(g, 0)).queues == grid_cell(g, 0)->workers.count,
	      "and whose neighbour a key is does not hang on how many there may be");
	grid_free(g);
	g = load(idle, &err);
	CHECK(g && !grid_cell(g, 0)->buffer && grid_cell(g, 2)->buffer == 5 &&
		      grid_cell(g, 0)->workload.cost_ns == 3 * NSEC_PER_MSEC &&
		      grid_cell(g, 1)->workload.cost_ns == NSEC_PER_MSEC,
	      "what does not count in a cell is forgotten there %s", err.text);
	grid_free(g);
	g = load((const char *const[WORDS_MAX]){"dispatch.design=key:partition",
						"workload.partitions=2", "dispatch.buffer=5"},
		 &err);
	CHECK(g && grid_cell(g, 0)->buffer == 5, "key:partition has a buffer %s", err.text);
	grid_free(g);
}

static const struct {
	const char *words[WORDS_MAX], *message;
} bad[] = {
	{{"workload.steps=cpu"}, "has a cpu step that is not written as in cpu 5ms"},
	{{"workload.steps=call db"}, "has a call step that is not written as in call NAME 5ms"},
	{{"workload.steps=cpu 5ms 6ms"}, "has a cpu step that is not written as in cpu 5ms"},
	{{"workload.steps=cpu 5ms +"}, "has an empty step; take a + out"},
	{{"workload.steps=cpx 5ms"},
	 "has the step 'cpx', which is not one of cpu, wait, call, lock; did you mean cpu?"},
	{{"workload.steps=cpu 5"}, "has a cpu step whose time '5' needs a unit: ns, us, ms, s"},
	{{"workload.steps=cpu 0s"}, "has a cpu step of 0s, out of range: 1ns to 1h"},
	{{"workload.steps=wait 2h"}, "has a wait step of 2h, out of range: 1ns to 1h"},
	{{"workload.steps=cpu 1s+cpu 1s+cpu 1s+cpu 1s+cpu 1s"},
	 "has more than 4 steps; join some of them"},
	{{"workload.steps=call d/b 5ms"},
	 "has the name 'd/b': a letter, then letters, digits, _ and -, at most 23 in all"},
	{{"workload.steps=call db 5ms", "resource.dv.capacity=2"},
	 "workload.steps = call db 5ms calls db, which no section defines; did you mean dv?"},
	{{"workload.steps=call db 5ms"},
	 "workload.steps = call db 5ms calls db, which no section defines; write capacity = N "
	 "under "
	 "[resource.db]"},
	{{"workload.steps=lock db 5ms", "resource.db.capacity=2"},
	 "argument 'workload.steps=lock db 5ms': workload.steps = 'lock db 5ms' has db as a lock, "
	 "and it is a resource as well; give one of them another name"},
	{{"workload.steps=lock a 1s + call a 1s"}, "has a as a lock, and it is a resource as well"},
	{{"workload.steps=wait 1ms", "workload.cost=2ms"},
	 "argument 'workload.cost=2ms': workload.cost has no effect with workload.steps; take one "
	 "of them out"},
	{{"workload.steps=wait 1ms", "workload.work=cpu"},
	 "workload.work has no effect with workload.steps"},
	{{"workload.partitions=4", "dispatch.hash=mod"},
	 "dispatch.hash has no effect with workload.partitions"},
	{{"workload.partitions=4", "hot.placement=spread"},
	 "hot.placement has no effect with workload.partitions"},
	{{"workload.partitions=4", "hot.neighbours=5"},
	 "hot.neighbours = 5 with workload.partitions: a key's partition says its queue; set one "
	 "of the two to its default"},
	{{"resource.db.capacity=0"},
	 "argument 'resource.db.capacity=0': resource.db.capacity = '0' is out of range: 1 to "
	 "65536"},
	{{"resource.db.capcity=2"},
	 "argument 'resource.db.capcity=2': unknown key resource.db.capcity; did you mean "
	 "resource.db.capacity?"},
	{{"resorce.db.capacity=2"},
	 "unknown key resorce.db.capacity; did you mean "
	 "resource.db.capacity?"},
	{{"resource.capacity=2"},
	 "unknown key resource.capacity; did you mean resource.NAME.capacity?"},
	{{"resource.db.zzz=2"},
	 "unknown key resource.db.zzz; the keys of [resource.db] are capacity queue dist"},
	{{"resource.db.dist=uniform"}, "needs its parameter: uniform:J%"},
	{{"workload.null=60%", "hot.share=50%"},
	 "workload.null = 60% and a share of 0.5 for hot keys are more than all arrivals; lower "
	 "either"},
	{{"dispatch.null=unordered"},
	 "argument 'dispatch.null=unordered': dispatch.null has no effect without workload.null; "
	 "give both or neither"},
	{{"dispatch.balance=least"}, "dispatch.balance has no effect without workers.replicas"},
	{{"burst.for=1s"}, "burst.for has no effect without workload.arrivals = burst; give"},
	{{"workload.arrivals=burst", "burst.for=1.5s"},
	 "burst.for = 1500ms is longer than burst.every = 1s; lower burst.for"},
	{{"dispatch.design=shared,partition", "dispatch.buffer=5"},
	 "argument 'dispatch.buffer=5': dispatch.buffer has no effect with dispatch.design = "
	 "shared,partition; write one there that has a buffer (key, key:partition), or take "
	 "dispatch.buffer out"},
	{{"dispatch.buffer=5"},
	 "argument 'dispatch.buffer=5': dispatch.buffer has no effect with dispatch.design = "
	 "shared, the default; write one there that has a buffer (key, key:partition), or take "
	 "dispatch.buffer out"},
	{{"workers.carriers=2"},
	 "workers.carriers has no effect without dispatch.executor = async; give both or neither"},
	{{"dispatch.design=partition", "dispatch.executor=spawn"},
	 "dispatch.design = partition has a queue for each worker, and dispatch.executor = spawn "
	 "has no workers; choose a design with one queue, as shared or key"},
	{{"pause.for=1s"}, "pause.for has no effect without pause.every; give both or neither"},
	{{"pause.every=1s"}, "pause.every has no effect without pause.for; give both or neither"},
	{{"pause.every=1s", "pause.for=1s"},
	 "pause.for = 1s is not shorter than pause.every = 1s, so nothing would ever go on; lower "
	 "pause.for"},
	{{"jitter.every=1s", "jitter.for=2s"}, "jitter.for = 2s is not shorter than jitter.every"},
	{{"jitter.every=2s", "jitter.for=1s", "jitter.step=1"},
	 "jitter.step = 1: a service has 1 step(s), and the last one is 0; lower jitter.step or "
	 "add to workload.steps"},
	{{"stall.key=3"}, "stall.key has no effect without stall.for; give both or neither"},
	{{"stall.for=1s", "stall.key=200"},
	 "stall.key = 200 with workload.keys = 200: the last key is 199; lower stall.key"},
	{{"reassign.at=1s"},
	 "reassign.at = 1s without partitions: there is nothing to move; set workload.partitions"},
	{{"reassign.at=1s", "workload.partitions=4"},
	 "reassign.at = 1s: partitions move between workers that have them; set dispatch.design = "
	 "partition, dispatch.executor = thread and workers.replicas = 1"},
	{{"reassign.commit=before"}, "reassign.commit has no effect without reassign.at"},
};

static void test_bad(void)
{
	struct spec_error err;
	struct grid *g;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		g = load(bad[i].words, &err);
		if (!CHECK(!g && strstr(err.text, bad[i].message), "%s", bad[i].message))
			printf("# got: %s\n", err.text);
		grid_free(g);
	}
}

static void test_files(void)
{
	static const struct {
		const char *text, *message;
	} files[] = {
		{"[resource]\n", "f:1: unknown section [resource]; did you mean [resource.NAME]?"},
		{"[resource.]\n",
		 "f:1: unknown section [resource.]; did you mean [resource.NAME]?"},
		{"[resource.a.b]\n", "f:1: unknown section [resource.a.b]; did you mean"},
		{"[resource.d b]\n", "f:1: unknown section [resource.d b]; did you mean"},
		{"[resorce.db]\n",
		 "f:1: unknown section [resorce.db]; did you mean [resource.db]?"},
		{"[resource.db]\nqueue = 1\n[resource.db]\nqueue = 2\n",
		 "f:4: resource.db.queue is given twice, first on line 2; keep one"},
	};
	struct spec_error err;
	struct grid *g;
	char text[2048];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int rc = grid_parse(&g, files[i].text, "f", &err);

		if (!CHECK(rc && !g && strstr(err.text, files[i].message), "%s", files[i].message))
			printf("# got: %s\n", err.text);
		grid_free(g);
	}
	for (u32 i = 0; i < 9; i++)
		n += (size_t)sprintf(text + n, "[resource.r%u]\ncapacity = 1\n", i);
	CHECK(grid_parse(&g, text, "f", &err) &&
		      strstr(err.text, "f:18: resource.r8.capacity = '1' makes r8 one more than 8 "
				       "resources and locks; take one out"),
	      "nine resources: %s", err.text);
}

int main(void)
{
	test_service();
	test_printed();
	test_scaled();
	test_axes();
	test_bad();
	test_files();
	return tap_done();
}
