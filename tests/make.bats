#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The Makefile: what is rebuilt, and what is not. A tree of three small files and no git, like a tarball.

load helpers

setup()
{
	common_setup
	mkdir -p userspace/core tests/unit tools
	cp "$HOLBENCH_TOP/Makefile" .
	cp "$HOLBENCH_TOP/tools/setup" tools/
	echo '#define A 1' >userspace/core/a.h
	printf '#include "core/a.h"\n#include "version.h"\nint a(void);\nint a(void)\n{\n\treturn A;\n}\n' \
		>userspace/core/a.c
	printf 'int b(void);\nint b(void)\n{\n\treturn 2;\n}\n' >userspace/core/b.c
	printf 'int a(void);\nint main(void)\n{\n\treturn a() - 1;\n}\n' >tests/unit/test_a.c
	unset BUILD MAKEFLAGS MAKELEVEL MFLAGS
}

# The files that were compiled, archived or linked.
made()
{
	run make V=1 BUILD=out out/tests/test_a "$@"
	assert_success
	made=$(grep -oE -- '-o [^ ]+|rcs [^ ]+' <<<"$output" | sed 's/.*[ /]//' | sort | tr '\n' ' ')
}

@test "a tarball builds, and says that its version is unknown" {
	made
	assert_equal "$made" 'a.o b.o core.a report.a sim.a spec.a test_a trace.a '
	run cat out/gen/version.h
	assert_output '#define HOLBENCH_VERSION "unknown"'
	run out/tests/test_a
	assert_success
}

@test "nothing changed, nothing is made" {
	made
	made
	assert_equal "$made" ''
}

@test "a header, a source, the flags: what hangs on them is made again" {
	made
	sleep 0.05
	touch userspace/core/a.h
	made
	assert_equal "$made" 'a.o core.a test_a '
	sleep 0.05
	touch userspace/core/b.c
	made
	assert_equal "$made" 'b.o core.a test_a '
	made CFLAGS=-O1
	assert_equal "$made" 'a.o b.o core.a test_a '
}

@test "a source that is gone leaves its archive" {
	made
	rm userspace/core/b.c
	made
	run ar t out/core.a
	assert_output a.o
}

@test "a header that is gone stops nobody" {
	made
	rm userspace/core/a.h
	sed -i 's/#include "core.*/#define A 1/' userspace/core/a.c
	made
}

@test "every target that help names is there" {
	run make help
	assert_success
	assert_line --regexp '^make sweep'
	local target
	while read -r _ target _; do
		[[ $target == [a-z]*-* || $target =~ ^(sweep|test|bench|install|uninstall|deb|format|clean)$ ]] || continue
		grep -q "^$target:" Makefile || fail "no target $target"
	done <<<"$output"
}

@test "a build of root's: one line for another user, and what to do" {
	require_root
	local target
	chmod 755 . .. "$BATS_RUN_TMPDIR"
	mkdir -p build/userspace out
	chown 65534 out
	for target in all test-vm install clean deb; do
		run as_nobody make -C "$PWD" "$target"
		assert_failure 2
		assert_line --regexp "^Makefile:[0-9]+: \*\*\* build is not yours to write \(build\).*: sudo chown -R .* build, or make BUILD=DIR\.  Stop\.\$"
		refute_line --partial denied
	done
	run as_nobody make -C "$PWD" -s BUILD=out PREFIX="$PWD/none" uninstall help
	assert_success
	chown -R 65534 build
	touch build/flags
	run as_nobody make -C "$PWD" all
	assert_failure 2
	assert_line --partial '(build/flags)'
	rm build/flags
	chown root build/userspace
	run as_nobody make -C "$PWD" clean
	assert_line --partial '(build/userspace)'
}

@test "a build directory without a name, or with blanks in it, is refused" {
	local name

	for name in '' 'a b'; do
		run make "BUILD=$name" help
		assert_failure 2
		assert_output --partial "BUILD is '$name': the name of a directory, without blanks, is wanted"
	done
}
