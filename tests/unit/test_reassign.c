/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of an item when its partition moves, by when positions are committed. */
#include "core/reassign.h"
#include "tap.h"

enum { AT = 1000, INTERVAL = 300 }; /* the last commit before AT is at 900 */

static const struct {
	enum commit commit;
	u64 start_ns;
	bool ended;
	enum fate fate;
	const char *what;
} cases[] = {
	{COMMIT_BEFORE, 999, false, FATE_LOST, "before: what is in service is lost"},
	{COMMIT_BEFORE, 1000, false, FATE_LOST, "before: what begins that moment is lost"},
	{COMMIT_BEFORE, 500, true, FATE_KEPT, "before: what has ended stays"},
	{COMMIT_AFTER, 1, false, FATE_AGAIN, "after: what is in service is done again"},
	{COMMIT_AFTER, 999, true, FATE_KEPT, "after: what has ended stays"},
	{COMMIT_INTERVAL, 900, false, FATE_LOST, "interval: begun by the commit, in service: lost"},
	{COMMIT_INTERVAL, 900, true, FATE_KEPT, "interval: begun by the commit, ended: stays"},
	{COMMIT_INTERVAL, 901, false, FATE_AGAIN, "interval: begun after it, in service: again"},
	{COMMIT_INTERVAL, 901, true, FATE_AGAIN, "interval: begun after it, ended: again"},
};

int main(void)
{
	struct reassign_config cfg = {.at_ns = AT, .interval_ns = INTERVAL};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		cfg.commit = cases[i].commit;
		CHECK(reassign_fate(&cfg, cases[i].start_ns, cases[i].ended) == cases[i].fate, "%s",
		      cases[i].what);
	}
	cfg.commit = COMMIT_INTERVAL;
	cfg.at_ns = 900;
	CHECK(reassign_fate(&cfg, 900, false) == FATE_LOST,
	      "a commit at the moment of the move counts");
	CHECK(reassign_owner(5, 4) == 2 && reassign_owner(7, 4) == 0,
	      "the next worker has it, after the last the first");
	return tap_done();
}
