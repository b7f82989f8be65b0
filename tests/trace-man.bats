#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# holbench-trace(5) against the headers of the source.

load helpers

setup()
{
	common_setup
	DOCS=$HOLBENCH_TOP/docs
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
