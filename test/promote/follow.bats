# Goal: dq-promote -f continues through failures of the server, until a signal, a time or a number of messages ends it.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load common

@test "-f: promotes due messages, in new queues too, until a signal" {
	export DQ_PREFIX=$q
	dq-promote -f 3>&- &
	local pid=$!
	dq-put -q -d 30ms "$q.a" x
	wait_until 5 holds 0 1 0 0 "$q.a"
	dq-put -q -d 30ms "$q.b" x
	wait_until 5 holds 0 1 0 0 "$q.b"
	dq-take -t 30ms "$q.a" >/dev/null
	wait_until 5 holds 0 1 0 0 "$q.a"
	kill "$pid"
	exits 143 "$pid"
}

@test "-f: survives a restart of the server, and reports it" {
	local -x DQ_URL=unix://$T/again/s SERVER=again
	start_server again --appendonly yes --appendfsync always
	dq-promote -f "$q" 2>"$T/follow.errors" 3>&- &
	local pid=$!
	dq-put -q -d 50ms "$q" x
	wait_until 10 holds 0 1 0 0
	stop_server again KILL
	start_server again --appendonly yes --appendfsync always
	dq-put -q -d 50ms "$q" x
	wait_until 15 holds 0 2 0 0
	kill "$pid"
	exits 143 "$pid"
	matches "$(cat "$T/follow.errors")" '^dq-promote: .*connect'
	stop_server again
}

@test "-f --for: ends with 0 after that time, and promotes until then" {
	dq-put -q -d 200ms "$q" x
	elapsed run -0 --separate-stderr dq-promote -f --for 2s "$q"
	between 2000 "$ms" 20000
	equal "$output$stderr" ''
	holds 0 1 0 0
}

@test "-f --for, and the server is unreachable at its end: not 0" {
	local -x SERVER=away DQ_URL=unix://$T/away/s
	start_server away
	dq-promote -f --for 4s >"$T/away.out" 2>&1 3>&- &
	local pid=$!
	wait_until 20 connected
	stop_server away KILL
	ends_with '69|75' "$pid"
}

connected() {
	rcli CLIENT LIST | grep -q name=dq-promote
}

@test "-f -n: ends when so many have moved" {
	seq 5 | dq-put -ql -d 1m "$q"
	later 60001
	dq-promote -f -n 3 "$q"
	holds 2 3 0 0
}

@test "-f: a key of another type while the tool waits for its queue: reported once, and no busy loop" {
	dq-put -q -d 3s "$q" x
	dq-promote -f "$q" 2>"$T/$q.err" 3>&- &
	local promoter=$!
	wait_until 10 eval '[ "$(rcli ZCARD "dq:{$q}:timer")" = 0 ]'
	rcli LPUSH "dq:{$q}:conf" x >/dev/null
	wait_until 10 grep -q 'not promoted' "$T/$q.err"
	rcli CONFIG RESETSTAT >/dev/null
	wait_until 10 eval '[ "$(server_ms)" -gt $(($(score delayed "$(rcli HKEYS "dq:{$q}:msg")") + 1500)) ]'
	equal "$(wc -l <"$T/$q.err")" 1
	between 0 "$(rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p')" 8
	rcli DEL "dq:{$q}:conf" >/dev/null
	kill "$promoter"
	exits 143 "$promoter"
}

@test "-f: more queues than one write of a blocking command holds" {
	local args
	mapfile -t args < <(printf "1\nqueue-%0110d\n" {1..1000})
	start_server many
	SERVER=many rcli ZADD "{dq:queues}" "${args[@]}" >/dev/null
	DQ_URL=unix://$T/many/s dq-promote -f 3>&- &
	local promoter=$!
	wait_until 200 eval 'SERVER=many rcli CLIENT LIST | grep -q "name=dq-promote-wait .*flags=b"'
	kill "$promoter"
	exits 143 "$promoter"
	stop_server many
}
