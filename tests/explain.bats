#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# explain: the accounts of single items, whose parts add up.

load helpers

bats_require_minimum_version 1.5.0

setup()
{
	common_setup
	# shellcheck disable=SC2054  # the commas are the spec's
	GRID=(hot.load=1 hot.neighbours=19 dispatch.design=partition,key run.time_scale=0.1
		workload.duration=4s run.repeats=2)
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
}

# sums DOCUMENT: for each item of a JSON document its latency, the sum that it says, and the sum of its
# charges.
sums()
{
	awk -F'[:,]' '
		/"charges": \[/ { inside = 1; total = 0 }
		/"latency_ns"/ { latency = $2 }
		/"sum_ns"/ { sum = $2 }
		inside && /"ns"/ { total += $2 }
		/"front":|"sum_ns"/ { next }
		/^      \]/ { if (inside) printf "%d %d %d\n", latency, sum, total; inside = 0 }' "$1"
}

@test "the parts of every item add up to its latency, to the nanosecond" {
	holbench explain "$OUT" --worst 100000 --json >document.json
	sums document.json >three
	# 1600 items, two cells, two repeats.
	assert_equal "$(wc -l <three)" 6400
	run awk '$1 != $2 || $2 != $3 || $1 <= 0' three
	refute_output
	# The slowest comes first.
	awk '{ print $1 }' three | sort -rnc
}

@test "the slowest is the one that cells.csv says" {
	local max
	max=$(column "$OUT/cells.csv" victim_max_ns | sort -n | tail -1)
	holbench explain "$OUT" --worst 1 --where class=victim --json >document.json
	assert_equal "$(sums document.json)" "$max $max $max"
}

@test "an account for people: parts, who was in front, the sum" {
	run holbench explain "$OUT" --worst 1 --where class=neighbour
	assert_success
	assert_line --index 0 --regexp \
		'^item [0-9]+  key [0-9]+ \(neighbour of a hot key\)  partition  worker [0-9]  cell 0 repeat [01]  latency [0-9.]+ ms$'
	assert_line --regexp '^  hol +[0-9]+\.[0-9]{3}   behind [0-9]+ items, longest [0-9]+ of key 0: blocked [0-9.]+'
	assert_line --regexp '^  blocked +[0-9]+\.[0-9]{3}$'
	assert_line --regexp '^  unknown +0\.000$'
	assert_line --regexp '^  sum +[0-9]+\.[0-9]{3}   = latency, to the nanosecond$'
}

@test "--where, --cell, --repeat and --item choose" {
	run holbench explain "$OUT" --worst 3 --where class=far --cell 1 --repeat 0
	assert_success
	assert_equal "$(grep -c '^item .*(far from hot keys)  key  .*cell 1 repeat 0' <<<"$output")" 3
	run holbench explain "$OUT/cell-001-r1.hbt" --item 77
	assert_success
	assert_line --index 0 --regexp '^item 77  .*cell 1 repeat 1'
	run --separate-stderr holbench explain "$OUT" --item 99999
	assert_failure 1
	assert_equal "$stderr" "holbench: no item 99999 in $OUT that has ended"
	run --separate-stderr holbench explain "$OUT" --cell 9
	assert_failure 1
	assert_regex "$stderr" 'no trace of that cell and repeat'
}

@test "a truncated trace gives what was whole, says where it ends, and the status is 3" {
	local size
	size=$(stat -c %s "$OUT/cell-000-r0.hbt")
	head -c $((size * 3 / 4)) "$OUT/cell-000-r0.hbt" >cut.hbt
	run --separate-stderr holbench explain cut.hbt --worst 2
	assert_failure 3
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" '^holbench: cut\.hbt: .*byte [0-9]+'
	run --separate-stderr holbench explain cut.hbt --worst 2 --json
	assert_failure 3
	assert_regex "$output" '"damage": \[[^]]*byte [0-9]+'
}

@test "a damaged byte is found, and the status is 3" {
	local size
	size=$(stat -c %s "$OUT/cell-000-r0.hbt")
	cp "$OUT/cell-000-r0.hbt" hurt.hbt
	printf '\xff\xfe\xfd' | dd of=hurt.hbt bs=1 seek=$((size / 2)) conv=notrunc status=none
	run --separate-stderr holbench explain hurt.hbt --worst 1
	assert_failure 3
	assert_regex "$stderr" 'hurt\.hbt: .*byte [0-9]+'
}

# words KEY: how often each value of it stands in document.json.
words()
{
	grep -oE "\"$1\": \"[a-z_]+\"" document.json | cut -d'"' -f4 | sort | uniq -c |
		awk '{ printf "%s%s %s", sep, $1, $2; sep = ", " }'
}

@test "how an item ended is said where it did not simply succeed" {
	holbench simulate hot.keys=0 'workload.steps=call db 10ms' resource.db.queue=1 workload.timeout=15ms \
		workload.arrivals=even workload.rate=200/s workload.duration=1s workload.jitter=0% run.repeats=1 \
		--out ends >/dev/null 2>&1
	holbench explain ends --worst 1000 --json >document.json
	assert_equal "$(words outcome)" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 {
		print $at["refused"] " refused, " $at["succeeded"] " succeeded, " $at["timed_out"] " timed_out" }' ends/cells.csv)"
	assert_equal "$(words delivery)" '200 first'
	run holbench explain ends --worst 1000
	assert_equal "$(grep -c '^  refused: the queue of its resource was full$' <<<"$output")" "$(words outcome | cut -d' ' -f1)"
	assert_line '  timed out: its caller gave up then'
	# No key is hot, so that none is far from one.
	assert_line --index 0 --regexp '^item [0-9]+  key [0-9]+  shared  '
}

@test "an item that is delivered again says why, and what it was before" {
	holbench simulate reassign reassign.commit=before,after run.repeats=1 --out moved >/dev/null
	holbench explain moved --cell 0 --worst 2000 --json >document.json
	assert_equal "$(words outcome)" '3 lost, 1197 succeeded'
	holbench explain moved --cell 1 --worst 2000 --json >document.json
	assert_equal "$(words outcome)" '3 abandoned, 1200 succeeded'
	assert_equal "$(words delivery)" '3 abandoned, 1200 first'
	run holbench explain moved --cell 1 --worst 2000
	assert_equal "$(grep -c '^  given up when its partition moved, and delivered again$' <<<"$output")" 3
	assert_equal "$(grep -c '^  delivered again: it was given up when its partition moved$' <<<"$output")" 3
}
