/* SPDX-License-Identifier: GPL-2.0-only */
/* Recorded streams: what is said of a bad file, and of keys that do not go with one. */
#include "recording.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *text, *words[4], *message; /* behind the path */
} bad[] = {
	{"", {NULL}, ": is empty; a line with the columns' names is wanted, and rows"},
	{"\n\r\n", {NULL}, ": is empty; a line with the columns' names is wanted, and rows"},
	{"time,key,cost\n", {NULL}, ": has a header and no rows"},
	{"Time,key,cost\n1,a,1\n", {NULL}, ":1: no column 'time'; did you mean csv.time = Time?"},
	{"time,user,cost\n1,a,1\n",
	 {NULL},
	 ":1: no column 'key' in the header time, user, cost; "
	 "name it with csv.key"},
	{"1,a,1\n2,b,1\n",
	 {NULL},
	 ":1: no column 'time' in the header 1, a, 1; name it with "
	 "csv.time"},
	{"time,key,key,cost\n", {NULL}, ":1: two columns 'key'; rename one"},
	{"time,key,cost\n1,a,1\n2,b\n", {NULL}, ":3: 2 fields, and the header has 3"},
	{"time,key,cost\n\n1,a,1,2\n", {NULL}, ":3: 4 fields, and the header has 3"},
	{"time,key,cost\nx,a,1\n", {NULL}, ":2: time = 'x' is not a number"},
	{"time,key,cost\n,a,1\n", {NULL}, ":2: time = '' is empty"},
	{"time,key,cost\nnan,a,1\n", {NULL}, ":2: time = 'nan' is not a number"},
	{"time,key,cost\n1e99,a,1\n", {NULL}, ":2: time = '1e99' is too large; is csv.unit right?"},
	{"time,key,cost\n4600000001,a,1\n",
	 {NULL},
	 ":2: time = '4600000001' is too large; is csv.unit right?"},
	{"time,key,cost\n1.2.3,a,1\n", {NULL}, ":2: time = '1.2.3' is not a number"},
	{"time,key,cost\n0x10,a,1\n", {NULL}, ":2: time = '0x10' is not a number"},
	{"time,key,cost\n.,a,1\n", {NULL}, ":2: time = '.' is not a number"},
	{"time,key,cost\n1,a,-0.5\n", {NULL}, ":2: cost = '-0.5' is negative"},
	{"time,key,cost\n1,a,3600.5\n",
	 {NULL},
	 ":2: cost = '3600.5' is more than 1h; is csv.unit right?"},
	{"time,key,cost\n1,a,\n", {NULL}, ":2: cost = '' is empty"},
	{"time,key,cost\n5,a,1\n4.5,b,1\n",
	 {NULL},
	 ":3: time goes back by 500ms, more than csv.window = 0s; sort the file or raise the "
	 "window"},
	{"time,key,cost\n5,a,1\n3,b,1\n4,b,1\n2.999,b,1\n",
	 {"csv.window=2s"},
	 ":5: time goes back by 2001ms, more than csv.window = 2s; sort the file or raise the "
	 "window"},
	{"time,key,cost\n1,\"a,1\n2,b,1\n", {NULL}, ":2: a quoted field without its second quote"},
	{"time,key,cost\n1,\"a\"x,1\n", {NULL}, ":2: text behind the second quote of a field"},
	{"time,key,cost\n1,a\"x\",1\n",
	 {NULL},
	 ":2: a quote within a field that has none around it"},
	{"time,key,cost\n1,\"a\n\",1\nx,b,1\n", {NULL}, ":4: time = 'x' is not a number"},
	{"time,key,cost\n1,a\x01,1\n", {NULL}, ":2: byte 0x01 is not text; name a CSV file"},
	{"time,key,cost\r1,a,1\r", {NULL}, ":1: byte 0x0d is not text; name a CSV file"},
};

static void check_bad(const char *const *words, const char *message)
{
	struct spec_error err;
	struct grid *g = load(words, &err);
	char whole[400];

	/* Of a line of the file; or of the file as a whole, which the key names. */
	if (isdigit((unsigned char)message[1]))
		snprintf(whole, sizeof(whole), "%s%s", path, message);
	else
		snprintf(whole, sizeof(whole), "argument 'workload.trace=%s': %s%s", path, path,
			 message);
	if (!CHECK(!g && !strcmp(err.text, whole), "%s", message))
		printf("# got: %s\n", err.text);
	grid_free(g);
}

static void test_bad(void)
{
	char nul[] = "time,key,cost\n1,?,1\n", *big = malloc(70100);

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		write_text(bad[i].text);
		check_bad(bad[i].words, bad[i].message);
	}
	nul[16] = '\0';
	write_bytes(nul, sizeof(nul) - 1);
	check_bad(NULL, ":2: byte 0x00 is not text; name a CSV file");
	strcpy(big, "time,key,cost\n1,");
	memset(big + strlen(big), 'x', 70000);
	write_bytes(big, 70000);
	check_bad(NULL, ":2: a record of more than 65536 bytes; is a quote missing?");
	free(big);
	unlink(path);
	check_bad(NULL, ": No such file or directory; name a CSV file that can be read");
	mkdir(path, 0700);
	check_bad(NULL, ": Is a directory; name a CSV file that can be read");
	rmdir(path);
	mkfifo(path, 0600);
	check_bad(NULL, ": not a regular file, and it is read twice; name one");
	unlink(path);
}

/* A file damaged at random is a grid, or one line that names it. */
static void test_damage(void)
{
	static const char bytes[] = ",,\n\n\"\"\r-.e01x \xff", good[] = "time,key,cost\n1,a,1\n"
									"2,\"b,\"\"\",0.5\r\n"
									"2.5,,3\n3,a,2\n";
	u32 tries = 3000, grids = 0, said = 0;
	struct spec_error err;
	struct grid *g;
	struct rng r;

	rng_init(&r, 5, 0);
	for (u32 i = 0; i < tries; i++) {
		char text[sizeof(good)];

		memcpy(text, good, sizeof(good));
		for (u32 k = rng_below(&r, 4); k--;)
			text[rng_below(&r, sizeof(good) - 1)] =
				bytes[rng_below(&r, sizeof(bytes) - 1)];
		write_bytes(text,
			    rng_below(&r, 4) ? sizeof(good) - 1 : rng_below(&r, sizeof(good)));
		g = load(NULL, &err);
		grids += g != NULL;
		said += !g && strstr(err.text, path) && !strchr(err.text, '\n');
		grid_free(g);
	}
	CHECK(grids > tries / 10 && said > tries / 10 && grids + said == tries,
	      "%u damaged files: %u are read, of %u it is said why not", tries, grids, said);
}

/* Keys that the file makes idle. */
static void test_idle(void)
{
	static const struct {
		const char *words[3], *message;
	} idle[] = {
		{{"workload.keys=5"},
		 "argument 'workload.keys=5': workload.keys has no effect with workload.trace; "
		 "take one of them out"},
		{{"workload.rate=5/s"}, "workload.rate has no effect with workload.trace"},
		{{"workload.duration=5s"}, "workload.duration has no effect with workload.trace"},
		{{"workload.arrivals=poisson"}, "workload.arrivals has no effect with"},
		{{"workload.null=5%"}, "workload.null has no effect with workload.trace"},
		{{"hot.load=1"}, "hot.load has no effect with workload.trace"},
		{{"hot.placement=spread"}, "hot.placement has no effect with workload.trace"},
		{{"workload.cost=5ms"},
		 "workload.cost has no effect with workload.trace, whose rows have costs "
		 "(csv.cost); take one of them out"},
		{{"workload.jitter=5%"}, "workload.jitter has no effect with workload.trace,"},
		{{"run.warmup=2s"},
		 "run.warmup = 2s leaves nothing of csv.span = 1s at csv.speed "
		 "= 1; lower run.warmup"},
		{{"stall.for=1s", "stall.key=2"},
		 "stall.key = 2 with workload.keys = 2: the last "
		 "key is 1"},
	};
	struct spec_error err;
	struct grid *g;
	char *word[] = {"csv.speed=2"};

	write_text("time,key,cost\n1,a,1\n2,b,1\n");
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++) {
		g = load(idle[i].words, &err);
		if (!CHECK(!g && strstr(err.text, idle[i].message), "%s", idle[i].message))
			printf("# got: %s\n", err.text);
		grid_free(g);
	}
	CHECK(grid_load(&g, NULL, word, 1, &err) &&
		      strstr(err.text, "csv.speed has no effect without workload.trace"),
	      "csv without a trace: %s", err.text);
	g = load((const char *const[]){"csv.speed=1,2", "dispatch.null=unordered", NULL}, &err);
	CHECK(g && grid_cells(g) == 2 && !grid_file(g, 1),
	      "an axis reads the file once; null needs no workload.null %s", err.text);
	grid_free(g);
}

int main(void)
{
	if (!begin())
		return EXIT_FAILURE;
	test_bad();
	test_damage();
	test_idle();
	return end();
}
