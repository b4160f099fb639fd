# Goal: On a terminal the table shows queues in trouble first, and fits the screen; through a pipe it is always the same.

bats_require_minimum_version 1.5.0

load ../helper
load queue

# What a terminal of that size shows, and the status; then the coloured texts.
on_screen() { # COLUMNSxROWS COMMAND...
	printf 'end\nshow\ncoloured\n' | TERM=xterm python3 "$top/test/tool/screen.py" "$@"
}

bury() { # COUNT QUEUE
	seq "$1" | dq-put -ql "$2"
	dq-take -n "$1" "$2" | dq-ack -b
}

late() { # MS QUEUE
	dq-put -q -d 1s "$2" x
	later $((1000 + $1)) "$2"
}

# The first word of each line.
names() {
	awk '{ print $1 }' <<<"$output" | paste -sd' '
}

@test "in trouble first, then those in use, the idle ones in a line" {
	warm_up "$q.e" "$q.f"
	dq-put -q -d 1h "$q.a" x
	bury 1 "$q.b"
	bury 3 "$q.c"
	local since=$SECONDS
	late 100000 "$q.d"
	run -0 on_screen 80x24 dq-stat -q
	equal "$(names)" "0 QUEUE $q.d $q.c $q.b $q.a 2 33 31 31"
	matches "$output" "
2 idle: $q.e, $q.f
33 [0-9]m[0-9]+s
31 3
31 1\$"
	ages 100 "$since" "$(grep '^33 ' <<<"$output")"
	run -0 on_screen 80x24 dq-stat -q -a
	equal "$(names)" "0 QUEUE $q.d $q.c $q.b $q.a $q.e $q.f 33 31 31"
	run -0 on_screen 80x24 dq-stat -q "$q.f" "$q.b"
	equal "$(names)" "0 QUEUE $q.b $q.f 31"
}

@test "a hint if no tool promotes due messages; else none" {
	local since=$SECONDS
	late 5000 "$q.a"
	run -0 on_screen 100x24 dq-stat
	[[ $output != *dq-stat:* ]]
	late 60000 "$q.a" # the first one, too: 5 s and 61 s
	run -0 on_screen 100x24 dq-stat
	matches "$output" "dq-stat: $q.a: due for [0-9]m[0-9]+s, not promoted: run dq-promote -f, dq-take or dq-run"
	ages 66 "$since" "${output#*: due for }"
	since=$SECONDS
	late 120000 "$q.b"
	late 70000 "$q.c"
	run -0 on_screen 120x24 dq-stat
	matches "$output" "dq-stat: $q.b \(and 2 other queues\): due for [0-9]m[0-9]+s, "
	ages 120 "$since" "${output#*: due for }"
	run -0 --separate-stderr dq-stat
	equal "$stderr" ''
}

@test "no colours if they are not wanted" {
	local env
	bury 1 "$q.a"
	run -0 on_screen 80x24 dq-stat
	equal "${lines[-1]}" '31 1'
	for env in NO_COLOR=1 TERM=dumb TERM=; do
		run -0 on_screen 80x24 env "$env" dq-stat
		matches "${lines[-1]}" "^$q.a "
	done
	run -0 on_screen 80x24 env NO_COLOR= dq-stat
	equal "${lines[-1]}" '31 1'
}

@test "it fits: long names are cut, large numbers are short, and columns are dropped" {
	local name
	name=$q.$(printf 'n%.0s' {1..100})
	rcli EVAL 'for i = 1, 123456 do redis.call("ZADD", KEYS[1], 4e12, i) end' 1 "$q:{$name}:delayed" >/dev/null
	dq-put -q "$name" x
	run -0 on_screen 80x24 dq-stat
	matches "$output" $'\n'"$q"'\.n+~n+ +123k +1 +0 +[0-9.]+m?s +[0-9]+d[0-9]+h$'
	run -0 on_screen 200x24 dq-stat
	matches "$output" $'\n'"$name  +123k "
	run -0 on_screen 40x24 dq-stat
	matches "$output" $'^0\nQUEUE +DELAYED +READY +DEAD +OLDEST\n'"$q\\.n*~n* +123k +1 +0 +[0-9.]+m?s\$"
}

@test "empty columns make room for names; cut names that differ look different, at each width" {
	local width
	dq-put -q alpha-team-jobs-high-priority x
	dq-put -q alpha-team-jobs-low-priority x
	dq-put -q alpha-team-jobs-low-urgency x
	run -0 on_screen 80x24 dq-stat
	matches "${lines[1]}" '^QUEUE +DELAYED +DUE +READY +LEASED +DEAD +OLDEST +NEXT$'
	equal "$(grep -c '^alpha-team-jobs-[a-z]*-[a-z]* ' <<<"$output")" 3
	for width in 40 50 60 70; do
		run -0 on_screen "${width}x24" dq-stat
		equal "$(grep '^alpha' <<<"$output" | cut -d' ' -f1 | sort -u | wc -l)" 3
		equal "$(awk -v width="$width" 'length($0) > width' <<<"$output")" ''
	done
	dq-rm -qaf alpha-team-jobs-high-priority alpha-team-jobs-low-priority alpha-team-jobs-low-urgency
}

@test "usually empty columns are shown if a queue has a value for them" {
	dq-put -q "$q.a" x
	run -0 on_screen 80x24 dq-stat
	[[ $output != *LIMITED* && $output != *EXPIRED* ]]
	dq-set -q "$q.a" paused=yes
	dq-put -q -x 10m -i old "$q.b" x
	rcli ZADD "$q:{$q.b}:expiry" 1 old >/dev/null
	run -0 on_screen 90x24 dq-stat
	matches "$output" 'NEXT  LIMITED  EXPIRED'
	matches "$output" "$q.a .* paused +0"
	matches "$output" "$q.b .* - +1"
}

@test "many idle queues: as many names as fit" {
	warm_up "$q".{10..40}
	run -0 on_screen 60x24 dq-stat
	matches "$output" "^0
31 idle: $q.10, $q.11, .*, and [0-9]+ more; -a shows all\$"
	run -0 on_screen 80x24 dq-stat --no-header
	matches "${lines[1]}" '^31 idle: '
}

@test "no queues: a header; a queue that does not exist: a row, and 1" {
	run -0 on_screen 80x24 dq-stat
	equal "$output" $'0\nQUEUE  DELAYED  DUE  READY  LEASED  DEAD  OLDEST  LATE  NEXT'
	run -0 on_screen 80x24 dq-stat "$q.none"
	matches "$output" "^1
dq-stat: $q.none: no such queue yet: dq-put creates it
QUEUE [^
]*
$q.none +0 [^
]*\$"
}

@test "-a: only for the table, where it changes nothing in a pipe" {
	warm_up "$q.a"
	equal "$(dq-stat -a)" "$(dq-stat)"
	fails 64 '^--all: only for the table$' dq-stat -a --json
	fails 64 '^--all: only for the table$' dq-stat --all --check
	fails 64 '^--all: only for the table$' dq-stat -a --messages all
}
