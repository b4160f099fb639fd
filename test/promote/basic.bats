# Goal: dq-promote promotes what is due, of all queues or the named ones, and each failure has its own exit status.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load common

@test "due messages become ready, others stay; silent, and 0 when nothing is due" {
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

@test "expired leases: ready again, or dead with the reason when the tries are used up" {
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
	matches "$stderr" '^dq-promote: 2500 promoted, 0 ready again, 0 dead, 0 expired$'
	holds 0 2500 0 0
}

@test "-v counts" {
	dq-put -q -i a "$q" x
	dq-put -q -i b -r 1 "$q" x
	dq-take -n 2 "$q" >/dev/null
	later 60001
	run -0 --separate-stderr dq-promote -v "$q"
	matches "$stderr" '^dq-promote: 0 promoted, 1 ready again, 1 dead, 0 expired$'
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

@test "options that contradict each other, or lack what they need" {
	local with='not with --dead, --release or --dry-run'
	fails 64 "^-f: $with\$" dq-promote -f --dead "$q"
	fails 64 "^-f: $with\$" dq-promote -f --dry-run "$q"
	fails 64 "^-f: \"$q/x\": takes queues only\$" dq-promote -f "$q/x"
	fails 64 '^-f: "-": takes queues only$' dq-promote -f -
	fails 64 '^--for: only with -f$' dq-promote --for 1s "$q"
	fails 64 '^--for: "x": not a duration' dq-promote -f --for x
	fails 64 '^--for: needs an argument$' dq-promote -f --for
	equal "$(digest)" ''
}

@test "Redis is unreachable: 69, in each mode" {
	local mode
	for mode in "$q" "$q/x" "--dead $q" "--dry-run" "-f --for 1s"; do
		# shellcheck disable=SC2086
		fails 69 '^unix:///nowhere/s: ' dq-promote -u unix:///nowhere/s $mode
	done
}

@test "a key of another type: 70 once, the others go on" {
	dq-put -q -i x -d 1h "$q.b" x
	rcli SET "dq:{$q}:ready" text >/dev/null
	local why="dq:\{$q\}:ready is a string, not a zset\$"
	fails 70 "^$q: 1 message not promoted: $why" dq-promote "$q/x" "$q.b/x"
	holds 0 1 0 0 "$q.b"
	fails 70 "^$q: not promoted: $why" dq-promote "$q" "$q.b"
	fails 70 "^$q: not promoted: $why" dq-promote --dry-run "$q" "$q.b"
	fails 70 "^$q: not redriven: $why" dq-promote --dead "$q" "$q.b"
	fails 70 "^$q: 1 message not redriven: $why" dq-promote --dead "$q/x"
}

@test "memory full: existing messages can be moved" {
	local -x SERVER=full DQ_URL=unix://$T/full/s
	start_server full
	dead 3
	dq-put -q -i x -d 1h "$q" x
	rcli CONFIG SET maxmemory 1 >/dev/null
	dq-promote "$q/x"
	dq-promote --dead "$q"
	dq-set "$q" paused=yes
	dq-set "$q" paused=no
	holds 0 4 0 0
	stop_server full
}
