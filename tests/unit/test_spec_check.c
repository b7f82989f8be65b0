// SPDX-License-Identifier: GPL-2.0-only
/* Cells that no single key makes wrong; the scaled cell; what other rooms get. */
#include "spec/spec.h"
#include "tap.h"

#include <math.h>
#include <string.h>

#define WORDS_MAX 7

static const struct {
	u32 about; /* which of the words, named in front of the message */
	const char *words[WORDS_MAX], *message;
} bad[] = {
	{1,
	 {"workload.keys=4", "hot.keys=4"},
	 "hot.keys = 4 leaves no cold key of workload.keys = 4; raise workload.keys or lower "
	 "hot.keys"},
	{0,
	 {"hot.load=40.5"},
	 "hot.load = 40.5 cannot be reached: with every arrival hot, workload.rate = 400/s and "
	 "hot.cost = 100ms make a load of 40; lower hot.load or raise workload.rate or hot.cost"},
	{0,
	 {"hot.load=1", "hot.cost=0ms"},
	 "hot.load = 1 cannot be reached: with every arrival hot, workload.rate = 400/s and "
	 "hot.cost = 0s make a load of 0; lower hot.load or raise workload.rate or hot.cost"},
	{1,
	 {"hot.keys=0", "hot.load=1"},
	 "hot.load = 1 with hot.keys = 0: no key can be hot; raise hot.keys or set hot.load to 0"},
	{1,
	 {"hot.keys=0", "hot.share=1%"},
	 "hot.share = 1% with hot.keys = 0: no key can be hot; raise hot.keys or set hot.share to "
	 "0"},
	{0,
	 {"hot.keys=5", "hot.placement=spread", "workers.count=4"},
	 "hot.keys = 5 cannot be spread over the queues of workers.count = 4; lower hot.keys, "
	 "raise "
	 "workers.count or set hot.placement = together"},
	{1,
	 {"workload.keys=10", "hot.neighbours=10"},
	 "hot.neighbours = 10 for 1 hot queue(s) needs 10 cold keys, there are 9; lower "
	 "hot.neighbours or raise workload.keys"},
	{2,
	 {"hot.keys=3", "hot.placement=spread", "hot.neighbours=70"},
	 "hot.neighbours = 70 for 3 hot queue(s) needs 210 cold keys, there are 197; lower "
	 "hot.neighbours or raise workload.keys"},
	{1,
	 {"workers.count=1", "hot.neighbours=19"},
	 "hot.neighbours = 19 leaves 180 of 199 cold keys, and no queue for them that is not hot; "
	 "raise workers.count or set hot.neighbours = hash"},
	{1,
	 {"hot.keys=0", "hot.neighbours=0"},
	 "hot.neighbours = 0 with hot.keys = 0: there is no hot queue to be behind; raise hot.keys "
	 "or set hot.neighbours = hash"},
	{0,
	 {"workload.rate=0.1/s", "workload.duration=9s"},
	 "workload.rate = 0.1/s for workload.duration = 9s is less than one item; raise either"},
	{0,
	 {"workload.rate=1e9/s", "workload.duration=5s"},
	 "workload.rate = 1e+09/s for workload.duration = 5s is 5e+09 items, more than 4e+09; "
	 "lower "
	 "either"},
	{0,
	 {"run.warmup=20s"},
	 "run.warmup = 20s leaves nothing of workload.duration = 20s; lower run.warmup"},
	{0,
	 {"workload.rate=9e8/s", "workload.duration=1s", "run.time_scale=0.1"},
	 "workload.rate = 9e+08/s with run.time_scale = 0.1 is above 1e9/s; lower the rate or "
	 "raise "
	 "the scale"},
	{1,
	 {"dispatch.design=steal", "dispatch.threshold=5us", "run.time_scale=10%"},
	 "dispatch.threshold = 5us with run.time_scale = 0.1 is below 1us; raise either"},
	{1,
	 {"workers.policy=idle", "workers.slice=5ms"},
	 "workers.slice has no effect with workers.policy = idle; set workers.policy = other or "
	 "batch, or workers.slice = kernel"},
	{1,
	 {"workers.policy=rr:5", "workers.cpu_max=13ms/100ms"},
	 "workers.cpu_max = 13ms/100ms does not hold real-time workers, and workers.policy = rr:5; "
	 "set workers.policy = other, or workers.cpu_max = none"},
	{0,
	 {"noise.kind=command"},
	 "noise.kind = command without noise.command; set noise.command to what shall run"},
};

/* Cells on the right side of the same borders. */
static const char *const good[][WORDS_MAX] = {
	{NULL},
	{"workload.keys=5", "hot.keys=4"},
	{"hot.load=40"},
	{"hot.share=100%"},
	{"hot.cost=0ms", "hot.share=5%"},
	{"hot.keys=0", "workload.keys=1"},
	{"hot.keys=4", "hot.placement=spread", "workers.count=4"},
	{"workload.keys=10", "hot.neighbours=9", "workers.count=1"},
	{"workload.rate=0.1/s", "workload.duration=10s"},
	{"run.warmup=19999999999ns"},
	{"dispatch.design=steal", "dispatch.threshold=10us", "run.time_scale=10%"},
	{"dispatch.design=shared", "dispatch.threshold=5us", "run.time_scale=10%"},
	{"run.ring=4KiB"},
	{"workers.policy=idle", "workers.cpu_max=1ms/1s"},
	{"workers.policy=batch", "workers.slice=100us"},
	{"workers.policy=fifo:5", "workers.slice=kernel"},
	{"workers.policy=fifo:5", "workers.cpu_max=none"},
	{"noise.kind=none", "noise.command=a"},
	{"noise.command=a", "noise.threads=2", "noise.cpus=1"},
	{"noise.kind=memory", "noise.duty=50%"},
	{"place.isolation=isolated"},
};

static bool is_message(const char *text, const char *word, const char *message)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "argument '%s': %s", word, message);
	return !strcmp(text, whole);
}

static struct grid *load(const char *const *words, struct spec_error *err)
{
	struct grid *g;
	int n = 0;

	while (n < WORDS_MAX && words[n])
		n++;
	err->text[0] = 0;
	grid_load(&g, NULL, (char *const *)words, n, err);
	return g;
}

/* Does the cell have a remark with this in it? */
static bool remarks(const char *const *words, const char *part)
{
	char text[SPEC_REMARK];
	struct spec_error err;
	struct grid *g = load(words, &err);
	bool found = false;

	for (u32 i = 0; g && spec_remark(grid_cell(g, 0), i, text); i++)
		found |= !*part || strstr(text, part);
	if (!g)
		CHECK(false, "%s", err.text);
	grid_free(g);
	return found;
}

static const struct {
	const char *words[WORDS_MAX], *part;
} surprising[] = {
	{{NULL}, "no item is hot: set hot.load or hot.share"},
	{{"noise.kind=burst"}, "noise.duty = 100% never pauses"},
	{{"resource.db.capacity=2", "resource.x.queue=1"}, "no step calls db, x: write"},
	{{"workload.timeout=2ms"}, "workload.timeout = 2ms is below the cost of every"},
	{{"workload.steps=cpu 1ms + call db 2ms", "resource.db.dist=uniform:50%",
	  "workload.timeout=1400us"},
	 "workload.timeout = 1400us is below"},
	{{"dispatch.limit=9"},
	 "dispatch.limit = 9 is never reached: with dispatch.executor = thread no more "
	 "items are in service than workers.count = 8"},
	{{"dispatch.design=key:partition"}, "set workload.partitions"},
	{{"pause.every=20s", "pause.for=1s"},
	 "pause.every = 20s is not before the last arrival: lower it, or raise "
	 "workload.duration = 20s"},
	{{"jitter.every=21s", "jitter.for=1s"}, "jitter.every = 21s is not before"},
	{{"stall.for=1s", "stall.at=20s"}, "stall.at = 20s is not before"},
	{{"stall.for=20s"}, "stall.for = 20s is longer than the items arrive"},
	{{"reassign.at=20s", "workload.partitions=4", "dispatch.design=partition"},
	 "reassign.at = 20s is not before"},
	{{"reassign.at=1s", "reassign.for=20s", "workload.partitions=4",
	  "dispatch.design=partition"},
	 "reassign.for = 20s is longer than the items arrive, workload.duration = 20s"},
	{{"dispatch.executor=async", "dispatch.design=partition"},
	 "dispatch.design = partition keeps no order within a key with dispatch.executor "
	 "= async: a carrier begins an item while an earlier one waits; key keeps it"},
	{{"dispatch.executor=async", "dispatch.design=steal:key"},
	 "dispatch.design = steal:key keeps no order within a key with dispatch.executor"},
	{{"workers.replicas=3", "dispatch.design=key"},
	 "dispatch.design = key keeps no order within a key with workers.replicas = 3: "
	 "each of them has items of the same keys"},
	{{"reassign.at=1s", "workload.partitions=4", "dispatch.design=partition",
	  "workers.count=1"},
	 "reassign.at = 1s moves no partition with workers.count = 1: there is no other "
	 "worker; raise workers.count"},
};
/* The same on the right side of the border, with a hot key. */
static const char *const unsurprising[][WORDS_MAX] = {
	{"hot.load=1"},
	{"hot.load=1", "noise.kind=burst", "noise.duty=50%"},
	{"hot.load=1", "resource.db.capacity=2", "workload.steps=call db 1ms"},
	{"hot.load=1", "workload.timeout=2500us"},
	{"hot.load=1", "workload.timeout=2ms", "workload.cost_dist=exponential"},
	{"hot.load=1", "hot.cost=4ms", "workload.timeout=2ms"},
	{"hot.load=1", "workload.steps=cpu 1ms + call db 2ms", "resource.db.dist=uniform:50%",
	 "workload.timeout=1.5ms"},
	{"hot.load=1", "dispatch.limit=8"},
	{"hot.load=1", "dispatch.limit=8", "dispatch.executor=async"},
	{"hot.load=1", "dispatch.design=key:partition", "workload.partitions=1"},
	{"hot.load=1", "pause.every=19s", "pause.for=1s"},
	{"hot.load=1", "pause.every=30s", "pause.for=0s"},
	{"hot.load=1", "stall.at=1s", "stall.for=19s"},
	{"hot.load=1", "dispatch.design=partition"},
	{"hot.load=1", "dispatch.design=key", "dispatch.executor=async"},
	{"hot.load=1", "dispatch.design=key", "dispatch.executor=spawn"},
	{"hot.load=1", "dispatch.design=steal", "dispatch.executor=async", "workers.replicas=2"},
	{"hot.load=1", "reassign.at=1s", "workload.partitions=1", "dispatch.design=partition",
	 "workers.count=2"},
	{"hot.load=1", "reassign.at=19s", "workload.partitions=4", "dispatch.design=partition"},
};

static void test_remarks(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(surprising); i++)
		CHECK(remarks(surprising[i].words, surprising[i].part), "remark: %s",
		      surprising[i].part);
	for (size_t i = 0; i < ARRAY_SIZE(unsurprising); i++)
		CHECK(!remarks(unsurprising[i], ""), "no remark: %s",
		      unsurprising[i][1] ? unsurprising[i][1] : unsurprising[i][0]);
}

static void test_scaled(void)
{
	static const char *const words[WORDS_MAX] = {
		"run.time_scale=0.1",	    "run.warmup=1s", "hot.load=1", "workload.cost=1ns",
		"workers.cpu_max=2ms/20ms", "noise.kind=cpu"};
	struct spec_error err;
	struct grid *g = load(words, &err);
	struct spec s = spec_scaled(grid_cell(g, 0)), again = spec_scaled(&s);

	CHECK(s.workload.rate == 4000, "the rate is divided");
	CHECK(s.workload.duration_ns == 2 * NSEC_PER_SEC, "duration");
	CHECK(s.workload.hot_cost_ns == 10 * NSEC_PER_MSEC, "hot cost");
	CHECK(s.workload.cost_ns == 1, "a time never becomes 0");
	CHECK(s.threshold_ns == 50 * NSEC_PER_MSEC, "threshold");
	CHECK(s.run.warmup_ns == 100 * NSEC_PER_MSEC, "warm-up");
	CHECK(s.workers.cpu_max_ns == 2 * NSEC_PER_MSEC &&
		      s.workers.cpu_max_period_ns == 20 * NSEC_PER_MSEC &&
		      s.noise.period_ns == 100 * NSEC_PER_MSEC,
	      "the kernel's periods stay");
	CHECK(s.workload.hot_share == grid_cell(g, 0)->workload.hot_share, "the share stays");
	CHECK(s.run.time_scale == 1 && !memcmp(&s, &again, sizeof(s)), "scaled once only");
	grid_free(g);
}

static void test_views(void)
{
	static const char *const words[WORDS_MAX] = {"workers.count=3", "hot.neighbours=4",
						     "dispatch.hash=mod",
						     "dispatch.design=steal:key", "hot.keys=2"};
	struct spec_error err;
	struct grid *g = load(words, &err);
	struct home_config h = spec_home(grid_cell(g, 0));
	struct dispatch_config d = spec_balancer(grid_cell(g, 0), NULL).dispatch;

	CHECK(h.keys == 200 && h.hot_keys == 2 && h.queues == 3 && h.hash == HASH_MOD &&
		      h.hot_placement == HOT_TOGETHER && h.neighbours == 4,
	      "spec_home()");
	CHECK(!strcmp(d.ops->name, "steal:key") && d.unit == STEAL_KEY && d.workers == 3 &&
		      d.keys == 200 && d.threshold_ns == 500 * NSEC_PER_MSEC,
	      "spec_dispatch()");
	grid_free(g);
	g = load((const char *const[WORDS_MAX]){"hot.load=0.4"}, &err);
	CHECK(fabs(grid_cell(g, 0)->workload.hot_share - 0.01) < 1e-15, "load 0.4 is 1%% here");
	grid_free(g);
}

int main(void)
{
	struct spec_error err;
	struct grid *g;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		g = load(bad[i].words, &err);
		if (!CHECK(!g && is_message(err.text, bad[i].words[bad[i].about], bad[i].message),
			   "%s", bad[i].message))
			printf("# got: %s\n", err.text);
		grid_free(g);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		g = load(good[i], &err);
		CHECK(g && grid_cells(g) == 1, "good cell %zu: %s", i, err.text);
		grid_free(g);
	}
	test_scaled();
	test_views();
	test_remarks();
	return tap_done();
}
