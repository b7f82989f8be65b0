#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tests/style: a small tree that keeps every rule, broken one rule at a time.

load helpers

LICENCE='/* SPDX-License-Identifier: GPL-2.0-only */'

setup()
{
	common_setup
	mkdir -p tests bpf vmlinux tools userspace/{core,live,trace} .ci b
	cp "$HOLBENCH_TOP"/tests/{style,layers.awk,core-symbols.txt} tests/
	cp "$HOLBENCH_TOP/.clang-format" .
	echo '# SPDX-License-Identifier: GPL-2.0-only' >Makefile
	echo '# Words' >README.md
	source_file userspace/core/a.h <<<'int a(int x);'
	source_file userspace/core/a.c <<-'END'
		#include "core/a.h"

		static const char *const names[] = {"a", "b"};

		int a(int x)
		{
		    return names[x][0];
		}
	END
	sed -i 's/^    /\t/' userspace/core/a.c
	export BUILD=b
}

source_file()
{
	{ echo "$LICENCE" && cat; } >"$1"
}

# Compiles core as it stands, then checks.
check()
{
	gcc -O2 -Iuserspace -c -o b/a.o userspace/core/a.c && rm -f b/core.a && ar rcs b/core.a b/a.o
	run tests/style
}

# Only this rule is broken, and the reason says where.
assert_breaks()
{
	assert_failure 1
	assert_equal "$(grep -c '^not ok' <<<"$output")" 1
	assert_line --regexp "^not ok [0-9]+ - .*$1"
	assert_line --regexp "^# .*$2"
}

@test "a tree that keeps the rules passes" {
	check
	assert_success
	assert_line --regexp '^1\.\.11$'
}

@test "a variable of the environment that no document names" {
	# shellcheck disable=SC2016
	printf '# SPDX-License-Identifier: GPL-2.0-only\necho "${HOLBENCH_COLOUR:-none}"\n' >tools/paint
	check
	assert_breaks 'documented' 'HOLBENCH_COLOUR is neither in README.md nor in docs/'
	echo 'HOLBENCH_COLOUR' >>README.md
	check
	assert_success
}

@test "layout" {
	local version
	version=$("$(command -v clang-format-14 || echo clang-format)" --version | grep -oE 'version [0-9]+')
	[[ $version == 'version 14' ]] || skip "other versions than 14 lay out otherwise, here is ${version#version }"
	sed -i 's/return /return  /' userspace/core/a.c
	check
	assert_breaks 'laid out' 'a\.c:8'
}

@test "shell" {
	# shellcheck disable=SC2016
	printf '#!/usr/bin/env bash\n# SPDX-License-Identifier: GPL-2.0-only\nrm $1\n' >tools/x
	check
	assert_breaks shellcheck 'tools/x'
}

@test "licence" {
	sed -i 1d userspace/core/a.h
	check
	assert_breaks licence 'a\.h'
}

@test "forbidden text, in documents too" {
	printf 'see /%s/me\n' home >README.md
	check
	assert_breaks forbidden 'README\.md:1'
	printf '%s: later\n' TO"DO" >README.md
	check
	assert_breaks forbidden 'README\.md:1'
}

@test "a shell from user space" {
	source_file userspace/live/b.c < <(printf 'int b(void)\n{\n\treturn system("true");\n}\n')
	check
	assert_breaks 'starts no shell' 'b\.c:4'
}

@test "a long function and a long file" {
	source_file userspace/live/b.c < <(printf 'void b(void)\n{\n' && printf '\tb();\n%.0s' {1..61} && echo '}')
	check
	assert_breaks 'no function' 'b\.c:3: a function of 61 lines'
	source_file userspace/live/b.c < <(printf 'int b%s;\n' {1..400})
	check
	assert_breaks 'no file' 'b\.c: 401'
}

@test "layers" {
	source_file userspace/live/b.h <<<'int b(void);'
	source_file userspace/trace/c.c <<<'#include "live/b.h"'
	check
	assert_breaks 'rooms' 'c\.c:2: trace/ may not include userspace/live/b\.h'
	source_file userspace/trace/c.c <<<'#include "../live/b.h"'
	check
	assert_breaks 'rooms' 'c\.c:2: trace/'
	source_file userspace/trace/c.c <<<'#include "probe.skel.h"'
	check
	assert_breaks 'rooms' 'c\.c:2: trace/ may not include gen/probe\.skel\.h'
	source_file userspace/trace/c.c <<<'#include "core/a.h"'
	source_file userspace/live/d.c <<<'#include "../../bpf/events.h"'
	source_file bpf/events.h <<<'struct e;'
	check
	assert_success
}

@test "core calls something from outside" {
	source_file userspace/core/a.c < <(
		printf 'int rand(void);\nint a(int x);\n\nint a(int x)\n{\n\treturn x + rand();\n}\n')
	check
	assert_breaks 'core uses nothing' 'a\.o: +U rand'
}

@test "core has a variable" {
	sed -i 's/const char \*const/const char */' userspace/core/a.c
	echo 'const char **b(void) { return names; }' >>userspace/core/a.c
	"$(command -v clang-format-14 || command -v clang-format)" -i userspace/core/a.c
	check
	assert_breaks 'core has no variables' 'names: a variable'
}
