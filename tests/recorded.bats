#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# Recorded streams and services of several steps from the command line: results, and one line for what is wrong.

load helpers

bats_require_minimum_version 1.5.0

setup()
{
	common_setup
}

# refused TEXT WORD…: simulate with these ends with status 2, one line on standard error, and nothing written.
refused()
{
	local text=$1

	shift
	run --separate-stderr holbench simulate "$@"
	assert_failure 2
	refute_output
	assert_equal "${#stderr_lines[@]}" 1
	assert_regex "$stderr" "$text"
	assert_not_exist results
}

# rows: a stream of 400 items in 2 seconds, keys of three users, one in ten without a key.
rows()
{
	awk 'BEGIN { print "at,who,took"
		for (i = 0; i < 400; i++)
			printf "%.3f,%s,%d\n", 1700000000 + i / 200, i % 10 ? "user " i % 3 : "", 1 + i % 5 }'
}

MAPPED=(csv.time=at csv.key=who csv.cost=took csv.cost_scale=0.001)

@test "a recorded stream: its result names the keys, and is read when the file is gone" {
	rows >a.csv
	run holbench simulate workload.trace=a.csv "${MAPPED[@]}" run.repeats=1 run.warmup=1s --out "$OUT"
	assert_success
	assert_line --regexp '^shared +200 .* valid$'
	assert_equal "$(column "$OUT/cells.csv" items_due)" 200
	run cat "$OUT/keys.csv"
	assert_output "trace,column,key,name
a.csv,who,0,user 1
a.csv,who,1,user 2
a.csv,who,2,user 0"
	rm a.csv
	run holbench explain "$OUT" --worst 1
	assert_success
	assert_line --regexp '^ +sum .*to the nanosecond$'
	run grep -oE '(trace = a.csv|rows = [0-9]+|keyless = [0-9]+|crc32 = [0-9]+)\\n' "$OUT/manifest.json"
	assert_output "trace = a.csv\\n
crc32 = $(rows | gzip -c | tail -c 8 | od -An -tu4 -N4 | tr -d ' ')\\n
rows = 400\\n
keyless = 40\\n"
}

@test "--resume with another file in the place of the first is refused" {
	rows >a.csv
	holbench simulate workload.trace=a.csv "${MAPPED[@]}" run.repeats=2 --out "$OUT"
	rm "$OUT/cell-000-r1.hbt"
	rows | sed 's/user 1/user 9/' >a.csv
	run --separate-stderr holbench simulate workload.trace=a.csv "${MAPPED[@]}" run.repeats=2 --resume "$OUT"
	assert_failure 2
	assert_regex "$stderr" "cell-000-r0.hbt is of a\.csv as it was before it changed: put that back, or run all again, without --resume $OUT\$"
	assert_equal "${#stderr_lines[@]}" 1
	rows >a.csv
	run --separate-stderr holbench simulate workload.trace=a.csv "${MAPPED[@]}" run.repeats=2 csv.speed=3 --resume "$OUT"
	assert_failure 2
	assert_regex "$stderr" 'cell-000-r0.hbt is of another spec'
	holbench simulate workload.trace=a.csv "${MAPPED[@]}" run.repeats=2 --resume "$OUT"
}

@test "times in seconds with costs in milliseconds: by csv.cost_scale, and costs over 3600 ms by csv.speed" {
	printf 'time,key,cost\n1700000000.5,a,5\n1700000001.25,b,120\n1700000002,a,7.5\n' >a.csv
	for how in 'unit=s csv.cost_scale=0.001' 'unit=ms csv.speed=0.001'; do
		# shellcheck disable=SC2086  # two words
		holbench simulate workload.trace=a.csv csv.$how run.repeats=1 --out "$OUT-$how"
		run holbench explain "$OUT-$how" --worst 1 --json
		assert_line --regexp '"latency_ns": 120000000,?$'
	done
	sed -i s/120/5000/ a.csv
	run holbench simulate workload.trace=a.csv csv.unit=s csv.cost_scale=0.001 --out "$OUT"
	assert_failure 2
	assert_output --partial "cost = '5000' is more than 1h"
	holbench simulate workload.trace=a.csv csv.unit=ms csv.speed=0.001 run.repeats=1 --out "$OUT"
}

@test "a live run of a recorded stream has all of its items" {
	rows >a.csv
	run holbench run --no-bpf workload.trace=a.csv "${MAPPED[@]}" run.repeats=1 run.late_gate=1000% \
		run.warmup=1s workers.count=4 --out "$OUT"
	assert_success
	assert_equal "$(column "$OUT/cells.csv" items_due) $(column "$OUT/cells.csv" items)" '200 200'
}

@test "a bad file: one line that says where" {
	rows | sed '17s/user/"user/' >a.csv
	refused 'a\.csv:17: ' workload.trace=a.csv "${MAPPED[@]}"
	rows | sed '17s/,[0-9]*$/,-3/' >a.csv
	refused "a\.csv:17: took = '-3' is negative" workload.trace=a.csv "${MAPPED[@]}"
	rows | sed '17s/^[0-9.]*/1699999999/' >a.csv
	refused 'a\.csv:17: time goes back by 1070ms, more than csv\.window = 0s' workload.trace=a.csv "${MAPPED[@]}"
	refused "a\.csv:1: no column 'time' .*csv\.time" workload.trace=a.csv
	: >a.csv
	refused 'a\.csv: is empty' workload.trace=a.csv
	refused "^holbench: argument 'workload\.trace=\.': \.: Is a directory" workload.trace=.
	refused 'nothing\.csv: No such file' workload.trace=nothing.csv

	refused 'workload\.rate has no effect with workload\.trace' workload.trace=a.csv workload.rate=5/s
}

@test "a service that cannot be: one line that says the mend" {
	printf '[workload]\nsteps = cpu 4ms +\n\tcall bd 50ms\n[resource.db]\ncapacity = 13\n' >a.ini
	refused 'a\.ini:2: .* calls bd, which no section defines; did you mean db\?' a.ini
	printf '[workload]\nsteps = cpu 4ms\n[resource.db]\ncapcity = 13\n' >a.ini
	refused 'a\.ini:4: unknown key resource\.db\.capcity; did you mean resource\.db\.capacity\?' a.ini
	printf '[workload]\nsteps = cpu 4ms + lock db 1ms\n[resource.db]\ncapacity = 13\n' >a.ini
	refused 'a\.ini:2: .* has db as a lock, and it is a resource as well' a.ini
	refused 'pause\.for = 2s is not shorter than pause\.every = 1s' pause.every=1s pause.for=2s
	refused 'has more than 4 steps' 'workload.steps=cpu 1s+cpu 1s+cpu 1s+cpu 1s+cpu 1s'
	refused 'dispatch\.buffer has no effect with' dispatch.design=shared dispatch.buffer=5
}

@test "what is legal and may surprise is noted, each thing once" {
	run --separate-stderr holbench simulate hot.load=0.1 workload.timeout=1ms,2ms dispatch.limit=9 \
		pause.every=30s pause.for=1s run.repeats=1 --out "$OUT"
	assert_success
	assert_equal "${#stderr_lines[@]}" 4
	assert_regex "$stderr" 'note: workload\.timeout = 1ms is below the cost of every item'
	assert_regex "$stderr" 'note: workload\.timeout = 2ms is below the cost of every item'
	assert_regex "$stderr" 'note: dispatch\.limit = 9 is never reached'
	assert_regex "$stderr" 'note: pause\.every = 30s is not before the last arrival'
}
