/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every design with what may be put around it (a limit, a buffer, items without a key, replicas,
 * light threads) on real threads: every item ends once, and the log replayed through the policy
 * gives the same decisions.
 */
#include "replay.h"

#define WORDS_MAX 20
#define COST	  "workload.cost=15ms"

struct variant {
	const char *name;
	u32 traits; /* of the designs that can have it; 0: all can */
	const char *words[8];
};

static const struct variant variants[] = {
	{"limit", 0, {COST, "dispatch.limit=2"}},
	{"limit, least of two",
	 0,
	 {COST, "dispatch.limit=2", "workers.replicas=2", "dispatch.balance=least"}},
	{"buffer", DISPATCH_ONE_QUEUE | DISPATCH_KEEPS_ORDER, {COST, "dispatch.buffer=6"}},
	{"no keys", 0, {COST, "workload.null=30%"}},
	{"no keys, unordered", 0, {COST, "workload.null=30%", "dispatch.null=unordered"}},
	{"two replicas", 0, {COST, "workers.replicas=2"}},
	{"least of two", 0, {COST, "workers.replicas=2", "dispatch.balance=least"}},
	{"light threads",
	 0,
	 {"dispatch.executor=async",
	  "workload.steps=cpu 300us + wait 20ms + call db 20ms + lock table 300us",
	  "resource.db.capacity=8"}},
	{"light threads, limit, time-out, pauses",
	 0,
	 {"dispatch.executor=async",
	  "workload.steps=cpu 300us + call db 50ms + lock table 300us + wait 10ms",
	  "resource.db.capacity=8", "dispatch.limit=12", "workload.timeout=70ms",
	  "pause.every=700ms", "pause.for=50ms"}},
};

static bool goes_with(const struct dispatch_ops *ops, const struct variant *v)
{
	return (ops->traits & v->traits) == v->traits;
}

static void check_ends(const struct cell_run *c, const char *name)
{
	u32 nr = cell_count(c, EVENT_SUBMIT), once = 0;
	u32 *ends = calloc(nr + 1, sizeof(*ends));

	if (!ends)
		abort();
	for (u32 i = 0; i < c->nr; i++)
		if (c->events[i].kind == EVENT_DONE)
			ends[c->events[i].item < nr ? c->events[i].item : nr]++;
	for (u32 i = 0; i < nr; i++)
		once += ends[i] == 1;
	CHECK(nr == 400 && once == nr && !cell_count(c, EVENT_LOST),
	      "%s: each of %u items ends once, nothing is lost", name, nr);
	free(ends);
}

static void check_variant(const struct dispatch_ops *ops, const struct variant *v)
{
	char design[64], name[96];
	char *words[WORDS_MAX] = {design,
				  "workload.rate=200/s",
				  "workload.duration=2s",
				  "workload.keys=20",
				  "hot.share=20%",
				  "dispatch.threshold=20ms",
				  "run.time_scale=0.1",
				  "workers.count=4"};
	u32 nr = 8, decisions, wrong;
	struct cell_run c;

	snprintf(design, sizeof(design), "dispatch.design=%s", ops->name);
	snprintf(name, sizeof(name), "%s, %s", ops->name, v->name);
	for (u32 i = 0; i < ARRAY_SIZE(v->words) && v->words[i]; i++)
		words[nr++] = (char *)v->words[i];
	cell_load(&c, words, (int)nr);
	cell_run(&c, false);
	CHECK(!c.rc && c.reader && !trace_damage(c.reader)->incomplete, "%s: runs", name);
	check_ends(&c, name);
	wrong = replay(&c, &decisions);
	CHECK(decisions > 800 && !wrong, "%s: replayed, %u of %u decisions differ", name, wrong,
	      decisions);
	cell_free(&c);
}

int main(void)
{
	const struct dispatch_ops *ops;

	for (u32 i = 0; (ops = dispatch_nth(i)); i++)
		for (u32 v = 0; v < ARRAY_SIZE(variants); v++)
			if (goes_with(ops, &variants[v]))
				check_variant(ops, &variants[v]);
	return tap_done();
}
