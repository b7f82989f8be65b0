/* SPDX-License-Identifier: GPL-2.0-only */
/* A shell command as the value of a key. */
#ifndef HOLBENCH_SPEC_COMMAND_H
#define HOLBENCH_SPEC_COMMAND_H

#include "spec/value.h"

/* The longest word: with its key in front it fits a line of a spec. */
#define COMMAND_WORD_MAX 180

/*
 * Check that a spec's text can hold `text` unchanged, and copy it; the rest of `out` is zeroed.
 * What INI would cut, join or fold is -EINVAL with the reason in `why`: a control character, two
 * blanks in a row, a word that begins as a comment does, a word or a command that is too long; then
 * `out` is not changed.
 */
int command_copy(char *out, size_t size, const char *text, char why[VALUE_WHY]);

#endif
