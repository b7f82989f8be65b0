#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# What a run leaves behind: files, table, exit status; and what it does when that cannot be.

load helpers

bats_require_minimum_version 1.5.0

# Small and quick: 800 items, two cells.
# shellcheck disable=SC2054  # the commas are the spec's
GRID=(hot.load=1 hot.neighbours=19 dispatch.design=partition,steal run.time_scale=0.1
	dispatch.threshold=100ms workload.duration=2s run.repeats=2)

setup()
{
	common_setup
}

@test "simulate: the same spec twice gives the same bytes" {
	holbench simulate "${GRID[@]}" --out a >/dev/null
	holbench simulate "${GRID[@]}" --out b >/dev/null
	rm a/manifest.json b/manifest.json
	run diff -r a b
	assert_success
	refute_output
	holbench simulate "${GRID[@]}" workload.seed=7 --out c >/dev/null
	run cmp a/cells.csv c/cells.csv
	assert_failure
}

@test "simulate: the table is the golden one" {
	run holbench simulate ordering-quick --out "$OUT"
	assert_success
	assert_equal "${lines[-1]}" "result: $OUT"
	run diff -u "$HOLBENCH_TOP/tests/golden/simulate-ordering-quick.txt" \
		<(sed '/^result: /d' <<<"$output")
	assert_success
}

@test "--min-max: the range over the repeats, where there is one" {
	run holbench simulate "${GRID[@]}" --min-max --out "$OUT"
	assert_success
	local p99
	mapfile -t p99 < <(column "$OUT/cells.csv" victim_p99_ns | head -2 | sort -n)
	assert_line --regexp "^partition +[0-9]+ +0 +0 +0 +0 .* $(awk -v a="${p99[0]}" -v b="${p99[1]}" \
		'BEGIN { printf "%.1f \\[%.1f\\.\\.%.1f\\]", a / 1e6, a / 1e6, b / 1e6 }') "
}

@test "--order: the order matrix, with the violations of cells.csv" {
	run holbench simulate "${GRID[@]}" hot.load=2 workload.duration=10s --order --out "$OUT"
	assert_success
	local all key
	all=$(column "$OUT/cells.csv" order_total | tail -2 | sort -n | tail -1)
	key=$(column "$OUT/cells.csv" order_key | tail -2 | sort -n | tail -1)
	((key > 0))
	assert_line --regexp '^partition +no \([0-9]+\) +no \([0-9]+\) +yes +no \([0-9]+\)$'
	assert_line --regexp "^steal +no \\($all\\) +no \\($all\\) +no \\($key\\) +no \\([0-9]+\\)\$"
	run holbench simulate "${GRID[@]}" --out "$OUT-2"
	refute_line --partial 'order held'
}

@test "a warning when the order within keys was never put to the test" {
	run holbench simulate run.time_scale=0.1 workload.duration=2s dispatch.design=shared,partition,key --out "$OUT"
	assert_success
	assert_line --partial 'warning: key order never exercised in 2 of 3 cells (the first is cell 1, partition)'
	assert_equal "$(column "$OUT/cells.csv" order_exercised | uniq)" 0
	run holbench simulate "${GRID[@]}" --out "$OUT-2"
	refute_line --partial 'never exercised'
}

@test "four hot keys part the designs together, not spread; the queue's load is named" {
	local spec=(hot.keys=4 hot.load=1.0 'dispatch.design=partition,key' run.time_scale=0.1)

	run holbench simulate "${spec[@]}" hot.placement=together --out "$OUT"
	assert_success
	assert_line --regexp 'The designs part.* under partition.* fullest queue is offered the work of 1\.[0-9]+ workers: 4 hot keys of 0\.25 each'
	run holbench simulate "${spec[@]}" hot.placement=spread --out "$OUT-2"
	assert_success
	assert_line --partial 'The designs do not part'
	run column "$OUT-2/cells.csv" queue_load
	assert_line --regexp '^0\.[2-9]'
}

@test "cells.csv: one header line, a row a cell and repeat, the axes under their names" {
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	run cat "$OUT/cells.csv"
	assert_line --index 0 --regexp '^cell,repeat,engine,dispatch\.design,items,items_due,succeeded,failed,'
	assert_equal "${#lines[@]}" 5
	local name
	for name in timed_out throughput order_violations order_violations_hot start_violations moves \
		moved_items steals victim_p50_ns victim_p95_ns victim_p99_ns neighbour_p99_ns far_p99_ns \
		neighbour_share hot_p99_ns late_p99_ns unknown_ns lost_events check_runqueue_ratio \
		check_throttled_ratio check_cpu_ratio; do
		column "$OUT/cells.csv" "$name" >/dev/null
	done
	assert_equal "$(column "$OUT/cells.csv" dispatch.design | tr '\n' ' ')" 'partition partition steal steal '
	assert_equal "$(column "$OUT/cells.csv" engine | uniq)" sim
	assert_equal "$(column "$OUT/cells.csv" state | uniq)" valid
	assert_equal "$(column "$OUT/cells.csv" items | uniq)" 800
	assert_equal "$(column "$OUT/cells.csv" seed | tr '\n' ' ')" '1 2 1 2 '
	# Not measured is empty, never 0.
	assert_equal "$(column "$OUT/cells.csv" check_runqueue_waits | uniq)" ''
	assert_equal "$(column "$OUT/cells.csv" threads_peak | uniq)" ''
	local n
	for n in failed timed_out refused lost repeated; do
		assert_equal "$(column "$OUT/cells.csv" $n | uniq)" 0
	done
	assert_equal "$(column "$OUT/cells.csv" check_little_ratio | uniq)" 0.000000
	assert_equal "$(column "$OUT/cells.csv" busiest | uniq)" workers
	run column "$OUT/cells.csv" busiest_utilisation
	assert_line --regexp '^0\.[0-9]*[1-9]'
}

@test "ledger.csv: the parts of a band add up to its share and its mean" {
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	run awk -F, 'NR == 1 { print; next }
		{ share[$1 "," $2 "," $3 "," $4] += $9; mean[$1 "," $2 "," $3 "," $4] += $8 }
		END { for (k in share) { n++; if (share[k] < 0.9999 || share[k] > 1.0001) print k, share[k] }
			printf "%d %.3f\n", n, mean["0,0,victim,all"] }' "$OUT/ledger.csv"
	assert_line --index 0 'cell,repeat,class,band,part,front,culprit,ns_mean,share,culprit_class,culprit_cgroup'
	assert_equal "${#lines[@]}" 2
	local mean
	mean=$(column "$OUT/cells.csv" victim_mean_ns | head -1)
	# 4 runs × 5 classes × 4 bands.
	assert_regex "${lines[1]}" '^80 '
	run awk -v a="${lines[1]#* }" -v b="$mean" 'BEGIN { exit !(a - b < 2 && b - a < 2) }'
	assert_success
}

@test "manifest.json: what was run, and null for what cannot be read" {
	printf '[hot]\nload = 1\n' >mine.ini
	holbench simulate mine.ini run.repeats=1 --out "$OUT" >/dev/null
	run cat "$OUT/manifest.json"
	assert_line '  "name": "mine",'
	assert_line '  "engine": "sim",'
	assert_line '  "spec": "[hot]\nload = 1\n",'
	assert_line '    "mine.ini",'
	assert_line --regexp '^          "state": "valid",'
	assert_line --regexp '^          "checks": null,'
	assert_line --regexp '^      "spec": ".*load = 1\\n'
	assert_line "    \"kernel_release\": \"$(uname -r)\","
	local key
	for key in cpu_model governor clock_source hypervisor sched_ext; do
		assert_line --regexp "^    \"$key\": (null|\"[^\"]+\"),?"
	done
	[[ -e /sys/kernel/sched_ext/state ]] || assert_line --regexp '"sched_ext": "not supported"'
}

@test "--json: one document with the numbers of the table" {
	holbench simulate "${GRID[@]}" --out "$OUT" --json >document.json
	run cat document.json
	assert_line '  "runs": 4,'
	assert_line '  "runs_done": 4,'
	assert_line '        "dispatch.design": "partition"'
	assert_line '        "p99_band_runqueue_ns": null,'
	assert_line '      "checks": "not measured",'
	assert_line '      "state": "valid",'
	assert_line --partial 'Stealing (steal) cost'
	# The median of two is the lower, by nearest rank.
	run awk -F'[:,]' '/"victim_p99_ns"/ { inside = 1 }
		inside && /median|min|max/ { printf "%d ", $2 }
		/}/ { inside = 0 }' document.json
	local p99
	mapfile -t p99 < <(column "$OUT/cells.csv" victim_p99_ns)
	assert_output "$(for cell in 0 2; do
		printf '%s\n' "${p99[cell]}" "${p99[cell + 1]}" | sort -n |
			awk '{ v[NR] = $1 } END { printf "%d %d %d ", v[1], v[1], v[2] }'
	done)"
}

@test "what was not measured is n/m with a legend, zero is 0" {
	run holbench simulate "${GRID[@]}" --out "$OUT"
	assert_line --regexp '^n/m: not measured'
	assert_line --regexp '^partition +[0-9]+ +0 +0 +0 +0 .* n/m .* n/m +n/m +valid$'
}

@test "a sentence is said only where the grid has its evidence" {
	run holbench simulate hot.load=1 dispatch.design=key run.time_scale=0.1 --out "$OUT"
	assert_success
	refute_output --partial 'designs'
	refute_output --partial 'Stealing'
	refute_output --partial 'kernel added'
}

@test "an existing result is not written over" {
	mkdir "$OUT"
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	cp "$OUT/cells.csv" before.csv
	run --separate-stderr holbench simulate --out "$OUT"
	assert_failure 2
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" 'exists and is not empty.*--resume'
	cmp before.csv "$OUT/cells.csv"
}

@test "a place that cannot be written: one line, nothing run" {
	chmod 755 .
	run --separate-stderr as_nobody "$HOLBENCH_BUILD/holbench" simulate --out here
	assert_failure 1
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" 'here: Permission denied: name another with --out'
	run --separate-stderr as_nobody "$HOLBENCH_BUILD/holbench" simulate
	assert_failure 1
	assert_regex "$stderr" 'results: Permission denied'
	run --separate-stderr holbench simulate --out no/such/parent
	assert_failure 1
	assert_regex "$stderr" 'make its parent directory first'
}

@test "a disk that is full from the start: one line, and nothing is left" {
	# shellcheck disable=SC2016
	run --separate-stderr tiny_tmpfs 64k bash -c '
		holbench simulate ordering-quick --out "$TINY/r" && exit 0
		status=$?
		ls -A "$TINY"
		exit "$status"'
	assert_failure 1
	refute_output
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" 'cell-.*\.hbt: No space left on device; make room there, or name another place with --out$'
}

@test "a disk that fills up on the way: what is finished is kept, nothing is half-written" {
	# shellcheck disable=SC2016
	run --separate-stderr tiny_tmpfs 700k bash -c '
		holbench simulate ordering-quick --out "$TINY/r" >"$BATS_TEST_TMPDIR/table"
		status=$?
		cp -r "$TINY/r" "$BATS_TEST_TMPDIR/kept"
		exit "$status"'
	assert_failure 1
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" 'No space left on device; make room there.*; [0-9]+ runs are done.*--resume .*/r$'
	assert_file_contains table '^stopped: [0-9]* of [0-9]* runs done; to go on: .*--resume '
	local traces rows
	traces=$(find kept -name '*.hbt' | wc -l)
	((traces > 0)) || fail 'no trace was kept'
	if [[ -e kept/cells.csv ]]; then
		rows=$(wc -l <kept/cells.csv)
		assert_equal "$rows" $((traces + 1))
		run tail -c 1 kept/cells.csv
		assert_output ''
	fi
	run find kept -name '.*.part'
	refute_output
	run holbench explain kept --worst 1
	assert_success
}

# A sweep of many short runs, interrupted when its third trace is there.
interrupt()
{
	"$HOLBENCH_BUILD/holbench" simulate "${GRID[@]}" run.repeats=60 --out "$OUT" \
		>/dev/null 2>"$BATS_TEST_TMPDIR/err" &
	local pid=$!
	local i
	for ((i = 0; i < 500; i++)); do
		[[ -e $OUT/cell-000-r1.hbt ]] && break
		sleep 0.01
	done
	kill "-$1" "$pid"
	wait "$pid"
}

@test "a limit on the size of files: one line with the mend, and nothing half-written" {
	# shellcheck disable=SC2016
	local limited='ulimit -f "$0" && holbench "$@"'
	export PATH=$HOLBENCH_BUILD:$PATH
	run --separate-stderr bash -c "$limited" 1 simulate ordering-quick --out "$OUT"
	assert_failure 1
	assert_equal "${#stderr_lines[@]}" 1
	# Several run at once: which of them fails first is nobody's to say.
	assert_regex "$stderr" 'cell-0[0-9][0-9]-r[0-9]\.hbt: File too large; raise the limit of a file.s size \(ulimit -f\)$'
	assert_not_exist "$OUT"
	# A pipe has no size: into a file.
	run --separate-stderr bash -c "$limited >out" 1 doctor --json
	assert_failure 1
	assert_equal "$stderr" 'holbench: standard output cannot be written: File too large'
}

@test "Ctrl-C keeps what is finished, says how to resume, and that gives the same result" {
	run interrupt INT
	assert_failure 1
	run cat err
	assert_equal "${#lines[@]}" 1
	assert_output --regexp "interrupted: [0-9]+ of 120 runs done; to go on: holbench simulate .*run.repeats=60 --resume $OUT"
	local rows
	rows=$(wc -l <"$OUT/cells.csv")
	((rows > 1 && rows < 121)) || fail "$rows lines in cells.csv"
	local first before
	first=$(stat -c %y "$OUT/cell-000-r0.hbt")
	run holbench simulate "${GRID[@]}" run.repeats=60 --resume "$OUT"
	assert_success
	before=$(stat -c %y "$OUT/cell-000-r0.hbt")
	assert_equal "$first" "$before"
	holbench simulate "${GRID[@]}" run.repeats=60 --out whole >/dev/null
	cmp whole/cells.csv "$OUT/cells.csv"
	cmp whole/ledger.csv "$OUT/ledger.csv"
}

@test "SIGTERM does the same" {
	run interrupt TERM
	assert_failure 1
	assert_file_exist "$OUT/cells.csv"
}

@test "resume runs again what was killed before its trace said what it is" {
	local kept

	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	cp "$OUT/cells.csv" whole.csv
	for kept in 0 50 96 120; do
		truncate -s "$kept" "$OUT/cell-000-r0.hbt"
		run holbench simulate "${GRID[@]}" --resume "$OUT"
		assert_success
		cmp whole.csv "$OUT/cells.csv"
	done
}

@test "resume refuses a result of another spec and leaves it alone" {
	holbench simulate "${GRID[@]}" --out "$OUT" >/dev/null
	sha256sum "$OUT"/* >before
	run --separate-stderr holbench simulate "${GRID[@]}" workload.rate=300/s --resume "$OUT"
	assert_failure 2
	assert_regex "$stderr" 'is of another spec'
	sha256sum "$OUT"/* | cmp - before
	run --separate-stderr holbench simulate --resume nowhere
	assert_failure 2
	run --separate-stderr holbench simulate --resume "$OUT" --out b
	assert_failure 2
}

@test "a result made under sudo belongs to the caller" {
	require_root
	chmod 777 .
	SUDO_UID=65534 SUDO_GID=65534 holbench simulate "${GRID[@]}" >/dev/null
	run find results ! -uid 65534 -o ! -gid 65534
	refute_output
	# Without root the two variables are anybody's word.
	run as_nobody env SUDO_UID=0 SUDO_GID=0 "$HOLBENCH_BUILD/holbench" simulate "${GRID[@]}" --out own
	assert_success
	assert_equal "$(stat -c %u own/cells.csv)" 65534
}

@test "resume in a result of root's under sudo: status 1, and what to do" {
	require_root
	holbench simulate "${GRID[@]}" --out own >/dev/null
	# By its relative name: bats's own directories, above this one, are closed to others.
	resume_as_nobody()
	{
		SUDO_UID=65534 SUDO_GID=65534 run --separate-stderr holbench simulate "${GRID[@]}" --resume own
		assert_failure 1
		assert_regex "$stderr" "$1"
	}
	chmod 700 .
	resume_as_nobody '^holbench: own: Permission denied: go on as .*, or open the directories above it$'
	chmod 755 .
	resume_as_nobody '^holbench: own: Permission denied: go on as the user whose it is, or .*chown -R$'
}

@test "results are named by time and spec, two of a second as well" {
	holbench simulate "${GRID[@]}" >/dev/null
	holbench simulate "${GRID[@]}" >/dev/null
	run ls results
	assert_equal "${#lines[@]}" 2
	assert_line --index 0 --regexp '^[0-9]{8}T[0-9]{6}Z-run'
}
