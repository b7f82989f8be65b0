# SPDX-License-Identifier: GPL-2.0-only
#
# Reads C files, prints every #include "…" that goes against the order of the rooms.

BEGIN {
	may["core"] = " core "
	may["trace"] = " core trace "
	may["sim"] = " core sim "
	may["spec"] = " core spec "
	may["live"] = " core spec trace live bpf/events.h gen "
	may["report"] = " core spec trace report "
	may["bpf"] = " vmlinux bpf "
	may["vmlinux"] = " vmlinux "
}

# userspace/core/rng.h -> core; bpf/events.h -> bpf
function room(path, part)
{
	split(path, part, "/")
	if (part[1] != "userspace")
		return part[1]
	return part[3] == "" ? "main" : part[2]
}

function exists(path, line, found)
{
	found = (getline line < path) >= 0
	close(path)
	return found
}

# a/b/../c -> a/c
function plain(path)
{
	while (sub(/[^\/.]+\/\.\.\//, "", path))
		;
	return path
}

# The file that the compiler would take, or what the build generates.
function resolve(name, from, dir, try, i)
{
	sub(/[^\/]*$/, "", from)
	split(from " userspace/ vmlinux/ bpf/", dir, " ")
	for (i = 1; i <= 4; i++) {
		try = plain(dir[i] name)
		if (exists(try))
			return try
	}
	return "gen/" name
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	here = room(FILENAME)
	if (!(here in may))
		next
	target = resolve(quoted[2], FILENAME)
	# The version and the presets are text, of no room.
	if (target ~ /^gen\/(version|presets?)\.h$/ && here != "core")
		next
	if (!index(may[here], " " room(target) " ") && !index(may[here], " " target " "))
		printf "%s:%d: %s/ may not include %s\n", FILENAME, FNR, here, target
}
