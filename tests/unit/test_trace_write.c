// SPDX-License-Identifier: GPL-2.0-only
/* The trace's writer: what it refuses, what it leaves behind when it cannot go on. */
#include "test_trace.h"
#include "trace/format.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

/* Stream s has the times 2i + s, so that a merged event says which stream it is of. */
static struct event numbered(u32 stream, u64 i)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EVENT_LOST;
	ev.time_ns = 2 * i + stream;
	/* Does not compress. */
	ev.lost.count = (i * 2 + stream + 1) * 0x9e3779b97f4a7c15ull;
	ev.lost.what = LOST_PROBE;
	return ev;
}

/* Are these, stream by stream, the first that were written? Their number per stream in nr. */
static bool is_prefix(const struct t_events *got, u64 nr[2])
{
	nr[0] = nr[1] = 0;
	for (u32 i = 0; i < got->nr; i++) {
		u32 stream = (u32)(got->v[i].time_ns % 2);
		struct event want = numbered(stream, nr[stream]++);

		if (!t_same(&got->v[i], &want))
			return false;
	}
	return true;
}

static void test_create_refused(void)
{
	struct trace_info info = t_info();
	struct trace_writer *w = t_create(1);
	char path[400];
	struct stat before, after;

	trace_close(w, true);
	stat(t_path, &before);
	CHECK(trace_create(&w, t_path, &info, "", 1) == -EEXIST && !w, "an existing file is kept");
	CHECK(!stat(t_path, &after) && after.st_size == before.st_size, "as it was");
	snprintf(path, sizeof(path), "%s/none/x.hbt", t_dir);
	CHECK(trace_create(&w, path, &info, "", 1) == -ENOENT, "no directory, no file");
	snprintf(path, sizeof(path), "%s/x.hbt", t_dir);
	CHECK(trace_create(&w, path, &info, "", 0) == -EINVAL, "no streams are refused");
	CHECK(trace_create(&w, path, &info, "", TRACE_STREAMS_MAX + 1) == -EINVAL, "too many, too");
	info.engine = 9;
	CHECK(trace_create(&w, path, &info, "", 1) == -EINVAL, "an unknown engine is refused");
	CHECK(access(path, F_OK), "and leaves no file");
}

/* One bad event: refused, and the error sticks. */
static void check_refused(const char *what, const struct event *ev, u32 stream)
{
	struct trace_writer *w = t_create(2);
	struct event good = numbered(0, 500);
	struct t_events got = {0};
	struct trace_reader *r;
	bool refused, sticks;

	t_add_tasks(w);
	trace_write(w, 0, &good);
	refused = trace_write(w, stream, ev) == -EINVAL;
	good = numbered(0, 501);
	sticks = trace_write(w, 0, &good) == -EINVAL && trace_flush(w) == -EINVAL;
	sticks &= trace_close(w, true) == -EINVAL;
	r = t_open();
	sticks &= r && trace_damage(r)->incomplete && !t_read(r, &got);
	trace_reader_free(r);
	free(got.v);
	CHECK(refused && sticks, "%s is refused, which sticks", what);
}

static void test_bad_events(void)
{
	u64 state = 5;
	struct event ev = numbered(0, 499);

	check_refused("time going backwards", &ev, 0);
	ev = numbered(0, 501);
	check_refused("a stream past the last", &ev, 2);
	ev.kind = EVENT_KIND_END;
	check_refused("an unknown kind", &ev, 0);
	ev.kind = 15;
	check_refused("the kind that stands for those above it", &ev, 0);
	ev = t_event(&state, EVENT_START, 2000);
	ev.worker = T_WORKERS;
	check_refused("a worker past the last", &ev, 0);
	ev = t_event(&state, EVENT_SUBMIT, 2000);
	ev.submit.key = T_KEYS;
	check_refused("a key past the last", &ev, 0);
	ev = t_event(&state, EVENT_SUBMIT, 2000);
	ev.submit.nr_steps = ITEM_STEPS_MAX + 1;
	check_refused("a step too many", &ev, 0);
	ev = t_event(&state, EVENT_SWITCH, 2000);
	ev.sched_switch.next_task = T_TASKS;
	check_refused("a task that was not named", &ev, 0);
	ev = t_event(&state, EVENT_SWITCH, 2000);
	ev.sched_switch.flags = 4;
	check_refused("an unknown flag", &ev, 0);
	ev = t_event(&state, EVENT_IRQ_ENTER, 2000);
	ev.irq.irq_task = NONE32;
	check_refused("an interrupt without a name", &ev, 0);
	ev = t_event(&state, EVENT_IRQ_EXIT, 2000);
	ev.cpu = NONE32;
	check_refused("an interrupt on a CPU out of bounds", &ev, 0);
	ev = t_event(&state, EVENT_STEP, 2000);
	ev.step.index = ITEM_STEPS_MAX;
	check_refused("a step that no item has", &ev, 0);
	ev = t_event(&state, EVENT_ACCOUNT, 2000);
	ev.account.phase = ACCOUNT_END + 1;
	check_refused("an unknown phase", &ev, 0);
	ev = t_event(&state, EVENT_LOST, 2000);
	ev.lost.what = LOST_WRITER + 1;
	check_refused("an unknown loss", &ev, 0);
	ev = t_event(&state, EVENT_WAKEUP, 2000);
	ev.cpu = NONE32;
	check_refused("a CPU out of bounds", &ev, 0);
}

static void test_bad_services(void)
{
	u64 state = 6;
	struct event ev = t_event(&state, EVENT_SUBMIT, 2000);

	ev.submit.nr_steps = 1;
	ev.submit.steps[0] = (struct step){.kind = STEP_CALL, .resource = RESOURCES_MAX};
	check_refused("a step that calls a resource past the last", &ev, 0);
	ev.submit.steps[0] = (struct step){.kind = STEP_LOCK + 1};
	check_refused("an unknown kind of step", &ev, 0);
	ev = t_event(&state, EVENT_SUBMIT, 2000);
	ev.submit.delivery = DELIVERY_NR;
	check_refused("an unknown delivery", &ev, 0);
	ev = t_event(&state, EVENT_DONE, 2000);
	ev.done.outcome = OUTCOME_NR;
	check_refused("an unknown outcome", &ev, 0);
	ev = t_event(&state, EVENT_TAKE, 2000);
	ev.take.slot = RESOURCE_SLOTS_MAX;
	check_refused("a slot past the last", &ev, 0);
	ev = t_event(&state, EVENT_TAKE, 2000);
	ev.take.from_ns = 1999;
	check_refused("a slot that was had before it was asked for", &ev, 0);
	ev = t_event(&state, EVENT_TAKE, 2000);
	ev.take.from_ns = 3000;
	ev.take.until_ns = 2999;
	check_refused("a slot given back before it was had", &ev, 0);
	ev = t_event(&state, EVENT_TAKE, 0);
	ev.take.from_ns = 0;
	ev.take.until_ns = UINT64_MAX;
	check_refused("a slot for all time", &ev, 1);
	ev = t_event(&state, EVENT_TAKE, 2000);
	ev.worker = T_WORKERS;
	check_refused("a slot of a worker past the last", &ev, 0);
	ev = t_event(&state, EVENT_PAUSE, 2000);
	ev.pause.until_ns = 1999;
	check_refused("a pause that ends before it begins", &ev, 0);
}

static void test_bad_class(void)
{
	struct trace_writer *w = t_create(1);
	struct task t = t_task(1);

	t.class = TASK_INTERRUPT + 1;
	CHECK(trace_task(w, &t) == NONE32 && trace_close(w, true) == -EINVAL,
	      "an unknown class of a task is refused, which sticks");
}

/* A new task with every event, and the file read while its writer holds the rest in memory. */
static void test_tasks_before_events(void)
{
	struct trace_writer *w = t_create(1);
	struct t_events got = {0};
	struct trace_reader *r;
	u64 state = 8;

	for (u32 i = 0; i < 30000; i++) {
		struct task t = {.tid = i, .worker = NONE32, .comm = "new"};
		struct event ev = t_event(&state, EVENT_SWITCH, i);

		ev.sched_switch.next_task = trace_task(w, &t);
		trace_write(w, 0, &ev);
	}
	r = t_open();
	CHECK(!t_read(r, &got) && got.nr > 1000 && got.nr < 30000 && !trace_damage(r)->damaged,
	      "tasks are on disk before the events that name them");
	trace_reader_free(r);
	trace_close(w, true);
	free(got.v);
}

static u32 flags_on_disk(void)
{
	struct trace_file_header h = {0};
	int fd = open(t_path, O_RDONLY);

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h))
		h.flags = UINT32_MAX;
	close(fd);
	return h.flags;
}

static void test_incomplete(void)
{
	struct trace_writer *w = t_create(1);
	struct event ev = numbered(0, 0);
	struct t_events got = {0};
	struct trace_reader *r;

	CHECK(flags_on_disk() == (TRACE_INCOMPLETE | TRACE_PROBED), "incomplete from the start");
	trace_set_base(w, 12);
	trace_write(w, 0, &ev);
	trace_flush(w);
	CHECK(flags_on_disk() == (TRACE_INCOMPLETE | TRACE_PROBED), "incomplete while written");
	CHECK(trace_close(w, false) == 0, "closed as not complete");
	r = t_open();
	CHECK(trace_damage(r)->incomplete && !trace_damage(r)->damaged &&
		      strstr(trace_damage(r)->text, "incomplete"),
	      "is said to be incomplete");
	CHECK(trace_info(r)->base_ns == 12 && !t_read(r, &got) && got.nr == 1, "has what it has");
	trace_reader_free(r);
	trace_close(t_create(1), true);
	CHECK(flags_on_disk() == TRACE_PROBED, "closed as complete, the flag is cleared");
	free(got.v);
}

/* Writes for ever; after each flush says how many events each stream has. */
static void write_for_ever(int fd)
{
	struct trace_writer *w = t_create(2);

	for (u64 i = 0;; i++) {
		struct event a = numbered(0, i), b = numbered(1, i);

		if (trace_write(w, 0, &a) || trace_write(w, 1, &b))
			_exit(1);
		if (i % 700 == 699) {
			u64 n = i + 1;

			if (trace_flush(w) || write(fd, &n, sizeof(n)) != sizeof(n))
				_exit(1);
		}
	}
}

static void test_killed(void)
{
	struct t_events got = {0};
	struct trace_reader *r;
	u64 flushed = 0, n, nr[2];
	int fds[2], status;
	pid_t pid;

	if (pipe(fds) || (pid = fork()) < 0) {
		CHECK(false, "a process to kill");
		return;
	}
	if (!pid)
		write_for_ever(fds[1]);
	close(fds[1]);
	while (flushed < 20000 && read(fds[0], &n, sizeof(n)) == sizeof(n))
		flushed = n;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	while (read(fds[0], &n, sizeof(n)) == sizeof(n))
		flushed = n;
	close(fds[0]);
	r = t_open();
	CHECK(WIFSIGNALED(status) && r && trace_damage(r)->incomplete, "a killed writer's file");
	CHECK(!t_read(r, &got) && is_prefix(&got, nr), "gives the first events of each stream");
	CHECK(nr[0] >= flushed && nr[1] >= flushed, "none that was flushed is lost");
	trace_reader_free(r);
	free(got.v);
}

/* t_dir becomes a tmpfs of 256 KiB that only this process sees. */
static bool mount_small(void)
{
	return !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", t_dir, "tmpfs", 0, "size=256k");
}

static int write_until_error(struct trace_writer *w)
{
	int err = 0;

	for (u64 i = 0; !err && i < 1000000; i++) {
		struct event a = numbered(0, i), b = numbered(1, i);

		err = trace_write(w, 0, &a);
		if (!err)
			err = trace_write(w, 1, &b);
	}
	return err;
}

static void check_full_file(void)
{
	struct t_events got = {0};
	struct trace_reader *r = t_open();
	struct stat st;
	u64 nr[2];

	CHECK(r && trace_damage(r)->incomplete, "its file opens, incomplete");
	CHECK(!stat(t_path, &st) && !trace_damage(r)->damaged &&
		      trace_damage(r)->offset == (u64)st.st_size,
	      "and ends at a whole block");
	CHECK(!t_read(r, &got) && is_prefix(&got, nr) && nr[0] > 1000 && nr[1] > 1000,
	      "which gives the first events of each stream");
	trace_reader_free(r);
	free(got.v);
}

/* Fill what is left to the last byte. */
static void fill(const char *path)
{
	static const char zero[512];
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	while (write(fd, zero, sizeof(zero)) > 0)
		;
	close(fd);
}

static void test_full_disk(void)
{
	struct trace_info info = t_info();
	struct trace_writer *w;
	struct task t = t_task(1);
	char path[400];

	if (!mount_small()) {
		CHECK(true, "full disk # SKIP cannot mount a tmpfs: run as root");
		return;
	}
	w = t_create(2);
	CHECK(write_until_error(w) == -ENOSPC, "a full disk is -ENOSPC");
	CHECK(trace_task(w, &t) == NONE32 && trace_note(w, "a", "b") == -ENOSPC &&
		      trace_cgroup(w, 1, "/") == -ENOSPC && trace_flush(w) == -ENOSPC,
	      "which sticks");
	CHECK(trace_close(w, true) == -ENOSPC, "to the end");
	check_full_file();
	snprintf(path, sizeof(path), "%s/filler", t_dir);
	fill(path);
	snprintf(path, sizeof(path), "%s/y.hbt", t_dir);
	CHECK(trace_create(&w, path, &info, "", 1) == -ENOSPC && access(path, F_OK),
	      "on a full disk no file is made");
	umount2(t_dir, MNT_DETACH);
}

int main(void)
{
	t_setup();
	test_create_refused();
	test_bad_events();
	test_bad_services();
	test_bad_class();
	test_tasks_before_events();
	test_incomplete();
	/* What is buffered on standard output must not be written twice. */
	fflush(stdout);
	test_killed();
	test_full_disk();
	t_cleanup();
	return tap_done();
}
