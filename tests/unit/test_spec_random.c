// SPDX-License-Identifier: GPL-2.0-only
/* Random cells whose text comes back the same, random numbers, and specs damaged at random. */
#include "core/rng.h"
#include "spec/options.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static struct grid *parse(const char *text)
{
	struct spec_error err = {0};
	struct grid *g;

	if (grid_parse(&g, text, "f", &err))
		printf("# %s\n", err.text);
	return g;
}

static char *print(const struct spec *s)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	spec_print(s, f);
	fclose(f);
	return text;
}

/* A number inside the option's range, with all the digits that its type can have. */
static void random_number(struct rng *r, enum value_type type, const char *min, const char *max,
			  char text[VALUE_TEXT])
{
	struct value lo, hi, v = {0};
	char why[VALUE_WHY];
	double u = rng_below(r, 4) ? pow(rng_double(r), 1 + rng_below(r, 20)) : rng_below(r, 2);

	value_parse(type, min, &lo, why);
	value_parse(type, max, &hi, why);
	v.i = lo.i + (s64)((double)(hi.i - lo.i) * u);
	if (v.i > hi.i)
		v.i = hi.i;
	v.d = lo.d + (hi.d - lo.d) * u;
	value_print(type, &v, text);
}

static void random_cpus(struct rng *r, char text[OPTION_TEXT])
{
	size_t n = 0;

	for (u32 cpu = 0; n < 220 && rng_below(r, 40); cpu += 3 + rng_below(r, 99))
		n += (size_t)sprintf(text + n, rng_below(r, 2) ? "%s%u" : "%s%u-%u", n ? " " : "",
				     cpu, cpu + 1);
	if (!n)
		strcpy(text, "auto");
}

/* Words of every length, with what INI and lists take for their own. */
static void random_command(struct rng *r, char text[OPTION_TEXT])
{
	static const char letters[] = "abc019,,==:;#[]'\"\\|&$%\xc3\xa9-/";
	u32 n = 0, end = 1 + rng_below(r, 511), word = 0, longest = 1 + rng_below(r, 180);

	while (n < end) {
		char c = letters[rng_below(r, sizeof(letters) - 1)];

		if (word == longest || (word && n + 1 < end && !rng_below(r, 12))) {
			c = ' ';
			word = 0;
		} else if (!word++ && (c == ';' || c == '#')) {
			c = 'x';
		}
		text[n++] = c;
	}
	if (text[n - 1] == ' ')
		text[n - 1] = '\0';
	text[n] = '\0';
}

/* As a command, but it may stand in a list. */
static void random_text(struct rng *r, char text[OPTION_TEXT])
{
	random_command(r, text);
	text[1 + rng_below(r, 62)] = '\0';
	for (char *p = text; *p; p++)
		if (*p == ',' || (*p == ' ' && !p[1]))
			*p = '.';
}

static void random_quota(struct rng *r, char text[OPTION_TEXT])
{
	strcpy(text, "none");
	if (rng_below(r, 2))
		sprintf(text, "%uus/%uus", 1000 + rng_below(r, 1023999001),
			1000 + rng_below(r, 999001));
}

/* Locks, and calls of resources that random_resources() may have made. */
static void random_steps(struct rng *r, char text[OPTION_TEXT])
{
	static const char *const kinds[] = {"cpu", "wait", "call r", "lock l"};
	char number[VALUE_TEXT];
	u32 n = rng_below(r, 5);
	size_t len = 0;

	strcpy(text, "none");
	for (u32 i = 0; i < n; i++) {
		u32 kind = rng_below(r, 4);

		random_number(r, VALUE_DURATION, "1ns", "1h", number);
		len += (size_t)sprintf(text + len, "%s%s", i ? " + " : "", kinds[kind]);
		if (kind > 1)
			len += (size_t)sprintf(text + len, "%u", rng_below(r, 3));
		len += (size_t)sprintf(text + len, " %s", number);
	}
}

static void random_value(struct rng *r, const struct option *o, char text[OPTION_TEXT])
{
	u32 words = 0, n;
	const struct choice *c;

	while (option_word(o, words))
		words++;
	n = words ? rng_below(r, words) : 0;
	if (o->kind == OPTION_TEXT_OF) {
		random_text(r, text);
	} else if (o->kind == OPTION_STEPS) {
		random_steps(r, text);
	} else if (o->kind == OPTION_CPUS) {
		random_cpus(r, text);
	} else if (o->kind == OPTION_QUOTA) {
		random_quota(r, text);
	} else if (o->kind == OPTION_COMMAND) {
		random_command(r, text);
	} else if (o->kind == OPTION_DESIGN) {
		strcpy(text, option_word(o, n));
	} else if (words && (o->kind == OPTION_CHOICE || rng_below(r, 2))) {
		c = &o->choices[n];
		n = (u32)sprintf(text, "%s%s", c->name, c->parameter ? ":" : "");
		if (c->parameter)
			random_number(r, c->field.type, c->field.min, c->field.max, text + n);
	} else {
		random_number(r, o->field.type, o->field.min, o->field.max, text);
	}
}

static void random_resources(struct rng *r, struct spec *s, const struct option *o)
{
	char text[OPTION_TEXT], why[VALUE_WHY];
	struct key k = {.option = o};

	for (u32 i = rng_below(r, 4); i--;) {
		sprintf(k.name, "r%u", i);
		random_value(r, o, text);
		if (key_set(&k, s, text, why))
			CHECK(false, "%s.%s = %s: %s", k.name, o->name, text, why);
	}
}

/* Nobody can give these with a recorded stream. */
static void forget_drawn(struct spec *s)
{
	struct workload_config *w = &s->workload;
	struct spec d;

	spec_default(&d);
	w->cold_pick = d.workload.cold_pick;
	w->zipf_s = d.workload.zipf_s;
	w->burst_every_ns = d.workload.burst_every_ns;
	w->burst_for_ns = d.workload.burst_for_ns;
	w->hot_cost_ns = d.workload.hot_cost_ns;
	w->hot_pick = d.workload.hot_pick;
	s->hot_placement = d.hot_placement;
	s->neighbours = d.neighbours;
	if (!csv_has_cost(&s->csv))
		return;
	w->cost_dist = d.workload.cost_dist;
	w->jitter = d.workload.jitter;
	w->sigma = d.workload.sigma;
}

/* What would seldom work by chance. */
static void mend(struct rng *r, struct spec *s)
{
	struct workload_config *w = &s->workload;
	struct pauses *p = &w->pauses;

	w->keys = 1 + w->keys % 5000; /* few enough to be quick */
	w->hot_keys %= 1 + rng_below(r, w->keys);
	if (s->neighbours >= 0)
		s->neighbours %= 1 + w->keys / (1 + w->hot_keys);
	if (rng_below(r, 4))
		w->null_share = 0;
	if (rng_below(r, 2))
		w->partitions = 0;
	s->run.ring_bytes = 4096ull << rng_below(r, 19);
	if (s->workers.policy == POLICY_FIFO || s->workers.policy == POLICY_RR)
		s->workers.cpu_max_ns = s->workers.cpu_max_period_ns = 0;
	if (!isnan(s->hot_load))
		s->hot_load = fmin(1e6, w->rate * (double)w->hot_cost_ns / 1e9) * rng_double(r);
	w->burst_for_ns %= w->burst_every_ns + 1;
	p->for_ns %= p->every_ns + 1;
	p->jitter_for_ns %= p->jitter_every_ns + 1;
	p->jitter_step %= 2;
	p->stall_key %= w->keys;
	if (!spec_can_reassign(s))
		s->reassign.at_ns = 0;
	if (!rng_below(r, 3))
		memcpy(memset(s->csv.cost, 0, sizeof(s->csv.cost)), "none", 4);
	if (*s->csv.path)
		forget_drawn(s);
	s->csv.facts.rows += !s->csv.facts.rows;
	s->csv.facts.keyless %= s->csv.facts.rows;
}

static void random_spec(struct rng *r, struct spec *s)
{
	char text[OPTION_TEXT], why[VALUE_WHY];
	const struct option *o;
	u32 n = 0;

	spec_default(s);
	while (options_nth(n))
		n++;
	while (n--) {
		o = options_nth(n);
		if (option_named(o)) {
			random_resources(r, s, o);
			continue;
		}
		random_value(r, o, text);
		if (!strcmp(o->name, "trace") && rng_below(r, 4))
			continue;
		if (!strcmp(o->name, "load") && rng_below(r, 2))
			continue;
		if (!strcmp(o->name, "share") && rng_below(r, 2))
			continue;
		if (option_set(o, s, text, why))
			CHECK(false, "%s.%s = %s: %s", o->section, o->name, text, why);
	}
	mend(r, s);
}

/* Every member that the text holds; hot_share is derived where the load is given. */
static bool same_spec(const struct spec *a, const struct spec *b)
{
	struct spec x = *a, y = *b;

	if (isnan(x.hot_load) && isnan(y.hot_load))
		x.hot_load = y.hot_load = 0;
	else
		x.workload.hot_share = y.workload.hot_share = 0;
	return !memcmp(&x, &y, sizeof(x));
}

/* Printed and read again, with the check of the whole cell on both sides. */
static void test_round_trip(void)
{
	struct spec_error err;
	int valid = 0, same = 0, bytes = 0, commands = 0, calls = 0, files = 0, tries = 20000;
	struct rng r;

	rng_init(&r, 1, 0);
	for (int i = 0; i < tries; i++) {
		struct spec s;
		struct grid *g;
		char *text, *again;

		random_spec(&r, &s);
		if (spec_check(&s, &err))
			continue;
		valid++;
		commands += *s.noise.command != 0;
		files += *s.csv.path != 0;
		for (u32 k = 0; k < s.workload.nr_steps; k++)
			calls += s.workload.steps[k].kind == STEP_CALL;
		text = print(&s);
		g = parse(text);
		again = g ? print(grid_cell(g, 0)) : strdup("");
		same += !strcmp(text, again);
		bytes += g && same_spec(&s, grid_cell(g, 0));
		if (strcmp(text, again) && valid - same == 1)
			printf("# from:\n%s# came:\n%s", text, again);
		grid_free(g);
		free(again);
		free(text);
	}
	CHECK(valid > 500 && commands > 50 && calls > 20 && files > 50,
	      "%d random cells can work, %d with a command, %d recorded, %d calls", valid, commands,
	      files, calls);
	CHECK(same == valid, "print, parse, print: the same text (%d of %d)", same, valid);
	CHECK(bytes == valid, "and the same cell, bit by bit (%d of %d)", bytes, valid);
}

static void test_numbers(void)
{
	int good = 0, tries = 100000;
	char text[VALUE_TEXT], why[VALUE_WHY];
	struct value v, w;
	struct rng r;

	rng_init(&r, 2, 0);
	for (int i = 0; i < tries; i++) {
		enum value_type type = VALUE_COUNT + rng_below(&r, VALUE_BYTES);

		v.i = (s64)(rng_u64(&r) >> (1 + rng_below(&r, 63)));
		/* A percentage that can be written: a double over 100. */
		v.d = ldexp(rng_double(&r), (int)rng_below(&r, 30)) / 100;
		value_print(type, &v, text);
		good += !value_parse(type, text, &w, why) && !value_compare(type, &v, &w);
	}
	CHECK(good == tries, "%d of %d numbers come back", good, tries);
}

/* Change, drop or double a few bytes. */
static size_t damage(struct rng *r, char *text, size_t len)
{
	static const char bytes[] = "\n\n=[],;:. \t%/sm-+e0159x\"\xff\x01";

	for (u32 n = 1 + rng_below(r, 4); n--;) {
		u32 at = rng_below(r, (u32)len);

		switch (rng_below(r, 3)) {
		case 0:
			text[at] = bytes[rng_below(r, sizeof(bytes) - 1)];
			break;
		case 1:
			memmove(text + at, text + at + 1, len - at);
			len--;
			break;
		default:
			memmove(text + at + 1, text + at, len - at + 1);
			len++;
		}
	}
	return len;
}

static const char noisy[] = "[workers]\ncpu_max = 13ms/100ms, none\n"
			    "[noise]\nkind = none, command\nthreads = 2\n"
			    "command = stress-ng --cpu 2, 3;\n\tdd if=/dev/zero of=/dev/null\n"
			    "[place]\nisolation = shared, capped\nnoise_max = 20%\n";

static const char serving[] = "[workload]\nsteps = cpu 4ms + call db 50ms + lock t 1ms\n"
			      "timeout = 5s, none\nnull = 10%\npartitions = 4\n"
			      "[resource.db]\ncapacity = 13, 26\nqueue = 0\ndist = uniform:5%\n"
			      "[pause]\nevery = 45s\nfor = 1.2s\n"
			      "[dispatch]\nexecutor = async\nlimit = 9\n";

/* Whatever is read: a grid, or an error of one line that names the text. */
static void test_damage(void)
{
	const char *const texts[] = {preset_text("ordering"), noisy, serving};
	int tries = 5000, said = 0, grids = 0;
	struct spec_error err;
	struct grid *g;
	char text[1024];
	struct rng r;

	rng_init(&r, 3, 0);
	for (int i = 0; i < tries; i++) {
		strcpy(text, texts[i % 3]);
		damage(&r, text, strlen(text));
		err.text[0] = 0;
		if (!grid_parse(&g, text, "f", &err))
			grids++;
		else
			said += !g && *err.text && !strchr(err.text, '\n') &&
				(!strncmp(err.text, "f:", 2) || strstr(err.text, "; "));
		grid_free(g);
	}
	CHECK(grids > tries / 20 && said > tries / 20, "%d grids, %d errors", grids, said);
	CHECK(grids + said == tries, "every damaged spec is a grid or a one-line error");
}

int main(void)
{
	test_numbers();
	test_round_trip();
	test_damage();
	return tap_done();
}
