/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run that was killed left behind: its cgroups and the noise in them. */
#ifndef HOLBENCH_LIVE_LEFTOVER_H
#define HOLBENCH_LIVE_LEFTOVER_H

#include <stddef.h>

/*
 * Find the groups of dead owners, in every hierarchy where holbench makes groups, v1 and v2; kill
 * what is in them, remove them. A group whose name is not ours, whose owner lives, or that holds a
 * process of another pid namespace stays as it is. `text` gets the one line to say, "" when there
 * was nothing. Returns 0 or a negative errno: then the line says what stays.
 */
int leftover_remove(char *text, size_t len);
/*
 * The same for the run whose groups have this name, and whose process has ended: it may have given
 * up the right to remove them. Nothing is said of what is removed.
 */
int leftover_remove_of(const char *name, char *text, size_t len);

#endif
