# shellcheck disable=SC2016
# dq-promote: what it moves, and how it goes on.

bats_require_minimum_version 1.5.0

load ../helper

@test "what is due becomes ready, what is not stays; silent, and 0 when nothing is due" {
	dq-put -q -d 10s "$q" a b
	dq-put -q -d 1h "$q" c
	run -0 --separate-stderr dq-promote "$q"
	equal "$output$stderr" ''
	holds 3 0 0 0
	later 10001
	run -0 --separate-stderr dq-promote "$q"
	equal "$output$stderr" ''
	holds 1 2 0 0
	equal "$(field stat promoted)" 2
	run -0 dq-promote "$q.none"
	equal "$(digest "$q.none")" ''
}

@test "leases that ran out: ready again, or dead with the reason when the tries are used up" {
	dq-put -q -i again "$q" x
	dq-put -q -i dies -r 1 "$q" x
	dq-put -q -i keeps -t 1h "$q" x
	dq-take -n 3 "$q" >/dev/null
	later 60001
	run -0 dq-promote "$q"
	equal "$output" ''
	holds 0 1 1 1
	score leased keeps
	score dead dies
	equal "$(field try dies | tail -1)" 'lease ran out'
	equal "$(tries again)" 1
}

@test "all queues without operand, the named ones with" {
	export DQ_PREFIX=$q
	dq-put -q -d 1s "$q.a" x
	dq-put -q -d 1s "$q.b" x
	dq-put -q -d 1s "$q.c" x
	for name in a b c; do later 1001 "$q.$name"; done
	dq-promote "$q.b" "$q.c"
	holds 1 0 0 0 "$q.a"
	holds 0 1 0 0 "$q.b"
	holds 0 1 0 0 "$q.c"
	dq-promote
	holds 0 1 0 0 "$q.a"
}

@test "all that is due, in more calls than one" {
	seq 1 2500 | dq-put -ql -d 1h "$q"
	later 3600001
	run -0 --separate-stderr dq-promote -v "$q"
	matches "$stderr" '^dq-promote: 2500 promoted, 0 back .*, 0 dead, 0 expired$'
	holds 0 2500 0 0
}

@test "-v counts" {
	dq-put -q -i a "$q" x
	dq-put -q -i b -r 1 "$q" x
	dq-take -n 2 "$q" >/dev/null
	later 60001
	run -0 --separate-stderr dq-promote -v "$q"
	matches "$stderr" '^dq-promote: 0 promoted, 1 back .*, 1 dead, 0 expired$'
}

@test "a broken queue: 70, and the others move" {
	export DQ_PREFIX=$q
	dq-put -q -d 1s "$q.a" x
	dq-put -q -d 1s "$q.b" x
	dq-put -q -d 1s "$q.c" x
	for name in a b c; do later 1001 "$q.$name"; done
	rcli SET "$q:{$q.b}:ready" mine >/dev/null
	fails 70 "^$q.b: not promoted: .*is a string" dq-promote
	holds 0 1 0 0 "$q.a"
	holds 0 1 0 0 "$q.c"
	equal "$(rcli ZCARD "$q:{$q.b}:delayed")" 1
}

@test "-f: moves what becomes due, in queues that come later too, until a signal" {
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

@test "-f: lives through a restart of the server, and says so" {
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

@test "many promoters and takers at once: nothing moves twice" {
	seq 1 3000 | dq-put -ql -d 1h "$q"
	later 3600001
	local i pids=()
	for i in 1 2 3 4; do
		dq-promote "$q" 3>&- &
		pids+=($!)
		dq-take -n 1000 "$q" >"$T/many.$i" 3>&- &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || [ $? -eq 1 ]; done
	audit
	equal "$(cut -f1 "$T"/many.* | sort | uniq -d)" ''
	equal "$(rcli ZCARD "dq:{$q}:leased")" "$(cat "$T"/many.* | wc -l)"
	equal "$(rcli HLEN "dq:{$q}:msg")" 3000
	equal "$(field stat promoted)" 3000
}
