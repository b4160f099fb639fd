# Goal: dq-promote --dead redrives dead messages, with all their tries, by name or queue, and at a rate if wanted.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load common

@test "--dead with a name: ready, with all its tries" {
	dead 2
	equal "$(tries 1)" 1
	run -0 --separate-stderr dq-promote --dead "$q/1"
	equal "$output$stderr" ''
	holds 0 1 0 1
	equal "$(tries 1)" ''
	equal "$(dq-take "$q" | cut -f2)" 'body 1'
	equal "$(tries 1)" 1
	equal "$(field stat redriven)" 1
}

@test "--dead: not dead, no such message: 1 with the reason; -q silences it" {
	dead 1
	dq-put -q -i x -d 1h "$q" x
	fails 1 "^$q/x: not redriven: not dead\$" dq-promote --dead "$q/x"
	fails 1 "^$q/none: not redriven: no such message\$" dq-promote --dead "$q/none" "$q/1"
	holds 1 1 0 0
	run -1 --separate-stderr dq-promote --dead -q "$q/x"
	equal "$output$stderr" ''
}

@test "--dead with a queue: all of it, in more calls than one" {
	dead 2500
	dq-put -q -i x -d 1m "$q" x
	later 60001
	run -0 --separate-stderr dq-promote --dead -v "$q"
	equal "$stderr" 'dq-promote: 2500 redriven'
	holds 1 2500 0 0
	equal "$(rcli EXISTS "dq:{$q}:try")" 0
	run -0 --separate-stderr dq-promote --dead -q "$q" "$q.never"
	equal "$output$stderr" ''
}

@test "--dead with a queue: a message that dies from now on stays dead" {
	dead 2
	rcli ZADD "dq:{$q}:dead" XX INCR 3600000 2 >/dev/null
	dq-promote --dead "$q"
	holds 0 1 0 1
	dq-promote --dead "$q/2"
	holds 0 2 0 0
}

@test "--dead with a queue ends at messages that it cannot redrive, and redrives those behind them" {
	rcli EVAL 'for i = 1, 2500 do redis.call("ZADD", KEYS[1], i, "ghost" .. i) end' 1 "dq:{$q}:dead" >/dev/null
	dq-put -q -i x -r 1 "$q" x
	dq-take "$q" >/dev/null
	later 60001
	dq-promote "$q"
	run -0 --separate-stderr dq-promote --dead -v "$q"
	equal "$stderr" 'dq-promote: 1 redriven'
	equal "$(states)" '0 1 0 2500'
}

@test "--dead without operands: names and queues from standard input" {
	dead 3
	printf '%s/1\t1\tout of tries\n%s/3\n' "$q" "$q" | dq-promote --dead
	holds 0 2 0 1
	dq-promote --dead <<<"$q"
	holds 0 3 0 0
	run -0 --separate-stderr dq-promote --dead </dev/null
	equal "$output$stderr" ''
	run -65 --separate-stderr dq-promote --dead <<<'a b'
	matches "$stderr" '^dq-promote: "a b": '
}

@test "--dead: the output of dq-stat is redriven" {
	dead 3
	dq-stat --messages=dead "$q" >"$T/listed" 2>&1 || skip 'dq-stat lists no messages yet'
	dq-promote --dead <"$T/listed"
	holds 0 3 0 0
}

@test "--dead without operands on a terminal: 64" {
	run -64 command script -qec 'dq-promote --dead' /dev/null </dev/null
	matches "$output" 'dq-promote: --dead: no QUEUE or NAME given'
}

@test "--dead -n: so many in total, the oldest dead first; only dead ones count" {
	dead 20
	dq-promote --dead -n 3 "$q"
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | sort | paste -sd' ')" '01 02 03'
	sed "s|^|$q/|" "$T/ids" >"$T/names"
	run -1 --separate-stderr dq-promote --dead -n 2 <"$T/names"
	equal "${#stderr_lines[@]}" 3
	holds 0 5 0 15
	run -0 --separate-stderr dq-promote --dead -v -n 100 "$q"
	equal "$stderr" 'dq-promote: 15 redriven'
}

@test "--dead --rate: evenly, not faster" {
	dead 20
	elapsed dq-promote --dead --rate 50 -n 11 "$q"
	between 200 "$ms" 20000
	holds 0 11 0 9
	seq -w 12 20 | sed "s|^|$q/|" >"$T/names"
	elapsed dq-promote --dead --rate 40 <"$T/names"
	between 200 "$ms" 20000
	holds 0 20 0 0
	fails 64 '^--rate: "0": not a whole number from 1 to 1000000$' dq-promote --dead --rate 0 "$q"
	fails 64 '^--rate: only with --dead$' dq-promote --rate 5 "$q"
}

@test "--dead --rate: one after the other at that rate, and a signal ends the wait" {
	dead 9
	local pid
	dq-promote --dead --rate 1 "$q" 3>&- &
	pid=$!
	wait_until 20 eval '[ "$(rcli ZCARD "dq:{$q}:dead")" -lt 9 ]'
	kill -TERM "$pid"
	ends_with 143 "$pid"
	between 1 "$(rcli ZCARD "dq:{$q}:dead")" 8
	audit
}
