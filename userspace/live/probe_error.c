/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/probe_error.h"
#include "live/rights.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static bool is_count(const char *line)
{
	return !strncmp(line, "processed ", 10) || !strncmp(line, "verification time ", 18) ||
	       !strncmp(line, "stack depth ", 12);
}

const char *probe_log_reason(char *log)
{
	size_t len = strlen(log);

	while (len) {
		char *line;

		while (len && log[len - 1] == '\n')
			len--;
		log[len] = '\0';
		line = strrchr(log, '\n');
		line = line ? line + 1 : log;
		if (*line && !is_count(line))
			return line;
		len = (size_t)(line - log);
	}
	return "";
}

static int print_all(__attribute__((unused)) enum libbpf_print_level level, const char *fmt,
		     va_list ap)
{
	return vfprintf(stderr, fmt, ap);
}

void probe_libbpf_output(void)
{
	libbpf_set_print(getenv("HOLBENCH_DEBUG_BPF") ? print_all : NULL);
}

int probe_files(char *err, size_t err_len)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= PROBE_FILES)
		return 0;
	snprintf(err, err_len,
		 "probe: it opens up to %d files, and %llu may be: raise ulimit -n, or run with "
		 "--no-bpf",
		 PROBE_FILES, (unsigned long long)limit.rlim_cur);
	return -EMFILE;
}

static void no_permission(char *err, size_t err_len)
{
	snprintf(err, err_len, "probe: no permission to load BPF: " RIGHTS_FOR_PROBE);
}

/* "none integrity [confidentiality]": kernel_lockdown(7). */
static bool locked_down(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128];
	bool is = f && fgets(line, sizeof(line), f) && strstr(line, "[confidentiality]");

	if (f)
		fclose(f);
	return is;
}

void probe_refused(const struct bpf_object *obj, char *const *logs, int code, char *err,
		   size_t err_len)
{
	struct bpf_program *prog;

	if (locked_down()) {
		snprintf(err, err_len,
			 "probe: the kernel's lockdown=confidentiality keeps BPF from its memory: "
			 "boot "
			 "with lockdown=integrity, or run with --no-bpf");
		return;
	}
	if (code == -EMFILE) {
		snprintf(err, err_len,
			 "probe: too many files are open, of others' too: raise ulimit -n, or run "
			 "with --no-bpf");
		return;
	}
	bpf_object__for_each_program(prog, obj)
	{
		const char *why = *logs ? probe_log_reason(*logs) : "";

		logs++;
		if (!*why)
			continue;
		snprintf(err, err_len,
			 "probe: the kernel refuses BPF program %s: %s; HOLBENCH_DEBUG_BPF=1 shows "
			 "all of it, --no-bpf runs without",
			 bpf_program__name(prog), why);
		return;
	}
	if (code == -EPERM || code == -EACCES)
		no_permission(err, err_len);
	else if (code == -ENOSYS)
		snprintf(err, err_len,
			 "probe: this kernel has no bpf(2): boot one that is built with "
			 "CONFIG_BPF_SYSCALL=y, or run with --no-bpf");
	else if (code == -ENOMEM || code == -E2BIG)
		snprintf(err, err_len,
			 "probe: no memory for the ring: make run.ring smaller, or end other "
			 "programs");
	else
		snprintf(err, err_len,
			 "probe: the kernel refuses BPF: %s; HOLBENCH_DEBUG_BPF=1 shows why, "
			 "--no-bpf runs without",
			 strerror(-code));
}
