#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2030,SC2031,SC2154  # each test has its own output; run --separate-stderr sets stderr
# A machine with cgroup v1 only. The VM has v2: it is taken down, for good, and v1 mounted in its place.

load ../helpers
load ../doctor

bats_require_minimum_version 1.5.0

setup_file()
{
	require_vm
	local pid pids

	mapfile -t pids </sys/fs/cgroup/session/cgroup.procs
	for pid in "${pids[@]}"; do
		echo "$pid" >/sys/fs/cgroup/cgroup.procs
	done
	echo '-cpu' >/sys/fs/cgroup/cgroup.subtree_control
	rmdir /sys/fs/cgroup/session
	umount /sys/fs/cgroup
	mount -t tmpfs tmpfs /sys/fs/cgroup
	mount_v1 cpu,cpuacct
	# A kernel may be built without it.
	mount_v1 cpuset || rmdir /sys/fs/cgroup/cpuset
}

# The controller is free once the kernel has forgotten the last group of v2.
mount_v1()
{
	local tries=50

	mkdir "/sys/fs/cgroup/$1"
	while ! mount -t cgroup -o "$1" cgroup "/sys/fs/cgroup/$1"; do
		((tries--)) || return
		sleep 0.1
	done 2>/dev/null
}

setup()
{
	common_setup
}

LIGHT=(workload.rate=100/s workload.duration=1s workload.cost=2ms workers.count=1 run.repeats=1
	run.late_gate=1000%)

@test "doctor says that it is v1, and what is lost" {
	run holbench doctor
	assert_success
	assert_state cgroups limited
	assert_line --regexp '^cgroups +limited +the cpu controller is in v1, at /sys/fs/cgroup/cpu,cpuacct$'
	assert_line --partial 'mend: boot with systemd.unified_cgroup_hierarchy=1'
	assert_state 'own cgroups' ok
	assert_state cpuacct ok
}

@test "a run with the probe and a quota works, and its throttled time is the kernel's account" {
	# Five periods an item: a part of one can pass without a throttle, where the quota before the period's
	# end and that after it follow each other.
	run holbench run --quiet "${LIGHT[@]}" workload.work=cpu workload.cost=100ms workload.rate=1/s \
		workload.duration=4s workers.cpu_max=20ms/100ms --out "$OUT"
	assert_success
	awk -F, '$3 == "all" && $4 == "all" && $5 == "throttled" { ns += $8 }
		END { print ns / 1e6, "ms throttled an item"; exit !(ns > 20e6) }' "$OUT/ledger.csv"
	run column "$OUT/cells.csv" check_throttled_ratio
	echo "$output"
	awk -v r="$output" 'BEGIN { exit !(r != "" && r <= 0.02) }'
}

# isolated_as_doctor_says: `run` is isolated, or fails with what doctor found of the cpuset controller.
isolated_as_doctor_says()
{
	local found
	run holbench doctor
	found=$(sed -n 's/^cpuset  *limited  //p' <<<"$output")
	run --separate-stderr holbench run --quiet "${LIGHT[@]}" noise.kind=cpu place.isolation=isolated --out "$OUT"
	if [[ -z $found ]]; then
		assert_success
		return
	fi
	assert_failure 1
	assert_equal "$stderr" "holbench: place.isolation = isolated: $found; run with place.isolation = shared; run holbench doctor"
}

@test "isolation works, if v1 has the controller for it" {
	isolated_as_doctor_says
}

@test "without a hierarchy for cpusets: run fails with the doctor's words" {
	umount /sys/fs/cgroup/cpuset 2>/dev/null || true
	isolated_as_doctor_says
	assert_regex "$stderr" 'no v1 hierarchy has the cpuset controller'
}
