# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154  # run --separate-stderr sets stderr
#
# What the tests of doctor share: `load doctor`, behind helpers. What doctor printed is in $output.

# state_of NAME: ok, limited or missing, of the finding in $output.
state_of()
{
	awk -v name="$1" 'index($0, name) == 1 { print substr($0, 18, 8); exit }' <<<"$output" | tr -d ' '
}

# assert_state NAME STATE
assert_state()
{
	assert_equal "$1: $(state_of "$1")" "$1: $2"
}

# run_fails_so: `run` says what doctor said of "live run" in $output, and names doctor.
run_fails_so()
{
	local words
	words=$(sed -n 's/^live run  *missing  //p' <<<"$output")
	[[ -n $words ]] || fail "doctor does not say why a live run would fail"
	run --separate-stderr "$@"
	assert_failure 1
	assert_equal "$stderr" "holbench: $words; run holbench doctor"
	assert_not_exist "$OUT"
}
