#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The manual pages against the program; the keys of holbench-spec(5) are checked by tests/unit/test_spec_man.c,
# the list of options by tests/cli.bats, holbench-trace(5) by tests/trace-man.bats.

load helpers

setup()
{
	common_setup
	DOCS=$HOLBENCH_TOP/docs
}

# synopsis COMMAND: the options in its part of the synopsis.
synopsis()
{
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/p' "$DOCS/holbench.1" |
		awk -v command="$1" '/^\.Nm/ { on = 0 } /^\.Cm / { on = $2 == command } on' |
		grep -o 'Fl -[a-z-]*' | sed 's/Fl -/--/' | sort -u
}

@test "holbench(1): the synopsis of each command has the options of its --help, but for help itself" {
	local command commands
	commands=$(holbench --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
	[[ -n $commands ]]
	for command in $commands; do
		holbench "$command" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | grep -vx -- --help |
			sort -u >helped
		run diff <(synopsis "$command") helped
		assert_success
	done
}

@test "holbench(1): each finding of doctor is explained" {
	sed -n '/^\.Ss The doctor/,/^\.Ss Comp/s/^\.It //p' "$DOCS/holbench.1" |
		sed 's/ , /\n/g' | sort -u >documented
	# 1 when something is missing here.
	{ holbench doctor || true; } | sed '/^$/,$d;/^ /d;s/^\(.\{16\}\).*/\1/;s/ *$//' | sort -u >found
	run comm -13 documented found
	refute_output
}

@test "holbench-spec(5): what --help says of a key's default, the page says" {
	holbench sweep --help | awk '/^\[/ { section = substr($1, 2, length($1) - 2) }
		/^  [a-z0-9_]+ = / { key = section "." $1 }
		key && /\[[^]]*\]$/ { match($0, /\[[^]]*\]$/); print key, substr($0, RSTART + 1, RLENGTH - 2); key = "" }' |
		sort >helped
	awk '/^\.Ss / { section = $2 } /^\.It Ic .* Bq / { print section "." $3, $5 }' "$DOCS/holbench-spec.5" |
		sort >documented
	assert_file_not_empty helped
	run diff helped documented
	assert_success
}

@test "each page names the others" {
	local page
	for page in holbench.1 holbench-spec.5 holbench-trace.5; do
		run bash -c 'sed -n "/^\.Sh SEE ALSO/,\$p" "$1"' - "$DOCS/$page"
		for other in holbench.1 holbench-spec.5 holbench-trace.5; do
			[[ $page == "$other" ]] || assert_output --partial ".Xr ${other%.*} ${other#*.}"
		done
	done
}
