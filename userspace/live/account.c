/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/account.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* No stdio here: it would allocate. */
static bool read_schedstat(u64 *run_delay_ns, u64 *waits)
{
	char text[96];
	ssize_t n;
	u64 run_ns;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	return sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &run_ns, run_delay_ns, waits) == 3;
}

void account_read(struct account_sample *a)
{
	a->known = read_schedstat(&a->run_delay_ns, &a->waits);
	a->cpu_ns = clock_cpu_ns();
	a->time_ns = clock_mono_ns();
}

/* "cpu3 user nice system idle iowait irq softirq steal …": proc(5). */
static bool parse_steal(const char *line, u32 *cpu, u64 *ticks)
{
	return sscanf(line, "cpu%" SCNu32 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64, cpu, ticks) == 2;
}

int account_steal(u64 *steal_ns, const struct cpu_list *cpus)
{
	FILE *f = fopen("/proc/stat", "re");
	u64 tick_ns = NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK), ticks;
	char line[512];
	u32 cpu, seen = 0;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (!parse_steal(line, &cpu, &ticks))
			continue;
		for (u32 i = 0; i < cpus->nr; i++) {
			if (cpus->cpu[i] != cpu)
				continue;
			steal_ns[i] = ticks * tick_ns;
			seen++;
		}
	}
	fclose(f);
	return seen == cpus->nr ? 0 : -ENODATA;
}
