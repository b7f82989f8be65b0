#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The manual pages against the program and the headers; the keys of holbench-spec(5) are checked by
# tests/unit/test_spec_man.c, the list of options by tests/cli.bats.

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
		/^  [a-z_]+ = / { key = section "." $1 }
		key && /\[[^]]*\]$/ { match($0, /\[[^]]*\]$/); print key, substr($0, RSTART + 1, RLENGTH - 2); key = "" }' |
		sort >helped
	awk '/^\.Ss / { section = $2 } /^\.It Ic .* Bq / { print section "." $3, $5 }' "$DOCS/holbench-spec.5" |
		sort >documented
	assert_file_not_empty helped
	run diff helped documented
	assert_success
}

# enum_values FILE PREFIX: "VALUE NAME" of each PREFIXNAME = VALUE.
enum_values()
{
	tr -s '\n\t ' ' ' <"$HOLBENCH_TOP/userspace/$1" | grep -oE "\b$2[A-Z_]+ = [0-9]+" |
		sed "s/^$2\(.*\) = \(.*\)/\2 \1/" | sort -n
}

@test "holbench-trace(5) has each kind of event and of block under its number" {
	sed -n 's/^\.It \([0-9]* [A-Z_]*\)$/\1/p' "$DOCS/holbench-trace.5" | sort -n >documented
	run diff <(enum_values core/event.h EVENT_) documented
	assert_success
	sed -n '/^\.Ss Blocks/,/^\.Ss Numbers/s/^\.It \([0-9]* [a-z]*\)$/\1/p' "$DOCS/holbench-trace.5" >documented
	run diff <(enum_values trace/format.h BLOCK_ | tr '[:upper:]' '[:lower:]') documented
	assert_success
}

# struct_fields NAME: "OFFSET TYPE FIELD" of a struct of trace/format.h, whose fields have no holes.
struct_fields()
{
	awk -v name="$1" '$1 == "struct" && $2 == name && $3 == "{" { on = 1; next }
		/^}/ { on = 0 }
		on && $1 ~ /^u(8|16|32|64)$/ {
			field = $2
			sub(/;.*/, "", field)
			count = 1
			type = $1
			if (match(field, /\[[0-9]+\]/)) {
				count = substr(field, RSTART + 1, RLENGTH - 2)
				type = type "[" count "]"
				sub(/\[.*/, "", field)
			}
			print at + 0, type, field
			at += substr($1, 2) / 8 * count
		}' "$HOLBENCH_TOP/userspace/trace/format.h"
}

# fields SECTION END: the same of the page's table between two lines.
fields()
{
	sed -n "/^\.Ss $1/,/^\.Ss $2/s/^\.It \([0-9]*\) Ta \([^ ]*\) Ta \([^ :,;]*\).*/\1 \2 \3/p" \
		"$DOCS/holbench-trace.5"
}

@test "holbench-trace(5) has each field of the two headers at its offset" {
	local same

	same='s/ \(payload_\)\{0,1\}crc$/ CRC-32/;s/ reserved[0-9]*$/ 0/'
	struct_fields trace_file_header | sed "$same" >header
	assert_equal "$(wc -l <header)" 16
	run diff header <(fields 'File header' Blocks)
	assert_success
	run diff <(struct_fields trace_block_header | sed "$same") <(fields Blocks Numbers)
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
