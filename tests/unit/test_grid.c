/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulator on the source experiment's grid, against an independent simulator: the median of
 * nine seeds lies inside the range of its nine seeds, widened by 5 %.
 */
#include "tally.h"
#include "tap.h"

enum { SEEDS = 9 };

enum figure {
	VIOLATIONS,
	MOVES,
	VICTIM_P50,
	VICTIM_P95,
	VICTIM_P99,
	HOT_P99,
	VICTIM_FREE,
	FIGURES
};

static const char *const figure_names[FIGURES] = {
	"violations",
	"moves",
	"victim p50 ms",
	"victim p95 ms",
	"victim p99 ms",
	"hot p99 ms",
	"mean time that victims waited while a worker was free, ms",
};

struct range {
	double low, high;
};

struct cell {
	double load;
	const char *design;
	u32 unit;
	struct range want[FIGURES];
};

/* At 0.4 nothing waits for the threshold: stealing is partition. */
#define PARTITION_04                                                                               \
	{                                                                                          \
		{0, 0}, {0, 0}, {5.4, 5.5}, {10.7, 15.4}, {71.7, 96.3}, {148, 154},                \
		{                                                                                  \
			2.3, 3.5                                                                   \
		}                                                                                  \
	}
#define SHARED_04                                                                                  \
	{                                                                                          \
		{0, 0}, {0, 0}, {4.9, 5.0}, {7.2, 7.3}, {7.4, 7.5}, {148, 150},                    \
		{                                                                                  \
			0, 0                                                                       \
		}                                                                                  \
	}

static const struct cell cells[] = {
	{0.4, "shared", STEAL_HALF, SHARED_04},
	{0.4, "partition", STEAL_HALF, PARTITION_04},
	{0.4, "steal", STEAL_HALF, PARTITION_04},
	{0.4, "steal", STEAL_KEY, PARTITION_04},
	{0.4, "key", STEAL_HALF, SHARED_04},
	{1.0,
	 "shared",
	 STEAL_HALF,
	 {{0, 0}, {0, 0}, {4.9, 5.0}, {7.2, 7.3}, {7.4, 7.5}, {146, 150}, {0, 0}}},
	{1.0,
	 "partition",
	 STEAL_HALF,
	 {{0, 0}, {0, 0}, {5.5, 5.7}, {1209, 2198}, {2681, 3858}, {2940, 4280}, {137, 213}}},
	{1.0,
	 "steal",
	 STEAL_HALF,
	 {{12, 24}, {140, 210}, {5.6, 5.8}, {236, 295}, {410, 445}, {537, 581}, {25, 31}}},
	{1.0,
	 "steal",
	 STEAL_KEY,
	 {{0, 0}, {511, 692}, {5.4, 5.6}, {10, 281}, {358, 483}, {727, 1307}, {7, 25}}},
	{1.0,
	 "key",
	 STEAL_HALF,
	 {{0, 0}, {0, 0}, {4.9, 5.0}, {7.2, 7.3}, {7.4, 7.5}, {328, 911}, {0, 0}}},
	{2.0,
	 "shared",
	 STEAL_HALF,
	 {{42, 56}, {0, 0}, {4.9, 5.0}, {7.2, 7.3}, {7.4, 7.4}, {148, 149}, {0, 0}}},
	{2.0,
	 "partition",
	 STEAL_HALF,
	 {{0, 0},
	  {0, 0},
	  {5.5, 5.6},
	  {10451, 11835},
	  {20447, 21894},
	  {22808, 24151},
	  {1075, 1176}}},
	{2.0,
	 "steal",
	 STEAL_HALF,
	 {{167, 180}, {1235, 1458}, {6.3, 6.5}, {395, 423}, {502, 504}, {611, 634}, {54, 59}}},
	{2.0,
	 "steal",
	 STEAL_KEY,
	 {{0, 0}, {708, 718}, {5.3, 5.4}, {8.5, 9.4}, {11.3, 12.7}, {19282, 20594}, {1.5, 1.8}}},
	{2.0,
	 "key",
	 STEAL_HALF,
	 {{0, 0}, {0, 0}, {4.9, 5.0}, {7.2, 7.3}, {7.4, 7.4}, {19207, 20540}, {0, 0}}},
};

static void measure(const struct cell *c, u64 seed, double out[FIGURES])
{
	struct scenario sc = scenario_ordering(c->design, c->unit, c->load, seed);
	struct tally t;
	u64 *latencies;
	u32 count;

	if (scenario_tally(&sc, &t) || t.done != 8000)
		CHECK(false, "%s, seed %" PRIu64 ": every item ends", c->design, seed);
	out[VIOLATIONS] = t.violations;
	out[MOVES] = t.moves;
	latencies = tally_latencies(&t, false, &count);
	out[VICTIM_P50] = tally_percentile_ms(latencies, count, 50);
	out[VICTIM_P95] = tally_percentile_ms(latencies, count, 95);
	out[VICTIM_P99] = tally_percentile_ms(latencies, count, 99);
	free(latencies);
	latencies = tally_latencies(&t, true, &count);
	out[HOT_P99] = tally_percentile_ms(latencies, count, 99);
	free(latencies);
	out[VICTIM_FREE] = tally_victims_free_ms(&t);
	tally_fini(&t);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void check_cell(const struct cell *c)
{
	double figures[FIGURES][SEEDS], one[FIGURES];

	for (u32 i = 0; i < SEEDS; i++) {
		measure(c, i + 1, one);
		for (u32 f = 0; f < FIGURES; f++)
			figures[f][i] = one[f];
	}
	for (u32 f = 0; f < FIGURES; f++) {
		double low = c->want[f].low * 0.95, high = c->want[f].high * 1.05, median;

		qsort(figures[f], SEEDS, sizeof(double), compare_doubles);
		median = figures[f][SEEDS / 2];
		CHECK(median >= low && median <= high,
		      "load %.1f, %s%s: %s %.2f is in %.2f .. %.2f (seeds gave %.2f .. %.2f)",
		      c->load, c->design, c->unit == STEAL_KEY ? ":key" : "", figure_names[f],
		      median, low, high, figures[f][0], figures[f][SEEDS - 1]);
	}
}

int main(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(cells); i++)
		check_cell(&cells[i]);
	return tap_done();
}
