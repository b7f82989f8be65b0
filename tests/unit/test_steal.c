/* SPDX-License-Identifier: GPL-2.0-only */
/* What a steal takes, from whom, and when; and who is told. Queue 0 and worker 0 own every key. */
#include <string.h>

#include "core/dispatch/dispatch.h"
#include "tap.h"

enum { WORKERS = 3, KEYS = 8, THRESHOLD = 100 };

static struct dispatch d;
static struct item items[32];
static u32 home[KEYS], nr_items;

static void begin(u32 unit)
{
	struct dispatch_config cfg = {.ops = dispatch_find("steal", unit),
				      .workers = WORKERS,
				      .keys = KEYS,
				      .threshold_ns = THRESHOLD,
				      .home = home};

	dispatch_fini(&d);
	if (dispatch_init(&d, &cfg))
		exit(EXIT_FAILURE);
	nr_items = 0;
	for (u32 i = 1; i < WORKERS; i++)
		dispatch_next(&d, i);
}

/* An item a digit, the digit its key, arriving at `at_ns` and the following ns. */
static void submit(const char *keys, u64 at_ns)
{
	for (; *keys; keys++) {
		struct item *it = &items[nr_items];

		*it = (struct item){
			.id = nr_items, .key = (u32)(*keys - '0'), .arrival_ns = at_ns++};
		dispatch_submit(&d, dispatch_place(&d, it), it);
		nr_items++;
	}
}

/* The keys that wait in a queue, as submit() takes them. */
static const char *queue_text(u32 queue)
{
	static char text[4][32];
	static u32 turn;
	char *out = text[turn++ % 4];
	u32 n = 0;

	for (const struct item *it = d.queues[queue].head; it; it = it->next)
		out[n++] = (char)('0' + it->key);
	out[n] = 0;
	return out;
}

static struct steal steal(u32 thief, u64 now_ns)
{
	struct steal st;

	dispatch_steal(&d, thief, now_ns, &st);
	return st;
}

static void check_queues(const char *from, const char *thief, const char *what)
{
	CHECK(!strcmp(queue_text(0), from) && !strcmp(queue_text(1), thief), "%s: %s | %s", what,
	      queue_text(0), queue_text(1));
}

static void units(void)
{
	struct steal st;

	begin(STEAL_HALF);
	submit("01234", 10);
	st = steal(1, 110);
	check_queues("01", "234", "half: the rear half, rounded up");
	CHECK(st.from == 0 && st.count == 3 && st.since_ns == 110, "half: where, how many, since");
	begin(STEAL_HALF);
	submit("7", 10);
	steal(1, 110);
	check_queues("", "7", "half of one is one");
	begin(STEAL_ITEM);
	submit("01234", 10);
	steal(1, 110);
	check_queues("0123", "4", "item: the last");
	begin(STEAL_KEY);
	submit("0121310", 10);
	dispatch_next(&d, 0);
	st = steal(1, 120);
	check_queues("30", "1211", "key: 2 of the 3 keys not in service, with all their items");
	CHECK(st.count == 4 && st.since_ns == 111, "key: since the head was old");
}

static void timing(void)
{
	begin(STEAL_HALF);
	CHECK(dispatch_ask_again(&d, 1, 5) == 105, "nothing waits: ask after the threshold");
	submit("01", 10);
	CHECK(dispatch_ask_again(&d, 1, 20) == 110, "ask when the head gets old");
	CHECK(steal(1, 109).count == 0, "not before the threshold");
	CHECK(dispatch_ask_again(&d, 1, 110) <= 110 && steal(1, 110).count == 1,
	      "at the threshold");
	CHECK(steal(1, 110).count == 0, "not into a queue that holds items");
	CHECK(steal(2, 110).count == 1 && d.queues[2].head->id == 0,
	      "the next thief from the queue whose head is oldest");
	CHECK(dispatch_thief(&d, 0, 110) == NONE32, "nobody is told of an empty queue");
	begin(STEAL_HALF);
	CHECK(dispatch_ask_again(&d, 1, NEVER_NS - 3) == NEVER_NS,
	      "no overflow at the end of time");
}

/* Old, but all of the key in service: nobody spins, and who arrives there is not forgotten. */
static void stuck(void)
{
	begin(STEAL_KEY);
	submit("000", 10);
	dispatch_next(&d, 0);
	CHECK(dispatch_ask_again(&d, 1, 50) == 111, "key: it may have something to give by then");
	CHECK(dispatch_ask_again(&d, 1, 200) == 300,
	      "key: old with nothing to give is passed over");
	CHECK(steal(1, 200).count == 0 && dispatch_thief(&d, 0, 200) == NONE32,
	      "key: one in service does not move");
	submit("5", 250);
	CHECK(dispatch_thief(&d, 0, 250) == 1, "key: an idle worker is told");
	CHECK(dispatch_ask_again(&d, 1, 250) <= 250, "key: and finds something at once");
	CHECK(steal(1, 250).since_ns == 250, "key: allowed since it arrived");
	check_queues("00", "5", "key: the other key has moved");
	CHECK(dispatch_thief(&d, 0, 250) == NONE32, "key: nobody is told of what is left");
}

/* Without a threshold an item is old when it arrives, and no timer can foresee that. */
static void no_threshold(void)
{
	begin(STEAL_HALF);
	d.cfg.threshold_ns = 0;
	CHECK(dispatch_ask_again(&d, 1, 10) == NEVER_NS, "threshold 0: nobody asks again");
	submit("0", 20);
	CHECK(dispatch_thief(&d, 0, 20) == 1 && dispatch_ask_again(&d, 1, 20) <= 20,
	      "threshold 0: who is idle is told of an arrival");
	CHECK(steal(1, 20).count == 1, "threshold 0: and steals it");
}

static void follow(void)
{
	struct item *first;

	begin(STEAL_KEY);
	submit("0012", 10);
	dispatch_next(&d, 0);
	steal(1, 150);
	check_queues("02", "1", "key: the older of two keys has moved");
	first = dispatch_next(&d, 1);
	submit("1", 160);
	check_queues("02", "1", "key: a later item follows while one is in service");
	dispatch_done(&d, 1, first);
	dispatch_done(&d, 1, dispatch_next(&d, 1));
	submit("1", 170);
	check_queues("021", "", "key: drained, it goes home");
}

int main(void)
{
	units();
	timing();
	stuck();
	no_threshold();
	follow();
	dispatch_fini(&d);
	return tap_done();
}
