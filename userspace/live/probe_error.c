/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/probe_error.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
