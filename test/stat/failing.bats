# Goal: Messages that fail again and again are seen, although each retry sets a new due time: how many, and since when.

bats_require_minimum_version 1.5.0

load ../helper

# RETRYING, and whether there is a time in FAILING.
failing() {
	dq-stat --json "$q" | jq -r '.queues[0] | "\(.retrying) \(.failing_ms != null)"'
}

# When the message that fails was due for the first time, as the index has it, and as it is known of it.
first() { # ID
	local score
	score=$(rcli ZSCORE "dq:{$q}:failing" "$1")
	echo "${score:-null}"
	[ -z "$score" ] || [ "$score" = "$(dq-stat --json "$q/$1" | jq .first_due_ms)" ]
}

# What is known of its failures.
remembered() { # ID
	dq-stat --json "$q/$1" | jq -r '"\(.tries) \(.given_back) \(.failures) \(.first_due_ms) \(.reason)"'
}

fail() { # ARG-OF-DQ-ACK...: the next message
	dq-take "$q" >"$T/taken" && dq-ack -r "$@" <"$T/taken"
}

# As many messages as are due soon, together.
all_taken() { # COUNT
	: >"$T/taken"
	wait_until 20 has_taken "$1"
}

has_taken() {
	dq-take -n 9 "$q" >>"$T/taken" || true
	[ "$(wc -l <"$T/taken")" -ge "$1" ]
}

# The message, which waits, expires now.
expire() { # ID
	rcli HSET "dq:{$q}:msg" "$1" $'x=5\n' >/dev/null
	rcli ZADD "dq:{$q}:expiry" 5 "$1" >/dev/null
	dq-promote "$q"
}

whole() {
	equal "$(dq-gc --check "$q")" ''
}

@test "since when, and how many: the first due time stays through all retries" {
	dq-put -q -i x -a @1500000000 "$q" x
	equal "$(failing) $(first x)" '0 false null'
	fail -d 0
	equal "$(failing) $(first x)" '1 true 1500000000000'
	wait_until 10 fail -d 1h
	equal "$(failing) $(first x)" '1 true 1500000000000'
	dq-promote "$q/x"
	matches "$(dq-stat --no-header "$q")" ' +0 +1 +[0-9]+d[0-9]+h +0 +-$'
	dq-take "$q" >"$T/taken"
	equal "$(failing) $(first x)" '1 true 1500000000000'
	dq-ack -g <"$T/taken"
	equal "$(failing) $(first x)" '1 true 1500000000000'
	whole
	dq-take --ack "$q" >/dev/null
	equal "$(failing)" '0 false'
	equal "$(rcli EXISTS "dq:{$q}:failing")" 0
	whole
}

@test "messages that do not fail are in no index: done, given back, buried, dead at once" {
	local n
	for n in 1 2 3 4; do dq-put -q -r 1 "$q" "$n"; done
	dq-take --ack "$q" >/dev/null
	dq-take "$q" | dq-ack -g
	dq-take "$q" | dq-ack -b
	dq-take "$q" | dq-ack -r || [ $? -eq 1 ]
	equal "$(failing)" '0 false'
	equal "$(rcli EXISTS "dq:{$q}:failing")" 0
	whole
}

@test "a message that is given back again and again is seen from the tenth time on, and no longer when it is done" {
	local n
	dq-put -q -i x -a @1500000000 "$q" x
	for n in 1 2 3 4 5 6 7 8 9; do dq-take "$q" | dq-ack -g -a "@$n"; done
	equal "$(failing) $(first x)" '0 false null'
	dq-dump "$q" | dq-load -q -e replace
	dq-take "$q" | dq-ack -g -d 1h
	equal "$(failing) $(first x)" '1 true 1500000000000'
	run -1 dq-stat --check "$q"
	grep -qE "^warning.failing.$q: failing [0-9]+d[0-9]+h \(>10m\)" <<<"$output"
	whole
	dq-promote "$q/x"
	dq-take "$q" | dq-ack -g
	equal "$(failing) $(first x)" '1 true 1500000000000'
	dq-take --ack "$q" >/dev/null
	equal "$(failing)" '0 false'
	whole
}

@test "a lease that runs out, and one that is released, are failures, too" {
	dq-put -q -i x "$q" x
	dq-put -q -i y "$q" y
	dq-take -n 2 "$q" >"$T/taken"
	dq-promote --release "$q/y"
	equal "$(failing)" '1 true'
	later 60001
	dq-promote "$q"
	equal "$(failing)" '2 true'
	first x
	first y
	dq-ack <"$T/taken" || [ $? -eq 1 ]
	equal "$(failing)" '1 true'
	whole
}

@test "no longer failing: dead, removed, replaced, done and due again, expired, redriven" {
	local id
	for id in buried used removed replaced expired rescheduled redriven; do
		dq-put -q -i "$id" -r 3 -x 2h "$q" "$id"
	done
	dq-take -n 9 "$q" | dq-ack -r -d 0
	dq-put -q -e later -d 3h -x 4h -i removed "$q" x # tries stay with a new time
	equal "$(failing)" '7 true'
	dq-rm "$q/removed"
	dq-put -q -e replace -d 1h -i replaced "$q" new
	equal "$(failing) $(first replaced)" '5 true null'
	all_taken 5
	grep /buried@ "$T/taken" | dq-ack -b
	dq-put -q -e later -d 1h -i rescheduled "$q" new
	grep /rescheduled@ "$T/taken" | dq-ack
	equal "$(failing) $(first buried) $(first rescheduled)" '3 true null null'
	grep -E '/(used|redriven|expired)@' "$T/taken" | dq-ack -r -d 0
	all_taken 3
	grep -E '/(used|redriven)@' "$T/taken" | dq-ack -r -q || [ $? -eq 1 ]
	dq-promote --dead "$q/redriven"
	equal "$(failing) $(first used) $(first redriven)" '1 true null null'
	whole
	grep /expired@ "$T/taken" | dq-ack -g
	expire expired
	equal "$(failing) $(rcli EXISTS "dq:{$q}:failing")" '0 false 0'
	whole
}

@test "--check: failing for more than 10m is a warning; limits for both" {
	dq-put -q -i x -a @1500000000 "$q" x
	run dq-stat --check "$q"
	equal "$(grep -c failing <<<"${lines[*]:1}")" 0
	fail -d 1h
	run dq-stat --check "$q"
	matches "$output" $'\nwarning\tfailing\t'"$q: failing [0-9]+d[0-9]+h \(>10m\)"
	run -2 dq-stat --check --crit 'failing>1h,retrying>=1' "$q"
	matches "$output" $'\ncritical\tfailing\t'
	matches "$output" $'\ncritical\tretrying\t'"$q: 1 retrying \(>=1\)"
	run dq-stat --check --warn 'retrying>1' "$q"
	equal "$(grep -cE $'\t(failing|retrying)\t' <<<"$output")" 0
}

@test "metrics" {
	dq-put -q -i x -a @1500000000 "$q" x
	dq-stat --prometheus "$q" >"$T/metrics"
	grep -qxF "dq_queue_retrying_messages{queue=\"$q\"} 0" "$T/metrics"
	grep -qxF "dq_queue_failing_seconds{queue=\"$q\"} 0" "$T/metrics"
	fail -d 1h
	dq-stat --prometheus "$q" >"$T/metrics"
	grep -qxF "dq_queue_retrying_messages{queue=\"$q\"} 1" "$T/metrics"
	grep -qE "^dq_queue_failing_seconds\{queue=\"$q\"\} [0-9]{9}" "$T/metrics"
}

@test "several shards: their sum, and the oldest of all" {
	local n
	dq-set "$q" shards=3
	for n in 1 2 3 4 5 6 7 8; do dq-put -q -i "$n" -a "@150000000$n" "$q" "$n"; done
	for n in 1 2 3 4 5 6 7 8; do fail -d 1h; done
	equal "$(dq-stat --json "$q" | jq '.queues[0] | [.retrying, (.now_ms - .failing_ms)]' -c)" '[8,1500000001000]'
	whole
}

@test "a dump and a load keep it; an older dump has no such member" {
	dq-put -q -i x -a @1500000000 "$q" x
	dq-put -q -i y "$q" y
	fail -d 1h
	dq-dump "$q" >"$T/dump"
	equal "$(jq -c 'select(.kind == "message") | [.id, .first_due_ms]' "$T/dump" | sort | paste -sd' ')" \
		'["x",1500000000000] ["y",null]'
	dq-rm -f -a "$q"
	dq-load -q "$T/dump"
	equal "$(failing) $(first x) $(first y)" '1 true 1500000000000 null'
	whole
	dq-rm -f -a "$q"
	jq -c 'del(.first_due_ms)' "$T/dump" | dq-load -q
	equal "$(failing) $(first x)" '0 false null'
}

@test "a put for another time forgets no failure, in whatever way the delivery ends; a success does" {
	local n=0 ends
	dq-put -q -i x -a @1500000000 -t 1m "$q" x
	for ends in 'dq-ack -r -m why' 'dq-ack -g -m why' 'dq-ack -b -m why' 'dq-promote --release'; do
		dq-take "$q" >"$T/taken"
		dq-put -q --existing -e move -d 1h -i x "$q"
		$ends <"$T/taken"
		dq-promote "$q/x"
	done
	equal "$(failing) $(first x)" '1 true 1500000000000'
	equal "$(remembered x)" '0 1 3 1500000000000 released'
	dq-take -t 1ms "$q" >"$T/taken"
	dq-put -q --existing -e move -d never -i x "$q"
	wait_until 10 at_rest
	equal "$(remembered x)" '0 1 4 1500000000000 lease ran out'
	whole
	dq-dump "$q" >"$T/dump"
	dq-rm -q -f -a "$q"
	dq-load -q "$T/dump"
	equal "$(remembered x)" '0 1 4 1500000000000 lease ran out'
	equal "$(failing) $(first x)" '1 true 1500000000000'
	equal "$(dq-dump "$q" | jq -c 'select(.id) | del(.due_ms)')" "$(jq -c 'select(.id) | del(.due_ms)' "$T/dump")"
	dq-promote "$q/x"
	dq-take "$q" >"$T/taken"
	dq-put -q --existing -e move -d 0 -i x "$q"
	dq-ack <"$T/taken"
	equal "$(failing) $(remembered x)" '0 false 0 0 0 null null'
	whole
}

at_rest() {
	dq-promote "$q"
	[ "$(dq-stat --json "$q/x" | jq -r .state)" = delayed ]
}

@test "a dead message that is put for another time still fails" {
	dq-put -q -i x -a @1500000000 -r 2 "$q" x
	fail -m why -d 0
	dq-take -w 10s "$q" | dq-ack -b -m why
	equal "$(failing) $(remembered x)" '0 false 2 0 2 1500000000000 why'
	dq-dump "$q" >"$T/dump"
	dq-load -q -e replace "$T/dump"
	dq-put -q --existing -e move -d 1h -i x "$q"
	equal "$(failing) $(first x) $(remembered x)" '1 true 1500000000000 0 0 2 1500000000000 why'
	whole
}

@test "a message that was put again after a failure does not hold its key: it comes in its order" {
	dq-set -q "$q" keys=serial
	dq-put -q -k k -i a "$q" a
	dq-put -q -k k -i b "$q" b
	dq-take "$q" >"$T/taken"
	dq-put -q --existing -e move -d 1h -k k -i a "$q"
	dq-ack -r <"$T/taken"
	dq-dump "$q" >"$T/dump"
	dq-load -q -e replace "$T/dump"
	equal "$(dq-take "$q" | cut -f2)" b
	whole
}

@test "dq-gc --check: the index and what is known of the deliveries disagree; --repair" {
	dq-put -q -i x -a @1500000000 "$q" x
	dq-put -q -i y -a @1500000000 "$q" y
	fail -d 1h
	fail -d 1h
	dq-put -q -i z "$q" z
	rcli ZADD "dq:{$q}:failing" 5 x 5 z 5 gone >/dev/null
	rcli ZREM "dq:{$q}:failing" y >/dev/null
	run -1 dq-gc --check "$q"
	equal "$(sort <<<"$output")" "$(printf '%s\twrong age\n' "$q/gone" "$q/x" "$q/y" "$q/z")"
	dq-gc --repair "$q" >/dev/null || [ $? -eq 1 ]
	whole
	equal "$(rcli ZRANGE "dq:{$q}:failing" 0 -1 WITHSCORES | paste -sd' ')" 'x 1500000000000 y 1500000000000'
}
