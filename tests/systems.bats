#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The sources' other systems in virtual time: each preset gives its source's table.

load helpers

bats_require_minimum_version 1.5.0

setup()
{
	common_setup
}

# row WHERE NAME...: the columns of the one row of $OUT/cells.csv for which the awk condition holds,
# where v("NAME") is a column's value.
row()
{
	local where=$1

	shift
	awk -F, -v names="$*" '
		function v(name) { if (!(name in at)) { print "no column " name > "/dev/stderr"; exit 2 } return $at[name] }
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, want, " "); next }
		'"$where"' { rows++; for (i = 1; i <= n; i++) printf "%s%s", v(want[i]), i < n ? " " : "\n" }
		END { if (rows != 1) print rows + 0 " rows" }' "$OUT/cells.csv"
}

# simulated PRESET [WORD...]: once.
simulated()
{
	run holbench simulate "$@" run.repeats=1 --out "$OUT"
	assert_success
	run column "$OUT/cells.csv" state
	assert_equal "$(printf '%s\n' "${lines[@]}" | sort -u)" valid
}

# pool EXECUTOR LIMIT CAPACITY: how many succeeded and timed out, and when the last had ended.
pool()
{
	row "v(\"dispatch.executor\") == \"$1\" && v(\"dispatch.limit\") == \"$2\" && v(\"resource.server.capacity\") == $3" \
		succeeded timed_out victim_max_ns
}

@test "pools: a pool and a semaphore bring all through in 30 s, unlimited light threads a fifth in 5 s" {
	simulated pools
	assert_equal "$(pool thread none 200)" '1000 0 30000000000'
	assert_equal "$(pool async 100 200)" '1000 0 30000000000'
	assert_equal "$(pool async none 200)" '200 800 5000000000'
	assert_equal "$(pool async none 400)" '400 600 5000000000'
}

@test "pools: behind a semaphore in turn it is the same" {
	simulated pools dispatch.design=shared dispatch.executor=async dispatch.limit=100 resource.server.capacity=200
	assert_equal "$(column "$OUT/cells.csv" succeeded)" 1000
	assert_equal "$(column "$OUT/cells.csv" victim_max_ns)" 30000000000
}

# consumer DESIGN PARTITIONS KEYS JITTER NAME...
consumer()
{
	local design=$1 partitions=$2 keys=$3 jitter=$4

	shift 4
	row "v(\"dispatch.design\") == \"$design\" && v(\"workload.partitions\") == $partitions && \
		v(\"workload.keys\") == $keys && v(\"workload.jitter\") == \"$jitter\"" "$@"
}

@test "consumer: 100 messages of 1 s, two at a time, take what the source says" {
	local design partitions keys want

	simulated consumer
	for keys in 100 2; do
		for partitions in 1 2; do
			for design in shared key key:partition partition; do
				want=50000000000
				[[ $design == *partition && $partitions == 1 ]] && want=100000000000
				assert_equal "$design $partitions $keys $(consumer "$design" "$partitions" "$keys" 0% victim_max_ns)" \
					"$design $partitions $keys $want"
			done
		done
	done
}

# held DESIGN PARTITIONS KEYS: which orders held, a word for each.
held()
{
	consumer "$1" "$2" "$3" 50% order_total order_partition order_key order_across |
		awk '{ for (i = 1; i <= NF; i++) printf "%s%s", $i ? "no" : "yes", i < NF ? " " : "\n" }'
}

@test "consumer: the order that each design keeps is the source's" {
	simulated consumer workload.jitter=50%,49%
	# total, within a partition, within a key, across keys within a partition
	assert_equal "$(held shared 1 2)" 'no no no no'
	assert_equal "$(held key 1 2)" 'no no yes no'
	assert_equal "$(held key:partition 1 2)" 'yes yes yes yes'
	assert_equal "$(held key:partition 2 100)" 'no yes yes yes'
	assert_equal "$(held partition 1 2)" 'yes yes yes yes'
	assert_equal "$(held partition 2 100)" 'no yes yes yes'
	assert_equal "$(held key 2 100)" 'no no yes no'
}

@test "consumer: where no key ever waits, that is said" {
	run holbench simulate consumer workload.keys=100 dispatch.design=key workload.jitter=0% --out "$OUT"
	assert_success
	assert_output --partial 'key order never exercised'
	run holbench simulate consumer workload.keys=2 workload.partitions=1 dispatch.design=key workload.jitter=50% \
		--out "$OUT-2"
	assert_success
	refute_output --partial 'key order never exercised'
}

# moved COMMIT: due, succeeded, lost, repeated.
moved()
{
	row "v(\"reassign.commit\") == \"$1\"" items_due succeeded lost repeated
}

@test "reassign: before loses, after repeats, an interval does both; the totals add up to the stream" {
	local commit due succeeded lost repeated

	simulated reassign
	run holbench simulate reassign run.repeats=1 --out "$OUT-words"
	assert_line --regexp '^When the partitions moved at reassign\.commit=interval:3s, 0 items were lost and [0-9]+ done again\.$'
	for commit in before after interval:2s interval:3s; do
		read -r due succeeded lost repeated < <(moved "$commit")
		echo "$commit: $due due, $succeeded succeeded, $lost lost, $repeated repeated"
		assert_equal "$due" "$((succeeded + lost))"
		case $commit in
		before) ((lost > 0 && repeated == 0)) ;;
		after) ((lost == 0 && repeated > 0 && repeated <= 4)) ;;
		interval:2s) ((lost > 0 && repeated > 0)) ;;
		interval:3s) ((lost == 0 && repeated > 50)) ;;
		esac
	done
}

@test "pipeline: the median hides the tail; the two tiers have the source's figures" {
	local p50 p99

	simulated pipeline workload.rate=1000/s,6000/s workers.carriers=8
	read -r p50 p99 < <(row 'v("workload.rate") == "6000/s"' victim_p50_ns victim_p99_ns)
	true_that "$p50 < 230e6 && $p99 > 5 * $p50"
	read -r p50 < <(row 'v("workload.rate") == "1000/s"' victim_p50_ns)
	true_that "$p50 > 165e6 && $p50 < 195e6"
	rm -rf "$OUT"
	simulated pipeline-tiered workload.duration=20s
	read -r p50 p99 < <(row 'v("workload.rate") == "12000/s"' victim_p50_ns victim_p99_ns)
	true_that "$p50 > 41e6 && $p50 < 45e6 && $p99 > 106e6 && $p99 < 118e6"
}

@test "replicas: below the knees one replica is as good as three" {
	simulated replicas noise.kind=none place.isolation=shared
	assert_equal "$(sort -u <(column "$OUT/cells.csv" victim_p95_ns))" 54000000
}

@test "null keys: as one key they have one worker, unordered all of them" {
	local words=(workload.null=95% workload.rate=200/s workload.duration=10s workload.cost=20ms dispatch.design=key
		hot.keys=0 workers.count=8)
	local one all

	run holbench simulate "${words[@]}" dispatch.null=key,unordered run.repeats=1 --out "$OUT"
	assert_success
	one=$(row 'v("dispatch.null") == "key"' throughput)
	all=$(row 'v("dispatch.null") == "unordered"' throughput)
	# 190 a second have no key; one worker does 50 of them.
	true_that "$one > 50 && $one < 56 && $all > 195"
}

@test "a stalled key: its neighbours wait behind it, far keys do not notice" {
	run holbench simulate dispatch.design=partition hot.keys=1 hot.load=0.05 hot.cost=5ms hot.neighbours=19 \
		workload.duration=20s stall.at=5s stall.for=2s stall.key=0 run.repeats=1 --out "$OUT"
	assert_success
	true_that "$(column "$OUT/cells.csv" neighbour_p99_ns) > 1.5e9 && $(column "$OUT/cells.csv" far_p99_ns) < 30e6"
	run awk -F, '$3 == "neighbour" && $4 == "p99" && $5 == "hol" && $6 == "paused" { sum += $8 } END { print sum }' \
		"$OUT/ledger.csv"
	true_that "${lines[0]} > 1.2e9"
}

@test "four hot keys of a quarter each: together their queue diverges, spread it does not" {
	run holbench simulate dispatch.design=shared,partition hot.keys=4 hot.load=1 hot.placement=together,spread \
		run.repeats=1 --out "$OUT"
	assert_success
	true_that "$(row 'v("hot.placement") == "together" && v("dispatch.design") == "partition"' victim_p99_ns) > 2e9"
	true_that "$(row 'v("hot.placement") == "spread" && v("dispatch.design") == "partition"' victim_p99_ns) < 1e9"
	assert_output --regexp 'fullest queue is offered the work of 1\.2[0-9]* workers: 4 hot keys of 0\.25 each'
}

@test "the wait for a slot has a column of its own where there are resources" {
	local words=(workload.rate=50/s workload.duration=10s run.repeats=1 hot.keys=0)
	local share

	run holbench simulate "${words[@]}" workload.cost=5ms --out "$OUT"
	refute_line --partial contd
	# Bursts of 10 for 5 ms in one slot: the last of them waits for 45 ms.
	run holbench simulate "${words[@]}" 'workload.steps=wait 1ms + call db 5ms' resource.db.capacity=1 workload.jitter=0% \
		workload.arrivals=burst burst.every=200ms workers.count=16 --out "$OUT-2"
	assert_line --regexp ' work contd rest unkn'
	assert_line --regexp ' 6\.00  45\.0    0    0 '
	share=$(holbench simulate "${words[@]}" 'workload.steps=call db 5ms' resource.db.capacity=50 --json --out "$OUT-3" |
		grep -A2 p99_band_contended_ns)
	assert_regex "$share" '"median": 0'
}

@test "the fullest queue is named with its load where there is one design, and where the designs do not part" {
	local words=(hot.keys=4 hot.load=1 run.repeats=1)

	run holbench simulate dispatch.design=partition "${words[@]}" --out "$OUT"
	assert_line --regexp '^The fullest queue is offered the work of 1\.2[0-9]* workers: 4 hot keys of 0\.25 each and what else comes there\.$'
	run holbench simulate dispatch.design=partition hot.placement=spread,together "${words[@]}" --out "$OUT-2"
	assert_line --regexp '^The fullest queue at hot\.placement=together is offered the work of 1\.2'
	run holbench simulate dispatch.design=jsq,shared "${words[@]}" hot.load=0.1 --out "$OUT-3"
	assert_line --partial 'The designs do not part'
	assert_line --regexp '^The fullest queue at dispatch\.design=jsq is offered the work of 0\.[0-9]* workers\.$'
	# One queue for all is not full or empty beside others.
	run holbench simulate dispatch.design=shared "${words[@]}" --out "$OUT-4"
	refute_output --partial 'fullest queue'
}

@test "sentences that are too many to be said are said to be missing" {
	local at

	at=$(seq -s, 1 12 | sed 's/[0-9]*/&s/g')
	run holbench simulate reassign reassign.commit=before "reassign.at=$at" run.repeats=1 --out "$OUT"
	assert_success
	assert_equal "$(grep -c '^When the partitions moved' <<<"$output")" 6
	assert_line 'There is more to say of these cells: see cells.csv.'
	# One that finds nobody any more is no finding.
	run holbench simulate reassign-quick reassign.commit=before reassign.at=500s,1s run.repeats=1 --out "$OUT-late"
	assert_line --partial 'reassign.at = 500s is not before the last arrival'
	assert_equal "$(grep '^When the partitions moved' <<<"$output" | cut -d, -f1)" \
		'When the partitions moved at reassign.at=1s'
}

@test "calls at the very beginning are calls as well: waiting for a slot, then in it" {
	local executor words=('workload.steps=call db 1s' workload.jitter=0% workload.keys=4 hot.keys=0 workload.rate=4/s
		workload.duration=1s workload.arrivals=burst burst.every=1s resource.db.capacity=1 run.repeats=1)

	for executor in thread async; do
		holbench simulate "${words[@]}" "dispatch.executor=$executor" --out "$OUT-$executor"
		run holbench explain "$OUT-$executor" --worst 1
		assert_line --regexp '^item 3 .* latency 4000\.000 ms$'
		assert_line --regexp '^  blocked +1000\.000$'
		assert_line --regexp '^  contended +3000\.000 +db: key [0-9]+ 1000\.000'
	done
}

@test "items that end at the same instant violate no order" {
	run holbench simulate consumer workload.keys=100 workload.jitter=0% workload.partitions=2 --out "$OUT"
	assert_equal "$(grep -cE '^(shared|key|key:partition|partition) +yes yes +yes +yes$' <<<"$output")" 4
}

# A stretch of history for each of them and each pause would be 90 MB.
@test "pauses over a backlog of light threads take memory as the items do, not as items times pauses" {
	ulimit -v 60000
	run holbench simulate dispatch.executor=async dispatch.design=shared workers.count=1 'workload.steps=wait 1ms + cpu 4ms' \
		workload.rate=800/s workload.duration=2s pause.every=20ms pause.for=10ms run.repeats=1 --out "$OUT"
	assert_success
	# Of 20 ms the carrier serves for 12, since what has begun goes on, and is held up for 8.
	awk -F, '$3 == "all" && $4 == "all" && $5 == "paused" { paused += $8 }
		$3 == "all" && $4 == "all" && $5 == "carrier" { carrier += $8 }
		END { print paused, carrier; exit !(paused > 0.6 * carrier && paused < 0.7 * carrier) }' "$OUT/ledger.csv"
}
