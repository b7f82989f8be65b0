/* SPDX-License-Identifier: GPL-2.0-only */
/* A small run as a text, a line an event, to be compared with what is written by hand. */
#ifndef HOLBENCH_TESTS_SIM_STORY_H
#define HOLBENCH_TESTS_SIM_STORY_H

#include <stdarg.h>
#include <stdio.h>

#include "tally.h"
#include "tap.h"

#define MS NSEC_PER_MSEC

static inline struct step step(u32 kind, u64 ms)
{
	return (struct step){.kind = kind, .ns = ms * MS};
}

struct story {
	char text[8192];
	u32 len;
	bool idles; /* IDLE, too */
};

__attribute__((format(printf, 2, 3))) static inline void story_add(struct story *st,
								   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	st->len += (u32)vsnprintf(st->text + st->len, sizeof(st->text) - st->len, fmt, ap);
	va_end(ap);
	if (st->len >= sizeof(st->text))
		abort();
}

static inline u64 story_ms(u64 ns)
{
	return ns / NSEC_PER_MSEC;
}

static inline void story_done(struct story *st, const struct event *ev)
{
	static const char *const outcomes[] = {[OUTCOME_SUCCEEDED] = "done",
					       [OUTCOME_TIMED_OUT] = "out",
					       [OUTCOME_REFUSED] = "no"};

	story_add(st, "%s %u", outcomes[ev->done.outcome], ev->item);
}

/* What the event says; in front of it there are its time, and `!` if it has a seq. */
static inline void story_event(struct story *st, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_START:
		story_add(st, "start %u on %u", ev->item, ev->worker);
		break;
	case EVENT_STEP:
		story_add(st, "step %u of %u", ev->step.index, ev->item);
		break;
	case EVENT_DONE:
		story_done(st, ev);
		break;
	case EVENT_IDLE:
		story_add(st, "idle %u", ev->worker);
		break;
	case EVENT_TAKE:
		story_add(st, "take %u r%u.%u %llu-%llu", ev->item, ev->take.resource,
			  ev->take.slot, (unsigned long long)story_ms(ev->take.from_ns),
			  (unsigned long long)story_ms(ev->take.until_ns));
		break;
	case EVENT_PAUSE:
		story_add(st, "pause %d on %u until %llu", (int)ev->item, ev->worker,
			  (unsigned long long)story_ms(ev->pause.until_ns));
		break;
	case EVENT_ADMIT:
		story_add(st, "admit %u to %u", ev->item, ev->admit.queue);
		break;
	default:
		story_add(st, "kind %u", ev->kind);
	}
}

static inline int story_take(void *ctx, const struct event *ev)
{
	struct story *st = ctx;
	bool always = ev->kind == EVENT_START || ev->kind == EVENT_IDLE || ev->kind == EVENT_ADMIT;

	if (ev->kind == EVENT_SUBMIT || (ev->kind == EVENT_IDLE && !st->idles))
		return 0;
	story_add(st, "%llu %s", (unsigned long long)story_ms(ev->time_ns),
		  ev->seq && !always ? "!" : "");
	story_event(st, ev);
	story_add(st, "\n");
	return 0;
}

/* Items due at these ms, with these costs in ms (the sum of their steps), of these keys. */
struct script {
	const u32 *due, *cost, *key; /* key NULL: item i is of key i */
	u32 nr, next;
};

static inline bool script_next(void *ctx, struct arrival *a)
{
	struct script *s = ctx;

	if (s->next == s->nr)
		return false;
	a->due_ns = s->due[s->next] * NSEC_PER_MSEC;
	a->cost_ns = s->cost ? s->cost[s->next] * NSEC_PER_MSEC : COST_DRAWN;
	a->key = s->key ? s->key[s->next] : s->next;
	s->next++;
	return true;
}

/* The run tells the story `want`; due: ms, without an end mark. */
static inline void story_check(struct scenario sc, struct script *script, bool idles,
			       const char *want, const char *what)
{
	struct arrival_source source = {script_next, script};
	struct story st = {.idles = idles};
	struct event_sink sink = {story_take, &st};
	int err;

	sc.stream.arrivals = ARRIVALS_FILE;
	sc.source = &source;
	script->next = 0;
	err = scenario_run(&sc, &sink);
	if (!CHECK(!err && !strcmp(st.text, want), "%s", what))
		printf("# %d; it went:\n%s# and not:\n%s", err, st.text, want);
}

#endif
