// SPDX-License-Identifier: GPL-2.0-only
/* Bad specs: every message, to the letter, and that nothing comes back with it. */
#include "spec/spec.h"
#include "tap.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define W "[workload]\n"

static const struct {
	const char *text, *message;
} files[] = {
	/* names */
	{"[workloads]\n", "f:1: unknown section [workloads]; did you mean [workload]?"},
	{"[zzz]\n",
	 "f:1: unknown section [zzz]; there are [workload] [hot] [burst] [csv] [resource.NAME] "
	 "[dispatch] [workers] [place] [noise] [pause] [jitter] [stall] [reassign] [run]"},
	{"[palce]\nisolation = shared\n", "f:1: unknown section [palce]; did you mean [place]?"},
	{W "kyes = 3\n", "f:2: unknown key workload.kyes; did you mean workload.keys?"},
	{W "load = 3\n", "f:2: unknown key workload.load; did you mean hot.load?"},
	{"[dispatch]\nqqq = 3\n",
	 "f:2: unknown key dispatch.qqq; the keys of [dispatch] are design hash threshold unit "
	 "executor limit buffer null balance"},
	{"[workers]\nlimit = 50%\n",
	 "f:2: unknown key workers.limit; did you mean dispatch.limit?"},
	{"[noise]\nmax = 50%\n", "f:2: unknown key noise.max; the keys of [noise] are kind "
				 "threads duty period command cpus"},
	{"rate = 3/s\n", "f:1: rate has no section; did you mean workload.rate?"},
	{"qqq = 3/s\n", "f:1: qqq has no section; write [section] above it, or section.key"},
	/* lines */
	{W "rate\n", "f:2: neither [section] nor key = value nor ; comment"},
	{"[workload\nrate = 4/s\n", "f:1: neither [section] nor key = value nor ; comment"},
	{W "oops\nkeys = x\nkyes = 1\n", "f:2: neither [section] nor key = value nor ; comment"},
	{W "kyes = 1\noops\n", "f:2: unknown key workload.kyes; did you mean workload.keys?"},
	{W "keys = 2\nkeys = 3\n", "f:3: workload.keys is given twice, first on line 2; keep one"},
	{"[hot]\nload = 1\nshare = 1%\n",
	 "f:3: hot.share and hot.load (line 2) say the same thing; keep one"},
	{W "keys = 2\n  rate = 3/s\n", "f:3: an indented line continues the value above it; begin "
				       "'rate = 3/s' without a blank"},
	{W "keys = \x01\n", "f:2: byte 0x01 is not text; a spec is an INI file"},
	{W "keys = 2\rrate = 3/s\n", "f:2: byte 0x0d is not text; a spec is an INI file"},
	/* values */
	{W "keys =\n", "f:2: workload.keys has no value; write one, or take the key out"},
	{W "keys = ; none\n", "f:2: workload.keys has no value; write one, or take the key out"},
	{W "keys = 2,,3\n", "f:2: workload.keys = '2,,3' has an empty element; take a comma out"},
	{W "keys = 2,\n", "f:2: workload.keys = '2,' has an empty element; take a comma out"},
	{W "keys = 2,3,2\n", "f:2: workload.keys = '2' stands twice in the list; keep one"},
	{W "cost = 5ms, 5000us\n",
	 "f:2: workload.cost = '5000us' stands twice in the list; keep one"},
	{W "keys = two\n", "f:2: workload.keys = 'two' is not a number"},
	{W "keys = -2\n", "f:2: workload.keys = '-2' is negative"},
	{W "keys = 2.5\n", "f:2: workload.keys = '2.5' is not a whole number"},
	{W "keys = 1e3\n", "f:2: workload.keys = '1e3' has an exponent; write the digits"},
	{W "keys = 0x10\n", "f:2: workload.keys = '0x10' is not a number: 'x10' follows it"},
	{W "keys = 2 3\n", "f:2: workload.keys = '2 3' has a blank in it; take it out"},
	{W "keys = 0\n", "f:2: workload.keys = '0' is out of range: 1 to 16777216"},
	{W "keys = 4294967297\n",
	 "f:2: workload.keys = '4294967297' is out of range: 1 to 16777216"},
	{W "seed = 18446744073709551616\n",
	 "f:2: workload.seed = '18446744073709551616' is too large"},
	{W "seed = 99999999999999999999999999\n",
	 "f:2: workload.seed = '99999999999999999999999999' has too many digits"},
	{W "cost = 5\n", "f:2: workload.cost = '5' needs a unit: ns, us, ms, s, min or h"},
	{W "cost = 5 ms\n", "f:2: workload.cost = '5 ms' has a blank in it; take it out"},
	{W "cost = 5msx\n",
	 "f:2: workload.cost = '5msx' has the unknown unit 'msx'; write ns, us, ms, s, min or h"},
	{W "cost = 0.5ns\n", "f:2: workload.cost = '0.5ns' is finer than 1ns"},
	{W "cost = 9999999999999h\n", "f:2: workload.cost = '9999999999999h' is too large"},
	{W "cost = 2h\n", "f:2: workload.cost = '2h' is out of range: 0s to 1h"},
	{W "cost = nan\n", "f:2: workload.cost = 'nan' is not a number"},
	{W "rate = 400\n", "f:2: workload.rate = '400' needs a unit: /s"},
	{W "rate = 400/min\n",
	 "f:2: workload.rate = '400/min' has the unknown unit '/min'; write /s"},
	{W "rate = inf/s\n", "f:2: workload.rate = 'inf/s' is not a number"},
	{W "rate = 1e400/s\n", "f:2: workload.rate = '1e400/s' is too large"},
	{W "rate = 0/s\n", "f:2: workload.rate = '0/s' is out of range: 0.001/s to 1e9/s"},
	{W "rate = 400/s # many\n", "f:2: workload.rate = '400/s # many' has the unknown unit "
				    "'/s # many'; write /s"},
	{W "jitter = 0.5\n", "f:2: workload.jitter = '0.5' needs a unit: %"},
	{W "jitter = 101%\n", "f:2: workload.jitter = '101%' is out of range: 0% to 100%"},
	{"[run]\nring = 4MB\n",
	 "f:2: run.ring = '4MB' has the unknown unit 'MB'; write B, KiB, MiB or GiB"},
	{"[run]\nring = 3MiB\n",
	 "f:2: run.ring = 3MiB is not a power of two; write one, as in 4MiB"},
	{"[run]\ntrace = yes\n", "f:2: run.trace = 'yes' is not one of on, off"},
	{W "arrivals = poison\n", "f:2: workload.arrivals = 'poison' is not one of even, poisson, "
				  "burst; did you mean poisson?"},
	{W "cold_pick = zipf\n", "f:2: workload.cold_pick = 'zipf' needs its parameter: zipf:S"},
	{W "cold_pick = uniform:1\n",
	 "f:2: workload.cold_pick = 'uniform:1' has a parameter, but uniform takes none"},
	{W "cold_pick = zipf:11\n", "f:2: workload.cold_pick = 'zipf:11' is out of range: 0 to 10"},
	{W "work = mix:20\n", "f:2: workload.work = 'mix:20' needs a unit: %"},
	{"[hot]\nneighbours = hsah\n", "f:2: hot.neighbours = 'hsah' is neither a number nor hash"},
	{"[dispatch]\ndesign = stea\n", "f:2: dispatch.design = 'stea' is not one of shared, "
					"partition, steal, steal:item, steal:key, key, "
					"key:partition, jsq, p2c, random; did you mean steal?"},
	{"[dispatch]\ndesign = stael\n", "f:2: dispatch.design = 'stael' is not one of shared, "
					 "partition, steal, steal:item, steal:key, key, "
					 "key:partition, jsq, p2c, random; did you mean steal?"},
	{"[dispatch]\ndesign = steal:all\n",
	 "f:2: dispatch.design = 'steal:all' is not one of half, item, key"},
	{"[dispatch]\ndesign = key:item\n", "f:2: dispatch.design = 'key:item' is not one of "
					    "shared, partition, steal, steal:item, steal:key, key, "
					    "key:partition, jsq, p2c, random"},
	{"[workers]\ncpus = 3-1\n", "f:2: workers.cpus = '3-1' has a range that goes down: 3-1"},
	{"[workers]\ncpus = 1 0-2\n", "f:2: workers.cpus = '1 0-2' names CPU 1 twice"},
	{"[workers]\ncpus = 8192\n", "f:2: workers.cpus = '8192' names a CPU above 8191"},
	{"[workers]\ncpus = 1-\n", "f:2: workers.cpus = '1-' is not a CPU list; write numbers and "
				   "ranges with blanks between, as in 1-3 8, or auto"},
	{"[workers]\nnice = 20\n", "f:2: workers.nice = '20' is out of range: -20 to 19"},
	{"[workers]\npolicy = fifo:0\n", "f:2: workers.policy = 'fifo:0' is out of range: 1 to 99"},
	{"[workers]\ncount = 1025\n", "f:2: workers.count = '1025' is out of range: 1 to 1024"},
	{"[workers]\ncpu_max = 13%\n", "f:2: workers.cpu_max = '13%' is neither QUOTA/PERIOD, as "
				       "in 13ms/100ms, nor none"},
	{"[workers]\ncpu_max = 13/100ms\n", "f:2: workers.cpu_max = '13/100ms' has a quota that "
					    "needs a unit: ns, us, ms, s, min or h"},
	{"[workers]\ncpu_max = 999us/10ms\n", "f:2: workers.cpu_max = '999us/10ms' has a quota "
					      "that is out of range: 1ms to 1024s"},
	{"[workers]\ncpu_max = 1ms/1001ms\n", "f:2: workers.cpu_max = '1ms/1001ms' has a period "
					      "that is out of range: 1ms to 1s"},
	{"[workers]\ncpu_max = 1ms/2ms/3ms\n",
	 "f:2: workers.cpu_max = '1ms/2ms/3ms' has a period that has the unknown unit 'ms/3ms'; "
	 "write ns, us, ms, s, min or h"},
	{"[workers]\ncpu_max = 1.0005ms/10ms\n", "f:2: workers.cpu_max = '1.0005ms/10ms' has a "
						 "quota that is finer than 1us, the kernel's "
						 "grain"},
	{"[workers]\ncpu_max = 10ms/100ms, 10000us/0.1s\n",
	 "f:2: workers.cpu_max = '10000us/0.1s' stands twice in the list; keep one"},
	{"[place]\nisolation = isolate\n",
	 "f:2: place.isolation = 'isolate' is not one of shared, weighted, capped, isolated; did "
	 "you mean isolated?"},
	{"[place]\nisolation = capped\nnoise_max = 0.9%\n",
	 "f:3: place.noise_max = '0.9%' is out of range: 1% to 10000%"},
	{"[noise]\nkind = cpu\nduty = 0%\n", "f:3: noise.duty = '0%' is out of range: 1% to "
					     "100%"},
	{"[noise]\nkind = cpu\nthreads = 0\n", "f:3: noise.threads = '0' is out of range: 1 to "
					       "1024"},
	{"[noise]\nkind = cpu\nperiod = 61s\n", "f:3: noise.period = '61s' is out of range: 1ms "
						"to 60s"},
	{"[noise]\nkind = cpu\ncpus = 2-1\n", "f:3: noise.cpus = '2-1' has a range that goes "
					      "down: 2-1"},
	{"[noise]\ncommand = ; none\n",
	 "f:2: noise.command has no value; write one, or take the key out"},
	{"[noise]\ncommand = a  b\n", "f:2: noise.command = 'a  b' has two blanks in a row; write "
				      "one, or put it into a script"},
	{"[noise]\ncommand = a\tb\n", "f:2: noise.command = 'a?b' has a control character in it; "
				      "write blanks"},
	{"[noise]\ncommand = a #b\n", "f:2: noise.command = 'a #b' has # behind a blank, a comment "
				      "in a spec; take the blank out, or put it into a script"},
	/* keys that do not go together */
	{"[noise]\nthreads = 1\n",
	 "f:2: noise.threads has no effect without noise.kind; give both or neither"},
	{"[noise]\ncpus = 1\n", "f:2: noise.cpus has no effect without noise.kind; give both or "
				"neither"},
	{"[place]\nnoise_max = 30%\n", "f:2: place.noise_max has no effect without "
				       "place.isolation = capped; give both or neither"},
	{"[noise]\nkind = none, cpu\ncommand = a, b\n",
	 "f:3: noise.command contradicts noise.kind = none, cpu; write command there, or take one "
	 "out"},
};

static const struct {
	const char *word, *message;
} words[] = {
	{"rate", "argument 'rate': not section.key=value; write it as in hot.load=1"},
	{"rate=4/s", "argument 'rate=4/s': rate has no section; did you mean workload.rate?"},
	{"=", "argument '=':  has no section; write [section] above it, or section.key"},
	{"work.rate=4/s",
	 "argument 'work.rate=4/s': unknown key work.rate; did you mean workload.rate?"},
	{"workload.rate=4", "argument 'workload.rate=4': workload.rate = '4' needs a unit: /s"},
	{"workload.rate=", "argument 'workload.rate=': workload.rate has no value; write one, or "
			   "take the key out"},
	{"noise.command=a ; b",
	 "argument 'noise.command=a ; b': noise.command = 'a ; b' has ; behind a blank, a comment "
	 "in a spec; take the blank out, or put it into a script"},
	{"noise.command=;", "argument 'noise.command=;': noise.command = ';' has ; behind a blank, "
			    "a comment in a spec; take the blank out, or put it into a script"},
	{"noise.command=a\nb", "argument 'noise.command=a?b': noise.command = 'a?b' has a control "
			       "character in it; write blanks"},
	{"hot.load=\x1b[1m", "argument 'hot.load=?[1m': hot.load = '?[1m' is not a number"},
};

/* One line, the right one, and no grid. */
static void check_error(int rc, const struct grid *g, const struct spec_error *err,
			const char *message)
{
	bool same = !strcmp(err->text, message);

	CHECK(rc < 0 && !g && same, "%s", message);
	if (!same)
		printf("# got: %s\n", err->text);
}

static void test_long_lines(void)
{
	struct spec_error err = {0};
	struct grid *g = NULL;
	char text[4096];
	int n;

	n = sprintf(text, "; fine\n[workers]\ncpus = ");
	while (n < 400)
		n += sprintf(text + n, "%d ", n);
	strcpy(text + n, "\n");
	int rc = grid_parse(&g, text, "f", &err);
	check_error(rc, g, &err,
		    "f:3: the line is longer than 198 bytes; continue it on an indented line");
	n = sprintf(text, ";");
	memset(text + n, 'x', 3000);
	strcpy(text + n + 3000, "\n");
	rc = grid_parse(&g, text, "f", &err);
	check_error(rc, g, &err,
		    "f:1: the line is longer than 198 bytes; continue it on an indented line");
}

/* The longest command and word, and one byte more of each. */
static void test_long_commands(void)
{
	static const struct {
		int words, letters, last;
		const char *reason;
	} tries[] = {
		{4, 127, 127, NULL},
		{4, 127, 128, "is longer than 511 bytes; put it into a script"},
		{2, 180, 150, NULL},
		{2, 181, 150, "has a word longer than 180 bytes; put it into a script"},
	};
	char text[1024], *word = text;
	struct spec_error err;
	struct grid *g;

	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		int n = sprintf(text, "noise.command="), rc;

		for (int w = 1; w <= tries[i].words; w++)
			n += sprintf(text + n, "%s%0*d", w > 1 ? " " : "",
				     w == tries[i].words ? tries[i].last : tries[i].letters, w);
		rc = grid_load(&g, NULL, &word, 1, &err);
		CHECK(tries[i].reason ? rc && strstr(err.text, tries[i].reason) : !rc,
		      "a command of %d bytes: %s", n - 14, tries[i].reason ?: "fits");
		grid_free(g);
	}
}

static void test_grid_size(void)
{
	struct spec_error err = {0};
	struct grid *g = NULL;
	char seeds[8192], keys[8192];
	char *list[] = {seeds, keys};
	int a = sprintf(seeds, "workload.seed=1"), b = sprintf(keys, "workload.keys=2");

	for (int i = 2; i <= 1000; i++)
		a += sprintf(seeds + a, ",%d", i);
	for (int i = 3; i <= 12; i++)
		b += sprintf(keys + b, ",%d", i);
	int rc = grid_load(&g, NULL, list, 2, &err);
	check_error(rc, g, &err,
		    "argument 'workload.keys=2,3,4,5,6,7,8,9,10,11,12': the lists make "
		    "more than 10000 cells; shorten one");
	sprintf(seeds + a, ",1001");
	rc = grid_load(&g, NULL, list, 1, &err);
	CHECK(rc == -EINVAL && strstr(err.text, "workload.seed has more than 1000 values"),
	      "a list is bounded");
}

/* A path may be longer than the message: its end, the line and the reason stay. */
static void test_long_path(void)
{
	struct spec_error err = {0};
	struct grid *g = NULL;
	char path[4000];

	memset(path, 'x', sizeof(path));
	memcpy(path, "./", 2);
	strcpy(path + sizeof(path) - 8, "/a.ini");
	CHECK(grid_load(&g, path, NULL, 0, &err) == -ENAMETOOLONG &&
		      strstr(err.text, "xxx/a.ini: File name too long; name a spec file"),
	      "a long path is cut in front");
	CHECK(grid_load(&g, path, (char *[]){path}, 1, &err) < 0, "a long word is no crash");
}

static void write_file(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "we");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		CHECK(false, "cannot write %s", path);
}

static void check_path(const char *path, const char *reason)
{
	struct spec_error err = {0};
	struct grid *g = NULL;
	char message[512];
	int rc = grid_load(&g, path, NULL, 0, &err);

	snprintf(message, sizeof(message), "%s%s", path, reason);
	check_error(rc, g, &err, message);
}

static void test_files(void)
{
	char dir[] = "/tmp/test_spec.XXXXXX", path[64];
	char *big = calloc(1, (1 << 20) + 2);

	if (!CHECK(big && mkdtemp(dir), "a directory to write in"))
		return;
	snprintf(path, sizeof(path), "%s/a.ini", dir);
	check_path("orderin", ": no preset and no file of this name; did you mean the preset "
			      "ordering?");
	check_path("zzzzzz", ": no preset and no file of this name; name a spec file, or a preset "
			     "as in consumer-quick");
	check_path(path, ": No such file or directory; name a spec file that can be read");
	check_path("./ordering", ": No such file or directory; name a spec file that can be read");
	check_path("ordering.ini",
		   ": No such file or directory; name a spec file that can be read");
	check_path(dir, ": Is a directory; name a spec file that can be read");
	write_file(path, "[run]\n\0x", 8);
	check_path(path, ":2: byte 0x00 is not text; a spec is an INI file");
	write_file(path,
		   "\x7f"
		   "ELF\2\1\1",
		   7);
	check_path(path, ":1: byte 0x7f is not text; a spec is an INI file");
	memset(big, '\n', (1 << 20) + 1);
	write_file(path, big, (1 << 20) + 1);
	check_path(path, ": larger than 1 MiB; that is no spec");
	chmod(path, 0);
	if (geteuid())
		check_path(path, ": Permission denied; name a spec file that can be read");
	unlink(path);
	rmdir(dir);
	free(big);
}

int main(void)
{
	struct spec_error err;
	struct grid *g;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		g = NULL;
		rc = grid_parse(&g, files[i].text, "f", &err);
		check_error(rc, g, &err, files[i].message);
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char *word = strdup(words[i].word);

		g = NULL;
		rc = grid_load(&g, NULL, &word, 1, &err);
		check_error(rc, g, &err, words[i].message);
		free(word);
	}
	test_long_lines();
	test_long_commands();
	test_grid_size();
	test_long_path();
	test_files();
	return tap_done();
}
