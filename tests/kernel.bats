#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What the kernel does to a run, and what the ledger says of it: culprits, a late generator, losses.

load helpers

bats_require_minimum_version 1.5.0

# What else the machine does for a moment must not decide. A defect fails every time.
export BATS_TEST_RETRIES=2

setup()
{
	common_setup
	rm -rf "$OUT" # of a try before
	require_bpf
	CPU=$(last_cpu)
	victim=
}

teardown()
{
	[[ -z ${victim:-} ]] || kill -KILL "$victim" 2>/dev/null || true
}

last_cpu()
{
	local list

	list=$(taskset -cp $$)
	echo "${list##*[ ,-]}"
}

# A program of its own name that spins on a CPU; its tid is in $spinner.
spin_on()
{
	cp "$(command -v bash)" spinner
	taskset -c "$1" ./spinner -c 'while ((SECONDS < 60)); do :; done' &
	spinner=$!
	victim=$spinner
}

# One worker, 50 ms of CPU work an item, 5 a second for 4 s.
CPU_BOUND=(workers.count=1 workload.work=cpu workload.cost=50ms workload.jitter=0% workload.rate=5/s
	workload.duration=4s workload.keys=4 run.repeats=1 run.late_gate=1000%)

@test "CPU work beside a spinner: half the time on the run queue, and the spinner is to blame" {
	spin_on "$CPU"
	holbench run "${CPU_BOUND[@]}" workers.cpus="$CPU" --out "$OUT" --quiet
	holbench explain "$OUT" --worst 20 --json >explain.json
	# Every line of JSON has one field: that is how explain prints.
	local least=0.95
	# Emulated, everything else that runs takes its time as well.
	[[ -z ${HOLBENCH_SLOW:-} ]] || least=0.8
	# A culprit's name is that of its cgroup, which is where the tests were started, and of the task.
	run awk -v spinner="\"spinner[$spinner]\"" -v least="$least" '
		{ gsub(/,$/, ""); sub(/".*\//, "\"", $2) }
		$1 == "\"start_ns\":" { start = $2 }
		$1 == "\"done_ns\":" { service += $2 - start }
		$1 == "\"part\":" { part = $2 }
		$1 == "\"front\":" { front = $2 }
		$1 == "\"culprit\":" { culprit = $2 }
		$1 == "\"ns\":" && part == "\"runqueue\"" {
			waited += $2
			if (culprit == spinner)
				blamed += $2
		}
		$1 == "\"culprit\":" && $2 ~ /swapper|\[0\]/ { idle++ }
		$1 == "\"culprit\":" && $2 ~ /spinner/ && $2 != spinner { mixed++ }
		$1 == "\"culprit\":" && $2 != spinner && index($2, substr(spinner, 9)) { mixed++ }
		END {
			printf "waited %.3f of service, %.3f blamed, idle %d, mixed %d\n",
				waited / service, blamed / waited, idle, mixed
			exit !(waited / service > 0.4 && waited / service < 0.6 && blamed / waited >= least + 0 &&
				idle + mixed == 0)
		}' explain.json
	echo "$output"
	assert_success
}

@test "CPU work is CPU time: it holds its target within 1 % beside a spinner" {
	spin_on "$CPU"
	holbench run "${CPU_BOUND[@]}" workers.cpus="$CPU" --out "$OUT" --quiet
	# By the ledger, which has interrupts apart from it.
	local most=${HOLBENCH_SLOW:+75e6}
	run awk -F, -v most="${most:-52e6}" '
		$3 == "all" && $4 == "all" && ($5 == "cpu" || $5 == "irq") { ns += $8 }
		END { printf "%.2f ms an item\n", ns / 1e6; exit !(ns > 49.5e6 && ns < most + 0) }' "$OUT/ledger.csv"
	echo "$output"
	assert_success
}

# The generator loses its CPU to a task of a higher real-time priority, which nothing on the item path can help.
@test "a generator stalled for 200 ms: the stall is in late, the cell is invalid, exit 3" {
	(($(nproc) > 1)) || skip 'needs a CPU for the generator'
	# Emulated, starting the commands takes most of 0.2 s, and finding the generator several times that.
	local run status=0 duration=2s stall=0.2 most=1000000000
	[[ -z ${HOLBENCH_SLOW:-} ]] || duration=8s stall=0.8 most=3000000000
	holbench run hot.load=0.4 workload.rate=1000/s workload.cost=2ms workload.duration=$duration run.repeats=1 \
		--out "$OUT" --json >table.json &
	run=$!
	timeout 20 bash -c 'until grep -qs hb-generator /proc/[0-9]*/task/*/comm; do sleep 0.05; done; sleep 0.6' || true
	# Whoever ends it must be able to run: timeout stays on the workers' CPU, the loop ends by itself as well.
	# shellcheck disable=SC2016
	taskset -c "$CPU" timeout -s KILL "$stall" chrt -f 98 taskset -c 0 bash -c \
		'end=$((SECONDS + 2)); while ((SECONDS < end)); do :; done' || true
	wait "$run" || status=$?
	assert_equal "$status" 3
	assert_equal "$(column "$OUT/cells.csv" state)" invalid:generator
	local late
	late=$(column "$OUT/cells.csv" late_max_ns)
	echo "late by $late ns"
	((late > 150000000 && late < most))
	run awk -F, '$3 == "all" && $4 == "p99" && $5 == "late" { print ($8 > 50e6) }' "$OUT/ledger.csv"
	assert_output 1
	run grep -c '"state": "invalid' table.json
	refute_output 0
	# Nothing negative: as unsigned numbers they would be huge.
	run awk -F, 'NR > 1 && ($8 > 10e9 || $8 < 0)' "$OUT/ledger.csv"
	refute_output
}

@test "a ring buffer too small: losses are counted, the cell is incomplete everywhere, exit 3" {
	local status=0
	# Ten thousand switches a second find room for a few milliseconds of them.
	holbench run hot.load=0.4 workload.rate=4000/s workload.cost=0.5ms workload.duration=2s run.ring=4KiB \
		run.repeats=1 --out "$OUT" >table || status=$?
	assert_equal "$status" 3
	run column "$OUT/cells.csv" state
	assert_output --regexp '^incomplete:lost [1-9][0-9]* events$'
	run column "$OUT/cells.csv" lost_events
	assert_output --regexp '^[1-9][0-9]*$'
	run cat table
	assert_output --regexp 'incomplete: lost [1-9]'
	run grep -c '"state": "incomplete' "$OUT/manifest.json"
	refute_output 0
	# What was lost is not made up: the accounts add up all the same.
	run holbench explain "$OUT" --worst 3
	assert_line --regexp '= latency, to the nanosecond$'
}
