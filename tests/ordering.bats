#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The main job: the preset ordering-quick on this machine's kernel, with the probe, and what must hold of it.

load helpers

bats_require_minimum_version 1.5.0

# One live sweep and one simulated sweep for all tests of the file.
setup_file()
{
	((EUID == 0)) && [[ -r /sys/kernel/btf/vmlinux ]] || return 0
	export SWEEP=$BATS_FILE_TMPDIR/live SIMULATED=$BATS_FILE_TMPDIR/simulated
	SECONDS=0
	"${BUILD_HOLBENCH:=$(holbench_path)}" sweep ordering-quick --out "$SWEEP" >"$BATS_FILE_TMPDIR/table" || [[ $? == 3 ]]
	export SWEEP_SECONDS=$SECONDS
	"$BUILD_HOLBENCH" simulate ordering-quick --out "$SIMULATED" >"$BATS_FILE_TMPDIR/simulated-table"
}

holbench_path()
{
	echo "$HOLBENCH_BUILD/holbench"
}

setup()
{
	common_setup
	require_bpf
}

@test "the whole sweep takes under two minutes" {
	echo "took $SWEEP_SECONDS s"
	((SWEEP_SECONDS < 120))
}

@test "every run is finished, whole and adds up" {
	run column "$SWEEP/cells.csv" state
	assert_equal "${#lines[@]}" 30
	refute_output --partial incomplete
	run column "$SWEEP/cells.csv" succeeded
	refute_line --regexp '^(8000)?.+[^0]$'
	run sort -u <(column "$SWEEP/cells.csv" lost_events)
	assert_output 0
}

@test "designs that keep order have no violation, ever" {
	run awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ design = $at["dispatch.design"]; n = $at["order_violations"] + $at["start_violations"] }
		design ~ /^(partition|key|steal:key)$/ { cells++; bad += n }
		design == "shared" && $at["hot.load"] == "2.0" { shared += n }
		END { print cells, bad + 0, (shared > 0) }' "$SWEEP/cells.csv"
	assert_output '18 0 1'
}

# The kernel's own account: one wait more or less at each end of each of the eight workers.
@test "the ledger agrees with schedstat in every run" {
	run awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ waits = $at["check_runqueue_waits"]; error = $at["check_runqueue_ns_per_wait"]; ratio = $at["check_runqueue_ratio"] }
		waits == "" || waits < -16 || waits > 16 { print "waits", $0 }
		ratio > 0.01 && (error > 10000 || error < -10000) { print "time", $0 }' "$SWEEP/cells.csv"
	refute_output
}

# Per cell the repeat that came closer: what else the machine did is in the ledger, but the queues it made are not
# undone by taking it off.
@test "less the kernel's parts, victims' latencies are the simulator's, within 10 % or 0.5 ms" {
	run awk -F, '
		FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
		function field(name) { return $at[file, name] }
		file == 1 {
			for (p = 50; p <= 99; p += p == 50 ? 45 : 4)
				sim[field("cell"), field("repeat"), p] = field("victim_p" p "_ns")
			next
		}
		{
			worst = 0
			for (p = 50; p <= 99; p += p == 50 ? 45 : 4) {
				want = sim[field("cell"), field("repeat"), p]
				room = want * 0.1 > 500000 ? want * 0.1 : 500000
				off = (field("victim_net_p" p "_ns") - want) / room
				if (off < 0)
					off = -off
				if (off > worst)
					worst = off
			}
			cell = field("cell")
			if (!(cell in best) || worst < best[cell])
				best[cell] = worst
			name[cell] = field("hot.load") " " field("dispatch.design")
		}
		END {
			for (cell in best) {
				cells++
				if (best[cell] > 1)
					printf "%s is off by %.2f of what is allowed\n", name[cell], best[cell]
			}
			print cells " cells"
		}' "$SIMULATED/cells.csv" "$SWEEP/cells.csv"
	assert_output '15 cells'
}

@test "the table: a row a cell, the sentences, the result" {
	run cat "$BATS_FILE_TMPDIR/table"
	assert_line --regexp '^1\.0 +steal:key +0 '
	assert_line --regexp '^result: '
	assert_equal "$(grep -cE '^[012]\.[0-9] +[a-z:]+ +[0-9]+ +[0-9]+ ' "$BATS_FILE_TMPDIR/table")" 15
}
