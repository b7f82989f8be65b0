/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/explain.h"

#include "report/manifest.h"

#include <errno.h>
#include <string.h>

static double ms(u64 ns)
{
	return (double)ns / (double)NSEC_PER_MSEC;
}

/* What the state of the front is called in an account. */
static const char *front_words(enum front f)
{
	switch (f) {
	case FRONT_CPU:
		return "on cpu";
	case FRONT_RUNQUEUE:
		return "run queue";
	case FRONT_WAKEUP:
		return "wake-up";
	default:
		return front_name(f);
	}
}

static bool is_queue_part(enum part p)
{
	return p == PART_SATURATED || p == PART_ORDER || p == PART_HOL;
}

#define CULPRITS_SHOWN 3

/* The charge of this state and culprit with the most time that was not shown yet, or NONE32. */
static u32 next_culprit(const struct explained *e, enum part part, u32 front, const u32 *shown,
			u32 nr_shown)
{
	u32 best = NONE32;

	for (u32 i = 0; i < e->account.nr_charges; i++) {
		const struct charge *c = &e->charges[i];
		bool again = false;

		for (u32 k = 0; k < nr_shown; k++)
			again |= shown[k] == i;
		if (!again && e->names[i] && c->part == part && c->front == front &&
		    (best == NONE32 || c->ns > e->charges[best].ns))
			best = i;
	}
	return best;
}

/* Most time first, the small ones together: "noise/burn[4121] 29.100 (97 %), 3 others 0.900". */
static void print_culprits(const struct explained *e, enum part part, u32 front, u64 of, FILE *f)
{
	u32 shown[CULPRITS_SHOWN], nr = 0, others = 0;
	u64 rest = 0;

	while (nr < CULPRITS_SHOWN) {
		u32 i = next_culprit(e, part, front, shown, nr);

		if (i == NONE32)
			return;
		fprintf(f, "%s%s %.3f (%.0f %%)", nr ? ", " : "", e->names[i], ms(e->charges[i].ns),
			of ? 100.0 * (double)e->charges[i].ns / (double)of : 0.0);
		shown[nr++] = i;
	}
	for (u32 i = 0; i < e->account.nr_charges; i++) {
		const struct charge *c = &e->charges[i];

		if (!e->names[i] || c->part != part || c->front != front)
			continue;
		others++;
		rest += c->ns;
	}
	for (u32 k = 0; k < nr; k++)
		rest -= e->charges[shown[k]].ns;
	if (others > nr)
		fprintf(f, ", %u other%s %.3f", others - nr, others - nr == 1 ? "" : "s", ms(rest));
}

static u64 front_sum(const struct explained *e, enum part part, u32 front, bool *named)
{
	u64 ns = 0;

	*named = false;
	for (u32 i = 0; i < e->account.nr_charges; i++) {
		if (e->charges[i].part != part || e->charges[i].front != front)
			continue;
		ns += e->charges[i].ns;
		*named |= e->names[i] != NULL;
	}
	return ns;
}

static void print_fronts(const struct explained *e, enum part part, const char *sep, FILE *f)
{
	bool named;

	for (u32 front = 0; front < FRONT_NR; front++) {
		u64 ns = front_sum(e, part, front, &named);

		if (!ns || (front == FRONT_NONE && !named))
			continue;
		fputs(sep, f);
		sep = ", ";
		if (front != FRONT_NONE)
			fprintf(f, "%s %.3f", front_words((enum front)front), ms(ns));
		if (named) {
			fputs(front == FRONT_NONE ? "" : " by ", f);
			print_culprits(e, part, front, ns, f);
		}
	}
}

/* The queue part with the most time says who was in front. */
static enum part longest_queue_part(const struct explained *e)
{
	enum part best = PART_SATURATED;

	for (enum part p = PART_SATURATED; p <= PART_HOL; p++)
		if (explained_part(e, p) > explained_part(e, best))
			best = p;
	return best;
}

static void print_part(const struct explained *e, enum part part, FILE *f)
{
	const struct account *a = &e->account;
	const char *sep = "   ";

	fprintf(f, "  %-9s %12.3f", part_name(part), ms(explained_part(e, part)));
	if (is_queue_part(part) && part == longest_queue_part(e) && a->front_item != NONE32) {
		fprintf(f, "   behind %u item%s, longest %u of key %u:", a->front_count,
			a->front_count == 1 ? "" : "s", a->front_item, a->front_key);
		sep = " ";
	}
	print_fronts(e, part, sep, f);
	fputc('\n', f);
}

static const char *class_words(const struct explained *e)
{
	static const char *const words[CLASS_NR] = {
		[CLASS_HOT] = " (hot)",
		[CLASS_NEIGHBOUR] = " (neighbour of a hot key)",
		[CLASS_FAR] = " (far from hot keys)",
	};

	return e->hot_items ? words[e->class] : "";
}

/* Nothing of an item that succeeded, and was delivered once. */
static void print_end(const struct account *a, FILE *f)
{
	static const char *const ends[OUTCOME_NR] = {
		[OUTCOME_TIMED_OUT] = "timed out: its caller gave up then",
		[OUTCOME_REFUSED] = "refused: the queue of its resource was full",
		[OUTCOME_LOST] = "lost: given up when its partition moved, committed before",
		[OUTCOME_ABANDONED] = "given up when its partition moved, and delivered again",
	};
	static const char *const deliveries[DELIVERY_NR] = {
		[DELIVERY_ABANDONED] = "delivered again: it was given up when its partition moved",
		[DELIVERY_REPEATED] = "delivered again: it had ended, and was not committed",
	};

	if (a->outcome < OUTCOME_NR && ends[a->outcome])
		fprintf(f, "  %s\n", ends[a->outcome]);
	if (a->delivery < DELIVERY_NR && deliveries[a->delivery])
		fprintf(f, "  %s\n", deliveries[a->delivery]);
}

static void print_item(const struct explained *e, FILE *f)
{
	const struct account *a = &e->account;
	u64 latency = explained_latency(e), sum = explained_sum(e);

	fprintf(f, "item %u  key %u%s  %s  worker %u  cell %u repeat %u  latency %.3f ms\n",
		a->item, a->key, class_words(e), e->design, a->worker, e->cell, e->repeat,
		ms(latency));
	print_end(a, f);
	for (u32 p = 0; p < PART_UNKNOWN; p++)
		if (explained_part(e, (enum part)p))
			print_part(e, (enum part)p, f);
	print_part(e, PART_UNKNOWN, f);
	if (a->moves)
		fprintf(f, "  moved %u time%s\n", a->moves, a->moves == 1 ? "" : "s");
	if (!e->probe && !e->simulated)
		fputs("  service and run queue: not measured (no probe): unknown\n", f);
	if (sum == latency)
		fprintf(f, "  %-9s %12.3f   = latency, to the nanosecond\n", "sum", ms(sum));
	else
		fprintf(f, "  %-9s %12.3f   is not the latency: a defect of this program\n", "sum",
			ms(sum));
}

void explain_print(const struct explain_list *l, FILE *f)
{
	for (u32 i = 0; i < l->nr; i++) {
		if (i)
			fputc('\n', f);
		print_item(&l->list[i], f);
	}
}

static json_t *charge_json(const struct explained *e, u32 i)
{
	const struct charge *c = &e->charges[i];

	return json_pack("{s:s, s:o, s:o, s:I}", "part", part_name((enum part)c->part), "front",
			 c->front == FRONT_NONE ? json_null()
						: json_string(front_name((enum front)c->front)),
			 "culprit", e->names[i] ? text_json(e->names[i]) : json_null(), "ns",
			 (json_int_t)c->ns);
}

static json_t *front_json(const struct account *a)
{
	if (a->front_item == NONE32)
		return json_null();
	return json_pack("{s:I, s:I, s:I}", "item", (json_int_t)a->front_item, "key",
			 (json_int_t)a->front_key, "count", (json_int_t)a->front_count);
}

static const char *outcome_word(u32 outcome)
{
	static const char *const words[OUTCOME_NR] = {
		[OUTCOME_SUCCEEDED] = "succeeded", [OUTCOME_TIMED_OUT] = "timed_out",
		[OUTCOME_REFUSED] = "refused",	   [OUTCOME_LOST] = "lost",
		[OUTCOME_ABANDONED] = "abandoned",
	};

	return outcome < OUTCOME_NR ? words[outcome] : "?";
}

static const char *delivery_word(u32 delivery)
{
	static const char *const words[DELIVERY_NR] = {
		[DELIVERY_FIRST] = "first",
		[DELIVERY_ABANDONED] = "abandoned",
		[DELIVERY_REPEATED] = "repeated",
	};

	return delivery < DELIVERY_NR ? words[delivery] : "?";
}

static json_t *item_json(const struct explained *e)
{
	static const char *const classes[CLASS_NR] = {
		[CLASS_HOT] = "hot", [CLASS_NEIGHBOUR] = "neighbour", [CLASS_FAR] = "far"};
	const struct account *a = &e->account;
	json_t *charges = json_array();

	for (u32 i = 0; i < a->nr_charges; i++)
		json_array_append_new(charges, charge_json(e, i));
	return json_pack(
		"{s:I, s:I, s:I, s:s, s:s, s:I, s:i, s:i, s:b, s:s, s:s, s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:I, s:o, s:o}",
		"item", (json_int_t)a->item, "key", (json_int_t)a->key, "seq",
		(json_int_t)a->key_seq, "class", classes[e->class], "design", e->design, "worker",
		(json_int_t)a->worker, "cell", (int)e->cell, "repeat", (int)e->repeat, "probe",
		e->probe, "outcome", outcome_word(a->outcome), "delivery",
		delivery_word(a->delivery), "due_ns", (json_int_t)a->due_ns, "submit_ns",
		(json_int_t)a->submit_ns, "start_ns", (json_int_t)a->start_ns, "done_ns",
		(json_int_t)a->done_ns, "latency_ns", (json_int_t)explained_latency(e), "sum_ns",
		(json_int_t)explained_sum(e), "moves", (json_int_t)a->moves, "longest_in_front",
		front_json(a), "charges", charges);
}

int explain_print_json(const struct explain_list *l, char *const *damage, u32 nr_damage, FILE *f)
{
	json_t *items = json_array(), *lines = json_array(), *o;

	for (u32 i = 0; i < l->nr; i++)
		json_array_append_new(items, item_json(&l->list[i]));
	for (u32 i = 0; i < nr_damage; i++)
		json_array_append_new(lines, text_json(damage[i]));
	o = json_pack("{s:o, s:o}", "items", items, "damage", lines);
	if (!o)
		return -ENOMEM;
	json_dumpf(o, f, JSON_INDENT(2));
	fputc('\n', f);
	json_decref(o);
	return 0;
}
