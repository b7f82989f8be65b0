#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# doctor: what it says of this machine, and of the same machine with something taken away. Each thing that
# is missing makes `run` fail with the doctor's words.

load helpers
load doctor

bats_require_minimum_version 1.5.0

setup()
{
	common_setup
	export -f holbench
	export HOLBENCH_BUILD
}

# in_mounts COMMAND…: in a mount namespace of its own, where a test may mount what it likes.
in_mounts()
{
	unshare --mount --propagation private "$@"
}

@test "as root on a machine that can: nothing is missing, status 0, and a run works" {
	require_bpf
	run holbench doctor
	assert_success
	refute_line --regexp '^.{16} missing '
	assert_state 'live run' ok
	assert_line --regexp '^BPF program +ok +on_switch at sched_switch$'
	assert_line --regexp '^BPF programs +ok +[1-9][0-9]* of interrupts'
	assert_line --regexp '^Live runs with the probe work here: [0-9]+ limited\.$'
	run holbench run --quiet workload.duration=200ms run.repeats=1 run.late_gate=1000% --out "$OUT"
	assert_success
}

@test "a release older than 5.15 is said, and whether the probe works is told by trying it" {
	require_bpf
	# The same kernel by another name: 2.6.x.
	run setarch --uname-2.6 "$HOLBENCH_BUILD/holbench" doctor
	assert_success
	assert_line --regexp '^kernel +limited +2\.6\.'
	assert_line --partial 'the probe is for Linux 5.15 or later'
	assert_state 'live run' ok
}

@test "what it says is what the machine says" {
	run holbench doctor
	assert_line "$(printf '%-16s %-8s %s' kernel ok "$(uname -r) $(uname -m)")"
	assert_line --regexp "^CPUs +[a-z]+ +$(</sys/devices/system/cpu/online) online"
	assert_line --regexp "^clock_gettime +[a-z]+ +[1-9][0-9]* ns "
	assert_line --regexp "^clock source +ok +$(</sys/devices/system/clocksource/clocksource0/current_clocksource)$"
	assert_line --regexp "^real-time share +[a-z]+ +($(</proc/sys/kernel/sched_rt_runtime_us) of|all of)"
	local version=v1

	grep -qw cpu /sys/fs/cgroup/cgroup.controllers 2>/dev/null && version=v2
	assert_line --regexp "^cgroups +[a-z]+ .*$version"
}

@test "limited and missing say what is lost, ok says nothing more" {
	run as_nobody "$HOLBENCH_BUILD/holbench" doctor
	awk '/^$/ { exit }
		/^ / { below++; next }
		NR > 1 && (state == "ok") != (below == 0) { print before; bad = 1 }
		{ state = substr($0, 18, 8); gsub(/ /, "", state); before = $0; below = 0 }
		END { exit bad }' <<<"$output"
}

@test "it leaves nothing behind: no cgroup, no program, no class" {
	require_bpf
	# Handing a controller down would be a change, and may take the affinity of others.
	local before after
	before=$(cat /sys/fs/cgroup/cgroup.subtree_control /sys/fs/cgroup/unified/cgroup.subtree_control 2>/dev/null || true)
	# Groups are named holbench-PID-START; another run on this machine has its own.
	# shellcheck disable=SC2016
	run bash -c '"$HOLBENCH_BUILD/holbench" doctor >/dev/null & wait $!; chrt -p $$ | head -n 1
		find /sys/fs/cgroup -name "holbench-$!-*"; ls'
	assert_success
	assert_line --partial 'SCHED_OTHER'
	refute_line --partial 'holbench-'
	assert_equal "${#lines[@]}" 1
	after=$(cat /sys/fs/cgroup/cgroup.subtree_control /sys/fs/cgroup/unified/cgroup.subtree_control 2>/dev/null || true)
	assert_equal "$after" "$before"
}

@test "as JSON it says the same, and whether live runs work" {
	run holbench doctor --json
	local status_json=$status
	grep -q '"live_runs": '"$( ((status_json)) && echo false || echo true)" <<<"$output" || fail "$output"
	local names
	names=$(sed -n 's/^ *"name": "\(.*\)",$/\1/p' <<<"$output" | grep -vx "$(uname -n)" | uniq)
	run holbench doctor
	assert_equal "$status" "$status_json"
	assert_equal "$(sed '/^$/,$d;/^ /d;s/^\(.\{16\}\).*/\1/;s/ *$//' <<<"$output" | uniq)" "$names"
}

@test "without root: no program is loaded, and what would mend it" {
	chmod 777 .
	run as_nobody "$HOLBENCH_BUILD/holbench" doctor
	assert_failure 1
	assert_state CAP_BPF missing
	assert_state CAP_SYS_NICE limited
	assert_state 'BPF programs' missing
	assert_line --regexp 'mend: .*run as root'
	assert_line --regexp '^Live runs with the probe do not work here: [1-9]'
	run_fails_so as_nobody "$HOLBENCH_BUILD/holbench" run --out "$OUT"
}

@test "too few open files: doctor and run say so in the same words, and what is enough is enough" {
	require_bpf
	# shellcheck disable=SC2016
	local few='ulimit -n "$0" && holbench "$@"'
	run bash -c "$few" 127 doctor
	assert_failure 1
	assert_state 'BPF programs' missing
	assert_line --partial 'mend: ulimit -n 1024'
	run_fails_so bash -c "$few" 127 run --out "$OUT"
	run bash -c "$few" 128 run workload.duration=200ms run.repeats=1 workers.count=40 run.late_gate=1000% --out "$OUT"
	assert_success
}

@test "without the kernel's types" {
	require_bpf
	# shellcheck disable=SC2016
	local hide='mount -t tmpfs none /sys/kernel/btf; holbench "$@"'
	run in_mounts bash -c "$hide" - doctor
	assert_failure 1
	assert_state BTF missing
	assert_line --partial 'CONFIG_DEBUG_INFO_BTF=y'
	run_fails_so in_mounts bash -c "$hide" - run --out "$OUT"
}

@test "without bpf(2), as on a kernel that was built without it" {
	require_bpf
	local without=$HOLBENCH_BUILD/tests-live/helper/without_bpf
	run "$without" "$HOLBENCH_BUILD/holbench" doctor
	assert_failure 1
	assert_state 'BPF programs' missing
	assert_line --partial 'CONFIG_BPF_SYSCALL=y'
	run_fails_so "$without" "$HOLBENCH_BUILD/holbench" run --out "$OUT"
	# Not measured, and said so.
	run "$without" "$HOLBENCH_BUILD/holbench" run --no-bpf workload.duration=200ms run.repeats=1 \
		run.late_gate=1000% --out "$OUT"
	assert_success
	assert_line --regexp '^n/m: not measured \(no probe'
}

@test "a program that the kernel does not take is named, the others are not" {
	require_bpf
	# A field that two programs read gets another name in what the kernel says of itself.
	mkdir btf
	LC_ALL=C sed 's/\x00kn\x00/\x00kx\x00/' /sys/kernel/btf/vmlinux >btf/vmlinux
	# shellcheck disable=SC2016
	local spoil='mount --bind btf /sys/kernel/btf; holbench "$@"'
	run in_mounts bash -c "$spoil" - doctor
	assert_failure 1
	assert_line --regexp '^BPF program +missing +on_switch at sched_switch: .*cgroup\.kn'
	assert_line --regexp '^BPF program +missing +on_waking '
	assert_line --regexp '^BPF program +ok +on_wakeup '
	assert_line --regexp '^BPF programs +ok +[1-9][0-9]* of interrupts'
	run_fails_so in_mounts bash -c "$spoil" - run --out "$OUT"
}

@test "in a container's pid namespace the thread ids are others" {
	require_bpf
	# Without the cgroups: those of a run outside look as if their owner were dead.
	# shellcheck disable=SC2016
	local inside='umount --recursive --lazy /sys/fs/cgroup; holbench "$@"'
	run unshare --pid --fork --mount-proc bash -c "$inside" - doctor
	assert_failure 1
	assert_state 'pid namespace' missing
	assert_line --regexp 'mend: .*--pid=host'
	run_fails_so unshare --pid --fork --mount-proc bash -c "$inside" - run --out "$OUT"
}

@test "in a time namespace the clock is another" {
	require_bpf
	unshare --time true 2>/dev/null || skip 'no time namespaces: needs CONFIG_TIME_NS'
	run unshare --time --monotonic 1000 --fork bash -c 'holbench doctor'
	assert_failure 1
	assert_state 'time namespace' missing
	assert_line --partial 'is off by 1000 s'
	# shellcheck disable=SC2016
	run_fails_so unshare --time --monotonic 1000 --fork bash -c 'holbench run --out "$1"' - "$OUT"
}

@test "without cgroups a run works, without what needs them" {
	require_bpf
	# shellcheck disable=SC2016
	local bare='umount --recursive --lazy /sys/fs/cgroup; holbench "$@"'
	run in_mounts bash -c "$bare" - doctor
	assert_success
	assert_state cgroups limited
	assert_line --partial 'no place.isolation, no noise'
	assert_line --partial 'mend: mount -t cgroup2'
	run --separate-stderr in_mounts bash -c "$bare" - run noise.kind=cpu --out "$OUT"
	assert_failure 1
	assert_regex "$stderr" 'no hierarchy with the cpu controller is mounted; mount -t cgroup2.*; run holbench doctor$'
}

@test "a cpuset that may not be written to is foretold" {
	require_bpf
	local said="nothing below .*cpuset may be written to" cpuset=/sys/fs/cgroup/cpuset
	[[ -e $cpuset/cgroup.procs ]] || skip 'cpuset is not in a hierarchy of its own'
	# shellcheck disable=SC2016
	local locked='mount -o remount,bind,ro '"$cpuset"'; holbench "$@"'
	run in_mounts bash -c "$locked" - doctor
	assert_success
	assert_state 'own cgroups' ok
	assert_state 'own cpusets' limited
	assert_line --regexp "$said"
	# It is root already.
	refute_line --regexp 'run as root(;|,|$)'
	assert_line --partial 'mend: mount it to be written, and run outside of a container'
	run --separate-stderr in_mounts bash -c "$locked" - run place.isolation=isolated noise.kind=cpu --out "$OUT"
	assert_failure 1
	assert_regex "$stderr" "$said.*; run holbench doctor$"
	run holbench doctor
	assert_state 'own cpusets' ok
}

@test "a cpuacct that may not be written to is foretold" {
	require_bpf
	local said='the CPU time of the noise is not known: its cgroup has no accounting' cpuacct=/sys/fs/cgroup/cpuacct
	[[ -e $cpuacct/cgroup.procs && ! $cpuacct -ef /sys/fs/cgroup/cpu ]] || skip 'cpuacct is not in a hierarchy of its own'
	# shellcheck disable=SC2016
	local locked='mount -o remount,bind,ro '"$cpuacct"'; holbench "$@"'
	run in_mounts bash -c "$locked" - doctor
	assert_success
	assert_state 'own cgroups' ok
	assert_line --regexp "^own cpuacct +limited +nothing below $cpuacct may be written to$"
	assert_line --partial "$said"
	run in_mounts bash -c "$locked" - run --no-bpf workload.duration=200ms run.repeats=1 run.late_gate=1000% \
		noise.kind=cpu --out "$OUT"
	assert_success
	assert_line --partial "$said"
	run holbench doctor
	refute_line --partial 'own cpuacct'
}

@test "a user whom root may not become is foretold; an id that is none is nobody" {
	require_bpf
	local id bound=(env SUDO_UID=65534 SUDO_GID=65534 setpriv --bounding-set=-setuid --inh-caps=-setuid)
	local said='cannot become user 65534, who called sudo: Operation not permitted'

	run "${bound[@]}" "$HOLBENCH_BUILD/holbench" doctor
	assert_failure 1
	assert_line --regexp "^user +missing +$said$"
	run --separate-stderr "${bound[@]}" "$HOLBENCH_BUILD/holbench" run --out "$OUT"
	assert_failure 1
	assert_regex "$stderr" "$said; .*; run holbench doctor$"
	for id in -1 99999999999 4294967295 1x; do
		SUDO_UID=$id SUDO_GID=65534 run holbench doctor
		assert_line --regexp '^user +ok +0: '
	done
	# Without a group nobody is a caller.
	SUDO_UID=65534 SUDO_GID='' run holbench doctor
	assert_line --regexp '^user +ok +0: '
}

@test "one CPU is too few, and says with which command it would be more" {
	(($(nproc) > 1)) || skip 'needs two CPUs'
	run taskset -c 0 "$HOLBENCH_BUILD/holbench" doctor
	assert_state CPUs limited
	assert_line --partial 'mend: taskset -c '
}

@test "a real-time class that is refused: said, and a run works all the same" {
	require_bpf
	run setpriv --bounding-set -sys_nice --inh-caps -all bash -c 'holbench doctor'
	assert_success
	assert_state CAP_SYS_NICE limited
	assert_state real-time limited
	assert_line --partial 'RLIMIT_RTPRIO is'
}

@test "doctor takes no argument" {
	run --separate-stderr holbench doctor here
	assert_failure 2
	assert_regex "$stderr" "'here': doctor takes no argument"
}

@test "root of a user namespace, or without capabilities, is not told to become root" {
	require_root
	local less
	for less in 'unshare --user --map-root-user' 'setpriv --bounding-set -all --inh-caps -all'; do
		# shellcheck disable=SC2086
		run $less "$HOLBENCH_BUILD/holbench" doctor
		assert_failure 1
		refute_output --partial sudo
		assert_line --partial 'mend: run outside of the container, or docker run --privileged --userns=host'
	done
}
