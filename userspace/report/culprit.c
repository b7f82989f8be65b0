/* SPDX-License-Identifier: GPL-2.0-only */
/* How the ledger is asked about a trace, and how it is said whom it names. */
#include "report/summary.h"

#include <stdio.h>
#include <string.h>

const char *culprit_class_name(enum culprit_class c)
{
	static const char *const names[] = {
		[CULPRIT_SYSTEM] = "system",	   [CULPRIT_NOISE] = "noise",
		[CULPRIT_WORKERS] = "workers",	   [CULPRIT_KTHREAD] = "kthread",
		[CULPRIT_INTERRUPT] = "interrupt", [CULPRIT_NOT_RECORDED] = "not recorded",
		[CULPRIT_ITEMS] = "key",
	};

	return c < ARRAY_SIZE(names) ? names[c] : "?";
}

const char *culprit_name(char *buf, size_t len, const struct task *t, const struct trace_reader *r,
			 bool with_tid)
{
	const char *path = r ? trace_cgroup_path(r, t->cgroup) : NULL;
	const char *group = path ? strrchr(path, '/') : NULL;
	bool named = group && group[1];

	if (t->class == TASK_INTERRUPT)
		snprintf(buf, len, "irq/%.16s", t->comm);
	else if (t->worker != NONE32 && !with_tid)
		snprintf(buf, len, "another worker");
	else if (with_tid)
		snprintf(buf, len, "%s%s%.16s[%" PRIu32 "]", named ? group + 1 : "",
			 named ? "/" : "", t->comm, t->tid);
	else
		snprintf(buf, len, "%s%s%.16s", named ? group + 1 : "", named ? "/" : "", t->comm);
	return buf;
}

/* "db: key 17", "key 17" on a carrier, "db: other keys". */
static const char *key_name(char *buf, size_t len, const struct charge *c, const struct spec *s)
{
	bool resource = charge_has_resource((enum part)c->part, (enum front)c->front);
	const char *name = resource ? s->workload.resources[culprit_resource(c->culprit)].name : "";
	u32 key = culprit_key(c->culprit);

	if (key == NONE32)
		snprintf(buf, len, "%s%sother keys", name, *name ? ": " : "");
	else
		snprintf(buf, len, "%s%skey %" PRIu32, name, *name ? ": " : "", key);
	return buf;
}

const char *charge_culprit(char *buf, size_t len, const struct charge *c, const struct spec *s,
			   const struct trace_reader *r, bool with_tid)
{
	if (c->culprit == NONE32)
		return NULL;
	if (culprit_is_key(c->culprit))
		return key_name(buf, len, c, s);
	if (c->culprit >= trace_nr_tasks(r)) {
		snprintf(buf, len, "not recorded");
		return buf;
	}
	return culprit_name(buf, len, &trace_tasks(r)[c->culprit], r, with_tid);
}

struct ledger_config ledger_config_of(const struct spec *s, const struct trace_reader *r)
{
	const struct trace_info *info = trace_info(r);
	u32 hot = s->workload.hot_keys;

	return (struct ledger_config){
		.workers = info->workers,
		.keys = info->keys,
		.traits = s->design->traits,
		.executor = s->executor,
		.replicas = s->workers.replicas,
		.limit = s->limit,
		.partitions = s->workload.partitions,
		.null_key = workload_null_key(&s->workload),
		.null_unordered = s->null_unordered,
		.timeout_ns = s->workload.timeout_ns,
		.named_keys = hot < NAMED_KEYS_MAX ? hot : NAMED_KEYS_MAX,
		.probe = info->probe,
		.simulated = info->engine == TRACE_SIM,
		.tasks = trace_tasks(r),
		.nr_tasks = trace_nr_tasks(r),
	};
}
