#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# Placement and noise from the command line: what runs where, what is said when it cannot, and that nothing
# of it is left behind, however a run ends.

load helpers

bats_require_minimum_version 1.5.0

# Half a second of CPU work on one worker. The gate is as wide as can be: the machine may be busy.
LIGHT=(workload.rate=20/s workload.duration=500ms workload.cost=5ms workload.work=cpu workload.keys=8
	hot.load=0.1 hot.cost=5ms workers.count=1 run.repeats=1 run.late_gate=1000%)

setup()
{
	common_setup
	require_root
}

# orphans: noise whose run has died: built-in noise, and commands that carry this test's mark; and runs of
# this test.
orphans()
{
	local pid

	for pid in $(pgrep -x burn; pgrep -x burst; pgrep -x memory; pgrep -x fork); do
		# A zombie is init's to reap.
		[[ $(cut -d' ' -f3,4 "/proc/$pid/stat" 2>/dev/null) == [^Z]' 1' ]] && echo "$pid"
	done
	pgrep -f "sleep 98765[.]$$"
	pgrep -f -- "--out $OUT"
	true
}

# programs: the ids of our BPF programs that no process holds.
programs()
{
	comm -23 <(bpftool prog show | sed -n 's/^\([0-9]*\): .* name on_switch .*/\1/p' | sort) \
		<(sed -n 's/^prog_id:[ \t]*//p' /proc/[0-9]*/fdinfo/* 2>/dev/null | sort -u)
}

# soon COMMAND…: its output is empty now or within five seconds.
soon()
{
	local i

	for ((i = 0; i < 100; i++)); do
		[[ -z $("$@") ]] && return
		sleep 0.05
	done
	fail "$*: $("$@")"
}

notes()
{
	grep -A1 "\"name\": \"$2\"" "$1/manifest.json" | sed -n 's/.*"value": "\(.*\)".*/\1/p'
}

@test "shared without noise and without a quota makes no cgroup" {
	run holbench run --no-bpf "${LIGHT[@]}" --out "$OUT"
	assert_success
	run notes "$OUT" cgroup.name
	refute_output
}

@test "noise runs in a cgroup that culprits name, uses CPU, and is gone at the end" {
	require_bpf
	run holbench run "${LIGHT[@]}" workload.rate=100/s noise.kind=cpu --out "$OUT"
	assert_success
	assert_output --partial 'noise/burn'
	run notes "$OUT" noise_cpu_ns
	assert_output --regexp '^[0-9]{8,}$'
	run notes "$OUT" noise_idle
	refute_output
	soon groups
	soon orphans
}

@test "noise that gets no CPU marks its run" {
	# So that the noise need not read them from disk.
	sh -c 'exec sleep 0.01'
	run holbench run --no-bpf "${LIGHT[@]}" "noise.command=exec sleep 98765.$$" workload.duration=1s --out "$OUT"
	soon orphans
	# Emulated, starting a command is work: more than a thousandth of the time, maybe.
	if [[ -n ${HOLBENCH_SLOW:-} ]] && (($(notes "$OUT" noise_cpu_ns) * 1000 >= $(notes "$OUT" noise_wish_ns))); then
		refute_output --partial 'this is a run without noise'
		return
	fi
	assert_output --partial 'this is a run without noise'
	assert_equal "$(notes "$OUT" noise_idle)" 1
}

@test "isolated: no CPU for the noise, or the workers' own, is an error before anything starts" {
	local cpus
	cpus=$(taskset -pc $$ | sed 's/.*: //')
	run holbench run --no-bpf "${LIGHT[@]}" place.isolation=isolated "workers.cpus=${cpus//,/ }" --out "$OUT"
	assert_failure 2
	assert_output --partial 'place.isolation = isolated: no CPU is free of workers'
	run taskset -c "${cpus%%[,-]*}" "$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}" \
		place.isolation=isolated --out "$OUT"
	assert_failure 2
	assert_output --partial 'no CPU is free of workers'
	run holbench run --no-bpf "${LIGHT[@]}" noise.kind=cpu noise.cpus=1000 --out "$OUT"
	assert_failure 2
	assert_output --partial 'noise.cpus: CPU 1000 is not online'
	assert_not_exist "$OUT"
}

@test "without the right to make cgroups: one line that says the mend" {
	chmod 777 .
	run --separate-stderr as_nobody "$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}" noise.kind=cpu --out here
	assert_failure 1
	assert_regex "$stderr" 'need cgroups.*run as root'
	assert_equal "${#stderr_lines[@]}" 1
	assert_not_exist here
}

# dies WORDS COMMAND: a noise command that does not last.
dies()
{
	run --separate-stderr holbench run --no-bpf "${LIGHT[@]}" workload.duration=20s "noise.command=$2" --out "$OUT"
	assert_failure 1
	assert_regex "$stderr" "noise.command: .* $1.*noise-000-r0.log"
	assert_equal "${#stderr_lines[@]}" 1
	assert_not_exist "$OUT/cell-000-r0.hbt"
	soon groups
	soon orphans
}

@test "a noise command that does not exist" {
	dies 'ended with status 127 \(not found\)' /nonexistent/command
	assert_file_contains "$OUT/noise-000-r0.log" '/nonexistent/command'
}

@test "a noise command that ends at once, and its output" {
	dies 'ended with status 3' 'echo says so; exit 3'
	assert_file_contains "$OUT/noise-000-r0.log" '^says so$'
}

@test "a noise command that ends during the run leaves nothing of what it started" {
	dies 'ended with status 0' "sleep 98765.$$ & sleep 1"
}

@test "a noise command that is killed" {
	# shellcheck disable=SC2016  # for the command's shell
	dies 'was ended by signal 9' 'sleep 0.5; kill -9 $$'
}

@test "a noise command with children of its own goes with its run" {
	run holbench run --no-bpf "${LIGHT[@]}" "noise.command=sleep 98765.$$ & sleep 98765.$$ & wait" --out "$OUT"
	# 3: all that its command did, it had done before the run began.
	[[ $status == 0 || $status == 3 ]] || fail "status $status: $output"
	soon groups
	soon orphans
}

@test "Ctrl-C and SIGTERM: the groups and the noise are gone when holbench is" {
	local sig pid
	for sig in INT TERM; do
		"$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}" workload.duration=60s noise.kind=fork \
			--out "$OUT-$sig" >/dev/null 2>&1 3>&- &
		pid=$!
		sleep 1
		kill "-$sig" "$pid"
		wait "$pid" || true
		run groups
		refute_output
		run orphans
		refute_output
	done
}

@test "a group whose owner lives, or whose name is not ours, is left alone" {
	local root start
	root=/sys/fs/cgroup/cpu
	[[ -d $root ]] || root=/sys/fs/cgroup
	start=$(cut -d')' -f2 "/proc/$$/stat" | cut -d' ' -f21)
	mkdir "$root/holbench-$$-$start" "$root/holbench-$$-x" "$root/holbench-$$-$((start - 1))"
	run --separate-stderr holbench run --no-bpf "${LIGHT[@]}" --out "$OUT"
	local mine=1 named=1 dead=1
	rmdir "$root/holbench-$$-$start" || mine=0
	rmdir "$root/holbench-$$-x" || named=0
	rmdir "$root/holbench-$$-$((start - 1))" 2>/dev/null || dead=0
	assert_equal "$mine $named $dead" '1 1 0'
	assert_regex "$stderr" 'removed the cgroups that [0-9]+ killed run'
}

# one_death HOW AFTER: a run with noise that ends HOW, AFTER seconds. A shell's background jobs ignore SIGINT
# until they ask for it: one that gets it before ends by itself.
one_death()
{
	local noise=(noise.kind=cpu noise.threads=2) pid child

	((RANDOM % 2)) && noise=("noise.command=sleep 98765.$$ & while :; do :; done")
	# shellcheck disable=SC2086  # an option or nothing
	"$HOLBENCH_BUILD/holbench" run ${HOLBENCH_SLOW:+--no-bpf} "${LIGHT[@]}" workload.duration=3s "${noise[@]}" \
		--out "$OUT-$i" >/dev/null 2>&1 3>&- &
	pid=$!
	sleep "$2"
	child=$(pgrep -P "$pid" || true)
	# shellcheck disable=SC2086  # none or some
	case $1 in
	parent) kill -KILL "$pid" ;;
	child) kill -KILL ${child:-$pid} ;;
	both) kill -KILL "$pid" $child ;;
	term) kill -TERM "$pid" ;;
	int) kill -INT "$pid" ;;
	esac 2>/dev/null
	# One that was hit before it knew its parent's death, or whose child went first, is no reason to wait.
	[[ $1 == child ]] && sleep 0.05 && kill -TERM "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	rm -rf "$OUT-$i"
}

# Where the CPU is emulated, fewer and without the probe: to attach is to change the kernel's code, and an
# emulator that is asked for that too often runs into a breakpoint that is no longer there.
@test "100 runs killed at random moments: the next start leaves nothing of them" {
	require_bpf
	local i ways=(parent child both term int)
	RANDOM=1
	for ((i = 0; i < (${HOLBENCH_SLOW:-0} ? 15 : 100); i++)); do
		one_death "${ways[i % 5]}" "0.$((RANDOM % 6))$((RANDOM % 10))" || true
	done
	# The last may still be ending in order.
	sleep 0.5
	run holbench run --no-bpf "${LIGHT[@]}" --out "$OUT"
	assert_success
	run groups
	refute_output
	soon orphans
	soon programs
	run find /sys/fs/bpf -name '*holbench*'
	refute_output
}

# slices PID: of a command's run, its workers and its noise, each thread's in ms.
slices()
{
	local child tid name

	child=$(pgrep -P "$1") || return 0
	ps -L -o tid=,comm= --pid "$child" --ppid "$child" | while read -r tid name; do
		echo "$name $(awk '$1 == "se.slice" { print $3 / 1e6 }' "/proc/$tid/sched" 2>/dev/null)"
	done | grep -E '^(hb-worker|burn)' | sort
}

@test "workers.slice is the workers', and a kernel without says so" {
	local kernel i all

	kernel=$(uname -r)
	if [[ $(printf '%s\n6.12\n' "${kernel%%-*}" | sort -V | head -n 1) != 6.12 ]]; then
		run --separate-stderr holbench run "${LIGHT[@]}" workers.slice=6ms --out "$OUT"
		assert_failure 1
		assert_regex "$stderr" 'workers.slice: this kernel has no slice .* needs Linux 6.12, or workers.slice=kernel'
		assert_not_exists "$OUT"
		return
	fi
	"$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" workload.duration=5s workers.count=2 workers.slice=7ms noise.kind=cpu \
		--quiet --out "$OUT" 3>&- &
	for ((i = 0; i < 100; i++)); do
		all=$(slices $!)
		[[ $all == *worker-0\ 7*worker-1\ 7* ]] && break
		sleep 0.05
	done
	assert_regex "$all" $'^burn .*\nhb-worker-0 7\nhb-worker-1 7$'
	refute_regex "$all" '^burn 7'
	kill -TERM $!
	wait $! || true
}
