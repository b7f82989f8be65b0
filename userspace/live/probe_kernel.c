/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/probe_kernel.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VMLINUX_BTF "/sys/kernel/btf/vmlinux"

/* The prototype behind a BTF typedef of a pointer to function, or NULL. */
static const struct btf_type *hook_proto(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
	return t && btf_is_func_proto(t) ? t : NULL;
}

/*
 * Each tracepoint has a btf_trace_NAME: a void * and then its arguments. sched_switch passes
 * preempt, prev, next and, from 5.18, prev_state. Distributions move this between versions, so the
 * parameters are counted.
 */
static int read_btf(struct probe_kernel *k, char *err, size_t err_len)
{
	const struct btf_type *proto;

	k->btf = btf__parse(VMLINUX_BTF, NULL);
	if (!k->btf) {
		int code = -errno;

		snprintf(err, err_len, "probe: cannot read %s: %s; run with --no-bpf without it",
			 VMLINUX_BTF, strerror(-code));
		return code;
	}
	proto = hook_proto(k->btf, "btf_trace_sched_switch");
	k->switch_has_state = proto && btf_vlen(proto) >= 5;
	if (proto)
		return 0;
	snprintf(err, err_len,
		 "probe: this kernel's BTF has no tracepoint sched_switch: a kernel built with "
		 "CONFIG_BPF_EVENTS=y has it; run with --no-bpf without it");
	return -ENOTSUP;
}

static bool has_hook(const struct probe_kernel *k, const char *name, size_t len, const char *tail)
{
	char hook[128];

	snprintf(hook, sizeof(hook), "btf_trace_%.*s%s", (int)len, name, tail);
	return hook_proto(k->btf, hook);
}

bool probe_kernel_has(const struct probe_kernel *k, const char *tracepoint)
{
	const char *tail = strrchr(tracepoint, '_');
	size_t len = tail ? (size_t)(tail - tracepoint) : 0;

	if (tail && (!strcmp(tail, "_entry") || !strcmp(tail, "_exit")))
		return has_hook(k, tracepoint, len, "_entry") &&
		       has_hook(k, tracepoint, len, "_exit");
	return has_hook(k, tracepoint, strlen(tracepoint), "");
}

void probe_kernel_drop(struct probe_kernel *k)
{
	btf__free(k->btf);
	k->btf = NULL;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, ",\n");

		if (n == len && !strncmp(list, word, n))
			return true;
		list += n + (list[n] != '\0');
	}
	return false;
}

/* mountinfo writes a blank, tab, newline or backslash of a path as \ and three octal digits. */
static void copy_path(char *to, size_t to_len, const char *from)
{
	size_t n = 0;

	while (*from && n + 1 < to_len) {
		unsigned int octal;

		if (from[0] == '\\' && sscanf(from, "\\%3o", &octal) == 1) {
			to[n++] = (char)octal;
			from += 4;
		} else {
			to[n++] = *from++;
		}
	}
	to[n] = '\0';
}

static void take_mount(struct probe_kernel *k, const char *line)
{
	char point[256], type[32], options[256];
	const char *tail = strstr(line, " - ");

	if (!tail || sscanf(line, "%*s %*s %*s %*s %255s", point) != 1 ||
	    sscanf(tail, " - %31s %*s %255s", type, options) != 2)
		return;
	if (!strcmp(type, "cgroup") && has_word(options, "cpu"))
		k->cpu_on_v1 = true;
	else if (strcmp(type, "cgroup2") || k->cgroup_root[0])
		return;
	copy_path(k->cgroup_root, sizeof(k->cgroup_root), point);
}

int probe_cgroup_find(struct probe_kernel *k, const char *mountinfo)
{
	FILE *f = fopen(mountinfo, "re");
	char *line = NULL;
	size_t room = 0;

	if (!f)
		return -errno;
	k->cpu_on_v1 = false;
	k->cgroup_root[0] = '\0';
	while (!k->cpu_on_v1 && getline(&line, &room, f) >= 0)
		take_mount(k, line);
	free(line);
	fclose(f);
	return 0;
}

int probe_kernel_read(struct probe_kernel *k, char *err, size_t err_len)
{
	int ret;

	if (access(VMLINUX_BTF, F_OK)) {
		snprintf(err, err_len,
			 "probe: %s is missing: boot a kernel built with CONFIG_DEBUG_INFO_BTF=y, "
			 "or run with --no-bpf",
			 VMLINUX_BTF);
		return -ENOENT;
	}
	ret = read_btf(k, err, err_len);
	if (ret)
		return ret;
	ret = probe_cgroup_find(k, "/proc/self/mountinfo");
	if (ret)
		snprintf(err, err_len, "probe: cannot read /proc/self/mountinfo: %s; mount /proc",
			 strerror(-ret));
	return ret;
}
