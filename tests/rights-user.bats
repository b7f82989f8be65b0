#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# Less than root: an ordinary user who was given capabilities and a cgroup; and that what cannot be had with
# less is said.

load helpers
load rights

bats_require_minimum_version 1.5.0

setup()
{
	rights_setup
}

teardown()
{
	rights_teardown
}

@test "an ordinary user's capabilities go the same way, and the noise command does not get them" {
	delegate
	begin inside as_user "$FOUR" "$HOLBENCH_BUILD/holbench" run 'noise.command=exec sleep 1000'
	assert_all_bare "$NOBODY"
	assert_equal "$(of "/proc/$parent" CapEff)" "$(bits)"
	end
	nothing_left
}

@test "an ordinary user with four capabilities and a delegated group: every placement, with the probe" {
	local kind

	delegate
	run inside as_user "$FOUR" "$HOLBENCH_BUILD/holbench" doctor
	assert_success
	refute_line --regexp '^.{16} missing '
	assert_line --regexp "^own cgroups +ok +can be made below .*hbtest-$$"
	nothing_left
	for kind in shared weighted capped isolated; do
		[[ $kind != isolated || $(nproc) -gt 1 ]] || continue
		run_whole "$kind" inside as_user "$FOUR" "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" workers.cpus=0 \
			noise.kind=cpu "place.isolation=$kind"
		refute_line --partial 'memory is not locked'
		refute_line --partial 'not real-time'
		nothing_left
	done
	assert_file_contains shared/ledger.csv 'noise/burn\|burn'
	assert_file_contains isolated/manifest.json '"place.partition"'
}

@test "whoever was in the delegated group is there again afterwards, with controllers as before" {
	delegate
	# shellcheck disable=SC2016
	run inside as_user '' bash -c 'sleep 1000 & a=$!
		"$@" >/dev/null && "$@" --out two >/dev/null; echo "status $?"
		grep . /proc/$$/cgroup /proc/$a/cgroup; kill $a' - \
		"$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}" noise.kind=cpu workload.duration=200ms
	assert_line --regexp '^status [03]$'
	assert_equal "$(grep -c ":/hbtest-$$$" <<<"$output")" $((2 * ${#groups_made[@]}))
	nothing_left
}

@test "two runs at a time in one delegated group do not get in each other's way" {
	delegate
	# shellcheck disable=SC2016
	run inside as_user '' bash -c '"$@" workload.duration=8s --out one & sleep 0.5
		"$@" --out two; a=$?; wait $!; echo "status $a $?"' - \
		"$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}" noise.kind=cpu
	assert_line --regexp '^status [03] [03]$'
	nothing_left
}

@test "without a delegated group a user is told so by doctor and run, in the same words" {
	local words

	run as_user "$FOUR" "$HOLBENCH_BUILD/holbench" doctor
	assert_success
	words=$(sed -n 's/^own cgroups  *limited  *//p' <<<"$output")
	[[ -n $words ]] || fail "$output"
	run --separate-stderr as_user "$FOUR" "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" noise.kind=cpu --out result
	assert_failure 1
	assert_equal "$stderr" "holbench: $words; run holbench doctor"
	run_whole result as_user "$FOUR" "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}"
}

@test "a delegated group without cpuset: all but isolation works, and doctor foretells that in the run's words" {
	local words

	on_v2 || skip 'cgroup v1 has a hierarchy of their own for cpusets'
	delegate_cpu
	run inside as_user "$FOUR" "$HOLBENCH_BUILD/holbench" doctor
	assert_success
	assert_line --regexp "^own cgroups +ok +can be made below .*/hbtest-$$/own$"
	words=$(sed -n 's/^own cpusets  *limited  *//p' <<<"$output")
	assert_regex "$words" 'controllers cpu and cpuset'
	run --separate-stderr inside as_user "$FOUR" "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" \
		place.isolation=isolated noise.kind=cpu workers.cpus=0 --out isolated
	assert_failure 1
	assert_equal "$stderr" "holbench: $words; run holbench doctor"
	run_whole weighted inside as_user "$FOUR" "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" \
		place.isolation=weighted noise.kind=cpu
	nothing_left
}

# without NAME: the four but this.
without()
{
	tr , '\n' <<<"$FOUR" | grep -vx "+$1" | paste -sd,
}

@test "without CAP_BPF or CAP_PERFMON: no probe, and how to get it" {
	local cap words

	for cap in bpf perfmon; do
		run as_user "$(without $cap)" "$HOLBENCH_BUILD/holbench" doctor
		assert_failure 1
		assert_line --regexp "^CAP_${cap^^} +missing +not held$"
		assert_line --partial "mend: sudo holbench, or sudo systemd-run "
		words=$(sed -n 's/^live run  *missing  //p' <<<"$output")
		run --separate-stderr as_user "$(without $cap)" "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" --out result
		assert_failure 1
		assert_equal "$stderr" "holbench: $words; run holbench doctor"
	done
	assert_regex "$words" '^probe: .*CAP_BPF and CAP_PERFMON'
	run_whole result as_user '' "$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}"
	assert_equal "$(column result/cells.csv check_runqueue_waits)" ''
}

@test "without CAP_SYS_NICE: an ordinary generator, no lower nice, no real-time worker" {
	local less

	less=$(without sys_nice)
	run as_user "$less" "$HOLBENCH_BUILD/holbench" doctor
	assert_success
	assert_line --regexp '^CAP_SYS_NICE +limited +not held$'
	run_whole result as_user "$less" "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" workers.cpus=0
	assert_line --partial 'the generator is not real-time: Operation not permitted; run as root of the host or with CAP_SYS_NICE'
	run --separate-stderr as_user "$less" "$HOLBENCH_BUILD/holbench" run workers.nice=-5 --out no
	assert_failure 1
	assert_regex "$stderr" 'workers.nice = -5: refused: .*; run as root of the host or with CAP_SYS_NICE; run holbench doctor$'
	run --separate-stderr as_user "$less" "$HOLBENCH_BUILD/holbench" run workers.policy=fifo:1 --out no
	assert_failure 1
	assert_regex "$stderr" 'workers.policy: refused: .*; run as root of the host or with CAP_SYS_NICE'
}

@test "without CAP_IPC_LOCK: what is not locked is said; with it a small limit is no reason" {
	ulimit -l 64
	run_whole result as_user "$(without ipc_lock)" "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}"
	assert_line --partial 'memory is not locked (Cannot allocate memory): page faults may be measured'
	assert_line --partial 'with CAP_IPC_LOCK, or raise ulimit -l'
	run_whole locked as_user "$FOUR" "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" workload.rate=2000/s \
		workload.cost=100us workload.duration=3s
	refute_line --partial 'memory is not locked'
}
