# SPDX-License-Identifier: GPL-2.0-only
#
# One program's TAP, renumbered from `first` and named. The sums go to the file `sums`: passed, failed,
# skipped, planned (`none` without a plan); the reasons of skips are added to the file `skips`.

function text_of(line)
{
	sub(/^(not )?ok *[0-9]* *(- *)?/, "", line)
	return name ": " line
}

/^(not )?ok([ \t]|$)/ {
	text = text_of($0)
	is_skip = $0 ~ /^ok/ && $0 ~ /# *[Ss][Kk][Ii][Pp]/
	if (is_skip)
		print text >>skips
	if (is_skip)
		skipped++
	else if ($0 ~ /^ok/)
		passed++
	else
		failed++
	printf "%s %d - %s\n", ($0 ~ /^ok/ ? "ok" : "not ok"), first + passed + failed + skipped, text
	fflush()
	next
}

/^1\.\.[0-9]+/ {
	plan = substr($1, 4)
	if (has_plan++)
		plan = "twice"
	# A program that cannot run at all here says so in its plan: one skip.
	if (plan == 0 && $0 ~ /# *[Ss][Kk][Ii][Pp]/) {
		sub(/^1\.\.0 */, "")
		print name ": " $0 >>skips
		printf "ok %d - %s: %s\n", first + ++skipped, name, $0
		plan = 1
	}
	next
}

# It begins anew.
/^# again: / {
	passed = failed = skipped = has_plan = 0
	print
	next
}

# What a failed test says, and whatever a program prints that is not TAP.
{
	print /^#/ ? $0 : "# " $0
	fflush()
}

END {
	if (!has_plan)
		plan = "none"
	print passed + 0, failed + 0, skipped + 0, plan >sums
}
