/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/cgroup_names.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

static bool is_wanted(u64 id, const u64 *ids, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (ids[i] == id)
			return true;
	return false;
}

int cgroup_names_write(struct trace_writer *trace, const char *root, const u64 *ids, u32 nr)
{
	char *roots[] = {(char *)(uintptr_t)root, NULL};
	size_t skip = strlen(root);
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *ent;
	int rc = 0;

	if (!fts)
		return -errno;
	while (!rc && (ent = fts_read(fts))) {
		const char *path = ent->fts_path + skip;

		if (ent->fts_info != FTS_D)
			continue;
		if (is_wanted(ent->fts_statp->st_ino, ids, nr))
			rc = trace_cgroup(trace, ent->fts_statp->st_ino, *path ? path : "/");
	}
	fts_close(fts);
	return rc;
}
