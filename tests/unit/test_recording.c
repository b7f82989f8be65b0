/* SPDX-License-Identifier: GPL-2.0-only */
/* Recorded streams: what comes out of a file. */
#include "recording.h"
#include "spec/stream.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

/* The whole stream of a scaled cell; the caller frees. */
static struct item *items_of(const struct spec *cell, u32 *count, struct spec_error *err)
{
	struct spec scaled = spec_scaled(cell);
	struct item *items = calloc(1 << 16, sizeof(*items));
	struct stream st;
	u32 n = 0;

	err->text[0] = '\0';
	*count = 0;
	if (stream_open(&st, &scaled, err))
		return items;
	while (n < 1 << 16 && workload_next(&st.workload, &items[n]))
		n++;
	if (!stream_close(&st, err))
		*count = n;
	return items;
}

struct row {
	u64 due_ns, cost_ns;
	u32 key;
};

/* The file as it is with these words: exactly these rows. */
static void gives(const char *what, const char *const *words, const struct row *rows, u32 nr)
{
	struct spec_error err;
	struct grid *g = load(words, &err);
	struct item *items;
	bool right;
	u32 n;

	if (!CHECK(g, "%s: it is read %s", what, err.text))
		return;
	items = items_of(grid_cell(g, 0), &n, &err);
	right = n == nr;
	for (u32 i = 0; right && i < n; i++) {
		u64 cost = items[i].nr_steps ? items[i].steps[0].ns : 0;

		right = items[i].due_ns == rows[i].due_ns && items[i].key == rows[i].key &&
			cost == rows[i].cost_ns && items[i].id == i;
		if (!right)
			printf("# item %u: due %" PRIu64 " key %u cost %" PRIu64 "\n", i,
			       items[i].due_ns, items[i].key, cost);
	}
	CHECK(right, "%s: %u rows as they should be (%u) %s", what, nr, n, err.text);
	free(items);
	grid_free(g);
}

#define GIVES(what, words, ...)                                                                    \
	do {                                                                                       \
		static const struct row rows_[] = {__VA_ARGS__};                                   \
		gives(what, words, rows_, ARRAY_SIZE(rows_));                                      \
	} while (0)

#define S  NSEC_PER_SEC
#define MS NSEC_PER_MSEC

static void test_rows(void)
{
	write_text("time,key,cost\n5,a,1\n5.5,b,0.25\n7,a,0\n");
	GIVES("plain", NULL, {0, S, 0}, {S / 2, S / 4, 1}, {2 * S, 0, 0});
	write_text("\xef\xbb\xbf"
		   "note,cost,\"key\",time\r\n"
		   "\"x, \"\"y\"\",\nz\",0.001,\"a,\n\"\"b\",-3\r\n\r\n"
		   ", 1e-3 ,\"\", -2.5 \r\n"
		   ",.5,\"a,\n\"\"b\",+1");
	GIVES("quotes, CRLF, other columns, an empty key", NULL, {0, MS, 0}, {S / 2, MS, 1},
	      {4 * S, S / 2, 0});
	write_text("time,key,cost\n1700000000123456789,a,1\n1700000000123456790,b,7\n");
	GIVES("nanoseconds since 1970", ((const char *const[]){"csv.unit=ns", NULL}), {0, 1, 0},
	      {1, 7, 1});
	write_text("time,key,cost\n1700000000.123456789,a,1\n1700000000.1234567904,b,2\n"
		   "1700000000.1234567915,a,2\n1.7000000005e9,c,3\n");
	GIVES("seconds since 1970, to the nanosecond", NULL, {0, S, 0}, {1, 2 * S, 1},
	      {3, 2 * S, 0}, {376543211, 3 * S, 2});
	write_text("t,k\n10,a\n20,a\n");
	GIVES("columns by name, no costs",
	      ((const char *const[]){"csv.time=t", "csv.key=k", "csv.cost=none", "csv.unit=ms",
				     "workload.cost=3ms", "workload.cost_dist=fixed", NULL}),
	      {0, 3 * MS, 0}, {10 * MS, 3 * MS, 0});
}

static void test_window(void)
{
	write_text("time,key,cost\n3,a,1\n1,b,1\n2,c,2\n2,d,3\n5,e,1\n3,f,1\n");
	GIVES("out of order within the window", ((const char *const[]){"csv.window=2s", NULL}),
	      {0, S, 1}, {S, 2 * S, 2}, {S, 3 * S, 3}, {2 * S, S, 0}, {2 * S, S, 5}, {4 * S, S, 4});
}

static void test_scales(void)
{
	const char *const words[] = {"csv.speed=2", "csv.cost_scale=0.5", "run.time_scale=0.1",
				     "workload.timeout=10s", NULL};
	struct spec_error err;
	struct grid *g;
	const struct spec *s;

	write_text("time,key,cost\n10,a,1\n14,,3\n20,b,2\n");
	GIVES("speed, cost scale and time scale", words, {0, S / 20, 0}, {S / 5, 3 * S / 20, 2},
	      {S / 2, S / 10, 1});
	g = load(words, &err);
	s = grid_cell(g, 0);
	CHECK(s->workload.keys == 2 && s->workload.hot_keys == 0 &&
		      s->workload.null_share == 1.0 / 3 && s->workload.cost_ns == S &&
		      s->workload.duration_ns == 5 * S + 1,
	      "the cell has what was found in the file");
	CHECK(s->csv.facts.rows == 3 && s->csv.facts.keyless == 1 && s->csv.facts.keys == 2 &&
		      s->csv.facts.span_ns == 10 * S && s->csv.facts.cost_ns == 2 * S &&
		      s->csv.facts.bytes == 34,
	      "and what it is");
	CHECK(!strcmp(grid_file(g, 0)->path, path) && !grid_file(g, 1) &&
		      !strcmp(grid_file_key(g, 0, 1), "b") && !grid_file_key(g, 0, 2),
	      "names of keys");
	grid_free(g);
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

/* A result is read when its file is gone; another file under its name is found out. */
static void test_without_file(void)
{
	const char *const warm[] = {"run.warmup=2s", NULL};
	struct grid *g, *again = NULL;
	struct spec_error err;
	struct item *items;
	char *text, word[64];
	u32 n;

	write_text("time,key,cost\n10,a,1\n14,,3\n20,b,2\n");
	g = load(warm, &err);
	text = print(grid_cell(g, 0));
	snprintf(word, sizeof(word), "csv.crc32=%u", grid_cell(g, 0)->csv.facts.crc32);
	unlink(path);
	CHECK(!grid_parse(&again, text, "f", &err) &&
		      !memcmp(grid_cell(g, 0), grid_cell(again, 0), sizeof(struct spec)),
	      "the printed cell needs no file, and is the same %s", err.text);
	grid_free(again);
	free(text);
	write_text("time,key,cost\n10,a,1\n14,,3\n20,b,3\n");
	again = load((const char *const[]){word, NULL}, &err);
	CHECK(!again && strstr(err.text, "is another file than the spec is of: its csv.crc32 is"),
	      "another file: %s", err.text);
	items = items_of(grid_cell(g, 0), &n, &err);
	CHECK(n == 0 && strstr(err.text, "has changed while it was read; run again"),
	      "a file that changes between the two passes: %s", err.text);
	free(items);
	write_text("time,key,cost\n10,a,1\n14,c,3\n20,d,3\n21,e,1\n");
	items = items_of(grid_cell(g, 0), &n, &err);
	CHECK(n == 0 && strstr(err.text, "has changed while it was read; run again"),
	      "or gets more keys");
	free(items);
	grid_free(g);
}

static void test_due(void)
{
	const char *const words[] = {"run.warmup=2s", "csv.speed=2", NULL};
	struct spec_error err;
	struct stream st;
	struct spec s;
	struct item it;
	struct grid *g;

	write_text("time,key,cost\n10,a,1\n13.9,,3\n14,a,1\n20,b,2\n");
	g = load(words, &err);
	s = spec_scaled(grid_cell(g, 0));
	stream_open(&st, &s, &err);
	while (workload_next(&st.workload, &it))
		;
	CHECK(st.items_due == 2, "items that are due after the warm-up are counted");
	CHECK(!stream_close(&st, &err), "without trouble");
	grid_free(g);
}

/* A hundred thousand rows, many keys, compressed; cut at every place where zstd could be cut. */
static void test_zstd(void)
{
	size_t size = 8 << 20, len = 0, packed;
	char *text = malloc(size), *zst = malloc(size);
	struct spec_error err;
	struct grid *g;
	u32 cut = 0, said = 0;

	len += (size_t)sprintf(text, "time,key,cost\n");
	for (u32 i = 0; i < 100000; i++)
		len += (size_t)sprintf(text + len, "%u.%u,key-%u,0.00%u\n", i / 100, i % 10 + 10,
				       i * 7919 % 30011, i % 9);
	packed = ZSTD_compress(zst, size, text, len, 3);
	write_bytes(zst, packed);
	g = load((const char *const[]){"csv.window=1s", NULL}, &err);
	CHECK(g && grid_cell(g, 0)->csv.facts.rows == 100000 &&
		      grid_cell(g, 0)->csv.facts.keys == 30011 &&
		      grid_cell(g, 0)->csv.facts.bytes == packed,
	      "a compressed file %s", err.text);
	CHECK(g && !strcmp(grid_file_key(g, 0, 1), "key-7919"), "keys in order of appearance");
	grid_free(g);
	for (size_t n = 4; n < packed; n += 1 + packed / 37, cut++) {
		write_bytes(zst, n);
		g = load((const char *const[]){"csv.window=1s", NULL}, &err);
		said += !g && strstr(err.text, "ends in the middle of its compressed data; it was "
					       "cut off");
		grid_free(g);
	}
	CHECK(said == cut && cut > 30, "cut off at %u places, found at %u", cut, said);
	zst[packed / 2] ^= 1;
	write_bytes(zst, packed);
	g = load((const char *const[]){"csv.window=1s", NULL}, &err);
	CHECK(!g && (strstr(err.text, "is damaged") || strstr(err.text, path)), "damaged: %s",
	      err.text);
	grid_free(g);
	free(zst);
	free(text);
}

struct written {
	u64 time;
	u32 order, key;
};

static int compare_written(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* One of 40 keys with all that CSV takes for its own, quoted where it must be or by chance. */
static u32 write_key(struct rng *r, FILE *f, int *number, u32 *known)
{
	static const char *const parts[] = {"a", "\"\"", ",", "\n", "\r\n", " "};
	u32 key = rng_below(r, 40);

	if (number[key] < 0)
		number[key] = (int)(*known)++;
	if (key % ARRAY_SIZE(parts) || rng_below(r, 2))
		fprintf(f, "\"%u%s\"", key, parts[key % ARRAY_SIZE(parts)]);
	else
		fprintf(f, "%ua", key);
	return (u32)number[key];
}

/* Rows in some order within a window, with line ends of both kinds: as a stable sort has them. */
static bool random_file(struct rng *r)
{
	u32 n = 1 + rng_below(r, 300), window = rng_below(r, 50), known = 0, got;
	struct written *rows = calloc(n, sizeof(*rows));
	FILE *f = fopen(path, "we");
	char word[64];
	struct spec_error err;
	struct item *items;
	struct grid *g;
	int number[40];
	u64 now = 1000;
	bool right;

	memset(number, 0xff, sizeof(number));
	fprintf(f, "key,cost,time\n");
	for (u32 i = 0; i < n; i++) {
		now += rng_below(r, 20);
		rows[i].time = now - rng_below(r, window + 1);
		rows[i].order = i;
		rows[i].key = write_key(r, f, number, &known);
		fprintf(f, ",1,%" PRIu64 "%s", rows[i].time, rng_below(r, 2) ? "\n" : "\r\n");
	}
	fclose(f);
	qsort(rows, n, sizeof(*rows), compare_written);
	snprintf(word, sizeof(word), "csv.window=%uns", window);
	g = load((const char *const[]){word, "csv.unit=ns", NULL}, &err);
	items = g ? items_of(grid_cell(g, 0), &got, &err) : NULL;
	right = items && got == n;
	for (u32 i = 0; right && i < n; i++)
		right = items[i].due_ns == rows[i].time - rows[0].time &&
			items[i].key == rows[i].key;
	if (!right)
		printf("# %s\n", err.text);
	free(items);
	free(rows);
	grid_free(g);
	return right;
}

static void test_random(void)
{
	struct rng r;
	u32 right = 0;

	rng_init(&r, 4, 0);
	for (u32 i = 0; i < 300; i++)
		right += random_file(&r);
	CHECK(right == 300, "%u of 300 random files come out in order", right);
}

/* A million rows do not stay in memory. */
static void test_memory(void)
{
	struct rusage before, after;
	struct spec_error err;
	struct stream st;
	struct spec s;
	struct item it;
	struct grid *g;
	FILE *f = fopen(path, "we");
	u32 n = 0;

	fprintf(f, "time,key,cost\n");
	for (u32 i = 0; i < 1000000; i++)
		fprintf(f, "%u,key-%u,1\n", i, i % 1000);
	fclose(f);
	getrusage(RUSAGE_SELF, &before);
	g = load((const char *const[]){"csv.unit=us", "csv.window=1ms", NULL}, &err);
	if (!CHECK(g, "a million rows are read %s", err.text))
		return;
	s = spec_scaled(grid_cell(g, 0));
	if (stream_open(&st, &s, &err))
		return;
	while (workload_next(&st.workload, &it))
		n++;
	CHECK(!stream_close(&st, &err) && n == 1000000, "and all come out");
	getrusage(RUSAGE_SELF, &after);
	CHECK(after.ru_maxrss - before.ru_maxrss < 8192, "in %ld KiB more than before",
	      after.ru_maxrss - before.ru_maxrss);
	grid_free(g);
}

int main(void)
{
	if (!begin())
		return EXIT_FAILURE;
	test_memory();
	test_rows();
	test_window();
	test_scales();
	test_without_file();
	test_due();
	test_zstd();
	test_random();
	return end();
}
