#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tools/fresh: what it leaves however it ends, and what it says. Here the base system is bash and a `make` that is
# a script; mounts, chroot and signals are real ones.

load helpers

setup()
{
	common_setup
	require_root
	mkdir -p tree/tools bin
	cp "$HOLBENCH_TOP/tools/fresh" tree/tools/
	printf '#!/bin/sh\necho mirror\n' >tree/tools/debian-mirror
	chmod +x tree/tools/debian-mirror
	git init -q tree
	git -C tree add .
	git -C tree -c user.name=a -c user.email=a@b commit -qm first
	PATH=$PWD/bin:$PATH
	export HOLBENCH_CACHE=$PWD/cache BASE_MAKE=$PWD/make
	CHROOT=$PWD/cache/fresh/12/root
	# A base system: bash and what in_root runs, with their libraries.
	fake mmdebstrap <<-'END'
		root=${*: -2:1}
		for file in $(type -P bash env sleep umount) $(ldd $(type -P bash env sleep umount) | grep -oE '/[^ :]+'); do
			mkdir -p "$root$(dirname "$file")" && cp -Ln "$file" "$root$file"
		done
		mkdir -p "$root"/{proc,sys,dev,tmp,etc,bin} "$root"/var/cache/apt/archives "$root"/var/lib/apt/lists
		[[ -e $root/bin/bash ]] || cp -L "$(type -P bash)" "$root/bin/"
		cp "$BASE_MAKE" "$root/usr/bin/make"
		chmod +x "$root/usr/bin/make"
	END
}

# fake NAME: a command in PATH whose text is read from standard input.
fake()
{
	{ printf '#!%s\n' "$(command -v bash)" && cat; } >"bin/$1"
	chmod 755 "bin/$1"
}

base_make()
{
	{ echo '#!/bin/bash' && cat; } >"$BASE_MAKE"
}

nothing_left()
{
	assert_not_exist "$CHROOT"
	run grep -F "$CHROOT" /proc/self/mounts
	refute_output
}

@test "make test runs in the chroot, on a clone, with this machine's kernel; what fails is said, nothing is left" {
	base_make <<-'END'
		echo "make $*"
		[[ -e /proc/self/stat && -e /sys/kernel && -c /dev/null ]] && echo mounted
		[[ -e /usr/src/holbench/tools/fresh && ! -e /home ]] && echo cloned
		echo "$CI, $0, ${BATS_TEST_NAME-nothing of outside}"
		exit 3
	END
	run tree/tools/fresh 12
	assert_failure 1
	assert_line --regexp '^make -C /usr/src/holbench test'
	assert_line mounted
	assert_line cloned
	assert_line 'true, /usr/bin/make, nothing of outside'
	assert_line --regexp '^# fresh: Debian 12: FAILED: make test, after [0-9]+ s'
	assert_line 'tools/fresh: failed on Debian 12'
	nothing_left
	# The base system is kept.
	fake mmdebstrap <<<'exit 1'
	run tree/tools/fresh 12
	assert_line mounted
}

@test "what is committed meanwhile is not tested" {
	mv bin/mmdebstrap bin/base
	fake mmdebstrap <<-'END'
		touch later
		git add later && git -c user.name=a -c user.email=a@b commit -qm second
		exec base "$@"
	END
	base_make <<<'[[ -e /usr/src/holbench/tools/fresh && ! -e /usr/src/holbench/later ]] && echo first'
	run tree/tools/fresh 12
	assert_line first
	run git -C tree log --oneline
	assert_output --partial second
	nothing_left
}

@test "interrupted, it ends what runs in the chroot, also what has left its process group, and leaves nothing" {
	local signal fresh tries
	base_make <<-'END'
		set -m
		sleep 1000 &
		disown
		set +m
		echo running
		sleep 1001
	END
	for signal in INT:130 TERM:143; do
		: >out
		# With job control its SIGINT is not ignored.
		set -m
		tree/tools/fresh 12 >out 2>&1 3>&- &
		fresh=$!
		set +m
		for ((tries = 0; tries < 200; tries++)); do
			grep -q running out && break
			sleep 0.1
		done
		kill -"${signal%:*}" "$fresh"
		wait "$fresh" && status=0 || status=$?
		assert_equal "$status" "${signal#*:}"
		nothing_left
		run pgrep -f 'sleep 100[01]'
		refute_output
	done
}

@test "killed by -9, what ran goes on, and the next one ends it" {
	local tries fresh
	base_make <<<'echo running; sleep 1002'
	tree/tools/fresh 12 >out 2>&1 3>&- &
	fresh=$!
	for ((tries = 0; tries < 200; tries++)); do
		grep -q running out && break
		sleep 0.1
	done
	kill -KILL "$fresh"
	wait "$fresh" || true
	assert_dir_exist "$CHROOT"
	base_make <<<'echo again'
	rm cache/fresh/12/base.tar
	run tree/tools/fresh 12
	assert_line again
	nothing_left
	run pgrep -f 'sleep 1002'
	refute_output
}

@test "without a network: one line" {
	fake mmdebstrap <<<'echo "I: trying"; echo "E: cannot resolve"; exit 1'
	run tree/tools/fresh 12
	assert_failure 1
	assert_output --regexp 'tools/fresh: no base system of Debian 12: E: cannot resolve: is there a network\? .all of it in .*/log\)$'
	assert_equal "${#lines[@]}" 2
	nothing_left
}

@test "what is no release, no clone, no mirror, and a second one at once" {
	run tree/tools/fresh 11
	assert_failure 1
	assert_output "tools/fresh: no release '11': known are 12, 13 and all"
	printf '#!/bin/sh\n' >tree/tools/debian-mirror
	run tree/tools/fresh 12
	assert_failure 1
	assert_line "tools/fresh: this machine's sources of packages name no Debian mirror"
	(flock 9 && run tree/tools/fresh 12 && assert_failure 1 && assert_output --partial 'another one is at work') \
		9>cache/fresh/lock
	rm -rf tree/.git
	run env GIT_CEILING_DIRECTORIES="$PWD" tree/tools/fresh 12
	assert_failure 1
	assert_output --partial 'is no clone of a repository'
}

@test "without root it says how" {
	chmod 755 "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")" "$BATS_RUN_TMPDIR"
	run as_nobody tree/tools/fresh 12
	assert_failure 1
	assert_output 'tools/fresh: a chroot needs root: sudo make test-fresh'
}
