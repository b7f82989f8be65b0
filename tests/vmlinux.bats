#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The kernel types that the probe reads, against the kernel that it runs on.

setup()
{
	object=${BUILD:-build}/bpf/probe.o
	check=$BATS_TEST_DIRNAME/../vmlinux/check
}

@test "vmlinux: this kernel has every field that the probe needs" {
	[ -r /sys/kernel/btf/vmlinux ] || skip "no BTF"
	run "$check" "$object"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *" 0 missing" ]]
	[[ $output != *"missing:"* ]]
}

@test "vmlinux: a kernel without a field is told, and the field named" {
	# The object's own types as the kernel's: no tracepoints, and of task_struct only its plain fields.
	run "$check" "$object" "$object"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"missing: this kernel has no tracepoint sched_switch"* ]]
	[[ $output == *"optional: this kernel has no task_struct.throttled"* ]]
	[[ $output != *"task_struct.comm"* ]]
}

@test "vmlinux: an object without kernel types is not passed" {
	command -v clang >/dev/null || skip "no clang"
	printf 'int holbench_probe_nothing;\n' >"$BATS_TEST_TMPDIR/none.c"
	clang -g -O2 -target bpf -c -o "$BATS_TEST_TMPDIR/none.o" "$BATS_TEST_TMPDIR/none.c"
	run "$check" "$BATS_TEST_TMPDIR/none.o" "$object"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"no kernel types"* ]]
}

@test "vmlinux: an object that is not there is an error with its name" {
	run "$check" "$BATS_TEST_TMPDIR/absent.o"
	[ "$status" -eq 2 ]
	[[ $output == *"absent.o"* ]]
}
