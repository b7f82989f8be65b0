/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Partitions that move in virtual time: who is lost and who is delivered again is recomputed from
 * the starts and ends that the events tell, and every item of the stream is accounted for.
 */
#include "sim/sim.h"
#include "tap.h"

#include <string.h>

enum { WORKERS = 4, PARTITIONS = 12, KEYS = 240, ITEMS = 1200 };
#define AT_NS	    (11 * NSEC_PER_SEC)
#define FOR_NS	    NSEC_PER_SEC
#define INTERVAL_NS (4 * NSEC_PER_SEC)

struct seen {
	u64 start_ns, done_ns; /* of the first delivery; 0: not */
	u32 key, key_seq, starts, ends, outcome, deliveries[DELIVERY_NR];
};

struct book {
	struct seen items[ITEMS];
	u32 next_seq[KEYS];
	u32 in_service, starts_in_stop, disorder, wrong_queue;
};

static void submitted(struct book *b, const struct event *ev)
{
	b->items[ev->item].key = ev->submit.key;
	b->items[ev->item].key_seq = ev->submit.key_seq;
	b->items[ev->item].deliveries[ev->submit.delivery]++;
}

static void started(struct book *b, const struct event *ev)
{
	struct seen *x = &b->items[ev->item];
	u32 owner = x->key % PARTITIONS % WORKERS;

	if (!x->starts++)
		x->start_ns = ev->time_ns;
	if (ev->time_ns >= AT_NS)
		owner = reassign_owner(x->key % PARTITIONS, WORKERS);
	b->wrong_queue += owner != ev->worker;
	b->starts_in_stop += ev->time_ns >= AT_NS && ev->time_ns < AT_NS + FOR_NS;
}

static int take(void *ctx, const struct event *ev)
{
	struct book *b = ctx;
	struct seen *x = &b->items[ev->kind == EVENT_DONE ? ev->item : 0];

	if (ev->kind == EVENT_SUBMIT) {
		submitted(b, ev);
	} else if (ev->kind == EVENT_START) {
		started(b, ev);
	} else if (ev->kind == EVENT_DONE && ev->done.outcome == OUTCOME_ABANDONED) {
		b->in_service++;
	} else if (ev->kind == EVENT_DONE) {
		b->in_service += ev->done.outcome == OUTCOME_LOST;
		if (!x->ends++) {
			x->done_ns = ev->time_ns;
			x->outcome = ev->done.outcome;
			b->disorder += x->key_seq < b->next_seq[x->key];
			b->next_seq[x->key] = x->key_seq + 1;
		}
	}
	return 0;
}

static void run(struct book *b, const struct reassign_config *reassign)
{
	struct workload_config stream_cfg = {.seed = 1,
					     .keys = KEYS,
					     .rate = 60,
					     .duration_ns = 20 * NSEC_PER_SEC,
					     .cold_pick = COLD_UNIFORM,
					     .cost_ns = 55 * NSEC_PER_MSEC,
					     .jitter = 0.5,
					     .partitions = PARTITIONS};
	struct event_sink sink = {take, b};
	struct workload stream;
	struct balancer policy;
	u32 home[KEYS];
	struct balancer_config cfg = {.dispatch = {.ops = dispatch_find("partition", 0),
						   .workers = WORKERS,
						   .keys = KEYS,
						   .home = home,
						   .null_key = NONE32,
						   .partitions = PARTITIONS},
				      .replicas = 1};

	memset(b, 0, sizeof(*b));
	for (u32 key = 0; key < KEYS; key++)
		home[key] = key % PARTITIONS % WORKERS;
	if (workload_init(&stream, &stream_cfg) || balancer_init(&policy, &cfg))
		exit(EXIT_FAILURE);
	CHECK(!sim_run(&(struct sim_config){
		      .stream = &stream, .policy = &policy, .sink = &sink, .reassign = reassign}),
	      "it runs to its end");
	balancer_fini(&policy);
	workload_fini(&stream);
}

/* What the rule says of an item, by its first start and end. */
static enum fate fate_of(const struct reassign_config *cfg, const struct seen *x)
{
	u64 committed_ns = AT_NS / INTERVAL_NS * INTERVAL_NS;
	bool begun = x->start_ns && x->start_ns <= AT_NS;
	bool ended = x->ends && x->done_ns <= AT_NS && x->outcome != OUTCOME_LOST;

	if (!begun)
		return FATE_KEPT;
	if (cfg->commit == COMMIT_BEFORE)
		return ended ? FATE_KEPT : FATE_LOST;
	if (cfg->commit == COMMIT_AFTER)
		return ended ? FATE_KEPT : FATE_AGAIN;
	if (x->start_ns > committed_ns)
		return FATE_AGAIN;
	return ended ? FATE_KEPT : FATE_LOST;
}

static void check(enum commit commit, const char *name)
{
	struct reassign_config cfg = {
		.at_ns = AT_NS, .for_ns = FOR_NS, .commit = commit, .interval_ns = INTERVAL_NS};
	u32 lost = 0, again = 0, wrong = 0, ended = 0, firsts = 0;
	static struct book b;

	run(&b, &cfg);
	for (u32 i = 0; i < ITEMS; i++) {
		const struct seen *x = &b.items[i];
		enum fate fate = fate_of(&cfg, x);
		u32 more = x->deliveries[DELIVERY_ABANDONED] + x->deliveries[DELIVERY_REPEATED];

		wrong += (fate == FATE_LOST) != (x->outcome == OUTCOME_LOST);
		wrong += (fate == FATE_AGAIN) != (more == 1);
		lost += x->outcome == OUTCOME_LOST;
		again += more;
		ended += x->ends > 0;
		firsts += x->deliveries[DELIVERY_FIRST];
	}
	printf("# %s: %u in service, %u lost, %u again\n", name, b.in_service, lost, again);
	CHECK(b.in_service > 0, "%s: somebody was in service", name);
	CHECK(!wrong, "%s: lost and again are those that the rule says (%u are not)", name, wrong);
	CHECK(firsts == ITEMS && ended == ITEMS, "%s: every item is delivered, and ends", name);
	CHECK(commit != COMMIT_BEFORE || (lost == b.in_service && !again),
	      "%s: before loses just what is in service", name);
	CHECK(commit != COMMIT_AFTER || (again == b.in_service && !lost),
	      "%s: after repeats just what is in service", name);
	CHECK(commit != COMMIT_INTERVAL || again > b.in_service, "%s: interval repeats more", name);
	CHECK(!b.wrong_queue, "%s: partitions are where they should be", name);
	CHECK(!b.starts_in_stop, "%s: nothing starts while all stop", name);
	CHECK(!b.disorder, "%s: first ends are in the order of their key", name);
}

int main(void)
{
	check(COMMIT_BEFORE, "before");
	check(COMMIT_AFTER, "after");
	check(COMMIT_INTERVAL, "interval");
	return tap_done();
}
