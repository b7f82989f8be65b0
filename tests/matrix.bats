#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tools/vm with several kernels: what tests/run makes of their streams, and that none outlives the tools.

load helpers
load vm

setup()
{
	vm_setup
}

# matrix CPUS KERNEL…: on a machine of so many CPUs.
matrix()
{
	printf '#!/bin/sh\necho %d\n' "$1" >bin/nproc
	chmod +x bin/nproc
	cp "$HOLBENCH_TOP"/tests/{run,tap.awk,skips,floor} tests/
	shift
	: >one
	: >other
	run timeout -s KILL 60 tools/vm matrix "$@"
}

@test "two at once: each stream is whole, and the one that fails is named" {
	machine <<-'END'
		name=one
		[[ $* == *other* ]] && name=other
		echo "$token up 6.99"
		echo "ok 1 - $name begins"
		touch "$name.runs"
		for i in {1..100}; do
			[[ -e one.runs && -e other.runs ]] && break
			sleep 0.1
		done
		((i < 100)) || exit
		for i in {2..9}; do
			echo "ok $i - $name goes on"
			sleep 0.05
		done
		[[ $name == one ]] && echo 'not ok 10 - bad' && printf '%s\n' 1..10 "$token status 1" && exit
		printf '%s\n' 'ok 10 - good' 1..10 "$token status 0"
	END
	matrix 2 ./one ./other
	assert_failure 1
	assert_line --regexp '^# vm: started Linux \./one;'
	assert_line --regexp '^# vm: started Linux \./other;'
	assert_line --regexp '^# vm: Linux 6\.99, tcg: passed, [0-9]+ s$'
	assert_line --regexp '^# vm: Linux 6\.99, tcg: FAILED, [0-9]+ s$'
	assert_line --regexp '^not ok [0-9]+ - vm-one: bad$'
	assert_line '# FAILED: 1 in vm-one'
	refute_line --partial 'in vm-other'
	assert_equal "${lines[${#lines[@]} - 1]}" '19 passed, 1 failed, 0 skipped'
	# Where one's lines end, the other's begin.
	run awk '{ sub(/:/, "", $4) } /ok [0-9]+ - vm-/ && $4 != last { last = $4; n++ } END { print n }' \
		<<<"$(printf '%s\n' "${lines[@]}" | sed 's/^not ok/ok/')"
	assert_output 2
}

@test "one at once where there is one CPU, and a failure does not end the matrix" {
	machine <<-'END'
		mkdir running || exit 1
		sleep 0.5
		rmdir running
		[[ $* == *other* ]] || exit 1
		printf '%s\n' "$token up 6.99" 'ok 1 - a' 1..1 "$token status 0"
	END
	matrix 1 ./one ./other
	assert_failure 1
	assert_line --partial 'vm-one: Linux ./one: the VM ended before its tests began'
	assert_line --regexp '^ok [0-9]+ - vm-other: a$'
	refute_line --partial 'in vm-other'
}

@test "a matrix with a kernel that cannot be had fails" {
	machine <<-'END'
		printf '%s\n' "$token up 6.99" 'ok 1 - a' 1..1 "$token status 0"
	END
	matrix 2 ./one ./nothing
	assert_failure 1
	assert_line 'ok 2 - vm-one: a'
	assert_line --partial 'SKIPPED, and not on the list in tests/skips: vm-nothing'
}

@test "two kernels whose logs would be one file: one line, and nothing boots" {
	machine <<<'exit 1'
	mkdir a
	touch a/b a-b
	local kernels
	for kernels in './one one' '6.99 6.99' './a/b ./a-b ./other'; do
		# shellcheck disable=SC2086  # words
		matrix 2 $kernels
		assert_failure 2
		assert_output --regexp "^tests/run: two kernels of '$kernels' would share the name vm-[^ ]+: name each once, or copy one elsewhere\$"
	done
	assert_file_not_exist arguments
}

@test "a matrix that is interrupted leaves no VM behind" {
	machine <<-'END'
		echo "$token up 6.99"
		echo $$ >>pids
		sleep 54
		echo survived >>pids
	END
	matrix 2 ./none
	local signal pids i
	# The tool that is killed may be tests/run, or what the VMs hang on.
	for signal in INT TERM KILL each; do
		rm -f pids
		# A background job of bash does not hear SIGINT, if it is not told to.
		HOLBENCH_VM_LIMIT=600 env --default-signal=INT tools/vm matrix ./one ./other >out 2>&1 3>&- &
		for ((i = 0; i < 100; i++)); do
			[[ -e pids && $(wc -l <pids) == 2 ]] && break
			sleep 0.1
		done
		mapfile -t pids <pids
		assert_equal "${#pids[@]}" 2
		if [[ $signal == each ]]; then
			kill -KILL "$(pgrep -P $! -f 'tools/vm each')"
		else
			kill -"$signal" $!
		fi
		wait $! || true
		for ((i = 0; i < 50; i++)); do
			kill -0 "${pids[0]}" 2>/dev/null || kill -0 "${pids[1]}" 2>/dev/null || break
			sleep 0.1
		done
		run cat pids
		refute_output --partial survived
		refute kill -0 "${pids[0]}"
		refute kill -0 "${pids[1]}"
	done
}
