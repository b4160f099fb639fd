# Goal: dq-stat --check calls no queue late whose limits explain it, and still warns of a backlog that grows for ever.

bats_require_minimum_version 1.5.0

load ../helper
load ../health
load queue

setup_file() {
	begin_file
	rcli CONFIG SET appendonly yes appendfsync always >/dev/null
}

# Messages that are due since then, and not promoted.
due_since() { # MS QUEUE COUNT
	seq "$3" | dq-put -ql -d 1s -t 9h "$2"
	later $((1000 + $1)) "$2"
}

@test "a rate that is used up, and max-leased: limited, and how many are behind" {
	due_since 100000 "$q.r" 5
	dq-set "$q.r" rate=2/2h
	equal "$(dq-take -n 9 "$q.r" | wc -l)" 2
	due_since 100000 "$q.r" 2
	due_since 100000 "$q.l" 4
	dq-set "$q.l" max-leased=1
	dq-take "$q.l" >/dev/null
	due_since 100000 "$q.l" 1
	finds 0 'ok server' "ok limited $q.l: limited, 4 behind \(max-leased=1\)" \
		"ok limited $q.r: limited, 5 behind \(rate=2/2h: 5h0m at this rate\)"
	run -0 dq-stat --check --warn 'late>60s,due>=1,ready>=1,oldest>1s'
	matches "${lines[0]}" '^DQ OK - '
	dq-set "$q.r" rate=none
	dq-set "$q.l" max-leased=none
	finds 1 "warning late $q.l: late 1m[0-9]+s \(>1m\)" "warning late $q.r: late 1m[0-9]+s \(>1m\)"
}

@test "a limit that is not used explains nothing" {
	due_since 100000 "$q.x" 5
	dq-set "$q.x" rate=100/1s max-leased=10 max-len=5
	finds 1 "warning late $q.x: late 1m[0-9]+s \(>1m\)"
	dq-put -q -t 9h "$q.y" 1 2
	dq-set "$q.y" max-leased=2
	dq-take "$q.y" >/dev/null
	run -1 dq-stat --check --warn 'ready>0' "$q.y"
	matches "${lines[0]}" "^DQ WARNING - $q.y: 1 ready "
}

@test "nine tenths of a limit are enough: consumers leave places free for a moment" {
	due_since 100000 "$q.x" 20
	dq-set "$q.x" max-leased=10
	dq-take -n 9 "$q.x" >/dev/null
	finds 0 'ok server' "ok limited $q.x: limited, 11 behind \(max-leased=10\)"
	dq-take "$q.x" | dq-ack
	dq-set "$q.x" max-leased=11
	run -1 dq-stat --check --warn 'ready>=1,due>=1' "$q.x"
}

@test "for more than an hour: a warning; other limits for it, or none" {
	due_since 3700000 "$q.x" 5
	dq-promote "$q.x"
	dq-set "$q.x" max-leased=1
	dq-take "$q.x" >/dev/null
	finds 1 "warning limited $q.x: limited, 4 behind for 1h[0-9]+m \(>1h\) \(max-leased=1\); more is put than dq-set $q.x lets through"
	run -1 dq-stat --check
	matches "${lines[0]}" "^DQ WARNING - $q.x: limited, 4 behind for .* \| '$q.x_dead'=0;0; "
	matches "${lines[0]}" " '$q.x_limited'=3[0-9]+(\.[0-9]+)?s;3600;\$"
	run -0 dq-stat --check --warn 'limited>1d'
	run -2 dq-stat --check --crit 'limited>=1h'
	run -0 dq-stat --check --warn none
}

@test "a pause that ends explains what is ready, but not that nobody promotes; one for good is a warning" {
	dq-put -q "$q.x" 1 2
	dq-set "$q.x" paused=4h
	finds 0 'ok server' "ok limited $q.x: limited, 2 behind \(paused until 2[0-9-]+T[0-9:.]+Z\)"
	run -0 dq-stat --check --warn 'ready>0,oldest>=0s'
	due_since 100000 "$q.x" 1
	finds 1 "warning late $q.x: late "
	dq-set "$q.x" paused=yes
	finds 1 "warning paused $q.x: consumers get no messages" "warning late $q.x: late "
	run -1 dq-stat --check --warn 'ready>0'
	matches "${lines[0]}" "$q.x: consumers get no messages, 2 ready "
}

@test "a limit without messages behind it: nothing" {
	dq-set "$q.x" max-leased=1
	dq-put -q -t 9h "$q.x" 1
	dq-take "$q.x" >/dev/null
	dq-set -q "$q.y" paused=1h
	finds 0 'ok server'
}

@test "a pause that lasts for more than an hour: its remedy is to end it" {
	due_since 3700000 "$q.x" 5
	dq-promote "$q.x"
	dq-set "$q.x" paused=4h max-leased=1
	local why="limited, 5 behind for 1h[0-9]+m \\(>1h\\) \\(paused until 2[0-9-]+T[0-9:.]+Z\\)"
	finds 1 "warning limited $q.x: $why; dq-set $q.x paused=no ends the pause now"
}
