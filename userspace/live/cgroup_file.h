/* SPDX-License-Identifier: GPL-2.0-only */
/* Files and directories of a cgroup hierarchy, by path; v1 and v2 alike. */
#ifndef HOLBENCH_LIVE_CGROUP_FILE_H
#define HOLBENCH_LIVE_CGROUP_FILE_H

#include "core/types.h"

#include <stddef.h>

/* A longer path is refused with -ENAMETOOLONG. */
#define CGROUP_PATH_MAX 512

/* `dir`/`name`. 0 or -ENAMETOOLONG. */
int cg_path(char out[CGROUP_PATH_MAX], const char *dir, const char *name);
bool cg_has(const char *dir, const char *file);
/* May this thread, with what is effective now, make groups there? */
bool cg_may_write(const char *dir);
/* What to do where none may be made: root is no further help to root. */
const char *cg_mend(void);
/* One write(2) of the formatted text, as the kernel wants it. 0 or a negative errno. */
__attribute__((format(printf, 3, 4))) int cg_write(const char *dir, const char *file,
						   const char *fmt, ...);
/* The file's text without the newline at its end, cut at len. 0 or a negative errno. */
int cg_read(const char *dir, const char *file, char *text, size_t len);
/* The number behind `key` in a file of lines "key number"; key "" for a file that is one number. 0
 * or a negative errno, -ENODATA without such a line. */
int cg_read_number(const char *dir, const char *file, const char *key, u64 *value);
/* Is `word` one of the list's, between blanks or commas? */
bool cg_has_word(const char *list, const char *word);
/* 0 also when it is there already. */
int cg_mkdir(const char *dir);

/*
 * SIGKILL to every process in the group and below it, but for the caller, once. cgroup.kill where
 * the kernel has it (v2, 5.14), which no fork escapes; else process by process. 0, or -EPERM when
 * one of them may not be killed.
 */
int cg_kill(const char *dir);
/* Is there nobody in the group and below it? */
bool cg_empty(const char *dir);
/* Can every process in the group and below it be seen from here? Not one of a pid namespace that is
 * none of ours. */
bool cg_visible(const char *dir);
/* Kill until nobody is left, for at most CG_PATIENCE_NS. 0, -ETIMEDOUT, or -EPERM when somebody
 * there is another user's. */
int cg_kill_all(const char *dir);
/*
 * Kill who is in it and remove it with all below; waits for the dying as cg_kill_all() does. 0,
 * also when it is not there, or a negative errno.
 */
int cg_remove(const char *dir);
#define CG_PATIENCE_NS (10 * NSEC_PER_SEC)

#endif
