#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# The command line: help, and each mistake a line that names the thing and the mend.

load helpers

bats_require_minimum_version 1.5.0

setup()
{
	common_setup
}

# refused STATUS TEXT COMMAND…: that status, one line on standard error, nothing on standard output, and
# no result left behind.
refused()
{
	local wanted=$1 text=$2

	shift 2
	run --separate-stderr "$@"
	assert_failure "$wanted"
	refute_output
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" "$text"
	assert_not_exist results
}

@test "without a command: how it is used, and status 2" {
	run --separate-stderr holbench
	assert_failure 2
	refute_output
	assert_regex "$stderr" '^usage: holbench COMMAND'
}

@test "help goes to standard output: of the program and of each command" {
	local command
	run holbench --help
	assert_success
	for command in doctor run sweep simulate knee explain compare; do
		assert_line --regexp "^  $command  "
		run holbench "$command" --help
		assert_success
		assert_line --index 0 --partial "usage: holbench $command "
		run holbench --help
	done
}

@test "the commands that take a spec list every key with its default, and the presets" {
	run holbench sweep --help
	assert_line --regexp '^  ordering-quick  '
	assert_line --regexp '^  design = .*partition'
	assert_line --regexp '^  rate = .*\[400/s\]'
}

@test "only what works is in the table of commands" {
	local command
	for command in report export; do
		refused 2 "no command '$command'" holbench "$command"
	done
}

@test "a mistyped command or option is answered with the nearest name" {
	refused 2 "no command 'swep': did you mean sweep" holbench swep
	refused 2 "no option '--ot': did you mean --out" holbench simulate --ot x
	refused 2 "no option '-o': see holbench simulate --help" holbench simulate -o x
	refused 2 "no option '--min-max'" holbench explain --min-max x
	refused 2 "no option '--no-bpf'" holbench simulate --no-bpf
}

@test "an option with its value missing or too much" {
	refused 2 '--out needs a value: --out DIR' holbench simulate --out
	refused 2 '--out is empty' holbench simulate --out=
	refused 2 '--quiet takes no value' holbench simulate --quiet=1
}

@test "a mistyped key, a missing unit and a value out of range name themselves" {
	refused 2 'dispatch\.desing.*dispatch\.design|desing.*did you mean.*design' \
		holbench simulate dispatch.desing=key
	refused 2 'workload\.cost.*unit' holbench simulate workload.cost=5
	refused 2 'workers\.count' holbench simulate workers.count=0
	refused 2 'hot\.load' holbench simulate hot.load=
}

@test "a spec that is not there names the nearest preset" {
	refused 2 'orderin: no preset and no file.*ordering' holbench sweep orderin
	refused 2 'sweep needs a spec' holbench sweep
	refused 2 'only one spec' holbench simulate ordering ordering-quick
}

@test "an error in a spec file says where" {
	printf '[workload]\nkeys = 200\nrte = 400/s\n' >bad.ini
	refused 2 'bad\.ini:3: .*rate' holbench simulate bad.ini
	chmod 000 bad.ini
	refused 2 'bad\.ini: .*ermission denied' as_nobody "$HOLBENCH_BUILD/holbench" simulate bad.ini
}

@test "run takes one cell: an axis is a usage error that says sweep" {
	refused 2 'hot\.load is a list \(2 cells\).*sweep' holbench run hot.load=1,2
}

@test "more workers than a live run can have" {
	refused 2 'workers\.count' holbench run --no-bpf workers.count=100000
}

@test "explain wants one result, and knows its classes and numbers" {
	refused 2 'explain takes one result' holbench explain
	refused 2 'class=victim' holbench explain --where key=1 x
	refused 2 'class=victim' holbench explain --where class=cold x
	refused 2 "--worst: 'many' is no whole number" holbench explain --worst many x
	refused 2 "--worst: '0' is no whole number from 1" holbench explain --worst 0 x
	refused 2 "--item: '-1'" holbench explain --item=-1 x
	refused 2 'leave out --worst' holbench explain --item 1 --worst 2 x
	refused 1 'x: No such file' holbench explain x
	mkdir empty
	refused 1 'empty: no trace' holbench explain empty
	head -c 4096 /dev/zero >cell-000-r0.hbt
	refused 1 'cell-000-r0\.hbt' holbench explain cell-000-r0.hbt
}

@test "a standard output that cannot be written is a failure" {
	# shellcheck disable=SC2016
	run --separate-stderr bash -c '"$1" simulate --out "$2" >/dev/full' - "$HOLBENCH_BUILD/holbench" "$OUT"
	assert_failure 1
	assert_regex "$stderr" 'standard output cannot be written: No space left'
	local words
	for words in 'doctor --json' --help --version '--completion bash' 'run --help'; do
		# shellcheck disable=SC2016,SC2086  # several words
		run --separate-stderr bash -c '"$@" >/dev/full' - "$HOLBENCH_BUILD/holbench" $words
		assert_failure 1
		assert_equal "$stderr" 'holbench: standard output cannot be written: No space left on device'
	done
}

@test "--version says one" {
	run holbench --version
	assert_success
	assert_output --regexp '^holbench [^ ]+$'
}

@test "the manual has every command and every option of --help, and no other" {
	local command
	for command in doctor run sweep simulate knee explain compare; do
		holbench "$command" --help | sed -n "s/^  --\([a-z-]*\).*/\1/p"
	done | sort -u >helped
	sed -n 's/^\.It Fl -\([a-z-]*\).*/\1/p' "$HOLBENCH_TOP/docs/holbench.1" | grep -vx version |
		sort -u >documented
	run diff helped documented
	assert_success
	holbench --help | sed -n 's/^  \([a-z]*\) .*/\1/p' >helped
	sed -n '/^\.Ss Commands/,/^\.El/s/^\.It Cm //p' "$HOLBENCH_TOP/docs/holbench.1" >documented
	run diff helped documented
	assert_success
}
