// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table. A new key is one row here, a member of struct spec, and an entry in holbench-spec(5)
 * (a test compares them). Rows are applied from the last to the first, so that dispatch.design
 * finds dispatch.unit already set, and noise.kind goes over what noise.command says of it.
 */
#include "spec/options.h"

#include <math.h>
#include <string.h>

#define AT(member)   .offset = offsetof(struct spec, member), .size = SIZE(member)
#define SIZE(member) sizeof(((struct spec *)0)->member)
#define WORDS(...)                                                                                 \
	.choices = (const struct choice[])                                                         \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			.name = NULL                                                               \
		}                                                                                  \
	}
#define FIELD(t, m, ...) .field = {.type = t, AT(m), __VA_ARGS__}
/* Of a section with a name: a member of struct resource_config. */
#define OF_RESOURCE(t, m, ...)                                                                     \
	.field = {.type = t,                                                                       \
		  .offset = offsetof(struct resource_config, m),                                   \
		  .size = sizeof(((struct resource_config *)0)->m),                                \
		  __VA_ARGS__}
#define RANGE(lo, hi) .min = lo, .max = hi
#define WORD(n, v)                                                                                 \
	{                                                                                          \
		.name = n, .value = v                                                              \
	}
/* A choice with a parameter: name:P, where P is a number for another member. */
#define WITH(n, v, p, t, m, lo, hi)                                                                \
	{                                                                                          \
		.name = n, .value = v, .parameter = p, FIELD(t, m, RANGE(lo, hi))                  \
	}
#define WITH_OF_RESOURCE(n, v, p, t, m, lo, hi)                                                    \
	{                                                                                          \
		.name = n, .value = v, .parameter = p, OF_RESOURCE(t, m, RANGE(lo, hi))            \
	}
/* What was read in a file: written by spec_print(). */
#define FACT(n, t, m, lo, hi, d, h)                                                                \
	{                                                                                          \
		"csv", n, OPTION_NUMBER, FIELD(t, csv.facts.m, RANGE(lo, hi)),                     \
			.def = d, .holds = recorded, .with = "workload.trace", .help = h           \
	}
/* A time that may be none. */
#define TIME_OR_NONE(m) FIELD(VALUE_DURATION, m, RANGE("1us", "168h")), WORDS(WORD("none", 0))

static void set_share(struct spec *s)
{
	s->hot_load = NAN;
}

static bool recorded(const struct spec *s)
{
	return *s->csv.path;
}

/* A recorded stream says when what arrives. */
static bool drawn(const struct spec *s)
{
	return !recorded(s);
}

static bool share_holds(const struct spec *s)
{
	return drawn(s) && isnan(s->hot_load);
}

static bool load_holds(const struct spec *s)
{
	return drawn(s) && !isnan(s->hot_load);
}

/* A partition says the queue. */
static bool hash_holds(const struct spec *s)
{
	return !s->workload.partitions;
}

static bool placement_holds(const struct spec *s)
{
	return drawn(s) && hash_holds(s);
}

static bool factor_holds(const struct spec *s)
{
	return drawn(s) || !csv_has_cost(&s->csv);
}

/* Steps say the cost and what it does. */
static bool work_holds(const struct spec *s)
{
	return !s->workload.nr_steps;
}

static bool cost_holds(const struct spec *s)
{
	return factor_holds(s) && work_holds(s);
}

static void set_command(struct spec *s)
{
	s->noise.kind = NOISE_COMMAND;
}

static bool command_holds(const struct spec *s)
{
	return *s->noise.command;
}

static const struct option options[] = {
	{"workload", "keys", OPTION_NUMBER,
	 FIELD(VALUE_COUNT, workload.keys, RANGE("1", "16777216")), .def = "200", .holds = drawn,
	 .help = "how many keys, the hot ones included"},
	{"workload", "rate", OPTION_NUMBER,
	 FIELD(VALUE_RATE, workload.rate, RANGE("0.001/s", "1e9/s")), .def = "400/s",
	 .holds = drawn, .help = "arrivals, open loop"},
	{"workload", "duration", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workload.duration_ns, RANGE("1us", "168h")), .def = "20s",
	 .holds = drawn, .help = "how long items arrive; the run then drains"},
	{"workload", "arrivals", OPTION_CHOICE, FIELD(VALUE_NONE, workload.arrivals),
	 WORDS(WORD("even", ARRIVALS_EVEN), WORD("poisson", ARRIVALS_POISSON),
	       WORD("burst", ARRIVALS_BURST)),
	 .def = "even", .holds = drawn, .help = "the arrival process"},
	{"workload", "cold_pick", OPTION_CHOICE, FIELD(VALUE_NONE, workload.cold_pick),
	 WORDS(WORD("roundrobin", COLD_ROUNDROBIN), WORD("uniform", COLD_UNIFORM),
	       WITH("zipf", COLD_ZIPF, "S", VALUE_NUMBER, workload.zipf_s, "0", "10")),
	 .def = "roundrobin", .holds = drawn,
	 .help = "which cold key an item gets; zipf's exponent is S"},
	{"workload", "cost", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workload.cost_ns, RANGE("0s", "1h")), .def = "5ms",
	 .holds = cost_holds, .help = "mean cost of a cold item"},
	{"workload", "jitter", OPTION_NUMBER,
	 FIELD(VALUE_PERCENT, workload.jitter, RANGE("0%", "100%")), .def = "50%",
	 .holds = factor_holds,
	 .help = "cost_dist=uniform: half the width of the range, of the mean"},
	{"workload", "cost_dist", OPTION_CHOICE, FIELD(VALUE_NONE, workload.cost_dist),
	 WORDS(WORD("uniform", COST_UNIFORM), WORD("fixed", COST_FIXED),
	       WORD("exponential", COST_EXPONENTIAL),
	       WITH("lognormal", COST_LOGNORMAL, "SIGMA", VALUE_NUMBER, workload.sigma, "0", "5")),
	 .def = "uniform", .holds = factor_holds,
	 .help = "how costs are distributed around their mean"},
	{"workload", "work", OPTION_CHOICE, FIELD(VALUE_NONE, workload.work),
	 WORDS(WORD("wait", WORK_WAIT), WORD("cpu", WORK_CPU),
	       WITH("mix", WORK_MIX, "P%", VALUE_PERCENT, workload.mix, "0%", "100%")),
	 .def = "wait", .holds = work_holds,
	 .help = "what an item does: sleep, use the CPU, or P% CPU and then sleep"},
	{"workload", "steps", OPTION_STEPS, WORDS(WORD("none", 0)), .def = "none",
	 .help = "the service instead of cost and work: cpu 4ms + call db 50ms"},
	{"workload", "timeout", OPTION_NUMBER, TIME_OR_NONE(workload.timeout_ns), .def = "none",
	 .help = "an item's caller gives up so long after its service began"},
	{"workload", "null", OPTION_NUMBER,
	 FIELD(VALUE_PERCENT, workload.null_share, RANGE("0%", "100%")), .def = "0%",
	 .holds = drawn, .help = "of the arrivals: items without a key"},
	{"workload", "partitions", OPTION_NUMBER,
	 FIELD(VALUE_COUNT, workload.partitions, RANGE("1", "16777216")), WORDS(WORD("none", 0)),
	 .def = "none", .help = "how many partitions the keys are in; they say the home queue"},
	{"workload", "trace", OPTION_TEXT_OF, .field = {AT(csv.path)}, .syntax = "FILE",
	 .holds = recorded, .help = "a recorded stream: CSV or CSV.zst, as [csv] says"},
	{"workload", "seed", OPTION_NUMBER,
	 FIELD(VALUE_COUNT, workload.seed, RANGE("0", "9000000000000000000")), .def = "1",
	 .help = "of the stream; each further repeat of a cell adds 1"},

	{"hot", "keys", OPTION_NUMBER, FIELD(VALUE_COUNT, workload.hot_keys, RANGE("0", "65536")),
	 .def = "1", .holds = drawn, .help = "how many hot keys"},
	{"hot", "load", OPTION_NUMBER, FIELD(VALUE_NUMBER, hot_load, RANGE("0", "1000000")),
	 .def = "0", .holds = load_holds, .group = 1,
	 .help = "work of all hot keys together, in workers; 0: no item is hot"},
	{"hot", "share", OPTION_NUMBER,
	 FIELD(VALUE_PERCENT, workload.hot_share, RANGE("0%", "100%")), .set = set_share,
	 .holds = share_holds, .group = 1,
	 .help = "the same as a share of the arrivals, instead of load"},
	{"hot", "cost", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workload.hot_cost_ns, RANGE("0s", "1h")), .def = "100ms",
	 .holds = drawn, .help = "mean cost of a hot item"},
	{"hot", "pick", OPTION_CHOICE, FIELD(VALUE_NONE, workload.hot_pick),
	 WORDS(WORD("every", HOT_EVERY), WORD("bernoulli", HOT_BERNOULLI)), .def = "every",
	 .holds = drawn, .help = "which arrivals are hot: every N-th, or each by chance"},
	{"hot", "placement", OPTION_CHOICE, FIELD(VALUE_NONE, hot_placement),
	 WORDS(WORD("together", HOT_TOGETHER), WORD("spread", HOT_SPREAD)), .def = "together",
	 .holds = placement_holds, .help = "hot keys on one queue, or each on a queue of its own"},
	{"hot", "neighbours", OPTION_NUMBER, FIELD(VALUE_COUNT, neighbours, RANGE("0", "16777216")),
	 WORDS(WORD("hash", -1)), .def = "hash", .holds = drawn,
	 .help = "exactly how many cold keys share each hot queue; hash: as it falls"},

	{"burst", "every", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workload.burst_every_ns, RANGE("1us", "168h")), .def = "1s",
	 .with = "workload.arrivals = burst", .holds = drawn,
	 .help = "arrivals=burst: a burst so often"},
	{"burst", "for", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workload.burst_for_ns, RANGE("0s", "168h")), .def = "0s",
	 .with = "workload.arrivals = burst", .holds = drawn,
	 .help = "arrivals=burst: how long it takes; 0s: all of a period's items at once"},

	{"csv", "time", OPTION_TEXT_OF, .field = {AT(csv.time)}, .syntax = "NAME", .def = "time",
	 .holds = recorded, .with = "workload.trace", .help = "the column of due times"},
	{"csv", "key", OPTION_TEXT_OF, .field = {AT(csv.key)}, .syntax = "NAME", .def = "key",
	 .holds = recorded, .with = "workload.trace",
	 .help = "of keys: any text; empty: the item has none"},
	{"csv", "cost", OPTION_TEXT_OF, .field = {AT(csv.cost)}, .syntax = "NAME|none",
	 .def = "cost", .holds = recorded, .with = "workload.trace",
	 .help = "of costs; none: they are drawn, by workload.cost"},
	{"csv", "unit", OPTION_CHOICE, FIELD(VALUE_NONE, csv.unit_ns),
	 WORDS(WORD("s", NSEC_PER_SEC), WORD("ms", NSEC_PER_MSEC), WORD("us", NSEC_PER_USEC),
	       WORD("ns", 1)),
	 .def = "s", .holds = recorded, .with = "workload.trace", .help = "of times and costs"},
	{"csv", "window", OPTION_NUMBER, FIELD(VALUE_DURATION, csv.window_ns, RANGE("0s", "168h")),
	 .def = "0s", .holds = recorded, .with = "workload.trace",
	 .help = "how far times may go back from line to line"},
	{"csv", "speed", OPTION_NUMBER,
	 FIELD(VALUE_NUMBER, csv.speed, RANGE("0.000001", "1000000")), .def = "1",
	 .holds = recorded, .with = "workload.trace", .help = "2 plays it twice as fast"},
	{"csv", "cost_scale", OPTION_NUMBER,
	 FIELD(VALUE_NUMBER, csv.cost_scale, RANGE("0", "1000000")), .def = "1", .holds = recorded,
	 .with = "workload.trace", .help = "multiplies the costs"},
	FACT("bytes", VALUE_BYTES, bytes, "0B", "1048576GiB", "0B",
	     "the file that a result is of: how long"),
	FACT("crc32", VALUE_COUNT, crc32, "0", "4294967295", "0", "its CRC-32"),
	FACT("rows", VALUE_COUNT, rows, "0", "4000000000", "0", "how many rows"),
	FACT("keys", VALUE_COUNT, keys, "0", "16777216", "0", "how many keys"),
	FACT("keyless", VALUE_COUNT, keyless, "0", "4000000000", "0", "rows without a key"),
	FACT("span", VALUE_DURATION, span_ns, "0s", "2562047h", "0s",
	     "from the first time to the last"),
	FACT("mean_cost", VALUE_DURATION, cost_ns, "0s", "1h", "0s", "as it says"),

	{"resource.NAME", "capacity", OPTION_NUMBER,
	 OF_RESOURCE(VALUE_COUNT, capacity, RANGE("1", "65536")), .def = "1",
	 .help = "slots: how many calls it serves at once"},
	{"resource.NAME", "queue", OPTION_NUMBER,
	 OF_RESOURCE(VALUE_COUNT, queue, RANGE("0", "1000000")),
	 WORDS(WORD("none", RESOURCE_QUEUE_NEVER)), .def = "none",
	 .help = "calls that may wait for a slot, the next is refused; none: no bound"},
	{"resource.NAME", "dist", OPTION_CHOICE, OF_RESOURCE(VALUE_NONE, dist),
	 WORDS(WORD("fixed", RESOURCE_FIXED),
	       WITH_OF_RESOURCE("uniform", RESOURCE_UNIFORM, "J%", VALUE_PERCENT, jitter, "0%",
				"100%"),
	       WORD("exponential", RESOURCE_EXPONENTIAL),
	       WITH_OF_RESOURCE("lognormal", RESOURCE_LOGNORMAL, "SIGMA", VALUE_NUMBER, sigma, "0",
				"5")),
	 .def = "fixed", .help = "how the times of calls are distributed around their mean"},

	{"dispatch", "design", OPTION_DESIGN, .def = "shared",
	 .help = "which worker may take which item, when; steal takes :UNIT"},
	{"dispatch", "hash", OPTION_CHOICE, FIELD(VALUE_NONE, hash),
	 WORDS(WORD("mix", HASH_MIX), WORD("mod", HASH_MOD)), .def = "mix", .holds = hash_holds,
	 .help = "key to queue: a mixing hash, or key mod workers"},
	{"dispatch", "threshold", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, threshold_ns, RANGE("1us", "1h")), .def = "500ms",
	 .help = "steal: how long a queue's head waits before others may take"},
	{"dispatch", "unit", OPTION_CHOICE, FIELD(VALUE_NONE, unit),
	 WORDS(WORD("half", STEAL_HALF), WORD("item", STEAL_ITEM), WORD("key", STEAL_KEY)),
	 .def = "half", .help = "steal: what moves: the rear half, one item, or whole keys"},
	{"dispatch", "executor", OPTION_CHOICE, FIELD(VALUE_NONE, executor),
	 WORDS(WORD("thread", EXECUTOR_THREAD), WORD("async", EXECUTOR_ASYNC),
	       WORD("spawn", EXECUTOR_SPAWN)),
	 .def = "thread",
	 .help = "a worker the item holds; one it lets go while it waits; a thread of its own"},
	{"dispatch", "limit", OPTION_NUMBER, FIELD(VALUE_COUNT, limit, RANGE("1", "16777216")),
	 WORDS(WORD("none", 0)), .def = "none",
	 .help = "at most so many items in service, in each replica"},
	{"dispatch", "buffer", OPTION_NUMBER, FIELD(VALUE_COUNT, buffer, RANGE("1", "16777216")),
	 WORDS(WORD("none", 0)), .def = "none",
	 .help = "key, key:partition: at most so many unfinished items are admitted"},
	{"dispatch", "null", OPTION_CHOICE, FIELD(VALUE_NONE, null_unordered),
	 WORDS(WORD("key", false), WORD("unordered", true)), .def = "key", .with = "workload.null",
	 .help = "items without a key: as those of one key, or without order"},
	{"dispatch", "balance", OPTION_CHOICE, FIELD(VALUE_NONE, balance),
	 WORDS(WORD("roundrobin", BALANCE_ROUNDROBIN), WORD("least", BALANCE_LEAST)),
	 .def = "roundrobin", .with = "workers.replicas",
	 .help = "replicas: in turn, or the one with the fewest unfinished items"},

	{"workers", "count", OPTION_NUMBER, FIELD(VALUE_COUNT, workers.count, RANGE("1", "1024")),
	 .def = "8", .help = "how many worker threads, in each replica"},
	{"workers", "replicas", OPTION_NUMBER,
	 FIELD(VALUE_COUNT, workers.replicas, RANGE("1", "64")), .def = "1",
	 .help = "groups of workers behind a balancer, each with queues of its own"},
	{"workers", "carriers", OPTION_NUMBER,
	 FIELD(VALUE_COUNT, workers.carriers, RANGE("1", "1024")), WORDS(WORD("count", 0)),
	 .def = "count", .with = "dispatch.executor = async",
	 .help = "executor=async: how many worker threads there are instead of count"},
	{"workers", "cpus", OPTION_CPUS, .field = {AT(workers.cpus)}, .def = "auto",
	 .help = "where they are pinned, one after another: 1-3 8"},
	{"workers", "policy", OPTION_CHOICE, FIELD(VALUE_NONE, workers.policy),
	 WORDS(WORD("other", POLICY_OTHER), WORD("batch", POLICY_BATCH), WORD("idle", POLICY_IDLE),
	       WITH("fifo", POLICY_FIFO, "N", VALUE_COUNT, workers.rt_priority, "1", "99"),
	       WITH("rr", POLICY_RR, "N", VALUE_COUNT, workers.rt_priority, "1", "99")),
	 .def = "other", .help = "scheduling class; N is the real-time priority"},
	{"workers", "nice", OPTION_NUMBER, FIELD(VALUE_INT, workers.nice, RANGE("-20", "19")),
	 .def = "0", .help = "nice value; real-time classes have none"},
	{"workers", "slice", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workers.slice_ns, RANGE("100us", "100ms")), WORDS(WORD("kernel", 0)),
	 .def = "kernel", .help = "other, batch: what a worker runs before others have their turn"},
	{"workers", "cpu_max", OPTION_QUOTA,
	 FIELD(VALUE_DURATION, workers.cpu_max_ns, RANGE("1ms", "1024s")),
	 .period = {VALUE_DURATION, AT(workers.cpu_max_period_ns), RANGE("1ms", "1s")},
	 WORDS(WORD("none", 0)), .def = "none",
	 .help = "CPU time that all workers together may use in each period: 13ms/100ms"},

	{"place", "isolation", OPTION_CHOICE, FIELD(VALUE_NONE, place.isolation),
	 WORDS(WORD("shared", PLACE_SHARED), WORD("weighted", PLACE_WEIGHTED),
	       WORD("capped", PLACE_CAPPED), WORD("isolated", PLACE_ISOLATED)),
	 .def = "shared", .help = "where the noise runs, and what holds it back"},
	{"place", "noise_max", OPTION_NUMBER,
	 FIELD(VALUE_PERCENT, place.noise_max, RANGE("1%", "10000%")), .def = "20%",
	 .with = "place.isolation = capped",
	 .help = "isolation=capped: the noise's quota, of one CPU"},

	{"noise", "kind", OPTION_CHOICE, FIELD(VALUE_NONE, noise.kind),
	 WORDS(WORD("none", NOISE_NONE), WORD("cpu", NOISE_CPU), WORD("burst", NOISE_BURST),
	       WORD("memory", NOISE_MEMORY), WORD("fork", NOISE_FORK),
	       WORD("command", NOISE_COMMAND)),
	 .def = "none", .help = "what runs besides the workers"},
	{"noise", "threads", OPTION_NUMBER, FIELD(VALUE_COUNT, noise.threads, RANGE("1", "1024")),
	 .def = "1", .with = "noise.kind", .help = "built-in kinds: how many at once"},
	{"noise", "duty", OPTION_NUMBER, FIELD(VALUE_PERCENT, noise.duty, RANGE("1%", "100%")),
	 .def = "100%", .with = "noise.kind",
	 .help = "cpu, burst: share of each period that spins"},
	{"noise", "period", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, noise.period_ns, RANGE("1ms", "60s")), .def = "100ms",
	 .with = "noise.kind", .help = "cpu, burst: of the duty; not scaled by run.time_scale"},
	{"noise", "command", OPTION_COMMAND, .field = {AT(noise.command)}, .set = set_command,
	 .holds = command_holds, .help = "for /bin/sh -c; sets kind = command; never a list"},
	{"noise", "cpus", OPTION_CPUS, .field = {AT(noise.cpus)}, .def = "auto",
	 .with = "noise.kind", .help = "where it runs; auto: as place.isolation has it"},

	{"pause", "every", OPTION_NUMBER, TIME_OR_NONE(workload.pauses.every_ns), .def = "none",
	 .with = "pause.for", .help = "all workers stop so often"},
	{"pause", "for", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workload.pauses.for_ns, RANGE("0s", "168h")), .def = "0s",
	 .with = "pause.every", .help = "for so long"},

	{"jitter", "every", OPTION_NUMBER, TIME_OR_NONE(workload.pauses.jitter_every_ns),
	 .def = "none", .with = "jitter.for", .help = "one step of every item is held up so often"},
	{"jitter", "for", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workload.pauses.jitter_for_ns, RANGE("0s", "168h")), .def = "0s",
	 .with = "jitter.every", .help = "for so long"},
	{"jitter", "step", OPTION_NUMBER,
	 FIELD(VALUE_COUNT, workload.pauses.jitter_step, RANGE("0", "3")), .def = "0",
	 .with = "jitter.every", .help = "which step, from 0"},

	{"stall", "at", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workload.pauses.stall_at_ns, RANGE("0s", "168h")), .def = "0s",
	 .with = "stall.for", .help = "when the items of one key begin to hang"},
	{"stall", "for", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, workload.pauses.stall_for_ns, RANGE("0s", "168h")), .def = "0s",
	 .help = "for how long; 0s: they do not"},
	{"stall", "key", OPTION_NUMBER,
	 FIELD(VALUE_COUNT, workload.pauses.stall_key, RANGE("0", "16777215")), .def = "0",
	 .with = "stall.for", .help = "which key"},

	{"reassign", "at", OPTION_NUMBER, TIME_OR_NONE(reassign.at_ns), .def = "none",
	 .help = "when partitions move between the workers"},
	{"reassign", "for", OPTION_NUMBER,
	 FIELD(VALUE_DURATION, reassign.for_ns, RANGE("0s", "168h")), .def = "0s",
	 .with = "reassign.at", .help = "how long all workers stop for it"},
	{"reassign", "commit", OPTION_CHOICE, FIELD(VALUE_NONE, reassign.commit),
	 WORDS(WORD("after", COMMIT_AFTER), WORD("before", COMMIT_BEFORE),
	       WITH("interval", COMMIT_INTERVAL, "TIME", VALUE_DURATION, reassign.interval_ns,
		    "1us", "168h")),
	 .def = "after", .with = "reassign.at",
	 .help = "when an item counts as processed: after it, before it, or every so often"},

	{"run", "repeats", OPTION_NUMBER, FIELD(VALUE_COUNT, run.repeats, RANGE("1", "1000")),
	 .def = "3", .help = "runs of each cell, with seed, seed + 1, …"},
	{"run", "warmup", OPTION_NUMBER, FIELD(VALUE_DURATION, run.warmup_ns, RANGE("0s", "168h")),
	 .def = "0s", .help = "items due before this are left out of the result"},
	{"run", "time_scale", OPTION_NUMBER,
	 FIELD(VALUE_SCALE, run.time_scale, RANGE("0.0001", "1000")), .def = "1",
	 .help = "multiplies every duration but noise.period and workers.cpu_max; divides the "
		 "rate"},
	{"run", "late_gate", OPTION_NUMBER,
	 FIELD(VALUE_PERCENT, run.late_gate, RANGE("0%", "1000%")), .def = "20%",
	 .help = "p99 of late over this share of the victims' median is invalid"},
	{"run", "trace", OPTION_CHOICE, FIELD(VALUE_NONE, run.trace),
	 WORDS(WORD("on", true), WORD("off", false)), .def = "on",
	 .help = "trace the scheduler with BPF"},
	{"run", "ring", OPTION_NUMBER, FIELD(VALUE_BYTES, run.ring_bytes, RANGE("4KiB", "1GiB")),
	 .def = "4MiB", .help = "BPF ring buffer, a power of two"},
};

const struct option *options_nth(u32 i)
{
	return i < ARRAY_SIZE(options) ? &options[i] : NULL;
}
