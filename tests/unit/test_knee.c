/* SPDX-License-Identifier: GPL-2.0-only */
/* The search for a knee on curves that are known. */
#include "core/rng.h"
#include "core/stats/knee.h"
#include "tap.h"

#include <math.h>

/* A server of `capacity` items a second: plain p95 until there, then a queue. */
struct curve {
	double capacity, plain;
	double refuses; /* from this share of the capacity on, what comes on top is refused; 0:
			   never */
	double noise;	/* p95 is off by up to this share */
	bool unknown;	/* how busy it is, is not measured */
};

static struct knee_sample run(const struct curve *c, double rate, struct rng *r)
{
	struct knee_sample s = {.rate = rate, .p95 = c->plain, .busy = rate / c->capacity};
	double limit = c->capacity * c->refuses;

	if (limit > 0 && rate > limit) {
		s.lost = 1 - limit / rate;
		s.busy = c->refuses;
	} else if (rate > c->capacity) {
		s.p95 = c->plain * (1 + 1000 * (rate / c->capacity - 1));
	}
	if (s.busy > 1)
		s.busy = 1;
	if (c->unknown)
		s.busy = (double)NAN;
	s.p95 *= 1 + c->noise * (2 * rng_double(r) - 1);
	return s;
}

static u32 search(struct knee *k, const struct curve *c, const struct knee_config *cfg, u64 seed)
{
	struct rng r;
	double rate;

	rng_init(&r, seed, 0);
	knee_begin(k, cfg);
	while ((rate = knee_next(k)) > 0) {
		struct knee_sample s = run(c, rate, &r);

		knee_put(k, &s);
	}
	return k->nr;
}

/* From anywhere, below or far above. */
static void test_found(void)
{
	static const double from[] = {1, 50, 110, 220, 223, 400, 5000, 1e6};
	struct curve c = {.capacity = 222.2, .plain = 54e6};
	u32 wrong = 0, most = 0;

	for (u32 i = 0; i < ARRAY_SIZE(from); i++) {
		struct knee_config cfg = {from[i], false, 1e9, 2, .02, 0};
		struct knee k;
		u32 nr = search(&k, &c, &cfg, i);

		wrong += k.state != KNEE_FOUND || k.low > 222.2 * 1.001 || k.high < 222.2 ||
			 k.high > k.low * 1.02 || k.plain_rate >= 111.2 || k.plain_p95 != 54e6;
		most = nr > most ? nr : most;
	}
	CHECK(wrong == 0, "the knee of a server is where its capacity is (%u wrong)", wrong);
	CHECK(most <= 30, "in %u runs at the most", most);
}

static void test_noisy(void)
{
	struct curve c = {.capacity = 1000, .plain = 1e6, .noise = .2};
	struct knee_config cfg = {300, false, 1e9, 2, .02, 0};
	u32 wrong = 0;

	for (u32 seed = 0; seed < 100; seed++) {
		struct knee k;

		search(&k, &c, &cfg, seed);
		wrong += k.state != KNEE_FOUND || k.high < 1000 || k.low > 1002;
	}
	CHECK(wrong == 0, "p95 that scatters by 20 %% does not move it (%u wrong)", wrong);
}

static void test_refused(void)
{
	struct curve c = {.capacity = 1000, .plain = 1e6, .refuses = 1};
	struct knee_config cfg = {300, false, 1e9, 2, .02, 0};
	struct knee k;

	search(&k, &c, &cfg, 1);
	CHECK(k.state == KNEE_FOUND && k.low <= 1000 / .95 + 1 && k.high >= 1000 / .95 - 1,
	      "who refuses keeps p95: the knee is where 5 %% are refused (%.1f .. %.1f)", k.low,
	      k.high);
}

static void test_ends(void)
{
	struct curve c = {.capacity = 1000, .plain = 1e6}, endless = {1e12, 1e6, .unknown = true};
	struct knee_config cfg = {400, true, 900, 2, .02, 0};
	struct knee k;

	search(&k, &c, &cfg, 1);
	CHECK(k.state == KNEE_ABOVE && k.low == 900 && k.high == 0, "none up to the highest rate");
	cfg.from = 600;
	search(&k, &c, &cfg, 1);
	CHECK(k.state == KNEE_NO_PLAIN && k.nr == 1,
	      "from where the busiest is over half of its capacity there is no plain");
	cfg = (struct knee_config){1, false, 1000, 2, .02, 0};
	search(&k, &endless, &cfg, 1);
	CHECK(k.state == KNEE_ABOVE && k.plain_rate == 1,
	      "what nobody measured is taken for plain");
	c.refuses = .4;
	cfg.from = 1;
	cfg.to = 1e9;
	search(&k, &c, &cfg, 1);
	CHECK(k.state == KNEE_FOUND && k.plain_rate == 1,
	      "a limit below half can have a knee, too");
}

/* At any rate some do not succeed, and nothing is busy. */
static void test_fails_idle(void)
{
	struct knee_config cfg = {100, false, 1e5, 2, .02, 0};
	struct knee k;

	knee_begin(&k, &cfg);
	for (double rate; (rate = knee_next(&k)) > 0;)
		knee_put(&k, &(struct knee_sample){rate, 7e6, .3, rate / 1000});
	CHECK(k.state == KNEE_NO_PLAIN && k.nr == KNEE_STALLED + 1,
	      "no plain where a lower rate does not help (%u runs)", k.nr);
	/* One slot without a queue: Erlang's loss, which falls slower than the rate. */
	cfg.from = 900;
	knee_begin(&k, &cfg);
	for (double rate; (rate = knee_next(&k)) > 0;)
		knee_put(&k, &(struct knee_sample){rate, 7e6, rate / (rate + 1000),
						   rate / (rate + 1000)});
	CHECK(k.state == KNEE_FOUND && k.plain_rate < 53, "a plain where it does (%.1f)",
	      k.plain_rate);
}

static void test_least(void)
{
	struct knee_config cfg = {100, false, 1e5, 2, .02, 15};
	struct knee k;

	knee_begin(&k, &cfg);
	for (double rate; (rate = knee_next(&k)) > 0;)
		knee_put(&k, &(struct knee_sample){rate, 7e6, 0, 1});
	/* 100, 40, 16. */
	CHECK(k.state == KNEE_NO_PLAIN && k.nr == 3, "no rate below the least is run (%u)", k.nr);
}

/* A repeat is judged by its own plain. */
static void test_bracket(void)
{
	static const struct knee_sample s[] = {{100, 10, 0, .4},  {200, 12, 0, .8},
					       {400, 900, 0, 1},  {282.8, 19, 0, 1},
					       {336.4, 21, 0, 1}, {50, 30, 0, .2}};
	double low, high;

	knee_bracket(s, ARRAY_SIZE(s), 100, 2, &low, &high);
	CHECK(low == 282.8 && high == 336.4, "between the last plain rate and the first beyond");
	knee_bracket(s, ARRAY_SIZE(s), 100, 1.15, &low, &high);
	CHECK(low == 100 && high == 200, "a smaller factor, an earlier knee");
	knee_bracket(s, 2, 100, 2, &low, &high);
	CHECK(low == 200 && high == 0, "none is beyond");
}

int main(void)
{
	test_found();
	test_noisy();
	test_refused();
	test_ends();
	test_fails_idle();
	test_least();
	test_bracket();
	return tap_done();
}
