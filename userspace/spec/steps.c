/* SPDX-License-Identifier: GPL-2.0-only */
#include "spec/steps.h"

#include <errno.h>
#include <string.h>

#define TIME_MAX (3600 * NSEC_PER_SEC)

static const char *const kinds[] = {
	[STEP_CPU] = "cpu", [STEP_WAIT] = "wait", [STEP_CALL] = "call", [STEP_LOCK] = "lock"};

static const char *nth_kind(const void *ctx, u32 i)
{
	(void)ctx;
	return i + 1 < ARRAY_SIZE(kinds) ? kinds[i + 1] : NULL;
}

/* "4ms" at the end of a step. */
static int step_time(const char *step, const char *text, u64 *ns, char why[VALUE_WHY])
{
	struct value v;
	char reason[VALUE_WHY];

	if (value_parse(VALUE_DURATION, text, &v, reason)) {
		snprintf(why, VALUE_WHY, "has a %s step whose time '%.20s' %.150s", step, text,
			 reason);
		return -EINVAL;
	}
	*ns = (u64)v.i;
	if (*ns && *ns <= TIME_MAX)
		return 0;
	snprintf(why, VALUE_WHY, "has a %s step of %s, out of range: 1ns to 1h", step, text);
	return -EINVAL;
}

/* The resource that a step names: found, or added. */
static int step_resource(struct spec *s, struct step *step, const char *name, char why[VALUE_WHY])
{
	struct resource_config *r = resource_find(s, name);
	bool lock = step->kind == STEP_LOCK;

	if (!resource_name_good(name)) {
		snprintf(why, VALUE_WHY,
			 "has the name '%.30s': a letter, then letters, digits, _ and -, at most "
			 "%d in all",
			 name, RESOURCE_NAME_MAX);
		return -EINVAL;
	}
	if (r && r->lock != lock) {
		snprintf(why, VALUE_WHY,
			 "has %s as a lock, and it is a resource as well; give one of them another "
			 "name",
			 name);
		return -EINVAL;
	}
	if (!r) {
		r = resource_add(s, name, why);
		if (!r)
			return -EINVAL;
		r->lock = lock;
		r->capacity = lock;
		r->queue = RESOURCE_QUEUE_NEVER;
	}
	step->resource = (u32)(r - s->workload.resources);
	return 0;
}

static u32 split(char *text, const char *between, char *words[], u32 max)
{
	u32 n = 0;

	for (char *word; (word = strtok_r(text, between, &text)); n++)
		if (n < max)
			words[n] = word;
	return n;
}

/* "call db 50ms" */
static int parse_step(struct spec *s, char *text, struct step *step, char why[VALUE_WHY])
{
	char *words[3];
	u32 n = split(text, " \t", words, ARRAY_SIZE(words)), kind = STEP_CPU;
	const char *near;
	u32 named;

	if (!n) {
		snprintf(why, VALUE_WHY, "has an empty step; take a + out");
		return -EINVAL;
	}
	while (kind < ARRAY_SIZE(kinds) && strcmp(words[0], kinds[kind]))
		kind++;
	if (kind == ARRAY_SIZE(kinds)) {
		near = nearest_name(words[0], nth_kind, NULL);
		snprintf(why, VALUE_WHY,
			 "has the step '%.20s', which is not one of cpu, wait, call, lock%s%s%s",
			 words[0], near ? "; did you mean " : "", near ? near : "",
			 near ? "?" : "");
		return -EINVAL;
	}
	named = step_has_resource(kind);
	if (n != 2 + named) {
		snprintf(why, VALUE_WHY, "has a %s step that is not written as in %s %s5ms",
			 kinds[kind], kinds[kind], named ? "NAME " : "");
		return -EINVAL;
	}
	*step = (struct step){.kind = kind};
	if (step_time(kinds[kind], words[1 + named], &step->ns, why))
		return -EINVAL;
	return named ? step_resource(s, step, words[1], why) : 0;
}

int steps_set(struct spec *s, const char *text, char why[VALUE_WHY])
{
	struct spec copy = *s;
	struct workload_config *w = &copy.workload;
	char all[OPTION_TEXT], *rest = all, *step;

	w->nr_steps = 0;
	memset(w->steps, 0, sizeof(w->steps));
	if (strlen(text) >= sizeof(all)) {
		snprintf(why, VALUE_WHY, "is longer than %zu bytes", sizeof(all) - 1);
		return -EINVAL;
	}
	strcpy(all, text);
	while (strcmp(text, "none") && (step = strsep(&rest, "+"))) {
		if (w->nr_steps == ITEM_STEPS_MAX) {
			snprintf(why, VALUE_WHY, "has more than %d steps; join some of them",
				 ITEM_STEPS_MAX);
			return -EINVAL;
		}
		if (parse_step(&copy, step, &w->steps[w->nr_steps], why))
			return -EINVAL;
		w->nr_steps++;
	}
	*s = copy;
	return 0;
}

void steps_print(const struct spec *s, char text[OPTION_TEXT])
{
	const struct workload_config *w = &s->workload;
	char number[VALUE_TEXT];
	size_t len = 0;

	strcpy(text, "none");
	for (u32 i = 0; i < w->nr_steps; i++) {
		const struct step *step = &w->steps[i];
		bool named = step_has_resource(step->kind);

		value_print(VALUE_DURATION, &(struct value){.i = (s64)step->ns}, number);
		len += (size_t)snprintf(text + len, OPTION_TEXT - len, "%s%s %s%s%s",
					i ? " + " : "", kinds[step->kind],
					named ? w->resources[step->resource].name : "",
					named ? " " : "", number);
	}
}

u64 steps_cost_ns(const struct spec *s)
{
	u64 sum = 0;

	for (u32 i = 0; i < s->workload.nr_steps; i++)
		sum += s->workload.steps[i].ns;
	return sum;
}
