#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr
# A locked-down kernel. There is no way back, so this is what a VM runs last: kernel_lockdown(7).

load ../helpers
load ../doctor

bats_require_minimum_version 1.5.0

setup()
{
	common_setup
	require_vm
}

@test "lockdown=integrity: BPF may still read, and a run works" {
	echo integrity >/sys/kernel/security/lockdown
	run holbench doctor
	assert_success
	assert_line --regexp '^lockdown +ok +none \[integrity\] confidentiality$'
	holbench run --quiet workload.duration=200ms run.repeats=1 run.late_gate=1000% --out "$OUT"
}

@test "lockdown=confidentiality: doctor says so, and run fails with the same words" {
	echo confidentiality >/sys/kernel/security/lockdown
	run holbench doctor
	assert_failure 1
	assert_state lockdown missing
	assert_line --partial 'mend: boot with lockdown=integrity'
	assert_line --regexp '^live run +missing .*lockdown=confidentiality.*boot with lockdown=integrity'
	run_fails_so holbench run --out "$OUT"
}

@test "locked down, without the probe: a run works, and says n/m, not measured" {
	run holbench run --no-bpf workload.duration=200ms run.repeats=1 run.late_gate=1000% --out "$OUT"
	assert_success
	assert_line --regexp '^n/m: not measured \(no probe'
}
