#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What the other files rely on: a small tmpfs that is full when it should be and leaves no mount.

load helpers

setup()
{
	common_setup
}

@test "tiny_tmpfs: full at its size, gone afterwards, and the status is the command's" {
	# shellcheck disable=SC2016
	run tiny_tmpfs 16k bash -c 'head -c 100000 /dev/zero >"$TINY/x"'
	assert_failure
	assert_output --partial 'No space left on device'
	run grep -c "$BATS_TEST_TMPDIR" /proc/self/mounts
	assert_output 0
	run tiny_tmpfs 16k bash -c 'exit 7'
	assert_failure 7
}

@test "as_nobody: no root" {
	run as_nobody id -u
	assert_output 65534
}

@test "column: by its header" {
	printf 'cell,engine,items\n1,live,20\n2,sim,30\n' >cells.csv
	run column cells.csv items
	assert_output $'20\n30'
	run column cells.csv nothing
	assert_failure
}

@test "true_that: what awk calls true; what is no expression is not" {
	true_that '1.5 < 2e0 && 2 > 1'
	run true_that '2 < 1'
	assert_failure
	assert_output 'not true: 2 < 1'
	run true_that ' < 1'
	assert_failure
}
