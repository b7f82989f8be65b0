#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tools/bench/run: its table and its exit status, on benchmarks that are scripts here.

load helpers

setup()
{
	common_setup
	mkdir -p tools/bench b/bench
	cp "$HOLBENCH_TOP/tools/bench/run" tools/bench/
	export BUILD=b
}

bench()
{
	: >"tools/bench/$1.c"
	{ echo '#!/bin/sh' && cat; } >"b/bench/$1"
	chmod +x "b/bench/$1"
}

@test "figures in one table, remarks below it" {
	bench a <<<'printf "speed\t4.0 M/s\tat least 2 M/s\tok\n"; echo "a remark"'
	bench c <<<'printf "nothing wanted\t1 ns\t\t-\n"'
	bench b <<<'echo "wake-up, idle worker | 52 µs | - | -"'
	run tools/bench/run
	assert_success
	assert_line --regexp '^what +\| measured +\| wanted +\| ok/not$'
	assert_line --regexp '^speed +\| 4\.0 M/s +\| at least 2 M/s +\| ok$'
	assert_line --regexp '^wake-up, idle worker +\| 52 µs'
	assert_line --regexp '^nothing wanted +\| 1 ns +\| +\| -$'
	assert_line '  a: a remark'
}

@test "a figure that is not as wanted: 3" {
	bench a <<<'printf "speed\t1.0 M/s\tat least 2 M/s\tnot\n"'
	run tools/bench/run
	assert_failure 3
}

@test "a benchmark that cannot run is said to be not measured: 1" {
	bench a <<<'echo "needs root" >&2; exit 1'
	bench b <<<'printf "speed\t4.0 M/s\tat least 2 M/s\tok\n"'
	run tools/bench/run
	assert_failure 1
	assert_line '  a: needs root'
	assert_line '  a: exit status 1: not measured'
	assert_line --regexp '^speed'
	run tools/bench/run b
	assert_success
}
