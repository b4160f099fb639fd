# Goal: dq-gc removes dead letters and reserved ids after their time, and nothing else.

bats_require_minimum_version 1.5.0

load ../helper

# ID...: dead now
make_dead() {
	local id
	for id; do dq-put -q -i "$id" -r 1 "$q" x; done
	dq-take -n 1000 -t 1s "$q" >/dev/null
	later 1001
	dq-promote "$q"
}

day=86400000

@test "dead messages are purged after 30 days, silently; no others are" {
	make_dead old
	later $((20 * day))
	make_dead younger
	later $((10 * day + 1))
	dq-put -q "$q" ready leased
	dq-take "$q" >/dev/null
	dq-put -q -d 1h "$q" delayed
	holds 1 1 1 2
	run -0 --separate-stderr dq-gc "$q"
	equal "$output$stderr" ''
	holds 1 1 1 1
	equal "$(field msg old)$(field try old)" ''
	score dead younger
	equal "$(field stat purged)" 1
	run -0 dq-gc "$q.none"
}

@test "--dead-for: a bare number is refused, with the likely meaning" {
	local number
	for number in 7 30 1.5 0.5; do
		fails 64 "^--dead-for: \"$number\" has no unit: ${number}d \(days\) or ${number}s \(seconds\)\?\$" \
			dq-gc --dead-for "$number" "$q"
	done
	fails 64 '^--dead-for: "7x": not a duration' dq-gc --dead-for 7x "$q"
	run -0 dq-gc --dead-for 7d "$q"
	run -0 dq-gc --dead-for 0 "$q"
}

@test "--dead-for: how long they are kept" {
	make_dead a
	later 60000
	run -0 dq-gc --dead-for 2m "$q"
	holds 0 0 0 1
	run -0 dq-gc --dead-for 1m "$q"
	holds 0 0 0 0
	make_dead b
	run -0 dq-gc --dead-for 0 "$q"
	holds 0 0 0 0
}

@test "--dry-run: the names, and nothing changes" {
	make_dead a b
	later $((31 * day))
	make_dead c
	local before
	before=$(digest)
	run -0 --separate-stderr dq-gc --dry-run "$q"
	equal "$output" "$q/a"$'\n'"$q/b"
	equal "$stderr" ''
	equal "$(digest)" "$before"
}

@test "many, in more calls than one" {
	seq 1 2500 | dq-put -ql -r 1 "$q"
	for _ in 1 2 3; do dq-take -t 1s -n 1000 "$q" >/dev/null; done
	later 1001
	dq-promote "$q"
	later $((31 * day))
	holds 0 0 0 2500
	dq-gc --dry-run "$q" >"$T/dry"
	equal "$(sort -u "$T/dry" | wc -l) $(wc -l <"$T/dry")" '2500 2500'
	holds 0 0 0 2500
	run -0 --separate-stderr dq-gc -v --dry-run "$q"
	equal "$stderr" 'dq-gc: 2500 would be removed'
	run -0 --separate-stderr dq-gc -v "$q"
	equal "$stderr" 'dq-gc: 2500 removed'
	holds 0 0 0 0
}

@test "all queues without operand, the named ones with; a broken one does not stop it" {
	local -x DQ_PREFIX=$q
	local name
	for name in a b c d; do
		q=$DQ_PREFIX.$name
		make_dead x
		later $((31 * day))
	done
	q=$DQ_PREFIX
	dq-gc "$q.a"
	holds 0 0 0 0 "$q.a"
	holds 0 0 0 1 "$q.b"
	rcli SET "$q:{$q.c}:ready" mine >/dev/null
	fails 70 "^$q.c: not collected: .*is a string" dq-gc
	holds 0 0 0 0 "$q.b"
	holds 0 0 0 0 "$q.d"
	equal "$(rcli ZCARD "$q:{$q.c}:dead")" 1
}

@test "a late receipt of a purged message is no longer valid" {
	dq-put -q -i x -r 1 -t 1s "$q" x
	local receipt
	receipt=$(dq-take "$q" | cut -f1)
	later 1001
	dq-promote "$q"
	later $((31 * day))
	dq-gc "$q"
	fails 1 'settled already, or removed$' dq-ack "$receipt"
}

# Redis walks over what a LIMIT passes over, call after call: 600,000 dead took minutes.
@test "a dry run of many dead messages reads each page by its rank" {
	seq 1000 | dq-put -ql "$q"
	dq-take -n 1000 "$q" | dq-ack -b
	rcli MONITOR >"$T/monitor" 3>&- &
	local monitor=$!
	wait_until 10 grep -q OK "$T/monitor"
	equal "$(dq-gc --dry-run --dead-for 0s "$q" | wc -l)" 1000
	rcli ECHO counted >/dev/null
	wait_until 10 grep -qi '"ECHO" "counted"' "$T/monitor"
	kill "$monitor"
	grep -qi 'lua\] "zrange" ".*:dead"' "$T/monitor"
	run -1 grep -iE '"LIMIT" "[1-9]' "$T/monitor"
	holds 0 0 0 1000
}

@test "--check and --repair remove no dead messages, unless --dead-for is given" {
	dq-put -q -i x "$q" hello
	dq-take "$q" | dq-ack -b
	later $((31 * 86400000))
	dq-gc --check "$q"
	dq-gc --repair "$q"
	holds 0 0 0 1
	run -0 dq-gc --check --dead-for 1d --dry-run "$q"
	equal "$output" "$q/x"
	run -0 --separate-stderr dq-gc --check --dead-for 1d -v "$q"
	matches "$stderr" '1 removed$'
	holds 0 0 0 0
	dq-put -q -i x "$q" hello
	dq-take "$q" | dq-ack -b
	later $((31 * 86400000))
	dq-gc "$q"
	holds 0 0 0 0
}

@test "reserved ids are removed after their time" {
	seq 1 2500 | sed "s|.*|ZADD dq:{$q}:settled & id&|" | rcli >/dev/null
	rcli ZADD "dq:{$q}:settled" 4000000000000 kept >/dev/null
	dq-gc --dry-run "$q"
	dq-gc --check "$q"
	equal "$(rcli ZCARD "dq:{$q}:settled")" 2501
	run -0 --separate-stderr dq-gc -q "$q"
	equal "$output$stderr" ''
	equal "$(rcli ZRANGE "dq:{$q}:settled" 0 -1)" kept
}

@test "many dead messages and many reserved ids to remove, in one run" {
	seq 2300 | dq-put -ql "$q"
	while dq-take -n 1000 "$q" | dq-ack -b && [ "$(states)" != '0 0 0 2300' ]; do :; done
	seq 1 4500 | sed "s|.*|ZADD dq:{$q}:settled & id&|" | rcli >/dev/null
	later 1000
	run -0 --separate-stderr dq-gc -v --dead-for 0 "$q"
	equal "$stderr" 'dq-gc: 2300 removed'
	holds 0 0 0 0
	equal "$(rcli EXISTS "dq:{$q}:settled")" 0
}
