# Goal: With servers that reply nonsense, too much, too slowly or never, each tool ends as answers.txt says: in time, with little memory,
# and without a byte on which a terminal might act.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

check() { # [ROW]
	python3 "$top/test/hostile/check.py" ${1:+"$1"}
}

@test "every answer to every tool" {
	check ''
}

@test "the check finds a tool that does not know what was done" {
	mkdir "$T/bad"
	printf '#!/bin/bash\necho "dq-rm: unexpected reply, not removed" >&2\nexit 70\n' >"$T/bad/dq-rm"
	chmod +x "$T/bad/dq-rm"
	PATH=$T/bad:$PATH run check integer
	matches "$output" 'dq-rm .*: done. wanted: unknown'
}

# A tool for each thing that may be wrong, as dq-stat, which alone is tried.
@test "the check finds faults" {
	local name text cap
	mkdir "$T/bad"
	while IFS=' ' read -r name text; do
		printf '#!/bin/bash\n%s\n' "$text" >"$T/bad/dq-stat"
		chmod +x "$T/bad/dq-stat"
		cap=60 # for a loaded machine; only what hangs waits for it
		[ "$name" != hangs ] || cap=2
		PATH=$T/bad:$PATH DQ_HOSTILE_CAP=$cap run check stat-low
		matches "$output" "; .*1 bad|: $name.*1 bad"
		[ "$status" -eq 1 ]
	done <<-'EOF2'
		hangs exec tail -f /dev/null
		exit.status.1 echo 'dq-stat: unexpected reply' >&2; exit 1
		exit.status.-11 echo 'dq-stat: unexpected reply' >&2; kill -SEGV $$
		does.not.say echo 'dq-stat: no idea' >&2; exit 70
		floods printf 'dq-stat: unexpected reply\n%.0s' {1..99} >&2; exit 70
		a.line.without echo 'unexpected reply' >&2; exit 70
		raw.bytes printf 'dq-stat: unexpected reply \033[1m\n' >&2; exit 70
		raw.bytes printf '\302\233'; echo 'dq-stat: unexpected reply' >&2; exit 70
		grew.to python3 -c 'b"x" * (640 << 20)'; echo 'dq-stat: unexpected reply' >&2; exit 70
	EOF2
}

# BEGINS STATUS DONE of the table of error replies in dq-scripts(7), but for its last line: any other.
manual() {
	sed -n '/^\.Ss Error replies/,/^\.El/s/^\.It Li \(.*\) Ta \([0-9]*\) Ta \(.*\)$/\1\t\2\t\3/p' "$top/man/dq-scripts.7"
}

@test "the answers include each error reply of dq-scripts(7), with its status" {
	local begins code fate row fields seen=0
	while IFS=$'\t' read -r begins code fate; do
		row=$(grep -E '\| call +\| go +\|' "$top/test/hostile/answers.txt" | grep -F " | -$begins" | head -1)
		[ -n "$row" ] || {
			echo "no row for $begins"
			return 1
		}
		IFS='|' read -ra fields <<<"$row"
		matches "${fields[3]}" "^ $code( |\$)"
		matches "${fields[4]}" "^ $fate +\$"
		seen=$((seen + 1))
	done < <(manual)
	between 25 "$seen" 99
}
