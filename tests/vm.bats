#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tools/vm: how it judges what a VM says and how it ends.

load helpers
load vm

setup()
{
	vm_setup
}

vm_test()
{
	run tools/vm test ./kernel "$@"
}

# boots: the machine has written its pid, in ten seconds.
boots()
{
	local i

	for ((i = 0; i < 100; i++)); do
		[[ -s pid ]] && return
		sleep 0.1
	done
	fail 'nothing has booted'
}

# ends: that machine is gone, in five.
ends()
{
	local i

	for ((i = 0; i < 50; i++)); do
		kill -0 "$(<pid)" 2>/dev/null || return 0
		sleep 0.1
	done
	fail "the machine goes on: $(<pid)"
}

@test "all well: TAP comes through, tests are counted, and the token is not shown" {
	machine <<-'END'
		echo "$token up 6.99"
		printf 'ok 1 - a\nok 2 - b # skip no such thing\n1..2\n1 passed, 0 failed, 1 skipped\n'
		echo "$token status 0"
	END
	vm_test
	assert_success
	assert_line 'ok 1 - a'
	assert_line '# vm: 1 tests executed, 1 skipped'
	assert_line --regexp '^# vm: Linux 6\.99, tcg: passed'
	refute_output --partial "status 0"
	# An old QEMU, as this one says it is, translates code in one thread.
	run cat arguments
	assert_output --partial 'tcg,thread=single'
	assert_output --partial 'hb_tests=live'
	assert_output --partial 'HOLBENCH_SLOW=1'
}

@test "the tests' own status counts, whatever their lines say" {
	machine <<-'END'
		printf '%s\n' "$token up 6.99" 'ok 1 - a' 1..1 "$token status 1"
	END
	vm_test
	assert_failure 1
	assert_line --regexp '^# vm: Linux 6\.99, tcg: FAILED'
}

@test "a status without the token is a test's talk" {
	machine <<-'END'
		printf '%s\n' "$token up 6.99" 'ok 1 - a' 1..1 'status 0' 'holbench1 status 0'
	END
	vm_test
	assert_failure 1
	assert_line --partial 'the VM ended before its tests did'
}

@test "a panic is told, and the end of the console" {
	machine <<-'END'
		echo "$token up 6.99"
		echo 'ok 1 - a'
		printf 'last words\r\n[ 1.0] Kernel panic - not syncing: Fatal exception\r\n' >"$console"
	END
	vm_test
	assert_failure 1
	assert_line 'not ok - Linux ./kernel: Kernel panic - not syncing: Fatal exception'
	assert_line '#   last words'
	assert_file_contains b/vm/console-kernel.log 'last words'
}

# stale_code TIMES: the first boots end in the known oops, the next is well.
stale_code()
{
	machine <<-END
		echo "\$token up 6.99"
		echo 'ok 1 - a'
		echo x >>boots
		if ((\$(wc -l <boots) <= $1)); then
			printf '[ 9.0] ${2:-all is well}\n[ 9.1] Oops: int3: 0000 [#1] SMP NOPTI\n' >"\$console"
			printf '[ 9.2] Kernel panic - not syncing: Fatal exception\n' >>"\$console"
			exit 1
		fi
		printf '%s\n' 'ok 2 - b' 1..2 "\$token status 0"
	END
}

@test "a breakpoint that is not there any more: emulated, it boots once more, and says so" {
	stale_code 1
	vm_test
	assert_success
	assert_line --regexp '^# again: Linux ./kernel met a breakpoint .* does not count'
	assert_line '# vm: 2 tests executed, 0 skipped'
	assert_file_contains b/vm/console-kernel.log.first 'Oops: int3'
	run wc -l <boots
	assert_output 2
}

@test "a second such panic fails, and so does what was said before the first" {
	stale_code 2
	vm_test
	assert_failure 1
	assert_line 'not ok - Linux ./kernel: Kernel panic - not syncing: Fatal exception'
	rm boots
	stale_code 1 'WARNING: CPU: 0 PID: 7 at kernel/a.c:5'
	vm_test
	assert_failure 1
	assert_line 'not ok - Linux ./kernel: the kernel said: WARNING: CPU: 0 PID: 7 at kernel/a.c:5'
}

@test "what the kernel warns of fails, unless it is listed with a reason" {
	machine <<-'END'
		printf '%s\n' "$token up 6.99" 'ok 1 - a' 1..1 "$token status 0"
		printf '[ 1.000] all is well\r\n[    2.5] WARNING: CPU: 0 PID: 7 at kernel/a.c:5 a+0x1/0x2\r\n' >"$console"
	END
	vm_test
	assert_failure 1
	assert_line 'not ok - Linux ./kernel: the kernel said: WARNING: CPU: 0 PID: 7 at kernel/a.c:5 a+0x1/0x2'
	assert_line --regexp '^# vm: Linux 6\.99, tcg: FAILED'
	printf '%s\n' '# of lists' '^WARNING: .* at kernel/b\.c  another' >tests/vm/console
	vm_test
	assert_failure 1
	echo '^WARNING: .* at kernel/a\.c  an emulated clock' >>tests/vm/console
	vm_test
	assert_success
	assert_line --partial 'what tests/vm/console lists: WARNING: CPU: 0'
}

@test "a kernel that does not boot, and one that hangs" {
	export HOLBENCH_VM_LIMIT=1
	machine <<<'echo nothing; exec sleep 30'
	vm_test
	assert_failure 1
	assert_line --regexp 'not ok - .*: still running after [1-5] s, and not booted'
	machine <<-'END'
		echo "$token up 6.99"
		exec sleep 30
	END
	vm_test
	assert_failure 1
	assert_line --regexp 'not ok - .*: still running after [1-5] s$'
}

@test "a VM that says nothing at all" {
	machine <<<'echo "qemu: no such kernel" >&2; exit 1'
	vm_test
	assert_failure 1
	assert_line 'qemu: no such kernel'
	assert_line --partial 'the VM ended before its tests began'
}

@test "tests that vanish: between plan and lines, and below the floor" {
	machine <<-'END'
		printf '%s\n' "$token up 6.99" 'ok 1 - a' 1..2 "$token status 0"
	END
	vm_test
	assert_failure 1
	assert_line --partial 'planned 2 tests, saw 1'
	machine <<-'END'
		printf '%s\n' "$token up 6.99" 'ok 1 - a' 1..1 "$token status 0"
	END
	echo 2 >tests/vm/floor
	vm_test
	assert_failure 1
	assert_line --partial 'at least 2 are wanted'
	# The floor is that of all tests.
	vm_test live
	assert_success
}

@test "a new bats file runs, one that is listed with a minus does not" {
	touch tests/new.bats tests/old.bats tests/named.bats
	printf '%s\n' live named.bats gone.bats '- old.bats  needs a compiler' >tests/vm/tests
	machine <<-'END'
		printf '%s\n' "$token up 6.99" 'ok 1 - a' 1..1 "$token status 0"
	END
	vm_test
	assert_success
	run grep -oE 'hb_tests=[^ ]*' arguments
	assert_output 'hb_tests=tests/new.bats,live,tests/named.bats'
}

@test "a test file that is not there: one line, and nothing boots" {
	machine <<<'exit 1'
	local wrong
	for wrong in tests/nosuch.bats nosuch.bats build/nosuch; do
		vm_test live "$wrong"
		assert_failure 2
		assert_output "tools/vm: there is no file '$wrong': name it from the top of the tree, such as tests/cli.bats"
	done
	assert_file_not_exist arguments
	# Inside, BUILD is build.
	touch tests/a.bats b/a
	machine <<<'exit 1'
	vm_test tests/a.bats build/a live
	assert_failure 1
	assert_file_exist arguments
}

@test "a limit that is no number of seconds: one line, and nothing boots" {
	machine <<<'exit 1'
	local limit
	for limit in abc 0 -1 1.5 5s; do
		HOLBENCH_VM_LIMIT=$limit vm_test
		assert_failure 2
		assert_output "tools/vm: HOLBENCH_VM_LIMIT is '$limit': a whole number of seconds is wanted, from 1 to 9999999"
	done
	assert_file_not_exist arguments
}

@test "a VM ends with tools/vm, whatever that is ended by, and without a word" {
	machine <<-'END'
		echo "$token up 6.99"
		echo $$ >pid
		sleep 54
		echo survived >>pid
	END
	local signal
	for signal in KILL HUP; do
		rm -f pid
		HOLBENCH_VM_LIMIT=600 env --default-signal=HUP tools/vm test ./kernel >out 2>err 3>&- &
		boots
		kill -"$signal" $!
		wait $! || true
		ends
		assert_equal "$(<err)" ''
	done
}

@test "a shell's VM ends with tools/vm, too" {
	machine <<<'echo $$ >pid; exec sleep 54'
	tools/vm shell ./kernel >out 2>&1 3>&- &
	boots
	kill -0 "$(<pid)"
	kill -KILL $!
	wait $! || true
	ends
}

@test "a tree that is not built: one line" {
	cp "$HOLBENCH_TOP/tools/vm-initramfs" tools/
	run tools/vm-initramfs b/vm/initramfs
	assert_failure 1
	assert_output 'tools/vm-initramfs: b is not built: run make test-vm'
	assert_not_exist b/vm
}

@test "a kernel that cannot be had: one line that says what can be given" {
	run tools/vm-kernel ./nothing
	assert_failure 1
	assert_line "tools/vm-kernel: no kernel image './nothing' that can be read; a series is X.Y, such as 6.12"
	local tool
	for tool in bash env dirname uname; do
		ln -s "$(command -v "$tool")" "bin/$tool"
	done
	run env PATH="$PWD/bin" tools/vm-kernel 6.12
	assert_failure 1
	assert_output --regexp 'comes as a Debian package, and there is no apt here: give KERNEL=PATH or KERNEL=host$'
	assert_equal "${#lines[@]}" 1
}

@test "a machine of another kind has no kernel for the VM" {
	printf '#!/bin/sh\necho aarch64\n' >bin/uname
	chmod +x bin/uname
	run tools/vm-kernel 6.99
	assert_failure 1
	assert_output 'tools/vm-kernel: the VM is an x86_64, and this machine is an aarch64'
}

@test "a kernel that is in the cache is not fetched" {
	mkdir -p cache/kernels/6.99
	: >cache/kernels/6.99/vmlinuz
	run tools/vm-kernel 6.99
	assert_success
	assert_output "$PWD/cache/kernels/6.99/vmlinuz"
}
