/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/probe.h"
#include "live/probe_error.h"
#include "live/probe_kernel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The generated skeleton calls its own type `struct probe`. */
#define probe probe_skel
#include "probe.skel.h"
#undef probe

#define LOG_BYTES (64 * 1024ul) /* of one program's verifier log */
#define SECTION	  "tp_btf/"
#define RING_MAX  (1ull << 30) /* above it the kernel's double mapping fails */

/* What the records given out said last about a CPU. */
struct probe_cpu {
	u64 time_ns;
	u32 tid; /* switched in; only once `known` */
	bool known;
};

struct probe {
	struct probe_skel *skel;
	struct ring_buffer *ring;
	struct probe_kernel kernel;
	char **logs; /* a program's verifier log, in the object's order; only while loading */
	u32 nr_logs;
	int (*take)(void *ctx, const struct probe_event *ev);
	void *take_ctx;
	u64 backwards, gaps;
	struct probe_cpu cpus[PROBE_CPUS_MAX];
};

/*
 * bpf_ktime_get_ns() reads the clock without a lock: while the kernel adjusts its rate, two reads
 * on one CPU may differ by some -1 ns. What goes out keeps to the order of the events.
 */
static int give(void *ctx, void *data, __attribute__((unused)) size_t len)
{
	const struct probe_event *ev = data;
	struct probe *p = ctx;
	struct probe_cpu *cpu = &p->cpus[ev->cpu % PROBE_CPUS_MAX];
	struct probe_event later;

	if (ev->kind == PROBE_SWITCH) {
		p->gaps += cpu->known && cpu->tid != ev->other_tid;
		cpu->tid = ev->tid;
		cpu->known = true;
	}
	if (ev->time_ns < cpu->time_ns) {
		later = *ev;
		later.time_ns = cpu->time_ns;
		p->backwards++;
		return p->take(p->take_ctx, &later);
	}
	cpu->time_ns = ev->time_ns;
	return p->take(p->take_ctx, ev);
}

static int set_cpus(struct probe *p, const struct probe_config *cfg, char *err, size_t err_len)
{
	for (u32 i = 0; i < cfg->nr_cpus; i++) {
		if (cfg->cpus[i] >= PROBE_CPUS_MAX) {
			snprintf(err, err_len,
				 "probe: worker CPU %" PRIu32 " is out of range: use CPUs below %d",
				 cfg->cpus[i], PROBE_CPUS_MAX);
			return -EINVAL;
		}
		p->skel->rodata->worker_cpus[cfg->cpus[i]] = 1;
	}
	return 0;
}

/* The kernel wants a power of two, of at least a page. */
static int set_ring(struct probe *p, u64 bytes, char *err, size_t err_len)
{
	u64 size = (u64)sysconf(_SC_PAGESIZE);

	if (bytes > RING_MAX) {
		snprintf(err, err_len,
			 "probe: a ring of %" PRIu64 " bytes is too large: use %llu or less", bytes,
			 RING_MAX);
		return -EINVAL;
	}
	while (size < bytes)
		size *= 2;
	return bpf_map__set_max_entries(p->skel->maps.ring, (u32)size);
}

static int set_logs(struct probe *p)
{
	struct bpf_program *prog;
	u32 nr = 0;

	bpf_object__for_each_program(prog, p->skel->obj) nr++;
	p->logs = calloc(nr, sizeof(*p->logs));
	if (!p->logs)
		return -ENOMEM;
	bpf_object__for_each_program(prog, p->skel->obj)
	{
		char *log = calloc(1, LOG_BYTES);

		p->logs[p->nr_logs++] = log;
		if (!log || bpf_program__set_log_buf(prog, log, LOG_BYTES))
			return -ENOMEM;
	}
	return 0;
}

static void free_logs(struct probe *p)
{
	for (u32 i = 0; i < p->nr_logs; i++)
		free(p->logs[i]);
	free(p->logs);
	p->logs = NULL;
	p->nr_logs = 0;
}

/*
 * Processors differ in what interrupts they have; without one of those there is nothing to record.
 * That the scheduler's tracepoints are there was asked before.
 */
static void skip_absent(struct probe *p)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, p->skel->obj)
	{
		const char *section = bpf_program__section_name(prog);

		if (!strncmp(section, SECTION, strlen(SECTION)) &&
		    !probe_kernel_has(&p->kernel, section + strlen(SECTION)))
			bpf_program__set_autoload(prog, false);
	}
}

static int load(struct probe *p, const struct probe_config *cfg, char *err, size_t err_len)
{
	int ret = set_cpus(p, cfg, err, err_len);

	if (!ret)
		ret = set_ring(p, cfg->ring_bytes, err, err_len);
	if (ret)
		return ret;
	p->skel->rodata->switch_has_state = p->kernel.switch_has_state;
	p->skel->rodata->cpu_on_v1 = p->kernel.cpu_on_v1;
	bpf_program__set_autoattach(p->skel->progs.mark_current, false);
	skip_absent(p);
	ret = set_logs(p);
	if (!ret)
		ret = probe__load(p->skel);
	if (!ret)
		ret = probe__attach(p->skel);
	if (ret)
		probe_refused(p->skel->obj, p->logs, ret, err, err_len);
	free_logs(p);
	/* EINVAL is what the caller did wrong; the verifier says it, too. */
	return ret == -EINVAL ? -ENOTSUP : ret;
}

int probe_open(struct probe **out, const struct probe_config *cfg, char *err, size_t err_len)
{
	struct probe *p = calloc(1, sizeof(*p));
	int ret = -ENOMEM;

	snprintf(err, err_len, "probe: out of memory: end other programs, then run again");
	if (!p)
		return ret;
	probe_libbpf_output();
	ret = probe_files(err, err_len);
	if (!ret)
		ret = probe_kernel_read(&p->kernel, err, err_len);
	if (ret)
		goto fail;
	p->skel = probe__open();
	ret = p->skel ? load(p, cfg, err, err_len) : -errno;
	probe_kernel_drop(&p->kernel);
	if (ret)
		goto fail;
	p->ring = ring_buffer__new(bpf_map__fd(p->skel->maps.ring), give, p, NULL);
	if (p->ring) {
		*out = p;
		return 0;
	}
	ret = -errno;
	snprintf(err, err_len, "probe: cannot map the ring: %s; make run.ring smaller",
		 strerror(-ret));
fail:
	probe_close(p);
	return ret;
}

int probe_mark_self(struct probe *p)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int ret = bpf_prog_test_run_opts(bpf_program__fd(p->skel->progs.mark_current), &opts);

	if (ret)
		return ret;
	return opts.retval == 1 ? 0 : -ENOMEM;
}

int probe_mark_pid(struct probe *p, int pid)
{
	struct probe_mark mark = {0};
	int ret, fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return -errno;
	ret = bpf_map_update_elem(bpf_map__fd(p->skel->maps.workers), &fd, &mark, BPF_ANY);
	close(fd);
	return ret;
}

int probe_drain(struct probe *p, int (*take)(void *ctx, const struct probe_event *ev), void *ctx)
{
	int ret;

	p->take = take;
	p->take_ctx = ctx;
	ret = ring_buffer__consume(p->ring);
	return ret < 0 ? ret : 0;
}

/* One number of every program, summed. */
static int sum_info(const struct probe *p, u64 *run_time_ns, u64 *missed)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, p->skel->obj)
	{
		struct bpf_prog_info info = {0};
		__u32 len = sizeof(info);
		int ret;

		if (!bpf_program__autoload(prog))
			continue;
		ret = bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len);
		if (ret)
			return ret;
		*run_time_ns += info.run_time_ns;
		*missed += info.recursion_misses;
	}
	return 0;
}

int probe_losses(const struct probe *p, struct probe_losses *out)
{
	int cpus = libbpf_num_possible_cpus();
	struct probe_percpu *each;
	u64 run_time_ns = 0;
	__u32 zero = 0;
	int ret;

	memset(out, 0, sizeof(*out));
	if (cpus < 0)
		return cpus;
	each = calloc((size_t)cpus, sizeof(*each));
	if (!each)
		return -ENOMEM;
	ret = bpf_map_lookup_elem(bpf_map__fd(p->skel->maps.percpu), &zero, each);
	for (int i = 0; !ret && i < cpus; i++)
		out->ring_full += each[i].ring_full;
	free(each);
	out->backwards = p->backwards;
	out->gaps = p->gaps;
	return ret ? ret : sum_info(p, &run_time_ns, &out->missed);
}

const char *probe_cgroup_root(const struct probe *p)
{
	return p->kernel.cgroup_root[0] ? p->kernel.cgroup_root : NULL;
}

/* Whoever turned the account on (a sysctl, or a program that holds it open), then it is above 0. */
u64 probe_run_time_ns(const struct probe *p, bool *known)
{
	u64 run_time_ns = 0, missed = 0;

	*known = !sum_info(p, &run_time_ns, &missed) && run_time_ns > 0;
	return *known ? run_time_ns : 0;
}

void probe_close(struct probe *p)
{
	if (!p)
		return;
	ring_buffer__free(p->ring);
	probe__destroy(p->skel);
	probe_kernel_drop(&p->kernel);
	free_logs(p);
	free(p);
}
