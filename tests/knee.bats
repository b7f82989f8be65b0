#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# The knee: found where it must be, in a result that explains it; mistakes; interruptions.

load helpers

bats_require_minimum_version 1.5.0

setup()
{
	common_setup
	# 12 workers that an item has for 54 ms each: 222.2/s.
	cat >pool.ini <<-EOF
		[workload]
		keys = 200
		rate = 100/s
		duration = 10s
		cost = 54ms
		cost_dist = fixed
		[workers]
		count = 12
		[run]
		repeats = 1
	EOF
}

# knee FIELD [N [DIR]]: of the N-th knee in knee.json.
knee()
{
	sed -n "s/^      \"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "${3:-$OUT}/knee.json" | sed -n "$((${2:-0} + 1))p"
}

# samples FIELD FILE: of all of them, a line each.
samples()
{
	sed -n "s/^          \"$1\": \([^,]*\).*/\1/p" "$2"
}

# at_capacity DIR: the knee is at 222.2/s, within 2 %.
at_capacity()
{
	true_that "$(knee low 0 "$1") <= 222.3 && $(knee high 0 "$1") >= 222.2 && \
		$(knee high 0 "$1") <= $(knee low 0 "$1") * 1.021"
}

@test "knee: of a server with deterministic arrivals and costs it is its capacity" {
	run --separate-stderr holbench knee pool.ini --simulate --over workload.rate --out "$OUT"
	assert_success
	assert_line --regexp '^The knee of workload\.rate is at 22[2-6]\.?[0-9]* \[2[12][0-9.]*\.\.22[2-6]\.?[0-9]*\]/s: .* over 2 times its plain, 54\.0 ms at 100/s\. The busiest is workers, at (0\.99|1\.00) of its capacity\.$'
	at_capacity "$OUT"
	assert_equal "$(knee plain_p95_ns)" 54000000
	assert_equal "$(knee busiest)" workers
}

@test "knee: from far above and far below it is the same" {
	holbench knee pool.ini --simulate --out "$OUT" workload.rate=20000/s >/dev/null
	at_capacity "$OUT"
	holbench knee pool.ini --simulate --out "$OUT-2" workload.rate=3/s >/dev/null
	at_capacity "$OUT-2"
}

# The highest rate that was run is below twice this.
highest()
{
	true_that "$(samples rate "$OUT/knee.json" | sort -g | tail -1) < 2 * $1"
	assert_equal "$(knee state)" found
}

@test "knee: from a hopeless rate it begins below what can be served, by workers, limit, resources and carriers" {
	holbench knee pool.ini --simulate --out "$OUT" workload.rate=1000000/s >/dev/null
	at_capacity "$OUT"
	highest 223
	assert_equal "$(samples rate "$OUT/knee.json" | head -1)" 89.0
	rm -r "$OUT"
	holbench knee pool.ini --simulate --out "$OUT" workload.rate=1000000/s dispatch.limit=2 workers.replicas=2 >/dev/null
	highest 75
	rm -r "$OUT"
	sed -i '/^cost =/d' pool.ini
	holbench knee pool.ini --simulate --out "$OUT" workload.rate=1000000/s 'workload.steps=wait 4ms + call db 50ms' \
		resource.db.capacity=5 >/dev/null
	highest 100
	rm -r "$OUT"
	# 12 carriers with 20 ms of CPU each.
	holbench knee pool.ini --simulate --out "$OUT" workload.rate=1000000/s 'workload.steps=cpu 20ms + wait 1s' \
		dispatch.executor=async >/dev/null
	highest 600
}

@test "knee: times and rates are the spec's, whatever run.time_scale" {
	holbench knee pool.ini --simulate --out "$OUT" run.time_scale=0.1 >/dev/null
	at_capacity "$OUT"
	assert_equal "$(knee plain_p95_ns)" 5400000
}

@test "knee --vary: one factor at a time, moved or not, with the wall before and after" {
	run --separate-stderr holbench knee pool.ini --simulate --vary workers.count=12,24 \
		--vary workload.keys=100 --vary workload.arrivals=poisson run.repeats=3 --out "$OUT"
	assert_success
	assert_line --regexp '^workers\.count=24 +22[0-9.]+ \[.*\] +4[45][0-9.]+ \[.*\] +moved +workers 1\.00 +workers 1\.00$'
	assert_line --regexp '^workload\.keys=100 +22[0-9.]+ \[.*\] +22[0-9.]+ \[.*\] +not moved '
	# M/D/12: a wait of one service time is the 95th percentile at about 88 % of the capacity.
	assert_line --regexp '^workload\.arrivals=poisson .* moved +workers 1\.00 +workers 0\.(8|9)'
	assert_equal "$(grep -c '^      "factor": ' "$OUT/knee.json")" 4
	true_that "$(knee knee 3) > 180 && $(knee knee 3) < 212"
	assert_equal "$(knee moved 1) $(knee moved 2) $(knee moved 3) $(knee moved 0)" 'true false true null'
}

@test "knee: each number is that of a cell, and the cell's items can be explained" {
	holbench knee pool.ini --simulate --json --out "$OUT" >document
	run diff document "$OUT/knee.json"
	assert_success
	run diff <(samples p95_ns document) <(column "$OUT/cells.csv" all_p95_ns)
	assert_success
	run diff <(samples rate document | sed 's/\.0$//;s,$,/s,') <(column "$OUT/cells.csv" workload.rate)
	assert_success
	run holbench explain "$OUT" --cell "$(knee cell)" --worst 1
	assert_success
	assert_line --partial 'saturated'
	assert_file_exist "$OUT/manifest.json"
}

@test "knee: where too many are refused, though p95 stays plain" {
	sed -i '/^cost/d' pool.ini
	holbench knee pool.ini --simulate --out "$OUT" \
		'workload.steps=call db 54ms' resource.db.capacity=6 resource.db.queue=0 >/dev/null
	# 6 slots of 54 ms: 111/s; 5 % more are refused.
	true_that "$(knee knee) > 110 && $(knee knee) < 121"
	true_that "$(samples not_ok "$OUT/knee.json" | sed -n "$(($(knee cell) + 1))p") > 0.05"
}

@test "knee --vary: three replicas share a database, and it is the wall, not their workers" {
	cat >replicas.ini <<-EOF
		[workload]
		rate = 60/s
		duration = 10s
		steps = cpu 4ms + call db 50ms
		cost_dist = fixed
		[resource.db]
		capacity = 13
		[workers]
		count = 12
		[run]
		repeats = 1
	EOF
	# 12 workers for 54 ms: 222/s; 13 slots for 50 ms: 260/s.
	run --separate-stderr holbench knee replicas.ini --simulate --vary workers.replicas=3 \
		--vary resource.db.capacity=26 --out "$OUT"
	assert_success
	assert_line --regexp '^workers\.replicas=3 .* moved +workers 1\.00 +db 1\.00$'
	assert_line --regexp '^resource\.db\.capacity=26 .* not moved +workers 1\.00 +workers 1\.00$'
	true_that "$(knee knee 1) > $(knee knee) * 1.15 && $(knee knee 1) < $(knee knee) * 1.2"
	run --separate-stderr holbench knee replicas.ini --simulate workers.replicas=3 \
		--vary resource.db.capacity=26 --vary workers.count=24 --out "$OUT-3"
	assert_success
	assert_line --regexp '^resource\.db\.capacity=26 .* +moved +db 1\.00 +db '
	assert_line --regexp '^workers\.count=24 .* not moved +db 1\.00 +db 1\.00$'
}

@test "knee: none up to the highest rate, and no plain where --from is too high" {
	run holbench knee pool.ini --simulate --to 200 --out "$OUT"
	assert_success
	assert_line --partial 'No knee up to 200/s: look further up with --to'
	assert_equal "$(knee state) $(knee knee)" 'above null'
	run holbench knee pool.ini --simulate --from 150 --out "$OUT-2"
	assert_failure 3
	assert_line --partial 'No plain p95: at 150/s the busiest is over half of its capacity; lower --from'
}

@test "knee: no plain where the time-out is below the cost, after a few runs, with what to change" {
	run --separate-stderr holbench knee pool.ini --simulate workload.timeout=8ms --out "$OUT"
	assert_failure 3
	assert_line --regexp '^No plain: over 5 % of the items do not succeed even at [0-9.]+/s \(100\.0 %\), .*; raise workload\.timeout or what refuses them\.$'
	refute_output --partial '--resume'
	refute_regex "$stderr" 'out of range'
	assert_equal "$(knee state)" 'no plain'
	true_that "$(samples rate "$OUT/knee.json" | wc -l) <= 8"
	# A time-out has them fail now and then.
	sed -i '/^cost/d' pool.ini
	run holbench knee pool.ini --simulate 'workload.steps=wait 7ms' workload.cost_dist=exponential \
		workload.timeout=8ms --out "$OUT-2"
	assert_failure 3
	assert_line --regexp '^No plain: over 5 % .*raise workload\.timeout'
}

@test "knee: from a spec with lists, the words that it names make a cell, and so does the one it suggests" {
	local given
	run --separate-stderr holbench knee replicas --simulate --vary workers.replicas=3 --out "$OUT"
	assert_failure 2
	assert_equal "$stderr" "holbench: knee takes one cell, and workers.replicas, noise.kind and place.isolation are lists (8 cells): give one value, as in workers.replicas=1 noise.kind=none place.isolation=shared"
	read -ra given <<<"${stderr##*as in }"
	run holbench knee replicas-quick --simulate "${given[@]}" run.repeats=1 --to 211 --out "$OUT"
	refute_output --partial 'takes one cell'
	assert_file_exist "$OUT/knee.json"
	run --separate-stderr holbench knee
	assert_failure 2
	read -ra given <<<"${stderr##*as in holbench }"
	run holbench "${given[@]}" run.repeats=1 --out "$OUT-2"
	assert_success
	assert_line --partial 'The knee of workload.rate is at'
}

@test "knee: each mistake is one line that says what and where" {
	local options text
	printf 'time,key\n0,a\n1,b\n' >items.csv
	printf '[workload]\ntrace = items.csv\n[csv]\ncost = none\n' >recorded.ini
	while IFS='|' read -r text options; do
		# shellcheck disable=SC2086  # several words
		run --separate-stderr holbench knee $options --out "$OUT"
		assert_failure 2
		refute_output
		assert_equal "${#stderr_lines[@]}" 1
		assert_regex "$stderr" "$text"
		assert_not_exist "$OUT"
	done <<-'EOF'
		knee needs a spec|--simulate
		--over workload.keys: only workload.rate|pool.ini --simulate --over workload.keys
		--from 0 is not a number above 0|pool.ini --simulate --from 0
		--to x is not a number|pool.ini --simulate --to x
		--factor 1 is not above 1|pool.ini --simulate --factor 1
		the highest rate, 50/s, is not above the first, 100/s|pool.ini --simulate --to 50
		--from 0.001/s: a run of 5000 items takes longer .*; raise it to 0.00835/s|pool.ini --simulate --from 0.001/s --to 0.002/s
		workload.rate = 0.005/s: a run of 5000 items|pool.ini --simulate workload.rate=0.005/s workload.duration=1h
		--to 2e\+09/s: above 1e\+09/s, the highest that workload.rate can be; lower it$|pool.ini --simulate --to 2e9
		--to 9e\+08/s: above 1e\+08/s, .* with this run.time_scale; lower|pool.ini --simulate --to 9e8 run.time_scale=0.1
		--to 9e\+08/s: a run has more than 4e\+09 items, from 3.7e\+08/s on; lower it|pool.ini --simulate --to 9e8
		--from 2e\+09/s: above 1e\+09/s, the highest|pool.ini --simulate --from 2e9
		--from 300/s: p95 cannot be plain there, above the 222.2/s that can be served; lower|pool.ini --simulate --from 300
		--from 5/s: hot.load cannot be reached below 10/s; raise it|pool.ini --simulate --from 5 hot.load=1
		--factor 100.1 is above 100; lower it$|pool.ini --simulate --factor 100.1
		--factor 1e300 is above 100; lower it$|pool.ini --simulate --factor 1e300 workload.cost=0s
		--factor 100: for p95 to rise so far a run takes longer than workload.duration can be; lower it to 50.9$|pool.ini --simulate --factor 100 workload.cost=60s
		knee takes one cell, and workers.count is a list \(2 cells\): give one value, as in workers.count=1$|pool.ini --simulate workers.count=1,2
		--vary workers.count: write KEY=VALUE|pool.ini --simulate --vary workers.count
		unknown key worker.count|pool.ini --simulate --vary worker.count=3
		--vary workers.count=12: that is how it is already|pool.ini --simulate --vary workers.count=12
		--vary run.repeats=2: the search sees to that|pool.ini --simulate --vary run.repeats=2
		--vary workload.rate=2/s: the search sees to that|pool.ini --simulate --vary workload.rate=2/s
		arrivals of workload.trace are its own|recorded.ini --simulate
		no option '--worst'|pool.ini --simulate --worst 3
	EOF
}

@test "knee: a plain p95 whose rise no run can hold is one line, and what is done is kept" {
	run --separate-stderr holbench knee pool.ini --simulate --factor 100 workload.cost_dist=exponential \
		workload.cost=20s workload.rate=0.1/s --out "$OUT"
	assert_failure 2
	assert_regex "$stderr" 'where p95 may rise to 100 times [56]\.[0-9]*e\+04 ms, a run at 0\.2/s takes 1\.[0-9]*e\+06 s and has [0-9.e+]* items, more than can be; lower --factor or --to'
	refute_regex "$stderr" 'out of range'
	assert_file_exist "$OUT/cells.csv"
}

# A search, interrupted when its fourth cell has begun.
interrupt()
{
	local i pid

	"$HOLBENCH_BUILD/holbench" "${words[@]}" --out "$OUT" >out 2>err &
	pid=$!
	for ((i = 0; i < 500; i++)); do
		[[ -e $OUT/cell-003-r0.hbt ]] && break
		sleep 0.01
	done
	kill -INT "$pid"
	wait "$pid"
}

@test "knee: interrupted, it keeps what is done, and --resume ends with the same answer" {
	local words=(knee pool.ini --simulate --vary 'workers.count=24,48' run.repeats=8 workload.duration=60s)

	holbench "${words[@]}" --out "$OUT-whole" >/dev/null
	run interrupt
	assert_failure 1
	run cat err
	assert_line --regexp "interrupted: [0-9]+ runs done; to go on: holbench knee pool\\.ini --simulate --vary workers\\.count=24,48 run\\.repeats=8 workload\\.duration=60s --resume $OUT\$"
	assert_file_exist "$OUT/cells.csv"
	assert_file_not_exist "$OUT/knee.json"
	run holbench "${words[@]}" --resume "$OUT"
	assert_success
	run diff <(grep -v '"result"' "$OUT/knee.json") <(grep -v '"result"' "$OUT-whole/knee.json")
	assert_success
	run diff "$OUT/cells.csv" "$OUT-whole/cells.csv"
	assert_success
}
