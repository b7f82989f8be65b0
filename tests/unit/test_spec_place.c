// SPDX-License-Identifier: GPL-2.0-only
/* Where an error of a whole cell, or of a grid, says that it stands. */
#include "spec/spec.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

#define W "[workload]\n"

static const struct {
	const char *text, *message;
} files[] = {
	{"[dispatch]\nthreshold = 1ms, 2ms\ndesign = steal, steal:half\n",
	 "cell 1 (dispatch.threshold = 1ms, dispatch.design = steal:half): f:3: the same as cell "
	 "0; take a value out of a list"},
	/* a cell as a whole: where the key stands that it is about, or another of them */
	{"[hot]\nload = 1, 50\n",
	 "cell 1 (hot.load = 50): f:2: hot.load = 50 cannot be reached: with every arrival hot, "
	 "workload.rate = 400/s and hot.cost = 100ms make a load of 40; lower hot.load or raise "
	 "workload.rate or hot.cost"},
	{"[noise]\nkind = none, command\n",
	 "cell 1 (noise.kind = command): f:2: noise.kind = command without noise.command; set "
	 "noise.command to what shall run"},
	{W "keys = 4\n[hot]\nkeys = 4\n", "f:4: hot.keys = 4 leaves no cold key of workload.keys = "
					  "4; raise workload.keys or lower hot.keys"},
	{W "rate = 4/s\nkeys = 1\n", "f:3: hot.keys = 1 leaves no cold key of workload.keys = 1; "
				     "raise workload.keys or lower hot.keys"},
	{W "duration = 1s\n\n; calls what nobody made\nsteps = cpu 1ms +\n\tcall nosuch 5ms\n",
	 "f:5: workload.steps = cpu 1ms + call nosuch 5ms calls nosuch, which no section defines; "
	 "write capacity = N under [resource.nosuch]"},
	{"[pause]\nfor = 2s\nevery = 1s\n", "f:2: pause.for = 2s is not shorter than pause.every = "
					    "1s, so nothing would ever go on; lower pause.for"},
	{W "partitions = 4\n[reassign]\nat = 1s\n",
	 "f:4: reassign.at = 1s: partitions move between workers that have them; set "
	 "dispatch.design = partition, dispatch.executor = thread and workers.replicas = 1"},
	{"[workers]\ncount = 3\n[dispatch]\nexecutor = spawn\ndesign = partition\n",
	 "f:5: dispatch.design = partition has a queue for each worker, and dispatch.executor = "
	 "spawn has no workers; choose a design with one queue, as shared or key"},
	{W "trace = nosuch.csv\n",
	 "f:2: nosuch.csv: No such file or directory; name a CSV file that can be read"},
	{"[csv]\ncost = none\n" W "trace = /\n",
	 "f:4: /: Is a directory; name a CSV file that can be read"},
};

/* One line, the right one, and no grid. */
static void check_error(int rc, const struct grid *g, const struct spec_error *err,
			const char *message)
{
	if (!CHECK(rc < 0 && !g && !strcmp(err->text, message), "%s", message))
		printf("# got: %s\n", err->text);
}

/* What a word says is not what the file says. */
static void test_word_over_file(void)
{
	struct spec_error err = {0};
	struct grid *g = NULL;
	char path[] = "/tmp/test_spec.XXXXXX", *word[] = {"hot.keys=9"}, message[256];
	int fd = mkstemp(path), rc;

	if (!CHECK(fd >= 0 && dprintf(fd, W "keys = 9\n[hot]\nkeys = 1\n") > 0 && !close(fd),
		   "a file to write"))
		return;
	rc = grid_load(&g, path, word, 1, &err);
	check_error(rc, g, &err,
		    "argument 'hot.keys=9': hot.keys = 9 leaves no cold key of workload.keys = 9; "
		    "raise workload.keys or lower hot.keys");
	word[0] = "workload.keys=1";
	rc = grid_load(&g, path, word, 1, &err);
	snprintf(message, sizeof(message),
		 "%s:4: hot.keys = 1 leaves no cold key of workload.keys = 1; raise workload.keys "
		 "or lower hot.keys",
		 path);
	check_error(rc, g, &err, message);
	unlink(path);
}

int main(void)
{
	struct spec_error err = {0};
	struct grid *g = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int rc = grid_parse(&g, files[i].text, "f", &err);

		check_error(rc, g, &err, files[i].message);
	}
	test_word_over_file();
	return tap_done();
}
