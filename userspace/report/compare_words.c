/* SPDX-License-Identifier: GPL-2.0-only */
/* A verdict in words. */
#include "report/compare_verdict.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* What makes less of the difference than this does not show in a sentence (the table has it). */
#define MENTIONED 0.1
/* Queues grow by many times what made them; but without this much of a cause there is none to name.
 */
#define CAUSE_MIN 0.01
/* To say "not of the design": what is left is then too little to be a difference of its own. */
#define ARTEFACT_MIN 0.8
/* Said even though it is small: it bounds what the rest of the sentence is worth. */
#define UNKNOWN_MENTIONED 0.02

struct words {
	char *buf;
	size_t len, n;
};

__attribute__((format(printf, 2, 3))) static void say(struct words *w, const char *fmt, ...)
{
	va_list ap;

	if (w->n >= w->len)
		return;
	va_start(ap, fmt);
	w->n += (size_t)vsnprintf(w->buf + w->n, w->len - w->n, fmt, ap);
	va_end(ap);
}

const char *ratio_text(char *buf, size_t len, double ratio)
{
	snprintf(buf, len, "%.*fx",
		 ratio < 0.0995	 ? 4
		 : ratio < 9.995 ? 2
		 : ratio < 99.95 ? 1
				 : 0,
		 ratio);
	return buf;
}

static const char *cause_name(enum cause c)
{
	static const char *const names[CAUSE_NR] = {
		[CAUSE_RUNQUEUE] = "run-queue wait",
		[CAUSE_THROTTLED] = "throttling by the workers' quota",
		[CAUSE_IRQ] = "interrupts",
		[CAUSE_WAKE] = "wake-up",
		[CAUSE_OVERSLEPT] = "sleeping too long",
		[CAUSE_CONTENDED] = "waits for slots, locks and pages",
		[CAUSE_PAUSED] = "pauses",
		[CAUSE_LATE] = "the generator's lateness",
		[CAUSE_WORK] = "the items' own work",
		[CAUSE_QUEUE] = "queue wait",
		[CAUSE_UNKNOWN] = "unknown",
	};

	return names[c];
}

/* What a pair's shares come to. */
struct reading {
	const struct pair *p;
	const struct band_pair *b;
	double share[CAUSE_NR];
	bool same_policy; /* same items, same design: a longer queue has a cause elsewhere */
	double direct;	  /* all that made the slower side slower, but for queues and unknown */
	double kernel;	  /* of that, the machine's doing */
	enum cause main;  /* the largest; of direct ones if there are any and the policy is the
			     same */
};

static bool is_kernel(const struct reading *r, enum cause c)
{
	/* Which worker is woken is up to the design. */
	if (c == CAUSE_WAKE)
		return r->same_policy;
	return c == CAUSE_RUNQUEUE || c == CAUSE_THROTTLED || c == CAUSE_IRQ ||
	       c == CAUSE_OVERSLEPT;
}

static bool is_direct(enum cause c)
{
	return c != CAUSE_QUEUE && c != CAUSE_UNKNOWN;
}

static struct reading read_shares(const struct pair *p, const struct band_pair *b)
{
	struct reading r = {.p = p, .b = b};

	r.same_policy = !(p->differs & (DIFFER_STREAM | DIFFER_POLICY));
	for (u32 c = 0; c < CAUSE_NR; c++) {
		r.share[c] = cause_share(b, (enum cause)c);
		if (is_direct((enum cause)c))
			r.direct += fmax(r.share[c], 0);
		if (is_kernel(&r, (enum cause)c))
			r.kernel += fmax(r.share[c], 0);
	}
	r.main = CAUSE_QUEUE;
	if (r.same_policy && r.direct >= CAUSE_MIN)
		r.main = CAUSE_RUNQUEUE;
	for (u32 c = 0; c < CAUSE_NR; c++)
		if (is_direct((enum cause)c) && r.share[c] > r.share[r.main])
			r.main = (enum cause)c;
	return r;
}

static bool queue_follows(const struct reading *r)
{
	return r->same_policy && r->main != CAUSE_QUEUE;
}

/* --- the sentence --- */

static void say_blame(struct words *w, const struct blame *who)
{
	bool group = who->name[who->group] != '\0';

	say(w, ", %.0f %% of that behind ", 100 * who->share);
	if (group && who->group == 5 && !memcmp(who->name, "noise", 5))
		say(w, "cgroup noise (%s%s)", who->others ? "most: " : "", who->name);
	else if (group && who->others)
		say(w, "%.*s/… (most: %s)", (int)who->group, who->name, who->name);
	else
		say(w, "%s", who->name);
}

/* Of the queue parts, the largest: "91 % of that hol". */
static void say_queue(struct words *w, const struct band_pair *b)
{
	static const enum part parts[] = {PART_HOL, PART_ORDER, PART_SATURATED, PART_CARRIER};
	static const char *const names[] = {"hol (free workers may not take it)",
					    "order (an earlier item of its key is in service)",
					    "saturated (no worker is free)",
					    "carrier (it serves another)"};
	double share[ARRAY_SIZE(parts)] = {0}, all = (double)cause_delta(b, CAUSE_QUEUE);
	u32 most = 0;

	for (u32 i = 0; i < ARRAY_SIZE(parts); i++) {
		for (u32 k = 0; k < b->nr_rows; k++)
			if (b->rows[k].part == parts[i] &&
			    delta_cause(parts[i], (enum front)b->rows[k].front) == CAUSE_QUEUE)
				share[i] += (double)delta_of(b, b->rows[k].ns) / all;
		if (share[i] > share[most])
			most = i;
	}
	say(w, ", %.0f %% of that %s", 100 * share[most], names[most]);
}

/* The causes beside the main one, and the queues that all of them made. */
static void say_others(struct words *w, const struct reading *r)
{
	bool others = false;

	for (u32 c = 0; c < CAUSE_UNKNOWN; c++) {
		bool queue = c == CAUSE_QUEUE && queue_follows(r);

		if (c == r->main || queue || fabs(r->share[c]) < MENTIONED)
			continue;
		say(w, ", %.0f %% %s", 100 * r->share[c], cause_name((enum cause)c));
		others |= r->share[c] > 0;
	}
	if (queue_follows(r) && fabs(r->share[CAUSE_QUEUE]) >= CAUSE_MIN)
		say(w, ", and %.0f %% the queues %s made", 100 * r->share[CAUSE_QUEUE],
		    others ? "they" : "it");
	if (fabs(r->share[CAUSE_UNKNOWN]) >= UNKNOWN_MENTIONED)
		say(w, ", %.0f %% unknown", 100 * r->share[CAUSE_UNKNOWN]);
}

/* What a group of causes explains together with the queues that it alone can have made. */
static double explained(const struct reading *r, double causes)
{
	bool alone = causes >= ARTEFACT_MIN * r->direct;

	return causes + (queue_follows(r) && alone ? fmax(r->share[CAUSE_QUEUE], 0) : 0);
}

/*
 * Workers that wait for each other where noise is all that differs: it held some of them up, and
 * the others stood behind these. That is a queue as well, and grows by many times what made it.
 */
static bool noise_held_up(const struct reading *r, const struct blame *who)
{
	u32 differs = r->p->differs & ~(u32)DIFFER_OTHER;

	return r->main == CAUSE_RUNQUEUE && r->same_policy &&
	       (differs & (DIFFER_PLACEMENT | DIFFER_NOISE)) && who->name &&
	       !strcmp(who->name, "another worker") &&
	       cause_noise(r->b, CAUSE_RUNQUEUE) >= CAUSE_MIN;
}

/* Run-queue wait is what its culprit made: a placement is to blame only for the noise that it let
 * in. */
static const char *name_of_wait(const struct reading *r, const struct blame *who)
{
	u32 differs = r->p->differs & ~(u32)DIFFER_OTHER;
	bool held_up = noise_held_up(r, who);
	double noise = held_up ? cause_noise(r->b, CAUSE_RUNQUEUE) : 0;
	bool named = who->name && who->share + noise >= 0.5;

	if (named && !held_up && !strcmp(who->name, "another worker"))
		return ": the workers compete for their CPUs";
	if (named && !held_up && strncmp(who->name, "noise/", 6) != 0)
		return ": something else on this machine, neither the noise nor the design";
	if (named && differs & DIFFER_PLACEMENT)
		return ": an artefact of placement, not of the design";
	if (named && differs & DIFFER_NOISE)
		return ": the noise's doing, not the design's";
	return ": an artefact of the machine, not of the design";
}

/* What the difference is to be called; empty where nothing can be. */
static const char *name_of(const struct reading *r, const struct blame *who)
{
	u32 differs = r->p->differs & ~(u32)DIFFER_OTHER;

	if (explained(r, r->kernel) >= ARTEFACT_MIN && is_kernel(r, r->main)) {
		if (r->main == CAUSE_RUNQUEUE)
			return name_of_wait(r, who);
		return differs & DIFFER_PLACEMENT
			       ? ": an artefact of placement, not of the design"
			       : ": an artefact of the machine, not of the design";
	}
	if (r->main == CAUSE_QUEUE && r->share[CAUSE_QUEUE] >= ARTEFACT_MIN) {
		if (differs == DIFFER_POLICY)
			return ": the design's own doing";
		if (differs == DIFFER_STREAM)
			return ": the stream's doing, not the design's";
		if (r->same_policy)
			return ": queues without a cause in the ledger";
	}
	if (r->main == CAUSE_WORK && r->same_policy &&
	    explained(r, fmax(r->share[CAUSE_WORK], 0)) >= ARTEFACT_MIN)
		return ": the same work took longer";
	return "";
}

static void say_explanation(struct words *w, const struct pair *p, const struct band_pair *b)
{
	struct reading r = read_shares(p, b);
	struct blame who = {0};

	say(w, "%.0f %% of the difference is %s", 100 * r.share[r.main], cause_name(r.main));
	if (r.main == CAUSE_QUEUE)
		say_queue(w, b);
	else if (cause_blame(b, r.main, &who) && noise_held_up(&r, &who))
		say(w,
		    ", %.0f %% of that behind the noise and %.0f %% behind workers that it held up",
		    100 * cause_noise(b, r.main), 100 * who.share);
	else if (who.name)
		say_blame(w, &who);
	say_others(w, &r);
	say(w, "%s", name_of(&r, &who));
}

const char *verdict_text(char *buf, size_t len, const struct pair *p, const struct band_pair *b)
{
	struct words w = {buf, len, 0};
	char ratio[24];

	buf[0] = '\0';
	say(&w, "%s ", band_name(b->band));
	if (b->n)
		say(&w, "%s: ", ratio_text(ratio, sizeof(ratio), slower_ratio(b)));
	switch (b->verdict) {
	case VERDICT_NOT_MEASURED:
		say(&w, "not measured: no victim with a latency on both sides of a repeat");
		break;
	case VERDICT_NONE:
		say(&w, "no difference beyond noise");
		break;
	case VERDICT_UNKNOWN:
		say(&w, "not explained: %.0f %% unknown%s", 100 * cause_share(b, CAUSE_UNKNOWN),
		    p->probed ? "" : " (a run had no probe)");
		break;
	case VERDICT_UNCLEAR:
		say(&w, "not explained: the mean of its band does not go the same way");
		break;
	case VERDICT_EXPLAINED:
		say_explanation(&w, p, b);
		break;
	}
	if (b->verdict > VERDICT_NONE && !b->has_interval)
		say(&w, " (%u repeat%s: no interval)", b->n, b->n == 1 ? "" : "s");
	return buf;
}
