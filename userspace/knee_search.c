// SPDX-License-Identifier: GPL-2.0-only
#include "knee_search.h"

#include "outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(void)
{
	return command_fail(STATUS_FAILED, "out of memory");
}

const struct spec *knee_base(const struct knee_search *s)
{
	return grid_cell(s->base, 0);
}

u32 knee_search_runs(const struct knee_search *s)
{
	u32 done = 0;

	for (u32 c = 0; c < s->x.result.cells; c++)
		for (u32 i = 0; i < result_repeats(&s->x.result, c); i++)
			done += result_run(&s->x.result, c, i)->done;
	return done;
}

/* --- what varies --- */

/* The spec with some more words. */
static int load(const struct knee_search *s, struct grid **g, const char *const *more, u32 nr)
{
	int all = s->x.nr_words + (int)nr;
	char **words = calloc((size_t)all + 1, sizeof(*words));
	struct spec_error e;
	int rc;

	*g = NULL;
	if (!words)
		return out_of_memory();
	memcpy(words, s->x.words, (size_t)s->x.nr_words * sizeof(*words));
	for (u32 i = 0; i < nr; i++)
		words[s->x.nr_words + (int)i] = (char *)more[i];
	rc = grid_load(g, s->x.spec_path, words, all, &e);
	free(words);
	return rc ? command_fail(STATUS_USAGE, "%s", e.text) : STATUS_DONE;
}

static char *spec_text(const struct spec *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		spec_print(s, f);
		fclose(f);
	}
	return text;
}

static bool same_spec(const struct spec *a, const struct spec *b)
{
	char *x = spec_text(a), *y = spec_text(b);
	bool same = x && y && !strcmp(x, y);

	free(x);
	free(y);
	return same;
}

static int key_add(struct knee_search *s, const struct key *k)
{
	struct key *keys;

	for (u32 i = 0; i < s->nr_keys; i++)
		if (key_same(&s->keys[i], k))
			return STATUS_DONE;
	keys = realloc(s->keys, (s->nr_keys + 1) * sizeof(*keys));
	if (!keys)
		return out_of_memory();
	keys[s->nr_keys++] = *k;
	s->keys = keys;
	return STATUS_DONE;
}

/* word: "KEY=VALUE", or NULL: the base. */
static int factor_add(struct knee_search *s, const char *word)
{
	struct knee_factor *factors = realloc(s->factors, (s->nr + 1) * sizeof(*factors));
	char **words;

	if (factors)
		s->factors = factors;
	words = realloc(s->words, (s->nr + 1) * sizeof(*words));
	if (words)
		s->words = words;
	if (!factors || !words)
		return out_of_memory();
	factors[s->nr] = (struct knee_factor){0};
	snprintf(factors[s->nr].name, sizeof(factors[0].name), "%s", word ? word : "base");
	words[s->nr] = word ? strdup(word) : NULL;
	if (word && !words[s->nr])
		return out_of_memory();
	s->nr++;
	return STATUS_DONE;
}

/* The search sets the rate and the length itself, and how a run is made is no property of what is
 * run. */
static bool can_vary(const struct key *k)
{
	const struct option *o = k->option;

	return strcmp(o->section, "run") != 0 &&
	       !(!strcmp(o->section, "workload") &&
		 (!strcmp(o->name, "rate") || !strcmp(o->name, "duration")));
}

static int vary_key(const char *text, struct key *k)
{
	const char *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : 0;
	char name[KEY_TEXT] = "";

	if (len < sizeof(name))
		memcpy(name, text, len);
	if (!equals)
		return command_fail(STATUS_USAGE, "--vary %s: write KEY=VALUE,VALUE", text);
	/* What is no key of a spec says so itself. */
	if (key_parse(name, k) && !can_vary(k))
		return command_fail(STATUS_USAGE, "--vary %s: the search sees to that key itself",
				    text);
	return STATUS_DONE;
}

/* The cells of one key's list, without those that are the base again. */
static int values_add(struct knee_search *s, const struct grid *g, const char *text)
{
	int before = (int)s->nr, status = STATUS_DONE;
	char word[OPTION_TEXT + KEY_TEXT];

	for (u32 c = 0; !status && c < grid_cells(g); c++) {
		const struct spec *cell = grid_cell(g, c);

		if (same_spec(cell, knee_base(s)))
			continue;
		if (grid_axes(g))
			snprintf(word, sizeof(word), "%s=%s", grid_axis_name(g, 0),
				 grid_axis_value(g, 0, c));
		else
			snprintf(word, sizeof(word), "%s", text);
		status = factor_add(s, word);
	}
	if (!status && (int)s->nr == before)
		return command_fail(STATUS_USAGE,
				    "--vary %s: that is how it is already; give another value",
				    text);
	return status;
}

static int vary(struct knee_search *s, const char *text)
{
	struct key k = {0};
	struct grid *g = NULL;
	int status = vary_key(text, &k);

	if (!status)
		status = load(s, &g, &text, 1);
	if (!status)
		status = experiment_check(&s->x, g);
	if (!status)
		status = key_add(s, &k);
	if (!status)
		status = values_add(s, g, text);
	grid_free(g);
	return status;
}

/* The list of cells, with what varies and the rate as axes. */
static int list_new(struct knee_search *s)
{
	char names[s->nr_keys + 1][KEY_TEXT];
	const char *axes[s->nr_keys + 1];

	for (u32 i = 0; i < s->nr_keys; i++) {
		key_text(&s->keys[i], names[i]);
		axes[i] = names[i];
	}
	axes[s->nr_keys] = "workload.rate";
	if (grid_list_new(&s->x.grid, axes, s->nr_keys + 1) ||
	    result_init(&s->x.result, s->x.grid, s->x.engine))
		return out_of_memory();
	s->x.result.repeats = knee_base(s)->run.repeats;
	return STATUS_DONE;
}

/* One value of each of its lists, as words. */
static int one_cell(const struct grid *g)
{
	char *names = NULL, *words = NULL, word[OPTION_TEXT + KEY_TEXT];
	size_t len;
	FILE *n = open_memstream(&names, &len), *w = open_memstream(&words, &len);
	u32 nr = grid_axes(g);
	int status;

	for (u32 i = 0; n && w && i < nr; i++) {
		fprintf(n, "%s%s", !i ? "" : i + 1 < nr ? ", " : " and ", grid_axis_name(g, i));
		putc(' ', w);
		snprintf(word, sizeof(word), "%s=%s", grid_axis_name(g, i),
			 grid_axis_value(g, i, 0));
		outcome_print_word(word, w);
	}
	if ((n && fclose(n)) | (w && fclose(w)) || !names || !words)
		status = out_of_memory();
	else
		status = command_fail(STATUS_USAGE,
				      "knee takes one cell, and %s %s (%u cells): give one value, "
				      "as in%s",
				      names, nr > 1 ? "are lists" : "is a list", grid_cells(g),
				      words);
	free(names);
	free(words);
	return status;
}

int knee_search_init(struct knee_search *s)
{
	const struct arguments *a = s->x.args;
	int status = load(s, &s->base, NULL, 0);

	if (status)
		return status;
	if (grid_cells(s->base) > 1)
		return one_cell(s->base);
	if (*knee_base(s)->csv.path)
		return command_fail(STATUS_USAGE,
				    "knee raises workload.rate, and the arrivals of workload.trace "
				    "are its own: take it out of the spec");
	status = experiment_check(&s->x, s->base);
	if (!status)
		status = factor_add(s, NULL);
	for (int i = 0; !status && i < a->nr_vary; i++)
		status = vary(s, a->vary[i]);
	return status ? status : list_new(s);
}

void knee_search_fini(struct knee_search *s)
{
	result_fini(&s->x.result);
	for (u32 i = 0; i < s->nr; i++)
		free(s->words[i]);
	free(s->words);
	free(s->factors);
	free(s->keys);
	grid_free(s->base);
	grid_free(s->x.grid);
	free(s->x.words);
}

/* --- a run --- */

/* How long items are due: see KNEE_ITEMS, KNEE_LENGTHS; the spec's own where that is longer. In ns,
 * of any size. */
static double duration_ns(const struct knee_search *s, const struct knee *k, double rate)
{
	const struct spec *base = knee_base(s);
	double least = KNEE_ITEMS / rate * (double)NSEC_PER_SEC;
	double rise = k->plain_p95 / base->run.time_scale * (s->cfg.factor - 1) * KNEE_LENGTHS;

	if (rise > least)
		least = rise;
	least = ceil(least / (double)NSEC_PER_MSEC) * (double)NSEC_PER_MSEC +
		(double)base->run.warmup_ns;
	return fmax(least, (double)base->workload.duration_ns);
}

/* The plain p95 is known by now, and is longer than it had to be. */
static int can_be_run(const struct knee_search *s, const struct knee *k, double rate)
{
	double ns = duration_ns(s, k, rate), items = rate * ns / NSEC_PER_SEC;
	struct knee_bounds b;

	knee_bounds(&b, knee_base(s), s->cfg.factor);
	if (ns <= b.longest_ns && items <= SPEC_ITEMS_MAX)
		return STATUS_DONE;
	return command_fail(STATUS_USAGE,
			    "where p95 may rise to %.4g times %.4g ms, a run at %.4g/s takes %.3g "
			    "s and has %.3g items, more than can be; lower --factor or --to",
			    s->cfg.factor, k->plain_p95 / NSEC_PER_MSEC, rate, ns / NSEC_PER_SEC,
			    items);
}

/* Which of the axes the factor's word is of; the last, of which none is, for the base. */
static u32 axis_of(const struct knee_search *s, const char *word)
{
	char name[KEY_TEXT];

	for (u32 i = 0; word && i < s->nr_keys; i++) {
		key_text(&s->keys[i], name);
		if (!strncmp(word, name, strlen(name)) && word[strlen(name)] == '=')
			return i;
	}
	return s->nr_keys;
}

/* Append the cell to the list. */
static int cell_append(struct knee_search *s, const struct spec *cell, const char *word,
		       const char *rate)
{
	char texts[s->nr_keys + 1][OPTION_TEXT];
	const char *values[s->nr_keys + 1];

	for (u32 i = 0; i < s->nr_keys; i++) {
		key_print(&s->keys[i], knee_base(s), texts[i]);
		values[i] = texts[i];
	}
	values[axis_of(s, word)] = word ? strchr(word, '=') + 1 : NULL;
	values[s->nr_keys] = rate;
	if (grid_list_add(s->x.grid, cell, values) || result_grow(&s->x.result))
		return out_of_memory();
	return STATUS_DONE;
}

static int cell_add(struct knee_search *s, u32 f, double rate)
{
	char rate_word[64], duration[64];
	const char *more[3] = {rate_word, duration, s->words[f]};
	struct grid *g;
	int status = can_be_run(s, &s->factors[f].search, rate);

	if (status)
		return status;
	snprintf(rate_word, sizeof(rate_word), "workload.rate=%.10g/s", rate);
	snprintf(duration, sizeof(duration), "workload.duration=%.10gms",
		 duration_ns(s, &s->factors[f].search, rate) / NSEC_PER_MSEC);
	status = load(s, &g, more, s->words[f] ? 3 : 2);
	if (!status)
		status = cell_append(s, grid_cell(g, 0), s->words[f], strchr(rate_word, '=') + 1);
	grid_free(g);
	return status;
}

/* One cell, all of its repeats; what an interrupted search has run already is read. */
static int probe(struct knee_search *s, u32 f, double rate)
{
	struct knee *k = &s->factors[f].search;
	struct knee_sample sample;
	int status = cell_add(s, f, rate);
	u32 cell = s->x.result.cells - 1;

	if (!status && s->x.args->resume)
		status = outcome_resume_cell(&s->x, cell);
	if (!status)
		status = experiment_run(&s->x);
	if (status || s->x.signal)
		return status;
	if (knee_sample(&sample, &s->x.result, cell, rate))
		return out_of_memory();
	knee_put(k, &sample);
	return STATUS_DONE;
}

static int search(struct knee_search *s, u32 f)
{
	struct knee_factor *to = &s->factors[f];
	const struct knee *base = &s->factors[0].search;
	struct knee_config cfg = s->cfg;
	int status = STATUS_DONE;
	double rate;

	/* Where the base is plain, a variant of it usually is. */
	if (f && base->plain_rate > 0 && !cfg.fixed)
		cfg.from = base->plain_rate;
	knee_begin(&to->search, &cfg);
	to->first = s->x.result.cells;
	while (!status && !s->x.signal && (rate = knee_next(&to->search)) > 0)
		status = probe(s, f, rate);
	if (!status && !s->x.signal && knee_interval(to, &s->x.result))
		status = out_of_memory();
	return status;
}

int knee_search_run(struct knee_search *s)
{
	int status = STATUS_DONE;

	for (u32 f = 0; !status && !s->x.signal && f < s->nr; f++)
		status = search(s, f);
	return status;
}
