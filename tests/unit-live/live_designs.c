/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every design on the real kernel, without a probe: every item once, times in order, order where it
 * is promised, and the log replayed through the policy.
 */
#include "replay.h"

struct item_times {
	u64 due, submit, start, done;
	u32 key, seq, times; /* how often submitted, started, done: 1 each, in decimal places */
};

static struct item_times *collect(const struct cell_run *c, u32 nr)
{
	struct item_times *t = calloc(nr + 1, sizeof(*t));

	if (!t)
		abort();
	for (u32 i = 0; i < c->nr; i++) {
		const struct event *ev = &c->events[i];
		struct item_times *x = &t[ev->item < nr ? ev->item : nr];

		if (ev->kind == EVENT_SUBMIT) {
			x->due = ev->submit.due_ns;
			x->submit = ev->time_ns;
			x->times += 1;
		} else if (ev->kind == EVENT_START) {
			x->start = ev->time_ns;
			x->times += 10;
		} else if (ev->kind == EVENT_DONE) {
			x->done = ev->time_ns;
			x->times += 100;
		}
	}
	return t;
}

static void check_items(const struct cell_run *c, const char *name)
{
	u32 nr = cell_count(c, EVENT_SUBMIT), whole = 0, ordered = 0;
	struct item_times *t = collect(c, nr);

	for (u32 i = 0; i < nr; i++) {
		whole += t[i].times == 111;
		ordered += t[i].due <= t[i].submit && t[i].submit <= t[i].start &&
			   t[i].start <= t[i].done;
	}
	CHECK(nr > 500 && whole == nr, "%s: each of %u items submitted, started, done once", name,
	      nr);
	CHECK(ordered == nr, "%s: due, submit, start, done in order", name);
	free(t);
}

static void check_seqs(const struct cell_run *c, const char *name)
{
	u32 wanted = 0, wrong = 0;
	u64 highest = 0;
	bool *seen = calloc(c->nr + 1, sizeof(*seen));

	for (u32 i = 0; i < c->nr; i++) {
		u64 seq = c->events[i].seq;

		if (!seq)
			continue;
		wanted++;
		highest = seq > highest ? seq : highest;
		if (seq > c->nr || seen[seq])
			wrong++;
		else
			seen[seq] = true;
	}
	CHECK(!wrong && highest == wanted, "%s: seqs 1 to %u, each once", name, wanted);
	free(seen);
}

/* Ends below the highest seq that had ended for their key. */
static u32 violations(const struct cell_run *c)
{
	u32 nr = cell_count(c, EVENT_SUBMIT), found = 0;
	u32 *highest = calloc(c->scaled.workload.keys, sizeof(*highest));
	u32 *key = calloc(nr + 1, sizeof(*key)), *seq = calloc(nr + 1, sizeof(*seq));

	for (u32 i = 0; i < c->nr; i++) {
		const struct event *ev = &c->events[i];

		if (ev->kind == EVENT_SUBMIT) {
			key[ev->item] = ev->submit.key;
			seq[ev->item] = ev->submit.key_seq;
		} else if (ev->kind == EVENT_DONE) {
			u32 *top = &highest[key[ev->item]];

			found += seq[ev->item] < *top;
			*top = seq[ev->item] > *top ? seq[ev->item] : *top;
		}
	}
	free(highest);
	free(key);
	free(seq);
	return found;
}

static void check_design(const struct dispatch_ops *ops)
{
	char design[64];
	char *words[] = {design,
			 "workload.rate=400/s",
			 "dispatch.threshold=100ms",
			 "workload.duration=20s",
			 "hot.load=1.5",
			 "hot.neighbours=50",
			 "run.time_scale=0.1",
			 "workers.count=4"};
	struct cell_run c;
	u32 decisions, wrong;

	snprintf(design, sizeof(design), "dispatch.design=%s", ops->name);
	cell_load(&c, words, ARRAY_SIZE(words));
	cell_run(&c, false);
	CHECK(!c.rc && c.reader, "%s: runs", ops->name);
	if (!c.reader) {
		cell_free(&c);
		return;
	}
	CHECK(!trace_damage(c.reader)->incomplete && !trace_damage(c.reader)->damaged,
	      "%s: the trace is whole", ops->name);
	CHECK(!cell_count(&c, EVENT_LOST), "%s: nothing lost", ops->name);
	check_items(&c, ops->name);
	check_seqs(&c, ops->name);
	CHECK(!(ops->traits & DISPATCH_KEEPS_ORDER) || !violations(&c), "%s: %u order violations",
	      ops->name, violations(&c));
	if (ops->traits & DISPATCH_STEALS)
		CHECK(cell_count(&c, EVENT_MOVE) > 20, "%s: steals, %u moves", ops->name,
		      cell_count(&c, EVENT_MOVE));
	CHECK(cell_count(&c, EVENT_ACCOUNT) == 2 * c.scaled.workers.count,
	      "%s: two accounts a worker", ops->name);
	wrong = replay(&c, &decisions);
	CHECK(decisions > 2000 && !wrong, "%s: replayed, %u of %u decisions differ", ops->name,
	      wrong, decisions);
	cell_free(&c);
}

int main(void)
{
	const struct dispatch_ops *ops;

	for (u32 i = 0; (ops = dispatch_nth(i)); i++)
		check_design(ops);
	return tap_done();
}
