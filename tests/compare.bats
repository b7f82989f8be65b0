#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# compare: cells of a result by an axis, or two results, from their traces.

load helpers

bats_require_minimum_version 1.5.0

# shellcheck disable=SC2054  # the commas are the spec's
GRID=(hot.load=0.4,1 hot.neighbours=19 dispatch.design=key,shared,partition run.time_scale=0.1
	workload.duration=4s run.repeats=3)

setup()
{
	common_setup
}

# sums DOCUMENT: a line for each ledger of a JSON document: the two sums of its rows' ns, and the two
# that it says.
sums()
{
	awk -F'[:,]' '
		/"rows": \[/ { rows = 1; a = b = 0 }
		/"ns": \[/ { take = 1; next }
		take == 1 { x = $1 + 0; take = 2; next }
		take == 2 { y = $1 + 0; take = 0; if (rows) { a += x; b += y } else { A = x; B = y } }
		/^          \},?$/ { if (rows) printf "%d %d %d %d\n", a, b, A, B; rows = 0 }' "$1"
}

@test "the ledgers of every pair and band add up, to the nanosecond" {
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	holbench compare "$OUT" --by dispatch.design --json >document.json
	sums document.json >four
	# 4 pairs, 3 bands.
	assert_equal "$(wc -l <four)" 12
	run awk '$1 != $3 || $2 != $4 || $1 <= 0' four
	refute_output
}

@test "its numbers are those of cells.csv" {
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	run holbench compare "$OUT" --by dispatch.design --base shared
	assert_success
	local want
	want=$(paste <(column "$OUT/cells.csv" victim_p99_ns | sed -n 13,15p) \
		<(column "$OUT/cells.csv" victim_p99_ns | sed -n 16,18p) |
		awk '{ printf "%.4f\n", $2 / $1 }' | sort -n | tr '\n' ' ')
	run awk -v want="$want" '
		function near(x, y) { return x > y * 0.99 && x < y * 1.01 }
		/^1 +shared +partition/ {
			split(want, w, " ")
			split(substr($15, 2), ends, /\.\./)
			print near($14 + 0, w[2]), near(ends[1] + 0, w[1]), near(ends[2] + 0, w[3])
		}' <<<"$output"
	assert_output '1 1 1'
}

@test "what parts a partition from key order is hol, and the design's own doing" {
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	run holbench compare "$OUT" --by dispatch.design
	assert_success
	assert_line --regexp "^partition against key at hot\.load=1: p95 [0-9.]+x: (99|10[0-9]) % of the difference is queue wait, (9[0-9]|100) % of that hol \(free workers may not take it\)(, .*)?: the design's own doing$"
	assert_line 'shared against key at hot.load=1: p95 1.00x: no difference beyond noise'
	assert_line 'p95 band: partition against key at hot.load=1'
	assert_line --regexp '^hol +blocked .* [0-9.]+ %$'
	assert_line --regexp '^sum .* 100\.0 %$'
	refute_line --partial 'band: shared'
	# A line is as wide as a terminal may be, sentences aside; none ends in blanks.
	run awk '/ $/ || (!/ against / && length > 160)' <<<"$output"
	refute_output
}

@test "--base turns a pair round, and the slower side is still named first" {
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	run holbench compare "$OUT" --by dispatch.design --base partition --band p99
	assert_success
	assert_line --regexp '^1 +partition key .* 0\.[0-9]+x '
	assert_line --regexp '^partition against key at hot\.load=1: p95 [0-9.]+x: '
	assert_line 'p99 band: partition against key at hot.load=1'
	refute_line --partial 'p95 band'
}

@test "a result against itself, and one made anew: no difference beyond noise" {
	holbench simulate "${GRID[@]}" --out a >/dev/null
	holbench simulate "${GRID[@]}" --out b >/dev/null
	local with
	for with in a b; do
		run holbench compare a "$with"
		assert_success
		assert_equal "$(grep -c ' against .*: p95 1.00x: no difference beyond noise$' <<<"$output")" 6
		refute_line --partial 'different'
	done
	# The same traces, the same bytes.
	holbench compare a b --json >first
	holbench compare a b --json | cmp - first
}

@test "other streams are said before anything else" {
	holbench simulate "${GRID[@]}" --out a >/dev/null
	holbench simulate "${GRID[@]}" workload.seed=7 dispatch.design=key --out b >/dev/null
	run holbench compare a b
	assert_success
	assert_line --index 0 'A: a'
	assert_line --index 1 'B: b'
	assert_line --index 2 'different streams: workload.seed is 1 in A and 7 in B'
	assert_line --index 3 'no partner in B, so not compared: cell 1, 2, 4, 5 of A'
	run holbench compare a --by hot.load
	assert_line --index 0 --regexp '^different streams: hot\.load makes other items'
	run holbench compare a --by dispatch.design
	refute_line --partial 'different'
}

@test "another host, kernel or version is said; of simulations only the version" {
	holbench simulate "${GRID[@]}" --out a >/dev/null
	cp -r a b
	sed -i -e 's/"kernel_release": ".*"/"kernel_release": "1.2.3"/' \
		-e 's/"version": ".*"/"version": "old"/' b/manifest.json
	run holbench compare a b
	assert_success
	assert_line --regexp "^different versions of holbench: version is '.*' in A and 'old' in B$"
	refute_line --partial 'kernel'
}

@test "an axis or a base that is not there: one line with those that are, status 2" {
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	run --separate-stderr holbench compare "$OUT" --by place.isolation
	assert_failure 2
	assert_equal "$stderr" "holbench: $OUT: no axis 'place.isolation': it has hot.load, dispatch.design"
	run --separate-stderr holbench compare "$OUT" --by dispatch.design --base jsq
	assert_failure 2
	assert_regex "$stderr" "no value 'jsq': it has key, shared, partition"
	run --separate-stderr holbench compare "$OUT"
	assert_failure 2
	assert_regex "$stderr" '--by'
	run --separate-stderr holbench compare "$OUT" --by hot.load --band p42
	assert_failure 2
	holbench simulate hot.load=1 run.time_scale=0.01 --out one >/dev/null
	run --separate-stderr holbench compare one --by hot.load
	assert_failure 2
	assert_regex "$stderr" 'one cell and no axis'
	refute_output
}

@test "what is no result, or not all of one, is an error in one line" {
	run --separate-stderr holbench compare nowhere --by hot.load
	assert_failure 1
	assert_regex "$stderr" '^holbench: nowhere: no manifest\.json'
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	mv "$OUT/cell-001-r1.hbt" kept
	run --separate-stderr holbench compare "$OUT" --by hot.load
	assert_failure 1
	assert_regex "$stderr" 'cell-001-r1\.hbt: .*No such file'
	cp "$OUT/cell-000-r1.hbt" "$OUT/cell-001-r1.hbt"
	run --separate-stderr holbench compare "$OUT" --by hot.load
	assert_failure 1
	assert_regex "$stderr" 'is not the trace that manifest\.json tells of'
	echo '{"cells": [{}]}' >"$OUT/manifest.json"
	run --separate-stderr holbench compare "$OUT" --by hot.load
	assert_failure 1
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" 'manifest\.json: '
}

@test "a damaged trace: its cell is named, compared all the same, status 3" {
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	local size
	size=$(stat -c %s "$OUT/cell-002-r0.hbt")
	truncate -s $((size * 3 / 4)) "$OUT/cell-002-r0.hbt"
	run holbench compare "$OUT" --by dispatch.design
	assert_failure 3
	assert_line --index 0 --regexp "^cell 2 of $OUT is incomplete: .*: compared all the same$"
	assert_line --regexp '^0\.4 +key +partition .* incomplete$'
	assert_line --regexp '^0\.4 +key +shared .* valid$'
	# Of two axes, only the pairs with that cell.
	run holbench compare "$OUT" --by hot.load
	assert_failure 3
}

@test "compare: what became of the items of both sides stands in the table, or that all succeeded" {
	holbench simulate pools resource.server.capacity=200 dispatch.executor=async run.repeats=2 --out "$OUT"
	run holbench compare "$OUT" --by dispatch.limit
	assert_line --regexp '^none +100 +400/2000 +0/0 +1600/0 '
	holbench simulate workload.duration=2s dispatch.design=shared,partition run.repeats=1 --out "$OUT-2"
	run holbench compare "$OUT-2" --by dispatch.design
	assert_line 'every item of every cell here succeeded'
	refute_line --partial t-out
}
