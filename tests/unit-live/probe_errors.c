/* SPDX-License-Identifier: GPL-2.0-only */
/* Each way in which the probe cannot start: one line that names the thing and the mend. */
#include "live/probe_error.h"
#include "live/probe_kernel.h"
#include "probe_help.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define NOBODY 65534

static int try_open(u64 ring_bytes, u32 cpu, char *err, size_t err_len)
{
	struct probe_config cfg = {.ring_bytes = ring_bytes, .cpus = &cpu, .nr_cpus = 1};
	struct probe *p = NULL;
	int ret = probe_open(&p, &cfg, err, err_len);

	if (!ret)
		probe_close(p);
	return ret;
}

static void check_line(int ret, int want, const char *err, const char *thing, const char *mend)
{
	CHECK(ret == want && !strchr(err, '\n') && strstr(err, thing) && strstr(err, mend), "%s",
	      err);
}

/* Runs in a child, which gives something up first and reports its line through a pipe. */
static int open_without(void (*give_up)(void), char *err, size_t err_len)
{
	int fds[2], status = 0;
	ssize_t n;
	pid_t child;

	if (pipe(fds))
		return -errno;
	child = fork();
	if (!child) {
		give_up();
		status = try_open(1 << 20, test_cpu(), err, err_len);
		n = write(fds[1], err, strlen(err));
		_exit(n < 0 ? 0 : -status);
	}
	close(fds[1]);
	n = read(fds[0], err, err_len - 1);
	err[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	waitpid(child, &status, 0);
	return -WEXITSTATUS(status);
}

static void become_nobody(void)
{
	if (setgid(NOBODY) || setuid(NOBODY))
		_exit(0);
}

static void hide_btf(void)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/sys/kernel/btf", "tmpfs", 0, NULL))
		_exit(0);
}

/* An empty file in its place: BTF that is there and cannot be used. */
static void spoil_btf(void)
{
	FILE *f;

	hide_btf();
	f = fopen("/sys/kernel/btf/vmlinux", "w");
	if (!f || fclose(f))
		_exit(0);
}

static void test_refusals(void)
{
	char err[512] = "";
	int ret = open_without(become_nobody, err, sizeof(err));

	check_line(ret, -EPERM, err, "no permission", "run as root");
	ret = open_without(hide_btf, err, sizeof(err));
	check_line(ret, -ENOENT, err, "/sys/kernel/btf/vmlinux", "CONFIG_DEBUG_INFO_BTF=y");
	ret = open_without(spoil_btf, err, sizeof(err));
	check_line(ret, -EIO, err, "/sys/kernel/btf/vmlinux", "--no-bpf");
	ret = try_open(1ull << 40, test_cpu(), err, sizeof(err));
	check_line(ret, -EINVAL, err, "1099511627776", "or less");
	ret = try_open(1 << 20, PROBE_CPUS_MAX, err, sizeof(err));
	check_line(ret, -EINVAL, err, "CPU 8192", "below 8192");
}

static void test_log_reason(void)
{
	char log[] =
		"func#0 @0\n0: R1=ctx() R10=fp0\n; task = ctx[0]\n"
		"0: (79) r1 = *(u64 *)(r1 +64)\nfunc 'sched_waking' doesn't have 9-th argument\n"
		"invalid bpf_context access off=64 size=8\n"
		"processed 1 insns (limit 1000000) max_states_per_insn 0 total_states 0\n\n";
	char counts[] = "verification time 12 usec\nstack depth 0\nprocessed 1 insns\n";
	char one[] = "no newline", none[] = "";

	CHECK(!strcmp(probe_log_reason(log), "invalid bpf_context access off=64 size=8"),
	      "the reason is the line before the counts");
	CHECK(!*probe_log_reason(counts), "counts are no reason");
	CHECK(!strcmp(probe_log_reason(one), "no newline"), "a log of one line");
	CHECK(!*probe_log_reason(none), "no log, no reason");
}

static int find_in(const char *text, struct probe_kernel *k)
{
	char path[] = "/tmp/holbench-mountinfo-XXXXXX";
	int fd = mkstemp(path), ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? probe_cgroup_find(k, path)
								     : -EIO;
	close(fd);
	unlink(path);
	return ret;
}

static void test_cgroup_root(void)
{
	static const char pure[] = "1 0 0:1 / /proc rw - proc proc rw\n"
				   "2 0 0:2 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
	static const char hybrid[] = "1 0 0:1 / /c/unified rw - cgroup2 cgroup2 rw\n"
				     "2 0 0:2 / /c/set rw - cgroup cgroup rw,cpuset\n"
				     "3 0 0:3 / /c/a\\040b rw - cgroup cgroup rw,cpu,cpuacct\n";
	static const char none[] = "1 0 0:1 / /c/acct rw - cgroup cgroup rw,cpuacct\n";
	struct probe_kernel k;

	CHECK(!find_in(pure, &k) && !k.cpu_on_v1 && !strcmp(k.cgroup_root, "/sys/fs/cgroup"),
	      "pure v2");
	CHECK(!find_in(hybrid, &k) && k.cpu_on_v1 && !strcmp(k.cgroup_root, "/c/a b"),
	      "hybrid: the v1 mount that has cpu, a blank in its path");
	CHECK(!find_in(none, &k) && !k.cpu_on_v1 && !*k.cgroup_root,
	      "no hierarchy with the CPU controller");
	CHECK(probe_cgroup_find(&k, "/nonexistent") == -ENOENT, "mountinfo that is not there");
}

int main(void)
{
	need_root();
	test_refusals();
	test_log_reason();
	test_cgroup_root();
	return tap_done();
}
