#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The sources' other systems on real threads, at a tenth of their times: the same counts, and nearly the same times.
# timeout: 600, for what is measured again

load helpers

bats_require_minimum_version 1.5.0

# What else the machine does may take a CPU for a while: a time that is off is measured again.
export BATS_TEST_RETRIES=2

setup()
{
	common_setup
	require_bpf
}

# cells NAME...: these columns of every row.
cells()
{
	awk -F, -v names="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, want, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[want[i]], i < n ? " " : "\n" }' "$OUT/cells.csv"
}

# live PRESET [WORD...]: a sweep, all of it valid, every item accounted for.
live()
{
	rm -rf "$OUT"
	run holbench sweep "$@" --quiet --out "$OUT"
	assert_success
	cells items_due succeeded failed timed_out refused lost check_little_ratio | while read -r due ok failed out refused lost little; do
		assert_equal "$due" "$((ok + failed + out + refused + lost))"
		true_that "$little < 0.001" || fail "Little's law is off by $little"
	done
}

# near NS WANTED PERCENT
near()
{
	awk -v got="$1" -v want="$2" -v percent="$3" \
		'BEGIN { d = got / want - 1; exit !(d <= percent / 100 && d >= -percent / 100) }' ||
		fail "$1 ns is not within $3 % of $2"
}

@test "pools: the source's counts, its times within 5 %, and as many threads as there are carriers" {
	local executor limit ok out ns threads

	live pools-quick
	while read -r executor limit ok out ns threads; do
		case $executor-$limit in
		async-none)
			assert_equal "$ok $out" '200 800'
			near "$ns" 500000000 5
			;;
		*)
			assert_equal "$ok $out" '1000 0'
			near "$ns" 3000000000 5
			;;
		esac
		case $executor in
		thread) assert_equal "$threads" 101 ;;
		async) assert_equal "$threads" 11 ;; # 10 carriers and the generator
		esac
	done < <(cells dispatch.executor dispatch.limit succeeded timed_out victim_max_ns threads_peak)
}

@test "consumer: the times of the source within 3 %" {
	local design partitions ns want

	live consumer run.time_scale=0.1 workload.jitter=0% dispatch.design=shared,key,key:partition
	while read -r design partitions ns; do
		want=5000000000
		[[ $design == key:partition && $partitions == 1 ]] && want=10000000000
		near "$ns" "$want" 3
	done < <(cells dispatch.design workload.partitions victim_max_ns)
}

@test "reassign: before only loses, after only repeats" {
	local commit lost repeated

	live reassign-quick
	while read -r commit lost repeated; do
		case $commit in
		before) ((lost > 0 && lost <= 4 && repeated == 0)) ;;
		after) ((lost == 0 && repeated > 0 && repeated <= 4)) ;;
		interval:3s) ((lost == 0 && repeated > 4)) ;;
		esac
	done < <(cells reassign.commit lost repeated)
}

# verdict REPLICAS: the line of the comparison that says what made the difference.
verdict()
{
	holbench compare "$OUT" --by place.isolation | grep "^shared against isolated at workers.replicas=$1: p95"
}

# The median of three: whoever else takes the CPU for 30 ms leaves one replica, which has 5 % to spare, a queue of seconds.
@test "replicas: a noisy neighbour is 3 times as bad for one as for three, nothing if isolated, and compare says why" {
	local replicas place p95
	local -A at

	live replicas-quick noise.kind=cpu run.repeats=3
	while read -r replicas place p95; do
		at[$place-$replicas]=$p95
	done < <(cells workers.replicas place.isolation victim_p95_ns)
	((at[shared-1] >= 3 * at[shared-3])) || fail "shared: ${at[shared-1]} with one, ${at[shared-3]} with three"
	near "${at[isolated-1]}" "${at[isolated-3]}" 15
	run verdict 1
	assert_output --regexp 'run-queue wait, [0-9]+ % of that behind the noise and [0-9]+ % behind workers that it held'
	assert_output --partial 'an artefact of placement, not of the design'
	run verdict 3
	assert_output --regexp ': [0-9]+ % of the difference is run-queue wait, .*behind the noise.*artefact of placement'
}
