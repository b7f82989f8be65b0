/* SPDX-License-Identifier: GPL-2.0-only */
/* What works in a cell and may surprise: each a function that writes its line, or says that there
 * is nothing to say. */
#include "spec/check.h"

#include <string.h>

static bool said(char text[SPEC_REMARK], const char *what)
{
	snprintf(text, SPEC_REMARK, "%s", what);
	return true;
}

static bool nothing_hot(const struct spec *s, char text[SPEC_REMARK])
{
	if (!s->workload.hot_keys || s->workload.hot_share > 0)
		return false;
	return said(text, "no item is hot: set hot.load or hot.share for a hot key");
}

static bool burst_without_pause(const struct spec *s, char text[SPEC_REMARK])
{
	if (s->noise.kind != NOISE_BURST || s->noise.duty < 1)
		return false;
	return said(text,
		    "noise.kind = burst with noise.duty = 100% never pauses: lower noise.duty");
}

/* The i-th resource that a section defines and no step calls. */
static const char *uncalled(const struct spec *s, u32 i)
{
	const struct workload_config *w = &s->workload;

	for (u32 r = 0; r < w->nr_resources; r++)
		if (!w->resources[r].lock && !resource_called(s, r) && !i--)
			return w->resources[r].name;
	return NULL;
}

static bool resource_uncalled(const struct spec *s, char text[SPEC_REMARK])
{
	const char *name;
	size_t len;

	if (!uncalled(s, 0))
		return false;
	len = (size_t)snprintf(text, SPEC_REMARK, "no step calls");
	for (u32 i = 0; (name = uncalled(s, i)) && len < SPEC_REMARK; i++)
		len += (size_t)snprintf(text + len, SPEC_REMARK - len, "%s %s", i ? "," : "", name);
	if (len < SPEC_REMARK)
		snprintf(text + len, SPEC_REMARK - len,
			 ": write it into workload.steps, or take its section out");
	return true;
}

/* The smallest factor that a distribution draws. */
static double least(bool fixed, bool uniform, double jitter)
{
	return fixed ? 1 : uniform ? 1 - jitter : 0;
}

/* The least that a service takes when its mean is the cold one. */
static double least_cost_ns(const struct workload_config *w)
{
	double factor = least(w->cost_dist == COST_FIXED, w->cost_dist == COST_UNIFORM, w->jitter);
	double sum = 0;

	if (!w->nr_steps)
		return (double)w->cost_ns * factor;
	for (u32 i = 0; i < w->nr_steps; i++) {
		const struct resource_config *r = &w->resources[w->steps[i].resource];
		double f = w->steps[i].kind == STEP_CALL
				   ? least(r->dist == RESOURCE_FIXED, r->dist == RESOURCE_UNIFORM,
					   r->jitter)
				   : factor;

		sum += (double)w->steps[i].ns * f;
	}
	return sum;
}

static bool timeout_too_short(const struct spec *s, char text[SPEC_REMARK])
{
	const struct workload_config *w = &s->workload;
	double cold = least_cost_ns(w), hot = cold;
	char timeout[SHOW_MAX];

	if (w->hot_share > 0 && w->cost_ns)
		hot = cold * (double)w->hot_cost_ns / (double)w->cost_ns;
	if (*s->csv.path || !w->timeout_ns || (double)w->timeout_ns >= (cold < hot ? cold : hot))
		return false;
	snprintf(text, SPEC_REMARK, "%.100s is below the cost of every item: none can succeed",
		 show(timeout, s, "workload", "timeout"));
	return true;
}

static bool limit_unreached(const struct spec *s, char text[SPEC_REMARK])
{
	char limit[SHOW_MAX], count[SHOW_MAX];

	if (s->executor != EXECUTOR_THREAD || s->limit <= s->workers.count)
		return false;
	snprintf(text, SPEC_REMARK,
		 "%.80s is never reached: with dispatch.executor = thread no more items are in "
		 "service than %.80s",
		 show(limit, s, "dispatch", "limit"), show(count, s, "workers", "count"));
	return true;
}

static bool one_partition(const struct spec *s, char text[SPEC_REMARK])
{
	if (!(s->design->traits & DISPATCH_PARTITION_SERIAL) || s->workload.partitions)
		return false;
	return said(text, "dispatch.design = key:partition without partitions serves one item "
			  "after another: set workload.partitions");
}

/* How long items arrive, as the spec says it. */
static const char *show_length(char text[SHOW_MAX], const struct spec *s)
{
	return *s->csv.path ? show(text, s, "csv", "span") : show(text, s, "workload", "duration");
}

/* `key` of a section is when something begins. */
static bool too_late(const struct spec *s, const char *section, const char *name, u64 begins_ns,
		     char text[SPEC_REMARK])
{
	char when[SHOW_MAX], duration[SHOW_MAX];

	if (begins_ns < s->workload.duration_ns)
		return false;
	snprintf(text, SPEC_REMARK,
		 "%.80s is not before the last arrival: lower it, or raise %.80s",
		 show(when, s, section, name), show_length(duration, s));
	return true;
}

/* `for` of a section is how long something lasts. */
static bool too_long(const struct spec *s, const char *section, u64 for_ns, char text[SPEC_REMARK])
{
	char length[SHOW_MAX], duration[SHOW_MAX];

	if (for_ns < s->workload.duration_ns)
		return false;
	snprintf(text, SPEC_REMARK, "%.80s is longer than the items arrive, %.80s",
		 show(length, s, section, "for"), show_length(duration, s));
	return true;
}

static bool pause_too_late(const struct spec *s, char text[SPEC_REMARK])
{
	const struct pauses *p = &s->workload.pauses;

	return p->for_ns && too_late(s, "pause", "every", p->every_ns, text);
}

static bool jitter_too_late(const struct spec *s, char text[SPEC_REMARK])
{
	const struct pauses *p = &s->workload.pauses;

	return p->jitter_for_ns && too_late(s, "jitter", "every", p->jitter_every_ns, text);
}

static bool stall_too_late(const struct spec *s, char text[SPEC_REMARK])
{
	const struct pauses *p = &s->workload.pauses;

	return p->stall_for_ns && too_late(s, "stall", "at", p->stall_at_ns, text);
}

static bool stall_too_long(const struct spec *s, char text[SPEC_REMARK])
{
	return too_long(s, "stall", s->workload.pauses.stall_for_ns, text);
}

static bool reassign_too_late(const struct spec *s, char text[SPEC_REMARK])
{
	return s->reassign.at_ns && too_late(s, "reassign", "at", s->reassign.at_ns, text);
}

static bool reassign_too_long(const struct spec *s, char text[SPEC_REMARK])
{
	return s->reassign.at_ns && too_long(s, "reassign", s->reassign.for_ns, text);
}

/* What the design promises with one replica of threads. */
static bool order_not_kept(const struct spec *s, char text[SPEC_REMARK])
{
	u32 traits = s->design->traits;
	char design[SHOW_MAX], with[SHOW_MAX];

	if (!(traits & DISPATCH_KEEPS_ORDER) ||
	    dispatch_keeps_order(traits, s->executor, s->workers.replicas))
		return false;
	show(design, s, "dispatch", "design");
	if (dispatch_keeps_order(traits, s->executor, 1))
		snprintf(text, SPEC_REMARK,
			 "%.60s keeps no order within a key with %.60s: each of them has items of "
			 "the same keys",
			 design, show(with, s, "workers", "replicas"));
	else
		snprintf(text, SPEC_REMARK,
			 "%.60s keeps no order within a key with dispatch.executor = async: a "
			 "carrier begins an item while an earlier one waits; key keeps it",
			 design);
	return true;
}

static bool nowhere_to_move(const struct spec *s, char text[SPEC_REMARK])
{
	char at[SHOW_MAX], count[SHOW_MAX];

	if (!s->reassign.at_ns || s->workers.count > 1)
		return false;
	snprintf(text, SPEC_REMARK,
		 "%.80s moves no partition with %.80s: there is no other worker; raise "
		 "workers.count",
		 show(at, s, "reassign", "at"), show(count, s, "workers", "count"));
	return true;
}

static bool (*const remarks[])(const struct spec *s, char text[SPEC_REMARK]) = {
	nothing_hot,	 burst_without_pause, resource_uncalled, timeout_too_short,
	limit_unreached, one_partition,	      pause_too_late,	 jitter_too_late,
	stall_too_late,	 stall_too_long,      reassign_too_late, reassign_too_long,
	nowhere_to_move, order_not_kept,
};

bool spec_remark(const struct spec *s, u32 i, char text[SPEC_REMARK])
{
	for (u32 n = 0; n < ARRAY_SIZE(remarks); n++)
		if (remarks[n](s, text) && !i--)
			return true;
	return false;
}
