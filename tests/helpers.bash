# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What every .bats file loads: `load helpers` at its head, and then `setup() { common_setup; }`.

HOLBENCH_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
HOLBENCH_BUILD=${BUILD:-build}
[[ $HOLBENCH_BUILD == /* ]] || HOLBENCH_BUILD=$HOLBENCH_TOP/$HOLBENCH_BUILD

# load_library NAME: wherever the distribution put the bats libraries.
load_library()
{
	local dir
	local IFS=:

	for dir in ${BATS_LIB_PATH:-} /usr/lib/bats /usr/lib /usr/share/bats /usr/lib/node_modules; do
		[[ -e $dir/$1/load.bash ]] || continue
		IFS=$' \t\n'
		load "$dir/$1/load.bash"
		return
	done
	echo "no $1 here: run tools/setup test" >&2
	return 1
}

load_library bats-support
load_library bats-assert
load_library bats-file

# A directory for the test alone, gone with it, and the working directory: nothing reaches results/.
common_setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	export NO_COLOR=1
	# Who called sudo make test has nothing to do with what a test tells holbench.
	unset SUDO_UID SUDO_GID
	# shellcheck disable=SC2034  # for the tests
	OUT=$BATS_TEST_TMPDIR/result
}

# The program under test. Presets and manual pages are found without the source tree, or not at all.
holbench()
{
	"$HOLBENCH_BUILD/holbench" "$@"
}

# Skips are loud: tests/run fails in CI on each that tests/skips does not allow.
require_root()
{
	((EUID == 0)) || skip 'needs root: run make test with sudo'
}

require_btf()
{
	[[ -r /sys/kernel/btf/vmlinux ]] ||
		skip 'no /sys/kernel/btf/vmlinux: needs a kernel with CONFIG_DEBUG_INFO_BTF'
}

# For live runs with the probe.
require_bpf()
{
	require_root
	require_btf
}

# For tests that leave the machine other than it was: only where tests/vm/init started them.
require_vm()
{
	[[ -n ${HOLBENCH_VM:-} ]] || skip 'changes the whole machine: only in a VM, see make test-vm'
}

# as_nobody COMMAND…: without root and without groups, in an empty environment but for PATH.
as_nobody()
{
	require_root
	setpriv --reuid=65534 --regid=65534 --clear-groups env -i PATH="$PATH" "$@"
}

# tiny_tmpfs SIZE COMMAND…: runs the command with a tmpfs of that size on $TINY, in a mount namespace of
# its own: the mount is gone when the command ends, however it ends. What it left there is gone, too, so
# the command looks for itself: tiny_tmpfs 64k bash -c '… ; ls "$TINY"'.
tiny_tmpfs()
{
	local size=$1

	require_root
	shift
	mkdir -p "$BATS_TEST_TMPDIR/tiny"
	export -f holbench
	export HOLBENCH_BUILD
	# shellcheck disable=SC2016  # expanded inside the namespace
	TINY=$BATS_TEST_TMPDIR/tiny unshare --mount --propagation private bash -c '
		mount -t tmpfs -o "size=$1" tmpfs "$TINY" || exit
		shift
		"$@"' tiny_tmpfs "$size" "$@"
}

# groups: the cgroups of holbench whose owner has died. Those of a run that goes on are not ours to judge.
groups()
{
	local dir name pid start stat

	while read -r dir; do
		name=${dir##*/holbench-}
		pid=${name%-*}
		start=${name#*-}
		stat=$(cat "/proc/$pid/stat" 2>/dev/null) || stat=
		stat=${stat##*) }
		# shellcheck disable=SC2086  # split into fields; the first is field 3
		set -- $stat
		[[ ${20:-} == "$start" && $1 != Z ]] || echo "$dir"
	done < <(find /sys/fs/cgroup -maxdepth 4 -type d -name 'holbench-[0-9]*-[0-9]*' 2>/dev/null)
}

# true_that EXPRESSION: of awk.
true_that()
{
	awk "BEGIN { exit !($1) }" || { echo "not true: $1" >&2; return 1; }
}

# column CSV NAME: the values of one column of a CSV file without quoted fields, by its header.
column()
{
	awk -F, -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i
			if (!at) { print "no column " name > "/dev/stderr"; exit 1 }
			next }
		{ print $at }' "$1"
}
