// SPDX-License-Identifier: GPL-2.0-only
/* Good specs: defaults, values and units, axes, words over files, presets, and text that comes
 * back. */
#include "spec/options.h"
#include "tap.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static struct grid *parse(const char *text)
{
	struct spec_error err = {0};
	struct grid *g;

	if (grid_parse(&g, text, "f", &err))
		printf("# %s\n", err.text);
	return g;
}

static struct grid *load(const char *path, char *const *words, int nr)
{
	struct spec_error err = {0};
	struct grid *g;

	if (grid_load(&g, path, words, nr, &err))
		printf("# %s\n", err.text);
	return g;
}

static void test_defaults(void)
{
	struct grid *g = load(NULL, NULL, 0);
	const struct spec *s = grid_cell(g, 0);
	const struct workload_config *w = &s->workload;

	CHECK(grid_cells(g) == 1 && grid_axes(g) == 0, "no spec is one cell");
	CHECK(w->keys == 200 && w->rate == 400 && w->duration_ns == 20 * NSEC_PER_SEC &&
		      w->seed == 1,
	      "the stream's defaults");
	CHECK(w->arrivals == ARRIVALS_EVEN && w->cold_pick == COLD_ROUNDROBIN &&
		      w->cost_dist == COST_UNIFORM && w->work == WORK_WAIT &&
		      w->hot_pick == HOT_EVERY,
	      "its kinds");
	CHECK(w->cost_ns == 5 * NSEC_PER_MSEC && w->hot_cost_ns == 100 * NSEC_PER_MSEC &&
		      w->jitter == 0.5,
	      "its costs");
	CHECK(w->hot_keys == 1 && s->hot_load == 0 && w->hot_share == 0 && s->neighbours == -1,
	      "no hot load");
	CHECK(!strcmp(s->design->name, "shared") && s->unit == STEAL_HALF &&
		      s->threshold_ns == 500 * NSEC_PER_MSEC && s->hash == HASH_MIX,
	      "dispatch");
	CHECK(s->workers.count == 8 && !strcmp(s->workers.cpus, "auto") &&
		      s->workers.policy == POLICY_OTHER && s->workers.nice == 0,
	      "workers");
	CHECK(!s->workers.cpu_max_ns && !s->workers.cpu_max_period_ns &&
		      s->place.isolation == PLACE_SHARED && s->place.noise_max == 0.2,
	      "placement");
	CHECK(s->noise.kind == NOISE_NONE && s->noise.threads == 1 && s->noise.duty == 1 &&
		      s->noise.period_ns == 100 * NSEC_PER_MSEC && !*s->noise.command &&
		      !strcmp(s->noise.cpus, "auto"),
	      "noise");
	CHECK(s->run.repeats == 3 && s->run.warmup_ns == 0 && s->run.time_scale == 1 &&
		      s->run.late_gate == 0.2 && s->run.trace && s->run.ring_bytes == 4 << 20,
	      "run");
	grid_free(g);
}

static void test_values(void)
{
	struct grid *g = parse("\xef\xbb\xbf; BOM, CRLF, comments, no newline at the end\r\n"
			       "[workload]\r\n"
			       "  rate : 1.5e3/s ; colon, indented first key\r\n"
			       "cost=0.333ms\r\n"
			       "duration = 1.5min\r\n"
			       "cold_pick = zipf:1.1\r\n"
			       "cost_dist = lognormal:0.75\r\n"
			       "work = mix:12.5%\r\n"
			       "# comment\r\n"
			       "[workers]\r\n"
			       "cpus = 1-3 \t 8\r\n"
			       "  10 ; more\r\n"
			       "policy = rr:7\r\n"
			       "nice = -5\r\n"
			       "[hot]\r\n"
			       "share = 2.5%\r\n"
			       "[run]\r\n"
			       "time_scale = 10%\r\n"
			       "ring = 0.5MiB\r\n"
			       "trace = off");
	const struct spec *s = g ? grid_cell(g, 0) : NULL;

	if (!CHECK(s, "it parses"))
		return;
	CHECK(s->workload.rate == 1500, "a rate with an exponent");
	CHECK(s->workload.cost_ns == 333000 && s->workload.duration_ns == 90 * NSEC_PER_SEC,
	      "fractions of times are exact");
	CHECK(s->workload.cold_pick == COLD_ZIPF && s->workload.zipf_s == 1.1, "zipf:S");
	CHECK(s->workload.cost_dist == COST_LOGNORMAL && s->workload.sigma == 0.75, "lognormal:S");
	CHECK(s->workload.work == WORK_MIX && s->workload.mix == 0.125, "mix:P%%");
	CHECK(!strcmp(s->workers.cpus, "1-3 8 10"), "a CPU list over two lines");
	CHECK(s->workers.policy == POLICY_RR && s->workers.rt_priority == 7, "rr:N");
	CHECK(s->workers.nice == -5, "nice");
	CHECK(s->workload.hot_share == 0.025 && isnan(s->hot_load), "share instead of load");
	CHECK(s->run.time_scale == 0.1 && s->run.ring_bytes == 512 << 10 && !s->run.trace, "run");
	grid_free(g);
}

static void test_axes(void)
{
	struct grid *g = parse("[hot]\nload = 0.4, 1.0,2.0\n[dispatch]\n"
			       "unit = item\ndesign = shared, steal, steal:half,\n\tsteal:key\n");

	if (!CHECK(g && grid_cells(g) == 12 && grid_axes(g) == 2, "two lists are two axes"))
		return;
	CHECK(!strcmp(grid_axis_name(g, 0), "hot.load") &&
		      !strcmp(grid_axis_name(g, 1), "dispatch.design"),
	      "in the order of writing");
	CHECK(!strcmp(grid_axis_value(g, 0, 7), "1.0") &&
		      !strcmp(grid_axis_value(g, 1, 7), "steal:key"),
	      "the first is the slowest, values as written");
	CHECK(grid_cell(g, 7)->hot_load == 1 &&
		      !strcmp(grid_cell(g, 7)->design->name, "steal:key") &&
		      grid_cell(g, 7)->unit == STEAL_KEY,
	      "a unit in the design's name");
	CHECK(grid_cell(g, 5)->unit == STEAL_ITEM && grid_cell(g, 6)->unit == STEAL_HALF,
	      "the name's unit goes over dispatch.unit, in its cell only");
	grid_free(g);
}

static void test_words(void)
{
	char path[] = "/tmp/test_spec.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	char *words[] = {"run.repeats=1,2", "hot.share = 1%, 2%", "dispatch.design=key",
			 "run.repeats=5,6"};
	struct grid *g;

	fprintf(f, "[hot]\nload = 1,2,3\n[dispatch]\ndesign = shared, key\n[workers]\ncount = 2,4");
	fclose(f);
	g = load(path, words, 4);
	if (!CHECK(g && grid_axes(g) == 3 && grid_cells(g) == 8, "words over a file"))
		return;
	CHECK(!strcmp(grid_axis_name(g, 0), "hot.share"), "share takes the place of load");
	CHECK(!strcmp(grid_axis_name(g, 1), "workers.count"), "a single value ends an axis");
	CHECK(!strcmp(grid_axis_name(g, 2), "run.repeats") &&
		      !strcmp(grid_axis_value(g, 2, 1), "6"),
	      "the last word holds");
	CHECK(!strcmp(grid_cell(g, 3)->design->name, "key"), "and the value is the word's");
	grid_free(g);
	unlink(path);
}

static void test_noise(void)
{
	struct grid *g = parse("[workers]\ncpu_max = none, 13ms/100ms, 1.5s/1s\n"
			       "[place]\nisolation = capped\nnoise_max = 250%\n"
			       "[noise]\ncommand = stress-ng --cpu 2, 3; ; the rest is a comment\n"
			       "\tdd if=/dev/zero, [ x ]\ncpus = 0 2-3\nduty = 12.5%\n");
	const struct spec *s = g ? grid_cell(g, 2) : NULL;

	if (!CHECK(g && grid_cells(g) == 3, "a quota may be an axis, a command is none"))
		return;
	CHECK(s->noise.kind == NOISE_COMMAND, "a command says the kind");
	CHECK(!strcmp(s->noise.command, "stress-ng --cpu 2, 3; dd if=/dev/zero, [ x ]"),
	      "it goes on on an indented line: %s", s->noise.command);
	CHECK(s->workers.cpu_max_ns == 1500 * NSEC_PER_MSEC &&
		      s->workers.cpu_max_period_ns == NSEC_PER_SEC,
	      "a quota over its period");
	CHECK(!grid_cell(g, 0)->workers.cpu_max_ns && !grid_cell(g, 0)->workers.cpu_max_period_ns,
	      "and none");
	CHECK(s->place.isolation == PLACE_CAPPED && s->place.noise_max == 2.5 &&
		      s->noise.duty == 0.125 && !strcmp(s->noise.cpus, "0 2-3") &&
		      !strcmp(s->workers.cpus, "auto"),
	      "placement and noise");
	grid_free(g);
	g = parse("[noise]\nkind = none, command, cpu\ncommand = a\n");
	CHECK(g && !*grid_cell(g, 0)->noise.command && *grid_cell(g, 1)->noise.command &&
		      !*grid_cell(g, 2)->noise.command,
	      "a cell of another kind has no command");
	grid_free(g);
}

static void test_presets(void)
{
	static const char *const designs[] = {"shared", "partition", "steal", "steal:key", "key"};
	const char *help, *name;
	struct grid *g;
	bool order = true;

	for (u32 i = 0; (name = preset_nth(i, &help)); i++) {
		if (strncmp(name, "ordering", 8))
			continue;
		g = load(name, NULL, 0);
		if (CHECK(g && grid_cells(g) == 15 && *help, "preset %s: 15 cells", name))
			for (u32 c = 0; c < 15; c++)
				order &= !strcmp(grid_cell(g, c)->design->name, designs[c % 5]);
		CHECK(order && grid_cell(g, 14)->hot_load == 2 &&
			      grid_cell(g, 14)->neighbours == 19,
		      "preset %s: designs inside loads", name);
		grid_free(g);
	}
	CHECK(!preset_text("orderin"), "no preset of another name");
	g = load("ordering-quick", NULL, 0);
	CHECK(grid_cell(g, 0)->run.time_scale == 0.1 && grid_cell(g, 0)->run.repeats == 2,
	      "ordering-quick is quick");
	grid_free(g);
	g = load("ordering", NULL, 0);
	CHECK(grid_cell(g, 0)->run.time_scale == 1 && grid_cell(g, 0)->run.repeats == 3,
	      "ordering is whole");
	grid_free(g);
}

/* Seconds for a sweep: arrivals, and what a live run takes beside them, drain and set-up. */
static double sweep_seconds(const struct grid *g)
{
	double all = 0;

	for (u32 c = 0; c < grid_cells(g); c++) {
		struct spec s = spec_scaled(grid_cell(g, c));

		all += s.run.repeats * ((double)s.workload.duration_ns / NSEC_PER_SEC + 0.75);
	}
	return all;
}

/* CPU time that the items ask for, in CPUs. */
static double cpu_load(const struct spec *s)
{
	const struct workload_config *w = &s->workload;
	double mean =
		w->hot_share * (double)w->hot_cost_ns + (1 - w->hot_share) * (double)w->cost_ns;

	return w->mix * w->rate * mean / NSEC_PER_SEC;
}

static void test_isolation(const char *name, u32 cells, u32 axes, double least_load,
			   double most_seconds)
{
	struct grid *g = load(name, NULL, 0);
	bool fits = true, inner = true;

	if (!CHECK(g && grid_cells(g) == cells && grid_axes(g) == axes, "%s: %u cells", name,
		   cells))
		return;
	for (u32 c = 0; c < cells; c++) {
		const struct spec *s = grid_cell(g, c);

		fits &= cpu_load(s) > least_load && cpu_load(s) < 0.45 &&
			!strcmp(s->workers.cpus, "1");
		inner &= s->place.isolation == c % 4 && s->noise.kind == c / 4 % 3;
	}
	CHECK(fits, "%s: the workers need less than half a CPU, but not little", name);
	CHECK(inner, "%s: placements inside noise", name);
	CHECK(sweep_seconds(g) < most_seconds, "%s: %.0f s", name, sweep_seconds(g));
	grid_free(g);
}

static void test_help(void)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	const struct option *o;

	options_help(f);
	fclose(f);
	for (u32 i = 0; (o = options_nth(i)); i++)
		CHECK(strstr(text, o->help) && strstr(text, o->name), "help has %s.%s", o->section,
		      o->name);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 118)
			CHECK(false, "a help line is too long: %s", line);
	free(text);
}

int main(void)
{
	test_defaults();
	test_values();
	test_axes();
	test_words();
	test_presets();
	test_noise();
	test_isolation("isolation", 48, 4, 0.35, 51 * 60);
	test_isolation("isolation-quick", 12, 2, 0.28, 100);
	test_help();
	return tap_done();
}
