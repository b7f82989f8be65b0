/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of a whole cell: what an item's service is made of, and what holds it up. */
#include "spec/check.h"
#include "spec/error.h"

#include <string.h>

bool resource_called(const struct spec *s, u32 resource)
{
	const struct workload_config *w = &s->workload;

	for (u32 i = 0; i < w->nr_steps; i++)
		if (step_has_resource(w->steps[i].kind) && w->steps[i].resource == resource)
			return true;
	return false;
}

/* The i-th resource that a section defines. */
static const char *nth_defined(const void *ctx, u32 i)
{
	const struct workload_config *w = &((const struct spec *)ctx)->workload;

	for (u32 r = 0; r < w->nr_resources; r++)
		if (w->resources[r].capacity && !w->resources[r].lock && !i--)
			return w->resources[r].name;
	return NULL;
}

static int check_resources(const struct spec *s, struct spec_error *err)
{
	const struct workload_config *w = &s->workload;
	const char *near, *name;
	char steps[SHOW_MAX];

	for (u32 i = 0; i < w->nr_resources; i++) {
		if (w->resources[i].capacity)
			continue;
		name = w->resources[i].name;
		near = nearest_name(name, nth_defined, s);
		show(steps, s, "workload", "steps");
		if (near)
			return spec_fail_keys(
				err, "workload.steps",
				"%s calls %s, which no section defines; did you mean %s?", steps,
				name, near);
		return spec_fail_keys(
			err, "workload.steps",
			"%s calls %s, which no section defines; write capacity = N under "
			"[resource.%s]",
			steps, name, name);
	}
	return 0;
}

/* `for` of a section, as "pause.for", against its `every`. */
static int check_period(const struct spec *s, const char *section, const char *key,
			struct spec_error *err)
{
	char every[SHOW_MAX], length[SHOW_MAX];

	return spec_fail_keys(
		err, key, "%s is not shorter than %s, so nothing would ever go on; lower %s",
		show(length, s, section, "for"), show(every, s, section, "every"), key);
}

static int check_burst(const struct spec *s, struct spec_error *err)
{
	const struct workload_config *w = &s->workload;
	char every[SHOW_MAX], length[SHOW_MAX];

	if (w->arrivals != ARRIVALS_BURST || w->burst_for_ns <= w->burst_every_ns)
		return 0;
	return spec_fail_keys(err, "burst.for burst.every", "%s is longer than %s; lower burst.for",
			      show(length, s, "burst", "for"), show(every, s, "burst", "every"));
}

/* Without steps: CPU, wait, or one after the other. */
static u32 nr_steps(const struct workload_config *w)
{
	return w->nr_steps ? w->nr_steps : w->work == WORK_MIX ? 2 : 1;
}

static int check_jitter(const struct spec *s, struct spec_error *err)
{
	const struct pauses *p = &s->workload.pauses;
	u32 steps = nr_steps(&s->workload);
	char step[SHOW_MAX];

	if (!p->jitter_every_ns || !p->jitter_for_ns)
		return 0;
	if (p->jitter_for_ns >= p->jitter_every_ns)
		return check_period(s, "jitter", "jitter.for", err);
	if (p->jitter_step < steps)
		return 0;
	return spec_fail_keys(
		err, "jitter.step workload.steps",
		"%s: a service has %u step(s), and the last one is %u; lower jitter.step "
		"or add to workload.steps",
		show(step, s, "jitter", "step"), steps, steps - 1);
}

static int check_stall(const struct spec *s, struct spec_error *err)
{
	const struct workload_config *w = &s->workload;
	char key[SHOW_MAX], keys[SHOW_MAX];

	if (!w->pauses.stall_for_ns || w->pauses.stall_key < w->keys)
		return 0;
	return spec_fail_keys(
		err, "stall.key workload.keys", "%s with %s: the last key is %u; lower stall.key",
		show(key, s, "stall", "key"), show(keys, s, "workload", "keys"), w->keys - 1);
}

int check_service(const struct spec *s, struct spec_error *err)
{
	const struct pauses *p = &s->workload.pauses;
	int rc = check_resources(s, err);

	if (!rc && p->every_ns && p->for_ns >= p->every_ns)
		rc = check_period(s, "pause", "pause.for", err);
	if (!rc)
		rc = check_jitter(s, err);
	if (!rc)
		rc = check_stall(s, err);
	return rc ? rc : check_burst(s, err);
}
