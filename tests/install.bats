#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What is installed works away from the source, and goes without a trace; completion; the Debian package.

load helpers

setup()
{
	common_setup
	# For tests that run as nobody.
	chmod 755 "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")" "$BATS_RUN_TMPDIR"
	DEST=$BATS_TEST_TMPDIR/dest
	unset MAKELEVEL DESTDIR PREFIX
}

# With the flags and the spelling of BUILD that `make test` had: others would build everything again.
make_top()
{
	# A make around that was given a variable says which directory it leaves.
	run make -s --no-print-directory -C "$HOLBENCH_TOP" BUILD="${BUILD:-build}" "$@"
	assert_success
}

# away BIN MAN: the tests of the command line, and of the manual against the program, where the source is
# not: they and the manual are copied to ./away, the program is BIN's.
away()
{
	local bin=$1 man=$2 hide=()

	mkdir -p away/tests away/docs
	cp "$HOLBENCH_TOP"/tests/{cli.bats,man.bats,helpers.bash} away/tests/
	cp "$man"/man*/* away/docs/
	gzip -dq away/docs/*.gz 2>/dev/null || true
	# shellcheck disable=SC2016
	((EUID)) || hide=(unshare --mount --propagation private bash -c
		'mount -t tmpfs none "$1" && shift && "$@"' - "$HOLBENCH_TOP")
	# shellcheck disable=SC2016
	env BUILD="$bin" "${hide[@]}" bash -c '
		"$BUILD/holbench" simulate ordering-quick workload.duration=100ms run.repeats=1 --quiet --out sim &&
			bats --tap away/tests/cli.bats away/tests/man.bats'
}

# complete LINE: what completion answers at the end of that line, a word a line.
complete_line()
{
	# shellcheck disable=SC2016
	run "$HOLBENCH_BUILD/holbench" --completion bash
	assert_success
	echo "$output" >completion.bash
	# shellcheck disable=SC2016
	run bash --norc -c '. ./completion.bash
		COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=${2-$'"' \\t\\n\"\\'@><=;|&(:'"'}
		_holbench && printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}

@test "make install: the program, three pages, completion, README and licence, and nothing else" {
	make_top install DESTDIR="$DEST"
	run find "$DEST" -type f -printf '%P %m\n'
	assert_equal "$(sort <<<"$output")" "$(sort <<-END
		usr/local/bin/holbench 755
		usr/local/share/bash-completion/completions/holbench 644
		usr/local/share/doc/holbench/LICENSE 644
		usr/local/share/doc/holbench/README.md 644
		usr/local/share/man/man1/holbench.1 644
		usr/local/share/man/man5/holbench-spec.5 644
		usr/local/share/man/man5/holbench-trace.5 644
	END
	)"
}

@test "make install leaves nothing of its own in the build" {
	rm -f "$HOLBENCH_BUILD/completion.bash"
	make_top install DESTDIR="$DEST"
	assert_file_not_empty "$DEST/usr/local/share/bash-completion/completions/holbench"
	assert_not_exist "$HOLBENCH_BUILD/completion.bash"
}

@test "make uninstall leaves nothing, and nothing of others is gone" {
	make_top install DESTDIR="$DEST" PREFIX=/opt/hb
	echo other >"$DEST/opt/hb/bin/other"
	make_top uninstall DESTDIR="$DEST" PREFIX=/opt/hb
	run find "$DEST" ! -type d -o -name 'holbench*'
	assert_output "$DEST/opt/hb/bin/other"
	make_top uninstall DESTDIR="$DEST" PREFIX=/opt/hb
}

@test "install and uninstall below a name with blanks and quotes" {
	make_top install DESTDIR="$DEST's own" PREFIX='/opt/h b'
	run "$DEST's own/opt/h b/bin/holbench" --version
	assert_success
	make_top uninstall DESTDIR="$DEST's own" PREFIX='/opt/h b'
	run find "$DEST's own" ! -type d -o -name 'holbench*'
	refute_output
}

@test "make uninstall leaves the files of others where its own were, and says so" {
	make_top install DESTDIR="$DEST"
	echo other >"$DEST/usr/local/share/doc/holbench/other"
	make_top uninstall DESTDIR="$DEST"
	assert_output "$DEST/usr/local/share/doc/holbench has files of others, and stays"
	run find "$DEST" ! -type d
	assert_output "$DEST/usr/local/share/doc/holbench/other"
}

@test "installed, it runs where the source is not: presets, the command line's tests, the manual" {
	make_top install DESTDIR="$DEST"
	run away "$DEST/usr/local/bin" "$DEST/usr/local/share/man"
	assert_success
	assert_line --regexp '^ *1\.0 +partition '
	assert_line --regexp '^ok [0-9]+ a mistyped command'
	assert_line --regexp '^ok [0-9]+ holbench\(1\): the synopsis'
	refute_line --partial '# skip'
}

@test "man finds the installed pages" {
	# mandoc's own is called so where another man may be.
	local man
	man=$(command -v man || command -v mman) || skip 'no man here'
	make_top install DESTDIR="$DEST"
	local page
	for page in '1 holbench' '5 holbench-spec' '5 holbench-trace'; do
		# shellcheck disable=SC2086
		run "$man" -M "$DEST/usr/local/share/man" -w $page
		assert_output "$DEST/usr/local/share/man/man${page% *}/${page#* }.${page% *}"
	done
}

@test "completion: shellcheck finds nothing in it" {
	complete_line 'holbench '
	run shellcheck completion.bash
	assert_success
}

@test "completion: commands and options are those of --help" {
	local command
	complete_line 'holbench '
	"$HOLBENCH_BUILD/holbench" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' >helped
	assert_equal "$(grep -v '^--' <<<"$output")" "$(<helped)"
	for command in $(<helped); do
		"$HOLBENCH_BUILD/holbench" "$command" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' >options
		complete_line "holbench $command -"
		assert_equal "$output" "$(<options)"
	done
	complete_line 'holbench sw'
	assert_output sweep
}

@test "completion: presets, keys and spec files where a spec is taken, results where one is" {
	touch mine.ini other.txt
	mkdir result-1
	complete_line 'holbench sweep ord'
	assert_output $'ordering-quick\nordering'
	complete_line 'holbench run --quiet m'
	assert_output mine.ini
	complete_line 'holbench simulate ordering dispatch.t'
	assert_output 'dispatch.threshold='
	complete_line 'holbench explain res'
	assert_output result-1
	complete_line 'holbench compare result-1 --by place.iso'
	assert_output place.isolation
	complete_line 'holbench knee replicas --over '
	assert_output workload.rate
	complete_line 'holbench sweep --out res'
	assert_output result-1
	complete_line 'holbench doctor '
	refute_output --regexp '[a-z]'
}

@test "completion: the keys of a resource, by the names that the spec or the word gives" {
	printf '[resource.db]\ncapacity = 2\n[resource.disk]\n' >mine.ini
	complete_line 'holbench simulate resou'
	assert_output resource.
	complete_line 'holbench simulate mine.ini resource.'
	assert_output $'resource.db.capacity=\nresource.disk.capacity=\nresource.db.queue=\nresource.disk.queue=\nresource.db.dist=\nresource.disk.dist='
	complete_line 'holbench knee mine.ini --vary resource.disk.c'
	assert_output resource.disk.capacity=
	complete_line 'holbench compare result-1 --by resource.log.c'
	assert_output resource.log.capacity
	complete_line 'holbench simulate resource.log.dist=u'
	assert_output uniform:
}

@test "completion: a key's words, in a list too, whether or not = and : end a word" {
	complete_line 'holbench sweep workload.cold_pick='
	assert_output $'roundrobin\nuniform\nzipf:'
	complete_line 'holbench sweep dispatch.design=shared,pa'
	assert_output 'shared,partition'
	complete_line 'holbench sweep dispatch.design=shared,pa' ' '
	assert_output 'dispatch.design=shared,partition'
	complete_line 'holbench sweep dispatch.design=steal:k'
	assert_output 'key'
	complete_line 'holbench explain --where class=v'
	assert_output 'victim'
	complete_line 'holbench explain --where=class=n' ' '
	assert_output -- '--where=class=neighbour'
}

@test "--completion is for bash, and no secret command of another name" {
	run holbench --completion zsh
	assert_failure 2
	assert_output --partial 'no command'
}

@test "the Debian package: without errors of lintian, and its program passes away from the source" {
	command -v dpkg-deb >/dev/null || skip 'no dpkg-deb here: not a Debian'
	make_top deb
	local package=${lines[-1]}
	[[ $package == /* ]] || package=$HOLBENCH_TOP/$package
	assert_file_exist "$package"
	run lintian --allow-root --fail-on error "$package"
	assert_success
	run dpkg-deb --field "$package" Version Depends
	assert_line --regexp '^Version: [0-9]'
	assert_line --regexp '^Depends: .*libbpf1.*libzstd1'
	dpkg-deb -x "$package" "$DEST"
	assert_file_not_exist "$DEST/usr/share/doc/holbench/LICENSE"
	run "$DEST/usr/bin/holbench" --version
	assert_output "$("$HOLBENCH_BUILD/holbench" --version)"
	run away "$DEST/usr/bin" "$DEST/usr/share/man"
	assert_success
	assert_line --regexp '^ok [0-9]+ a mistyped command'
}

@test "the Debian version: of a tag, of a commit without one, of a tarball; each later than the one before" {
	command -v dpkg >/dev/null || skip 'no dpkg here: not a Debian'
	local versions=() text
	eval "$(sed -n '/^debian_version()/,/^}/p' "$HOLBENCH_TOP/tools/deb")"
	for text in abcdef0 v1.2 v1.2-3-gabcdef0 v1.2-3-gabcdef0-dirty v1.2.1 v1.3-rc1; do
		versions+=("$(debian_version "$text" 20260102)")
	done
	assert_equal "${versions[*]:0:4}" \
		'0~git20260102.abcdef0 1.2 1.2+3.gabcdef0 1.2+3.gabcdef0.dirty'
	local i
	for ((i = 1; i < ${#versions[@]}; i++)); do
		dpkg --compare-versions "${versions[i - 1]}" lt "${versions[i]}" ||
			fail "${versions[i - 1]} is not earlier than ${versions[i]}"
	done
	assert_equal "$(debian_version unknown 20260102)" '0~unknown'
	# A commit whose name has digits only is no version.
	assert_equal "$(debian_version 7615620 20260102)" '0~git20260102.7615620'
}
