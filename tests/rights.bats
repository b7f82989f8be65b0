#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154  # run --separate-stderr sets stderr and stderr_lines
# Less than root, as root: who runs what under sudo and as plain root, and with which capabilities.

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

@test "under sudo the process of the cell and its noise are the caller's, without capabilities" {
	begin as_sudo "$HOLBENCH_BUILD/holbench" run noise.kind=cpu
	assert_all_bare "$NOBODY"
	assert_equal "$(of "/proc/$parent" Uid | cut -f2)" "$NOBODY"
	assert_equal "$(of "/proc/$parent" CapEff)" "$(bits)"
	assert_equal "$(of "/proc/$parent" CapPrm)" "$(bits dac_override kill ipc_lock sys_nice perfmon bpf)"
	end
	run find result ! -uid "$NOBODY"
	refute_output
	nothing_left
}

@test "under sudo without the probe it never had the rights for one, isolated it may ask for a partition" {
	begin as_sudo "$HOLBENCH_BUILD/holbench" run --no-bpf noise.kind=cpu place.isolation=isolated workers.cpus=0
	assert_equal "$(of "/proc/$parent" CapPrm)" "$(bits dac_override kill ipc_lock sys_admin sys_nice)"
	end
	nothing_left
}

@test "plain root stays root, without capabilities" {
	begin "$HOLBENCH_BUILD/holbench" run noise.kind=cpu
	assert_all_bare 0
	assert_equal "$(of "/proc/$parent" CapEff)" "$(bits dac_override)"
	end
	nothing_left
}

@test "a whole run under sudo: trace, culprits, checks, and results that are the caller's" {
	local name

	run_whole result as_sudo "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" noise.kind=cpu
	for name in cells.csv ledger.csv manifest.json cell-000-r0.hbt; do
		assert_equal "$(stat -c %u:%g "result/$name")" "$NOBODY:$NOBODY"
	done
	assert_regex "$(column result/cells.csv check_runqueue_waits)" '^-?[0-2]$'
	assert_file_contains result/ledger.csv 'noise/burn\|burn'
	nothing_left
}

@test "under sudo threads that are started for items get the nice value and the class all the same" {
	local key

	for key in workers.nice=-5 workers.policy=fifo:1; do
		run_whole "$key" as_sudo "$HOLBENCH_BUILD/holbench" run "${LIGHT[@]}" dispatch.executor=spawn "$key"
	done
}

@test "a noise command is the caller's, with their groups and home, and has a log" {
	# shellcheck disable=SC2016  # for the command's shell
	run_whole result as_sudo HOME=/root "$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}" \
		'noise.command=id -u; id -G; echo "$HOME"; while :; do :; done'
	local home

	home=$(awk -F: -v uid="$NOBODY" '$3 == uid { print $6 }' /etc/passwd)
	assert_equal "$(head -n 3 result/noise-000-r0.log)" "$NOBODY"$'\n'"$NOBODY"$'\n'"$home"
}

@test "under sudo nothing is written where the caller may not" {
	chown 0:0 .
	chmod 755 .
	run --separate-stderr as_sudo "$HOLBENCH_BUILD/holbench" run --no-bpf "${LIGHT[@]}" --out result
	assert_failure 1
	assert_equal "$stderr" 'holbench: result: Permission denied: name another with --out'
	assert_not_exist result
	run --separate-stderr as_sudo "$HOLBENCH_BUILD/holbench" simulate
	assert_failure 1
	assert_regex "$stderr" '^holbench: results: Permission denied: [^.]*--out$'
}

@test "under sudo a link of the caller's leads to no file but their own" {
	echo "root's own" >secret
	chmod 600 secret
	mkdir result
	holbench simulate run.repeats=1 workload.duration=100ms --out made >/dev/null
	cp made/cell-000-r0.hbt result/
	chown -R "$NOBODY:$NOBODY" result
	ln -s ../secret result/.cells.csv.part
	run --separate-stderr as_sudo "$HOLBENCH_BUILD/holbench" simulate run.repeats=1 workload.duration=100ms \
		--resume result
	assert_failure 1
	assert_regex "$stderr" 'result/cells.csv cannot be written: Permission denied'
	assert_equal "$(<secret)" "root's own"
}

@test "under sudo a killed run leaves nothing: its parent may still remove its groups" {
	begin as_sudo "$HOLBENCH_BUILD/holbench" run --no-bpf "noise.command=setsid sleep 98765.$$ & sleep 98765.$$"
	kill -KILL "$child"
	wait "$shell" || true
	parent=
	assert_file_contains said 'was ended by signal 9'
	nothing_left
	run pgrep -f "sleep 98765[.]$$"
	refute_output
}
