# Goal: dq-take --linger waits for -n messages, or until the first one has been due for so long, and leases none before that.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../shards/shards

teardown() {
	[ -z "${lingerer:-}" ] || kill_ours "$lingerer"
	end_test
}

# A dq-take in the background, with its output in $T/out.
linger() { # ARG...
	dq-take "$@" >"$T/out" 2>"$T/err" 3>&- &
	lingerer=$!
}

# It has asked some times how many are due, and has taken none.
lingers() {
	rcli CONFIG RESETSTAT >/dev/null
	wait_until 20 eval '[ "$(rcli INFO commandstats | sed -n "s/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p")" -ge 3 ]'
	run ! ended "$lingerer"
}

payloads() {
	cut -f2 "$T/out" | paste -sd' '
}

printed() { # PAYLOADS
	[ "$(payloads)" = "$1" ]
}

@test "waits for -n messages, then takes them at once; until then nothing is leased" {
	dq-put -q "$q" a b
	linger -n 3 --linger 1h "$q"
	lingers
	holds 0 2 0 0
	dq-put -q "$q" c
	exits 0 "$lingerer"
	equal "$(payloads)" 'a b c'
	holds 0 0 3 0
	dq-put -q "$q" d e f
	run -0 timeout 20 dq-take -n 2 --linger 1h --ack "$q"
	equal "$(cut -f2 <<<"$output" | paste -sd' ')" 'd e'
}

@test "takes fewer when DUR has passed since the first was due, not before" {
	dq-put -q "$q" x
	run -0 timeout 20 dq-take -n 5 --linger 500ms --json "$q"
	between 500 "$(jq '.lease_until_ms - 60000 - .due_ms' <<<"$output")" 60000
	dq-put -q -a @1000 "$q" old
	dq-put -q "$q" new
	run -0 timeout 20 dq-take -n 5 --linger 1h "$q"
	equal "$(cut -f2 <<<"$output" | paste -sd' ')" 'old new'
	run -1 timeout 20 dq-take -q -n 5 --linger 1h "$q"
}

@test "a message that becomes due meanwhile counts" {
	dq-put -q "$q" a
	dq-put -q -d 300ms "$q" b
	run -0 timeout 20 dq-take -n 2 --linger 1h "$q"
	equal "$(cut -f2 <<<"$output" | paste -sd' ')" 'a b'
}

@test "-w: waits for the first message, then lingers; -f: each time" {
	linger -q -w 1h -n 2 --linger 1h "$q"
	wait_until 10 eval 'rcli CLIENT LIST | grep -q name=dq-take-wait'
	dq-put -q "$q" a
	lingers
	holds 0 1 0 0
	dq-put -q "$q" b
	exits 0 "$lingerer"
	equal "$(payloads)" 'a b'
	run -1 timeout 20 dq-take -q -w 100ms -n 2 --linger 1h "$q"
	linger -f -n 2 --linger 1h "$q"
	dq-put -q "$q" c d e
	wait_until 20 printed 'c d'
	lingers
	holds 0 1 4 0
	dq-put -q "$q" f g
	wait_until 20 printed 'c d e f'
	lingers
	holds 0 1 6 0
	kill "$lingerer"
	exits 143 "$lingerer"
	holds 0 1 6 0
}

@test "--until-empty: all that is due, the last of them when DUR has passed" {
	dq-put -q "$q" a b c
	run -0 timeout 20 dq-take --until-empty -n 2 --linger 300ms "$q"
	equal "$(cut -f2 <<<"$output" | paste -sd' ')" 'a b c'
	run -1 timeout 20 dq-take --until-empty -n 2 --linger 1h "$q"
}

@test "several queues, and shards: the messages of all count together" {
	local i
	spread 3
	for i in 0 1 2; do dq-put -q -i "$(first_of $i)" "$q" "$i"; done
	dq-put -q "$q.b" b
	linger -n 5 --linger 1h "$q" "$q.b"
	lingers
	equal "$(dq-stat --json "$q" "$q.b" | jq -c '[.queues[].messages | .ready, .leased]')" '[3,0,1,0]'
	dq-put -q "$q.b" c
	exits 0 "$lingerer"
	equal "$(cut -f2 "$T/out" | sort | paste -sd' ')" '0 1 2 b c'
}

@test "others may take the messages meanwhile; the next one begins the time anew" {
	dq-put -q "$q" a
	linger -f -n 2 --linger 1h "$q"
	lingers
	run -0 timeout 20 dq-take -w 20s --ack "$q"
	equal "$(cut -f2 <<<"$output")" a
	dq-put -q "$q" b
	lingers
	holds 0 1 0 0
	dq-put -q "$q" c
	wait_until 20 printed 'b c'
	kill "$lingerer"
	exits 143 "$lingerer"
}

@test "while it lingers it holds no mark, so another tool that waits is woken" {
	linger -q -f -n 2 --linger 1h "$q"
	wait_until 10 eval 'rcli CLIENT LIST | grep -q name=dq-take-wait'
	dq-put -q "$q" a
	lingers
	wait_until 10 eval '[ "$(rcli ZCARD "dq:{$q}:wake")" = 1 ]'
	run -0 timeout 20 dq-take -w 20s --ack "$q"
	kill "$lingerer"
	exits 143 "$lingerer"
}

@test "a signal ends it, and nothing is leased; a paused queue does not count" {
	local options
	dq-put -q "$q" a
	for options in '' -f '-w 1h' --until-empty; do
		# shellcheck disable=SC2086
		linger $options -n 2 --linger 1h "$q"
		lingers
		kill "$lingerer"
		exits 143 "$lingerer"
		equal "$(cat "$T/out")" ''
		holds 0 1 0 0
	done
	dq-set "$q" paused=yes
	run -1 timeout 20 dq-take -n 2 --linger 1h "$q"
}

@test "a lost connection while it lingers: it goes on, and takes nothing" {
	start_server lone
	local url=unix://$T/lone/s
	dq-put -q -u "$url" "$q" a
	linger -u "$url" -f -n 2 --linger 1h "$q"
	SERVER=lone lingers
	SERVER=lone rcli CLIENT KILL TYPE normal SKIPME yes >/dev/null
	SERVER=lone lingers
	SERVER=lone holds 0 1 0 0
	dq-put -q -u "$url" "$q" b
	wait_until 20 printed 'a b'
	kill "$lingerer"
	exits 143 "$lingerer"
}

@test "--linger: usage" {
	fails 64 '^--linger: only with -n$' dq-take --linger 1s "$q"
	fails 64 '^--linger: only with -n$' dq-take -f --linger 1s "$q"
	fails 64 '^--linger: "x": not a duration' dq-take -n 2 --linger x "$q"
}

@test "--until-empty: while it lingers for the next messages nothing is leased but what was printed" {
	seq 375 | dq-put -q -l -t 1h "$q"
	dq-take --until-empty -n 200 --linger 10m "$q" >"$T/got" 2>"$T/err" 3>&- &
	local taker=$!
	wait_until 20 has_lines "$T/got" 200
	equal "$(dq-stat --json "$q" | jq .queues[0].messages.leased)" 200
	kill "$taker"
	exits 143 "$taker"
	holds 0 175 200 0
}

@test "--no-promote: an expired message that nobody has promoted hides none that is ready" {
	local life taken=''
	for life in 50ms 500ms 5s 50s; do # on a busy machine it may expire before it is taken
		[ "$taken" ] || dq-put -q -i "old$life" -x "$life" -b 10m "$q" x
		[ "$taken" ] || taken=$(dq-take "$q") || true
	done
	dq-ack -r "${taken%%$'\t'*}"
	wait_until 60 eval '[ "$(dq-stat --json "$q" | jq .queues[0].expired)" = 1 ]'
	dq-put -q -i new "$q" y
	run -0 timeout 60 dq-take --no-promote -n 3 --linger 100ms "$q"
	equal "$(cut -f 2 <<<"$output")" y
}
