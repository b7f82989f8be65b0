/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one run of one cell says, as read from its trace: the one analysis path of run, sweep,
 * simulate, and everything that looks at a result later.
 */
#ifndef HOLBENCH_REPORT_SUMMARY_H
#define HOLBENCH_REPORT_SUMMARY_H

#include "core/home.h"
#include "core/ledger.h"
#include "core/stats/order.h"
#include "spec/spec.h"
#include "core/stats/usage.h"
#include "trace/trace.h"

/* Whose latency. An item is in ALL, in one of HOT, NEIGHBOUR and FAR, and in VICTIM when it is not
 * hot. */
enum group {
	GROUP_VICTIM,
	GROUP_NEIGHBOUR,
	GROUP_FAR,
	GROUP_HOT,
	GROUP_ALL,
	GROUP_NR,
};

/* Which items of a group, by rank of latency. */
enum band {
	BAND_ALL,
	BAND_P50, /* ranked 45–55 % */
	BAND_P95, /* ranked 94–96 % */
	BAND_P99, /* from p99 on: the slowest 1 % */
	BAND_NR,
};

const char *group_name(enum group g);
const char *band_name(enum band b);

/* Latencies are of the items that succeeded or timed out: what their callers waited. */
struct group_summary {
	u64 items; /* 0: the rest is not measured */
	u64 mean_ns, p50_ns, p95_ns, p99_ns, max_ns;
	u64 send_p50_ns, send_p95_ns,
		send_p99_ns; /* done − submit, for comparison with tools that stamp at the send */
	/* Victims only: latency less what the kernel added (part_is_kernel()): what `simulate`
	 * should give. */
	u64 net_p50_ns, net_p95_ns, net_p99_ns;
	u64 band_items[BAND_NR];
};

/* One line of the aggregated ledger: time of all items of the band together. */
struct ledger_row {
	u64 ns;
	u32 culprit; /* index into culprits, or NONE32 */
	u8 group, band, part, front;
};

enum cell_state {
	CELL_VALID,
	CELL_INVALID,	 /* finished, but its numbers do not mean what they say: exit status 3 */
	CELL_INCOMPLETE, /* something is missing from the record: exit status 3 */
	CELL_DEFECT, /* a ledger that does not add up: a defect of this program, exit status 1 */
};

/* Who a culprit is, beside its name. */
enum culprit_class {
	CULPRIT_SYSTEM, /* a task of the rest of the system */
	CULPRIT_NOISE,
	CULPRIT_WORKERS, /* another worker, or what else runs in the workers' cgroup */
	CULPRIT_KTHREAD,
	CULPRIT_INTERRUPT,
	CULPRIT_NOT_RECORDED,
	CULPRIT_ITEMS, /* items that had the slot, the lock or the carrier that was waited for */
};

struct culprit {
	char *name; /* owned: "noise/burn", "kworker/1:2", "irq/local_timer", "another worker", "not
		       recorded" */
	char *cgroup; /* owned: its cgroup's path, empty when it is not known */
	enum culprit_class class;
};

const char *culprit_class_name(enum culprit_class c);

/* What the run noted beside its events. */
struct beside {
	bool throttled_known;		/* the workers had a cgroup with a quota's accounts */
	u64 throttled_ns, nr_throttled; /* by cpu.stat, over the run */
	bool steal_known;
	u64 steal_ns; /* what the hypervisor took of the worker CPUs, by /proc/stat */
	bool noise;   /* there was noise */
	u64 noise_cpu_ns;
	bool noise_idle; /* it got no CPU */
	bool threads_known;
	u64 threads_peak; /* threads of the run at once, at the most */
	bool memory_known;
	u64 memory_peak; /* bytes resident, at the most */
	bool stack_known;
	u64 stack;	 /* bytes of all stacks together */
	u32 worker_cpus; /* CPUs that the workers may use; 0: not noted */
};

struct summary {
	struct trace_info info;
	enum cell_state state;
	char why[160]; /* "generator", "lost 12 events"; empty when valid */

	u64 items_due; /* items of the stream that were due (the warm-up's are not counted here or
			  below) */
	u64 items;     /* items submitted */
	/* How they ended; nothing can fail otherwise in this version. The sum is items_due. */
	u64 succeeded, timed_out, refused, lost;
	u64 repeated;	   /* items that were delivered again, after they had begun */
	double throughput; /* succeeded items per second, first due … last done; NAN: none */
	struct group_summary groups[GROUP_NR];
	double neighbour_share; /* neighbours' share of the victims; NAN: no victims */
	bool net_measured;	/* kernel events were recorded, so net_… are there */
	double little_ratio; /* how far Little's law is off, see core/stats/little.h; NAN: no items
			      */
	struct usage usage[USAGE_MAX]; /* from the warm-up's end to the last done; live runs with a
					  probe: "cpu" too, over all of the run */
	u32 nr_usage;
	double queue_load;  /* work offered to the fullest queue, in workers; NAN: no items */
	u32 queue_hot_keys; /* hot keys whose home that queue is; designs with a queue a worker */
	bool order_kept;    /* the design promises order within keys */
	u64 late_p99_ns, late_max_ns;
	u64 unknown_ns; /* part `unknown`, all items */
	struct order_counts order;
	u64 moves, moved_items, moved_again, steals;
	struct ledger_counts counts; /* lost events, reclassified sleeps … */
	struct ledger_check check;
	struct beside beside;

	struct ledger_row *rows; /* owned; sorted by group, band, part, front, ns descending */
	u32 nr_rows;
	struct culprit *culprits; /* owned */
	u32 nr_culprits;
};

/*
 * Analyse a trace: the trace's own spec says what it was. Returns 0, or a negative errno with err
 * filled with one line. A damaged or incomplete trace is analysed as far as it goes:
 * CELL_INCOMPLETE.
 */
int summary_read(struct summary *s, struct trace_reader *r, char *err, size_t err_len);
void summary_free(struct summary *s);

/* Sum of the rows that match; group and band always, part or front only when ≥ 0. */
u64 summary_sum(const struct summary *s, enum group g, enum band b, int part, int front);
/* The same over what the kernel did (part_is_kernel()). */
u64 summary_kernel_sum(const struct summary *s, enum group g, enum band b);
/* The culprit with the most run-queue time, as service or in front, or NONE32; *ns gets its time.
 */
u32 summary_worst_culprit(const struct summary *s, enum group g, enum band b, u64 *ns);

/* The one whose share is the largest, the first of equals; NULL: nothing was measured. */
const struct usage *summary_busiest(const struct summary *s);
/* The design promises the order within keys, and it was never put to the test. */
bool summary_order_unexercised(const struct summary *s);

/* The checks against the kernel's account: a ratio is |ours − theirs| / theirs, NAN when not
 * measured. */
struct check_result {
	bool measured;
	s64 waits_difference; /* ours − theirs */
	bool waits_ok;	      /* at most one at each end of each worker */
	double wait_ratio;
	double wait_us_per_wait; /* ours − theirs, a wait */
	bool wait_ok; /* within 1 % + 10 µs a wait: the kernel's run queue clock says no more */
	double cpu_ratio;
	double cpu_us_per_wait; /* ours − theirs, a time on the CPU: what a switch itself costs is
				   in the kernel's */
	bool cpu_ok;		/* within 1 % + 10 µs a wait */
	double throttled_ratio; /* NAN without a quota as well */
	bool throttled_ok;	/* within 1 % + 10 µs a throttling */
};
struct check_result summary_check(const struct summary *s);

/* "noise/burn[4121]", "irq/local_timer": how a culprit is named for people; `r` gives cgroup paths,
 * may be NULL. Returns buf. */
const char *culprit_name(char *buf, size_t len, const struct task *t, const struct trace_reader *r,
			 bool with_tid);
/* Of a charge, which may also be a key: "db: key 17". NULL: it has no culprit. `s` is the trace's
 * spec. */
const char *charge_culprit(char *buf, size_t len, const struct charge *c, const struct spec *s,
			   const struct trace_reader *r, bool with_tid);

/* Hot keys up to here are culprits of their own in an aggregated ledger, the others are one. */
#define NAMED_KEYS_MAX 16u
/* The ledger of a trace, whose scaled spec is `s`; who is called, and about what, is not filled. */
struct ledger_config ledger_config_of(const struct spec *s, const struct trace_reader *r);

#endif
