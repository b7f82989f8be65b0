/* SPDX-License-Identifier: GPL-2.0-only */
/* A text as the value of a key: a shell command, a path, a name. */
#ifndef HOLBENCH_SPEC_COMMAND_H
#define HOLBENCH_SPEC_COMMAND_H

#include "spec/value.h"

/* The longest word: with its key in front it fits a line of a spec. */
#define COMMAND_WORD_MAX 180

/*
 * Check that a spec's text can hold `text` unchanged, and copy it; the rest of `out` is zeroed.
 * What INI would cut, join or fold is -EINVAL with the reason in `why`: a control character, two
 * blanks in a row, a word that begins as a comment does, a word or a text that is too long; then
 * `out` is not changed. `mend` is what to do about it: "rename it".
 */
int text_copy(char *out, size_t size, const char *text, const char *mend, char why[VALUE_WHY]);

#endif
