# Goal: dq-rm -a empties whole queues, or one state of them, and leaves no trace of the removed messages.

bats_require_minimum_version 1.5.0

load ../helper
load states

@test "-a --state: several" {
	one_of_each
	equal "$(dq-rm -a --dry-run --state due,ready "$q" | sort | paste -sd' ')" "$q/due $q/ready"
	run -0 terminal "dq-rm -a --state ready,due $q" <<<y
	matches "$output" "dq-rm: $q: remove all 2 due or ready messages\? \[y/N\] "
	holds 1 0 1 1
}

@test "-a -f: all of the queues, in whatever state, in more calls than one" {
	one_of_each
	seq 2500 | dq-put -ql "$q"
	seq 1200 | dq-put -ql -d 1h "$q"
	dq-put -q "$q.b" x
	dq-put -q "$q.c" x
	run -0 --separate-stderr dq-rm -afv "$q" "$q.b"
	equal "$output" ''
	equal "$stderr" 'dq-rm: 3706 removed'
	holds 0 0 0 0
	equal "$(rcli EXISTS "dq:{$q}:msg" "dq:{$q}:try")" 0
	holds 0 0 0 0 "$q.b"
	holds 0 1 0 0 "$q.c"
	run -0 --separate-stderr dq-rm --all --force --quiet "$q" "$q.never"
	equal "$output$stderr" ''
}

@test "-a: nothing of the queue is left, and the list has it no longer; it can be put into again" {
	local receipt
	one_of_each
	dq-put -q --unique-for 1h -i once "$q" x
	receipt=$(dq-take -n 9 "$q" | grep once | cut -f 1)
	dq-ack "$receipt"
	dq-set "$q" paused=yes
	matches "$(rcli KEYS "dq:{$q}:*")" 'settled'
	dq-rm -af "$q"
	equal "$(rcli KEYS "dq:{$q}:*")" ''
	is_unlisted "$q"
	dq-put -q -i once "$q" y
	is_listed "$q"
	between "$((${receipt##*@} + 1))" "$(dq-take "$q" | sed 's/.*@//; s/\t.*//')" 99999999999999999
	dq-rm -af --state leased "$q"
	is_listed "$q"
	equal "$(field stat removed)" 1
	dq-rm -a --dry-run "$q" </dev/null
	equal "$(field stat removed)" 1
}

@test "-a of an empty queue asks before it forgets what the queue keeps" {
	dq-put -q --unique-for 1h "$q" x
	dq-take --ack "$q" >/dev/null
	run -1 terminal "dq-rm -a $q" <<<n
	matches "$output" "dq-rm: $q: is empty: remove its counters, settings and reserved ids\? \[y/N\] "
	is_listed "$q"
	run -0 terminal "dq-rm -a $q" <<<y
	equal "$(rcli KEYS "dq:{$q}:*")" ''
}

@test "-a --state: only that state" {
	local state
	for state in delayed due ready leased dead; do
		rcli DEL "dq:{$q}:"{msg,delayed,ready,leased,dead,try} >/dev/null
		one_of_each
		run -0 --separate-stderr dq-rm -afv --state "$state" "$q"
		equal "$stderr" 'dq-rm: 1 removed'
		equal "$(field msg "$state")" ''
		audit
		equal "$(rcli HLEN "dq:{$q}:msg")" 4
	done
}

@test "-a ends at messages that it cannot remove, and removes those behind them" {
	rcli EVAL 'for i = 1, 2500 do redis.call("ZADD", KEYS[1], i, "ghost" .. i) end' 1 "dq:{$q}:ready" >/dev/null
	dq-put -q -i x "$q" x
	run -0 --separate-stderr dq-rm -afv "$q"
	equal "$stderr" 'dq-rm: 1 removed'
	equal "$(rcli KEYS "dq:{$q}:*")" ''
}

@test "-a: while others put and take, the messages of its start are removed" {
	seq 3000 | dq-put -ql "$q"
	dq-take -n 1000 "$q" >"$T/taken"
	dq-ack <"$T/taken" &
	local acker=$!
	dq-take -n 1000 "$q" >/dev/null &
	local taker=$!
	dq-rm -af "$q"
	wait "$acker" "$taker" || true # some receipts met dq-rm
	dq-rm -af "$q"
	holds 0 0 0 0
}

@test "-a needs queues, and takes only queues" {
	fails 64 '^-a: no queue given$' dq-rm -af
	fails 64 "^\"$q/x\": a queue's name" dq-rm -af "$q/x"
	fails 64 '^"": a queue' dq-rm -af ''
	dq-put -q "$q" x
	fails 64 '^"a b": a queue' dq-rm -af "$q" 'a b'
	holds 0 1 0 0
}

@test "-a without -f and without a terminal: 64" {
	dq-put -q "$q" x
	fails 64 '^-a: cannot ask, standard input is not a terminal: use -f$' dq-rm -a "$q" <<<y
	fails 64 'use -f$' dq-rm -a --state dead "$q" </dev/null
	holds 0 1 0 0
}

@test "-a says which settings it removed; -q does not" {
	dq-put -q "$q" x
	dq-set "$q" max-leased=7 rate=5/1s max-len=9
	run -0 terminal "dq-rm -a $q" <<<y
	matches "$output" "dq-rm: $q: remove 1 message, and its settings\? \[y/N\] "
	matches "$output" "dq-rm: $q: its settings are removed, too: max-leased=7 rate=5/1s max-len=9"
	equal "$(rcli KEYS "dq:{$q}:*")" ''
	dq-put -q "$q" x
	run -0 --separate-stderr dq-rm -af "$q"
	equal "$stderr" ''
	dq-set -q "$q" paused=yes shards=2
	run -0 --separate-stderr dq-rm -af "$q"
	equal "$stderr" "dq-rm: $q: its settings are removed, too: paused=yes shards=2"
	dq-set -q "$q" paused=2h
	run -0 --separate-stderr dq-rm -af --dry-run "$q"
	equal "$stderr" ''
	run -0 --separate-stderr dq-rm -af --state ready "$q"
	equal "$stderr" ''
	run -0 --separate-stderr dq-rm -afq "$q"
	equal "$stderr" ''
	run -1 --separate-stderr dq-set "$q"
	dq-set -q "$q" paused:a=yes paused:b=4h
	run -0 --separate-stderr dq-rm -f -a "$q"
	equal "$stderr" "dq-rm: $q: its settings are removed, too: the pauses of 2 keys"
	dq-set -q "$q" paused:a=yes max-len=9
	run -0 --separate-stderr dq-rm -f -a "$q"
	equal "$stderr" "dq-rm: $q: its settings are removed, too: max-len=9, the pause of 1 key"
}

@test "-a: the pauses of keys that are over are no settings that it names; one that is not over is" {
	local asks
	for asks in '?' ', and its settings?'; do
		dq-put -q "$q" x
		dq-set -q "$q" paused:a=1ms paused:b=1ms
		wait_until 10 over
		equal "$(rcli HEXISTS "dq:{$q}:conf" paused:a)" 1
		[ "$asks" = '?' ] || dq-set -q "$q" paused:c=2h
		run -0 terminal "dq-rm -a $q" <<<y
		equal "$(grep -cF "dq-rm: $q: remove 1 message$asks [y/N] " <<<"$output")" 1
		equal "$(grep -c 'its settings are removed' <<<"$output")" "$([ "$asks" = '?' ] && echo 0 || echo 1)"
	done
}

over() {
	[ "$(dq-set --json "$q" | jq -c ".paused_keys | length")" = 0 ]
}
