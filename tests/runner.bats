#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tests/run: what it counts as a failure. It runs in a tree of its own, on programs that are scripts here.

load helpers

setup()
{
	common_setup
	mkdir -p tests/unit tests/vm tools b/tests
	cp "$HOLBENCH_TOP"/tests/{run,tap.awk,skips,floor} tests/
	echo 0 >tests/floor
	export BUILD=b KERNELS=6.99
	unset CI
}

# program NAME: a unit program that is the shell text on standard input.
program()
{
	[[ -e tests/unit/test_$1.c ]] || : >"tests/unit/test_$1.c"
	{ echo '#!/bin/sh' && cat; } >"b/tests/test_$1"
	chmod +x "b/tests/test_$1"
}

# vm: what tools/vm says of each KERNEL is what the shell text on standard input does, and every kernel can be had.
vm()
{
	{ echo '#!/bin/sh' && cat; } >tools/one
	cat >tools/vm <<-'END'
		#!/bin/sh
		[ "$1" = each ] && shift || exit 2
		for KERNEL; do
			export KERNEL
			echo "# vm: started $KERNEL"
			sh tools/one >"b/$(basename "$KERNEL")"
			printf 'ended\t%d\t%s\t%s\n' $? "$KERNEL" "b/$(basename "$KERNEL")"
		done
	END
	printf '#!/bin/sh\n' >tools/vm-kernel
	chmod +x tools/vm tools/vm-kernel
}

last_line()
{
	assert_equal "${lines[${#lines[@]} - 1]}" "$1"
}

@test "the sum is the last line, numbers run on from program to program" {
	program a <<<'echo "ok 1 - first"; echo "ok 2 - second"; echo 1..2'
	program b <<<'echo 1..1; echo "ok 1 - third"'
	run tests/run unit
	assert_success
	assert_line 'ok 3 - test_b: third'
	last_line '3 passed, 0 failed, 0 skipped'
}

@test "a failed test fails the run, and what the program said is shown" {
	program a <<<'echo "not ok 1 - wrong"; echo "# at line 7"; echo because >&2; echo 1..1; exit 1'
	run tests/run unit
	assert_failure 1
	assert_line '# at line 7'
	assert_line '# because'
	last_line '0 passed, 1 failed, 0 skipped'
}

@test "a crash is a failure" {
	program a <<<'echo "ok 1 - first"; kill -SEGV $$'
	run tests/run unit
	assert_failure 1
	assert_output --partial 'killed by signal 11 (SEGV)'
	last_line '1 passed, 1 failed, 0 skipped'
}

@test "an exit status without a failed test is a failure" {
	program a <<<'echo "ok 1 - first"; echo 1..1; exit 4'
	run tests/run unit
	assert_failure 1
	assert_output --partial 'exit status 4 without a failed test'
}

@test "a missing plan, a wrong one and a second one are failures" {
	program a <<<'echo "ok 1 - first"'
	program b <<<'echo "ok 1 - first"; echo 1..2'
	program c <<<'echo 1..1; echo "ok 1 - first"; echo 1..1'
	run tests/run unit
	assert_failure 1
	assert_output --partial 'test_a: no plan'
	assert_output --partial 'test_b: planned 2 tests, ran 1'
	assert_output --partial 'test_c: two plans'
	last_line '3 passed, 3 failed, 0 skipped'
}

@test "a program that was not built is a failure" {
	: >tests/unit/test_gone.c
	run tests/run unit
	assert_failure 1
	last_line '0 passed, 1 failed, 0 skipped'
}

@test "a program that hangs is ended after the time its source allows" {
	echo '/* timeout: 1 */' >tests/unit/test_a.c
	program a <<<'sleep 60'
	run tests/run unit
	assert_failure 1
	assert_output --partial 'still running after 1 s'
}

@test "a process that is left behind does not hold the run up, and is gone" {
	program a <<<'sleep 54321 & echo "ok 1 - first"; echo 1..1'
	run timeout -s KILL 20 tests/run unit
	assert_success
	last_line '1 passed, 0 failed, 0 skipped'
	run pgrep -f 'sleep 54321'
	assert_failure
}

@test "what a program says is seen at once, not at its end" {
	program a <<<'echo "ok 1 - first"; sleep 6; echo 1..1'
	timeout -s KILL 3 tests/run unit >out 3>&- || true
	assert_file_contains out '^ok 1 - test_a: first$'
}

@test "a skip passes by hand, fails in CI, passes there when it is listed" {
	program a <<<'echo "ok 1 - runs"; echo "ok 2 - live # skip no kernel here"; echo 1..2'
	run tests/run unit
	assert_success
	assert_line --partial 'SKIPPED, and not on the list'
	last_line '1 passed, 0 failed, 1 skipped'
	CI=true run tests/run unit
	assert_failure 1
	echo 'test_a: live # skip no kernel  CI has none' >>tests/skips
	CI=true run tests/run unit
	assert_success
	refute_line --partial 'SKIPPED'
}

@test "a program that skips everything says so in its plan" {
	program a <<<'echo "1..0 # SKIP needs root"'
	program b <<<'echo "ok 1 - runs"; echo 1..1'
	run tests/run unit
	assert_success
	last_line '1 passed, 0 failed, 1 skipped'
}

@test "fewer tests than the floor is a failure of a run of everything" {
	require_root
	program a <<<'echo "ok 1 - first"; echo 1..1'
	echo 2 >tests/floor
	printf '#!/bin/sh\necho 1..0\n' >tests/style
	chmod +x tests/style
	# A VM's tests do not fill up what is missing here.
	vm <<<'echo "ok 1 - inside"; echo "ok 2 - inside"; echo 1..2'
	run tests/run
	assert_failure 1
	assert_output --partial '1 tests ran, at least 2 are wanted'
	last_line '3 passed, 0 failed, 0 skipped'
	run tests/run unit
	assert_success
}

@test "the VM's tests are in the sum, of each kernel" {
	vm <<-'END'
		echo "ok 1 - on $KERNEL"
		echo "not ok - Linux $KERNEL: Kernel panic"
		echo 1..2
		exit 1
	END
	KERNELS='6.98 ./x/image' run tests/run vm
	assert_failure 1
	assert_line '# vm: started 6.98'
	assert_line 'ok 1 - vm-6.98: on 6.98'
	assert_line 'not ok 4 - vm-x-image: Linux ./x/image: Kernel panic'
	assert_line '# FAILED: 1 in vm-x-image'
	last_line '2 passed, 2 failed, 0 skipped'
}

@test "a VM of which nothing is heard is a failure" {
	vm <<-'END'
		kill -KILL $PPID
	END
	KERNELS='6.98 6.99' run tests/run vm
	assert_failure 1
	assert_line --partial 'of 2 of 2 VMs nothing was heard'
	last_line '0 passed, 1 failed, 0 skipped'
}

@test "a VM that booted once more: what it said before does not count" {
	vm <<<'echo "ok 1 - a"; echo "not ok 2 - b"; echo "# again: why"; echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2'
	run tests/run vm
	assert_success
	assert_line '# again: why'
	last_line '2 passed, 0 failed, 0 skipped'
}

@test "a kernel that cannot be had is a skip with its reason, and fails in CI" {
	program a <<<'echo "ok 1 - runs"; echo 1..1'
	vm <<<'echo "ok 1 - inside"; echo 1..1'
	printf '#!/bin/sh\necho "asking" >&2; echo "no network" >&2; exit 1\n' >tools/vm-kernel
	run tests/run unit vm
	assert_success
	assert_line --regexp '^ok 2 - vm-6.99: # SKIP no network$'
	last_line '1 passed, 0 failed, 1 skipped'
	CI=true run tests/run unit vm
	assert_failure 1
	KERNELS='' run tests/run unit vm
	assert_success
	assert_line --partial 'SKIP no kernel in KERNELS'
}

@test "a skip inside a VM is judged by the list of the VM" {
	vm <<<'echo "ok 1 - runs"; echo "ok 2 - a.bats: makes # skip no compiler"; echo 1..2'
	CI=true run tests/run vm
	assert_failure 1
	echo '^a.bats: makes  the VM has none' >tests/vm/skips
	CI=true run tests/run vm
	assert_success
	last_line '1 passed, 0 failed, 1 skipped'
}

@test "no tests at all is a failure" {
	run tests/run unit
	assert_failure 1
	last_line '0 passed, 0 failed, 0 skipped'
}

@test "a file that is not there, or a word that is no kind, is said before anything runs" {
	program a <<<'echo "ok 1 - first"; echo 1..1'
	local wrong
	for wrong in tests/nosuch.bats nosuch.bats b/tests/nosuch tests/unit; do
		run tests/run unit "$wrong"
		assert_failure 2
		assert_output "tests/run: there is no file '$wrong': name it from the top of the tree, such as tests/cli.bats"
	done
	run tests/run unit untit
	assert_failure 2
	assert_output --partial "'untit' is neither"
	assert_equal "${#lines[@]}" 1
	run tests/run b/tests/test_a
	assert_success
}
