#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# run and sweep on this machine: files, statuses, and what is said when something was not measured.

load helpers

bats_require_minimum_version 1.5.0

# A second of light load: 200 items on two workers. The gate is as wide as can be: the machine may be busy.
LIGHT=(workload.rate=200/s workload.duration=1s workload.cost=5ms workers.count=2 run.repeats=1
	run.late_gate=1000%)

setup()
{
	common_setup
}

@test "without root and with the probe: one line that says the mend, and nothing is left" {
	chmod 777 .
	run --separate-stderr as_nobody "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" --out here
	assert_failure 1
	refute_output
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" 'root.*--no-bpf'
	assert_not_exist here
}

@test "no process and no thread may be started: one line that says the limit, and nothing is left" {
	local nr

	chmod 777 .
	# The program itself is one, a run's process another, its threads the rest.
	for nr in 1 3; do
		# shellcheck disable=SC2016  # for the shell inside
		run --separate-stderr as_nobody bash -c 'ulimit -u "$1"; shift; exec "$@"' - "$nr" \
			"$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}" hot.keys=0 --quiet --out here
		assert_failure 1
		assert_equal "${#stderr_lines[@]}" 1
		assert_regex "$stderr" 'cannot (start|be started).*raise ulimit -u$'
		assert_not_exist here
	done
}

@test "--no-bpf: n/m where the kernel's parts would stand, in the table, CSV and JSON" {
	run holbench run --no-bpf "${LIGHT[@]}" --out "$OUT"
	assert_success
	assert_line --regexp '^shared .* n/m +n/m .* n/m +n/m +valid$'
	assert_line --regexp '^n/m: not measured \(no probe'
	assert_line 'What the kernel added was not measured.'
	local name
	for name in check_runqueue_waits check_runqueue_ratio check_cpu_ratio; do
		assert_equal "$(column "$OUT/cells.csv" "$name")" ''
	done
	assert_equal "$(column "$OUT/cells.csv" engine)" live
	run awk -F, '$5 == "runqueue" || $5 == "cpu" || $6 == "runqueue"' "$OUT/ledger.csv"
	refute_output
	run holbench explain "$OUT" --worst 1
	assert_line --regexp 'not measured \(no probe\)'
	assert_line --regexp '= latency, to the nanosecond$'
}

@test "peak threads, stacks and resident memory are counted, and Little's law holds" {
	run holbench run --no-bpf "${LIGHT[@]}" --out "$OUT"
	assert_success
	local name
	for name in threads_peak memory_peak_bytes stack_bytes; do
		run column "$OUT/cells.csv" "$name"
		assert_output --regexp '^[1-9][0-9]*$'
	done
	assert_equal "$(column "$OUT/cells.csv" check_little_ratio)" 0.000000
	assert_equal "$(column "$OUT/cells.csv" busiest)" workers
	refute_line --partial 'stacks, MB'
	run holbench run --no-bpf "${LIGHT[@]}" dispatch.executor=async --out "$OUT-async"
	assert_line --regexp '^dispatch\. +at the peak$'
	assert_line --regexp "^[a-z]+ +$(column "$OUT-async/cells.csv" threads_peak) +[0-9]+\.[0-9] +[0-9]+\.[0-9]\$"
}

@test "knee: on real threads, up to a rate that is below it" {
	local busy slack=0.1

	# 20 workers that an item has for 5 ms: 4000/s.
	printf '[workload]\nrate = 1000/s\nduration = 1s\ncost_dist = fixed\n[workers]\ncount = 20\n[run]\nrepeats = 1\n' >pool.ini
	run holbench knee pool.ini --no-bpf --to 1500 --out "$OUT"
	assert_line --partial 'No knee up to 1500/s'
	assert_equal "$(column "$OUT/cells.csv" engine | uniq)" live
	assert_equal "$(column "$OUT/cells.csv" workload.rate | tr '\n' ' ')" '1000/s 1500/s '
	mapfile -t busy < <(column "$OUT/cells.csv" busiest_utilisation)
	# Emulated, waking up is work that holds the worker.
	[[ -z ${HOLBENCH_SLOW:-} ]] || slack=0.4
	true_that "${busy[0]} >= 0.25 && ${busy[0]} < 0.25 + $slack" || fail "${busy[0]} at 1000/s"
	true_that "${busy[1]} >= 0.37 && ${busy[1]} < 0.375 + $slack" || fail "${busy[1]} at 1500/s"
}

@test "run.trace=off is the same as --no-bpf" {
	run holbench run run.trace=off "${LIGHT[@]}" --out "$OUT"
	assert_success
	assert_line --regexp '^n/m: not measured \(no probe'
}

@test "with the probe: nothing is n/m, the parts add up, the checks are made" {
	local gaps said

	require_bpf
	run holbench run "${LIGHT[@]}" hot.load=0.1 hot.neighbours=19 --out "$OUT"
	assert_success
	refute_line --partial 'n/m'
	assert_line --regexp '^Where the kernel added most'
	# Whether there are gaps is the kernel's affair; those that are counted are said.
	gaps=$(($(column "$OUT/cells.csv" impossible_events) + $(column "$OUT/cells.csv" reclassified)))
	(($(column "$OUT/cells.csv" unknown_ns))) || gaps=0
	said=$(grep -oE '^In 1 of 1 runs .* missing from the trace, as [0-9]+ events? shows?' <<<"$output" | grep -oE '[0-9]+ event' || true)
	assert_equal "$said" "$( ((gaps)) && echo "$gaps event" || true)"
	run column "$OUT/cells.csv" check_runqueue_waits
	assert_output --regexp '^-?[0-9]+$'
	run holbench explain "$OUT" --worst 200
	assert_equal "$(grep -c '= latency, to the nanosecond$' <<<"$output")" 200
	run grep -c '"workers.cpus": "[0-9]' "$OUT/manifest.json"
	assert_output 1
}

@test "Ctrl-C in a sweep keeps what is finished; resume runs the rest only" {
	# shellcheck disable=SC2054  # the comma is the spec's
	local sweep=(sweep --no-bpf ordering-quick hot.load=0.4 dispatch.design=shared,key run.repeats=1
		workers.count=8 run.late_gate=1000%)
	"$HOLBENCH_BUILD/holbench" "${sweep[@]}" --out "$OUT" >/dev/null 2>err &
	local pid=$! i
	for ((i = 0; i < 1000; i++)); do
		[[ -e $OUT/cell-001-r0.hbt ]] && break
		sleep 0.01
	done
	sleep 0.3
	kill -INT "$pid"
	wait "$pid" || assert_equal "$?" 1
	run cat err
	assert_equal "${#lines[@]}" 1
	assert_output --partial 'interrupted: 1 of 2 runs done'
	assert_output --partial "holbench ${sweep[*]} --resume $OUT"
	assert_equal "$(column "$OUT/cells.csv" cell)" 0
	run holbench explain "$OUT/cell-001-r0.hbt" --worst 1
	assert_failure 3
	local first
	first=$(sha256sum "$OUT/cell-000-r0.hbt")
	run holbench "${sweep[@]}" --resume "$OUT"
	# 3: the machine was busy elsewhere for so long that the generator was late.
	[[ $status == 0 || $status == 3 ]] || fail "status $status: $output"
	assert_equal "$(sha256sum "$OUT/cell-000-r0.hbt")" "$first"
	assert_equal "$(column "$OUT/cells.csv" cell | tr '\n' ' ')" '0 1 '
	run grep -vxE 'valid|invalid:generator' <(column "$OUT/cells.csv" state)
	refute_output
}

@test "Ctrl-C in the middle of a long step: the run ends at once, in order" {
	local signal executor pid i began
	for signal in INT TERM; do
		for executor in thread async spawn; do
			rm -rf "$OUT"
			"$HOLBENCH_BUILD/holbench" run --no-bpf workload.steps='cpu 60s + wait 60s' workload.rate=200/s \
				workload.duration=1s run.repeats=1 dispatch.executor=$executor --out "$OUT" >out 2>err &
			pid=$!
			for ((i = 0; i < 500; i++)); do
				[[ -s $OUT/cell-000-r0.hbt ]] && break
				sleep 0.01
			done
			sleep 0.5
			began=$SECONDS
			kill "-$signal" "$pid"
			wait "$pid" || assert_equal "$?" 1
			((SECONDS - began < 10)) || fail "$executor: $((SECONDS - began)) s after SIG$signal"
			assert_equal "$(grep -vc '^holbench: note: ' err)" 1
			assert_file_contains err "interrupted: 0 of 1 runs done; to go on: .* --resume $OUT\$"
			run holbench explain "$OUT/cell-000-r0.hbt"
			assert_failure 3
			run groups
			refute_output
		done
	done
}

@test "a disk that fills in the middle of a sweep: what is there says so, and resume goes on once there is room" {
	printf '%s\n' '[workload]' 'rate = 2000/s' 'duration = 1s' 'cost = 500us' '[hot]' 'load = 0.1' \
		'[workers]' 'count = 2' '[dispatch]' 'design = shared,partition,steal,key' '[run]' 'repeats = 1' \
		'late_gate = 1000%' >full.ini
	# shellcheck disable=SC2016
	run --separate-stderr tiny_tmpfs 110k bash -c '
		holbench sweep --no-bpf full.ini --out "$TINY/r" >table && exit 99
		cp -r "$TINY/r" kept
		mount -o remount,size=10m "$TINY"
		holbench sweep --no-bpf full.ini --resume "$TINY/r" >resumed 2>&1
		status=$?
		cp -r "$TINY/r" whole
		exit "$status"'
	[[ $status == 0 || $status == 3 ]] || fail "status $status: $stderr"
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" 'hbt: cannot write the trace: No space left on device; make room there'
	assert_regex "$stderr" '; [12] runs are done.* goes on with --resume .*/tiny/r$'
	assert_file_contains table '^stopped: [12] of 4 runs done; to go on: .*--resume .*/tiny/r$'
	assert_file_contains kept/manifest.json '"runs": 4,'
	assert_file_contains kept/manifest.json '"runs_done": [12],'
	run find kept -name '.*.part'
	refute_output
	assert_file_contains whole/manifest.json '"runs_done": 4,'
	cmp kept/cell-000-r0.hbt whole/cell-000-r0.hbt
	assert_equal "$(column whole/cells.csv cell | tr '\n' ' ')" '0 1 2 3 '
}

@test "a parent that is killed takes its run with it" {
	"$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}" workload.duration=60s --out "$OUT" >/dev/null 2>&1 &
	local pid=$! i child
	for ((i = 0; i < 500; i++)); do
		[[ -e $OUT/cell-000-r0.hbt ]] && break
		sleep 0.01
	done
	child=$(pgrep -P "$pid")
	kill -KILL "$pid"
	for ((i = 0; i < 300; i++)); do
		[[ -e /proc/$child ]] || break
		[[ $(cut -d' ' -f3 "/proc/$child/stat") == Z ]] && break
		sleep 0.01
	done
	((i < 300)) || fail "$child lives on"
}
