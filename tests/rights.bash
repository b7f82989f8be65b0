# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154  # run sets status and output
#
# For the tests of what a run may do: users, delegated cgroups, and what the kernel says of a process. Loaded
# after helpers.

NOBODY=65534
# shellcheck disable=SC2034  # for the tests
FOUR=+bpf,+perfmon,+sys_nice,+ipc_lock
# One worker that is on its CPU for half of the time. The gate is as wide as can be: the machine may be busy.
LIGHT=(workload.rate=20/s workload.duration=1s workload.cost=25ms workload.work=cpu workload.keys=8
	hot.load=0.1 hot.cost=25ms workers.count=1 run.repeats=1 run.late_gate=1000%)

rights_setup()
{
	common_setup
	require_bpf
	# The working directory is the user's; the paths to it are not theirs to walk.
	chown $NOBODY:$NOBODY .
	groups_made=()
	handed_down=
	outer=
	parent=
}

rights_teardown()
{
	local dir

	[[ -z $parent ]] || kill -KILL "$parent" 2>/dev/null || true
	for dir in "${groups_made[@]}"; do
		kill_group "$dir"
	done
	[[ -z $outer ]] || kill_group "$outer"
	[[ -z $handed_down ]] || echo "$handed_down" >/sys/fs/cgroup/cgroup.subtree_control || true
}

kill_group()
{
	local i pid dir

	for ((i = 0; i < 50; i++)); do
		# shellcheck disable=SC2044  # names without blanks
		for dir in $(find "$1" -depth -type d 2>/dev/null); do
			for pid in $(<"$dir/cgroup.procs"); do
				kill -KILL "$pid" 2>/dev/null || true
			done
			rmdir "$dir" 2>/dev/null || true
		done
		[[ -d $1 ]] || return 0
		sleep 0.1
	done
}

on_v2()
{
	grep -qw cpu /sys/fs/cgroup/cgroup.controllers 2>/dev/null
}

# make_group DIR: delegated to the user, as Documentation/admin-guide/cgroup-v2.rst and systemd do it.
make_group()
{
	mkdir "$1"
	groups_made+=("$1")
	chown $NOBODY "$1" "$1/cgroup.procs"
	if [[ -e $1/cgroup.subtree_control ]]; then
		chown $NOBODY "$1/cgroup.subtree_control" "$1/cgroup.threads"
	else
		chown $NOBODY "$1/tasks"
	fi
	if [[ -e $1/cpuset.mems ]] && ! on_v2; then
		cat "$1/../cpuset.cpus" >"$1/cpuset.cpus"
		cat "$1/../cpuset.mems" >"$1/cpuset.mems"
	fi
	[[ ! -e $1/cpu.rt_runtime_us ]] || echo 100000 >"$1/cpu.rt_runtime_us"
}

# The groups are in $groups_made.
delegate()
{
	local c

	if on_v2; then
		if ! grep -qw cpuset /sys/fs/cgroup/cgroup.subtree_control; then
			handed_down=-cpuset
			echo '+cpuset' >/sys/fs/cgroup/cgroup.subtree_control
		fi
		make_group "/sys/fs/cgroup/hbtest-$$"
		return
	fi
	for c in cpu cpuacct cpuset; do
		make_group "/sys/fs/cgroup/$c/hbtest-$$"
	done
}

# The same on v2, below a group that hands down cpu and nothing else.
delegate_cpu()
{
	outer=/sys/fs/cgroup/hbtest-$$
	mkdir "$outer"
	echo '+cpu' >"$outer/cgroup.subtree_control"
	make_group "$outer/own"
}

# inside COMMAND…: in the delegated groups, with whatever else is there.
inside()
{
	(
		for dir in "${groups_made[@]}"; do
			echo $BASHPID >"$dir/cgroup.procs"
		done
		"$@"
	)
}

# as_user CAPABILITIES COMMAND…: an ordinary user with these, "" for none.
as_user()
{
	local -a ambient=()

	[[ -z $1 ]] || ambient=("--inh-caps=$1" "--ambient-caps=$1")
	shift
	setpriv --reuid=$NOBODY --regid=$NOBODY --clear-groups "${ambient[@]}" env -i PATH="$PATH" "$@"
}

as_sudo()
{
	env SUDO_UID=$NOBODY SUDO_GID=$NOBODY "$@"
}

# find_run: $parent and $child of the run that was started in this directory and has a worker.
find_run()
{
	local comm pid

	while read -r comm; do
		pid=${comm#/proc/}
		pid=${pid%%/*}
		[[ $(readlink "/proc/$pid/cwd") == "$PWD" ]] || continue
		child=$pid
		parent=$(cut -d' ' -f4 "/proc/$pid/stat")
	done < <(grep -lx hb-worker-0 /proc/[0-9]*/task/[0-9]*/comm 2>/dev/null)
}

# begin COMMAND…: a long run in the background, once its threads are set up.
begin()
{
	local i

	"$@" "${LIGHT[@]}" workload.duration=60s --quiet --out result >said 2>&1 3>&- &
	shell=$!
	for ((i = 0; i < 300; i++)); do
		find_run
		# The collector is the last to give up what it has.
		[[ -n $parent && $(of "/proc/$child" CapPrm) == 0000000000000000 ]] && return
		sleep 0.1
	done
	fail "the run did not begin: $(<said)"
}

end()
{
	kill -TERM "$parent"
	wait "$shell" || true
	parent=
}

# of DIR FIELD: of its status.
of()
{
	sed -n "s/^$2:[ \t]*//p" "$1/status" 2>/dev/null
}

# assert_bare UID DIR: a thread of that user, without any capability.
assert_bare()
{
	local who

	who=$(<"$2/comm")
	assert_equal "$who $(of "$2" Uid)" "$who $1"$'\t'"$1"$'\t'"$1"$'\t'"$1"
	assert_equal "$who $(of "$2" CapInh) $(of "$2" CapPrm) $(of "$2" CapEff) $(of "$2" CapAmb)" \
		"$who 0000000000000000 0000000000000000 0000000000000000 0000000000000000"
}

# assert_all_bare UID: every thread of the process that runs the cell, and its noise.
assert_all_bare()
{
	local dir noise

	assert_equal "$(cat "/proc/$child"/task/*/comm | sort | xargs)" 'hb-generator hb-worker-0 holbench'
	for dir in "/proc/$child"/task/*; do
		assert_bare "$1" "$dir"
	done
	noise=$(pgrep -P "$child")
	assert_bare "$1" "/proc/$noise"
}

# bits NAME…: the set of these capabilities as /proc writes it.
bits()
{
	local set=0 name
	local -A bit=([dac_override]=1 [kill]=5 [ipc_lock]=14 [sys_admin]=21 [sys_nice]=23 [perfmon]=38 [bpf]=39)

	for name; do
		set=$((set | 1 << ${bit[$name]}))
	done
	printf '%016x\n' "$set"
}

# run_whole DIR COMMAND…: a run that ends by itself, of which nothing is lost. Whether its numbers are good is
# the machine's affair, and so is a loss that the next run does not have: a busy one keeps the collector waiting.
run_whole()
{
	local dir=$1 i

	shift
	for i in 1 2 3; do
		rm -rf "$dir"
		run "$@" --out "$dir"
		[[ $status == 0 || $status == 3 ]] || fail "status $status: $output"
		[[ $(column "$dir/cells.csv" state) == incomplete* ]] || return 0
		echo "# try $i: $(column "$dir/cells.csv" state)"
	done
	fail "$dir: $(column "$dir/cells.csv" state)"
}

# nothing_left: no group of a run that has ended, and the delegated ones as they were.
nothing_left()
{
	local dir

	run groups
	refute_output
	for dir in "${groups_made[@]}"; do
		run find "$dir" -mindepth 1 -type d
		refute_output
		[[ ! -e $dir/cgroup.subtree_control ]] || assert_equal "$(<"$dir/cgroup.subtree_control")" ''
	done
}
