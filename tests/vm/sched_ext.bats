#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Another scheduler: loaded, not loaded, and a kernel that can have none are told apart.

load ../helpers

setup()
{
	common_setup
	require_vm
	WITH=$HOLBENCH_BUILD/tests-live/helper/with_sched_ext
}

# manifest_says STATE [COMMAND]…: of a live run that the command starts, and then $output is doctor's.
manifest_says()
{
	local state=$1

	shift
	rm -rf "$OUT"
	"$@" "$HOLBENCH_BUILD/holbench" run --quiet workload.duration=200ms run.repeats=1 run.late_gate=1000% --out "$OUT"
	run sed -n 's/^ *"sched_ext": "\(.*\)",*$/\1/p' "$OUT/manifest.json"
	assert_output "$state"
	run "$@" "$HOLBENCH_BUILD/holbench" doctor
	assert_success
}

# Of the kernels that Debian builds 6.12 could have the class, and has not.
has_class()
{
	case $(uname -r) in
	6.1.* | 6.12.*) return 1 ;;
	7.2.*) return 0 ;;
	*) [[ -e /sys/kernel/sched_ext ]] ;;
	esac
}

@test "no scheduler of the class is loaded, or there is no class" {
	if has_class; then
		manifest_says disabled
		assert_line --regexp '^sched_ext +ok +disabled$'
	else
		manifest_says 'not supported'
		assert_line --regexp '^sched_ext +ok +this kernel has none$'
	fi
}

@test "a scheduler of the class is loaded: the manifest says so, and doctor names it" {
	if has_class; then
		manifest_says enabled "$WITH"
		assert_line --regexp '^sched_ext +limited +enabled: holbench_test'
		manifest_says disabled
	else
		run "$WITH" true
		assert_failure 125
		assert_output 'with_sched_ext: this kernel has no such class'
	fi
}
