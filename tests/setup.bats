#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tools/setup: silent when all is there, and what it does when something is missing.

load helpers

# A PATH with what the script itself runs, and nothing of what it looks for.
setup()
{
	common_setup
	chmod 755 "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")" "$BATS_RUN_TMPDIR"
	SETUP=$BATS_TEST_TMPDIR/setup
	cp "$HOLBENCH_TOP/tools/setup" "$SETUP"
	BIN=$BATS_TEST_TMPDIR/bin
	mkdir "$BIN"
	local tool
	for tool in bash env mktemp tail rm; do
		ln -s "$(command -v "$tool")" "$BIN/$tool"
	done
}

# fake NAME: a command in that PATH whose text is read from standard input.
fake()
{
	{ printf '#!%s\n' "$(command -v bash)" && cat; } >"$BIN/$1"
	chmod 755 "$BIN/$1"
}

bare_setup()
{
	run env -i PATH="$BIN" TMPDIR="$BATS_TEST_TMPDIR" bash "$SETUP"
}

@test "silent, and fast, when all is there" {
	local began=${EPOCHREALTIME/./}
	run "$HOLBENCH_TOP/tools/setup" test
	local took=$((${EPOCHREALTIME/./} - began))
	assert_success
	refute_output
	# 100 ms is what a build can bear each time; the machine may be busy, a package manager takes longer.
	[[ $took -lt 300000 ]] || fail "took $took µs"
}

@test "without root it installs nothing and names the packages and the command" {
	# shellcheck disable=SC2016
	fake apt-get <<<'echo called >>"$(dirname "$0")/called"'
	PATH=$BIN:$PATH
	run as_nobody env PATH="$BIN" bash "$SETUP"
	assert_failure 1
	assert_output --partial 'missing: gcc make git'
	assert_output --partial 'run as root: apt-get'
	assert_output --regexp 'install .*clang .*libbpf-dev libelf-dev zlib1g-dev libzstd-dev'
	refute_output --partial 'shellcheck'
	assert_equal "${#lines[@]}" 1
	assert_file_not_exist "$BIN/called"
}

@test "the test set asks for more" {
	fake apt-get <<<':'
	run as_nobody env PATH="$BIN" bash "$SETUP" test
	assert_failure 1
	assert_output --regexp 'apt-get .* shellcheck clang-format'
}

@test "dnf and pacman get their own names" {
	fake dnf <<<':'
	run as_nobody env PATH="$BIN" bash "$SETUP"
	assert_failure 1
	assert_output --regexp 'run as root: dnf install .*libbpf-devel elfutils-libelf-devel'
	rm "$BIN/dnf"
	fake pacman <<<':'
	run as_nobody env PATH="$BIN" bash "$SETUP"
	assert_failure 1
	assert_output --regexp 'run as root: pacman -S .*clang .*libbpf libelf zlib zstd'
}

@test "a machine without a known package manager is told what is needed" {
	bare_setup
	assert_failure 1
	assert_output --regexp 'no apt-get, dnf or pacman here; install by hand: gcc .*libbpf>=1.0'
}

@test "as root it installs what is missing only, and shows the log when that fails" {
	require_root
	fake apt-get <<<'echo "apt-get said: $*"; [[ $* != *install* ]]'
	fake gcc <<<':'
	bare_setup
	assert_failure 1
	assert_output --partial 'installing make git'
	assert_output --partial 'apt-get said: -o DPkg::Lock::Timeout=120 update'
	assert_output --regexp 'apt-get said: .* install -y --no-install-recommends .*make git'
	refute_output --regexp 'recommends gcc'
	assert_output --partial 'failed, exit status 1'
}

@test "an installation that does not bring the thing is a failure" {
	require_root
	fake apt-get <<<'exit 0'
	bare_setup
	assert_failure 1
	assert_output --partial 'installed, but still not found: gcc'
}

@test "lists that cannot be updated do not matter if the installation works" {
	require_root
	local tool
	for tool in gcc make git clang bpftool; do
		fake "$tool" <<<':'
	done
	fake apt-get <<-'END'
		[[ $* == *update ]] && exit 100
		printf '#!%s\n' "$BASH" >"${0%/*}/pkg-config"
		chmod 755 "${0%/*}/pkg-config"
	END
	ln -s "$(command -v chmod)" "$BIN/chmod"
	bare_setup
	assert_success
	assert_output --regexp '^tools/setup: installing pkg-config libbpf-dev'
}

@test "an unknown set is an error" {
	run "$SETUP" tests
	assert_failure 1
	assert_output --partial "unknown set 'tests'"
}
