/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Partitions that move in a live run: who is lost and who is delivered again is what the rule says
 * of the starts and ends in the trace; every item ends; the partitions are where they should be.
 */
#include "run_cell.h"

enum { WORKERS = 4, PARTITIONS = 12 };

struct seen {
	u64 start_ns, done_ns; /* of the first delivery, from the start of the stream */
	u32 key, starts, ends, outcome, abandoned, repeated;
};

struct book {
	struct seen *items;
	u32 wrong_queue, starts_in_stop;
};

static u64 base_of(const struct cell_run *c)
{
	return trace_info(c->reader)->base_ns;
}

/* A worker may have asked a moment before the move and started a moment after: a worker meets the
 * others only then. So the queue is judged by whether the worker has paused since. */
static void note_start(struct book *b, const struct event *ev, u64 at_ns, bool moved)
{
	struct seen *x = &b->items[ev->item];
	u32 owner = x->key % PARTITIONS % WORKERS;

	if (!x->starts++)
		x->start_ns = at_ns;
	if (moved)
		owner = reassign_owner(x->key % PARTITIONS, WORKERS);
	b->wrong_queue += owner != ev->worker;
}

static void read_events(struct book *b, const struct cell_run *c)
{
	bool moved[WORKERS] = {false};
	u64 resume_ns[WORKERS] = {0};

	for (u32 i = 0; i < c->nr; i++) {
		const struct event *ev = &c->events[i];
		u64 at_ns = ev->time_ns - base_of(c);
		struct seen *x = &b->items[ev->item == NONE32 ? 0 : ev->item];

		if (ev->kind == EVENT_SUBMIT) {
			x->key = ev->submit.key;
			x->abandoned += ev->submit.delivery == DELIVERY_ABANDONED;
			x->repeated += ev->submit.delivery == DELIVERY_REPEATED;
		} else if (ev->kind == EVENT_PAUSE) {
			moved[ev->worker] = true;
			resume_ns[ev->worker] = ev->pause.until_ns;
		} else if (ev->kind == EVENT_START) {
			note_start(b, ev, at_ns, moved[ev->worker]);
			b->starts_in_stop += ev->time_ns < resume_ns[ev->worker];
		} else if (ev->kind == EVENT_DONE && ev->done.outcome != OUTCOME_ABANDONED &&
			   !x->ends++) {
			x->done_ns = at_ns;
			x->outcome = ev->done.outcome;
		}
	}
}

/* What the rule says, by the first service; ends at the very moment may be seen either way. */
static enum fate fate_of(const struct reassign_config *cfg, const struct seen *x)
{
	bool ended = !x->abandoned && x->ends && x->outcome != OUTCOME_LOST;

	if (!x->starts || (ended && x->start_ns >= cfg->at_ns))
		return FATE_KEPT;
	return reassign_fate(cfg, x->start_ns, ended);
}

static void check(const char *commit)
{
	char word[64];
	char *words[] = {"workload.rate=1000/s",
			 "workload.duration=2s",
			 "workload.cost=5ms",
			 "workload.keys=1200",
			 "workload.partitions=12",
			 "workload.cold_pick=uniform",
			 "dispatch.design=partition",
			 "workers.count=4",
			 "reassign.at=1s",
			 "reassign.for=50ms",
			 "hot.keys=0",
			 word};
	struct book b = {0};
	struct cell_run c;
	u32 lost = 0, again = 0, wrong = 0, ended = 0, abandoned = 0, total;

	snprintf(word, sizeof(word), "reassign.commit=%s", commit);
	cell_load(&c, words, (int)ARRAY_SIZE(words));
	cell_run(&c, false);
	CHECK(!c.rc, "%s: the run ends", commit);
	total = (u32)(c.scaled.workload.rate *
		      2); /* more than the workers can do: all are at work */
	b.items = calloc(c.nr + total + 1, sizeof(*b.items));
	read_events(&b, &c);
	for (u32 i = 0; i < total; i++) {
		const struct seen *x = &b.items[i];
		enum fate fate = fate_of(&c.scaled.reassign, x);

		wrong += (fate == FATE_LOST) != (x->outcome == OUTCOME_LOST);
		wrong += (fate == FATE_AGAIN) != (x->abandoned + x->repeated == 1);
		lost += x->outcome == OUTCOME_LOST;
		abandoned += x->abandoned;
		again += x->abandoned + x->repeated;
		ended += x->ends > 0;
	}
	printf("# %s: %u lost, %u abandoned, %u again in all\n", commit, lost, abandoned, again);
	CHECK(!wrong, "%s: lost and again are those that the rule says (%u are not)", commit,
	      wrong);
	CHECK(ended == total, "%s: all of %u items end (%u)", commit, total, ended);
	CHECK(lost + again > 0, "%s: somebody was in service", commit);
	CHECK(!b.wrong_queue, "%s: partitions are where they should be (%u starts are not)", commit,
	      b.wrong_queue);
	CHECK(!b.starts_in_stop, "%s: nobody starts before the stop is over", commit);
	free(b.items);
	cell_free(&c);
}

int main(void)
{
	check("before");
	check("after");
	check("interval:300ms");
	return tap_done();
}
