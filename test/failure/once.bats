# Goal: Each call has its effect once, even if its reply is lost, and uses the server's clock.

bats_require_minimum_version 1.5.0

load ../helper
load ../cut

@test "the answer to a put is lost: the message exists once, under the printed name" {
	start_cut n
	run -0 --separate-stderr dq-put -u "unix://$T/cut" "$q" hello
	stop_cut
	equal "$output" "$q/$(rcli HKEYS "dq:{$q}:msg")"
	holds 0 1 0 0
}

@test "the answer to a batch is lost: each message exists once, under the printed name" {
	start_cut nnn
	seq 3 | dq-put -u "unix://$T/cut" -l "$q" >"$T/names"
	stop_cut
	holds 0 3 0 0
	rcli HKEYS "dq:{$q}:msg" | sed "s|^|$q/|" | sort | cmp - "$T/names"
}

@test "the reply to a put with -i is lost: success, and a second put of that id is refused" {
	start_cut n
	equal "$(dq-put -u "unix://$T/cut" -i x "$q" hello)" "$q/x"
	stop_cut
	fails 1 'already' dq-put -i x "$q" hello
	holds 0 1 0 0
}

@test "the answer to a put is lost, and another client has put its payload under the id since: 75, and that one stays" {
	start_cut n dq-put -e replace -i x "$q" theirs
	fails 75 "^$q/x: perhaps not put: the connection was lost, and the existing message is a different one\$" \
		dq-put -u "unix://$T/cut" -i x "$q" mine
	stop_cut
	equal "$(dq-take --ack "$q" | cut -f2)" theirs
	holds 0 0 0 0
}

@test "the answer to a put with --unique-for is lost, and the message is settled since: it is not put again" {
	start_cut n dq-take --ack "$q"
	fails 75 "^$q/x: perhaps not put: the connection was lost, and its id is reserved, " \
		dq-put -u "unix://$T/cut" --unique-for 1h -i x "$q" hello
	stop_cut
	holds 0 0 0 0
	start_cut n dq-take --ack "$q"
	run -0 --separate-stderr dq-put -u "unix://$T/cut" --unique-for 1h "$q" "an id that nobody else has"
	stop_cut
	matches "$output" "^$q/[0-9A-Z]{26}\$"
	equal "$stderr" ''
	holds 0 0 0 0
}

# How many messages are delayed, ready, leased and dead, in all shards.
has() { # NUMBERS
	equal "$(dq-stat --json "$q" | jq -r '.queues[0].messages | "\(.delayed) \(.ready) \(.leased) \(.dead)"')" "$1"
}

# Succeeds, and says nothing about it, although that reply is lost.
loses() { # REPLY TOOL ARG...
	start_cut "$1"
	run -0 --separate-stderr "$2" -u "unix://$T/cut" "${@:3}"
	stop_cut
	equal "$stderr" ''
}

# A tool first assumes one shard. It learns the number from the reply to its first call, and asks shard 0 for it.
@test "a reply that says how many shards there are is lost: the call is repeated, and has its effect once" {
	local answer
	dq-set -q "$q" shards=3
	for answer in DQSHARDS 3; do
		loses "$answer" dq-put "$q" hello
		has '0 1 0 0'
		loses "$answer" dq-rm "$output"
		has '0 0 0 0'
		loses "$answer" dq-put -d 1h -i x "$q" hello
		fails 1 'already' dq-put -i x "$q" hello
		loses "$answer" dq-promote "$q/x"
		has '0 1 0 0'
		loses "$answer" dq-ack "$(dq-take "$q" | cut -f 1)"
		has '0 0 0 0'
	done
	start_cut DQSHARDS dq-put -q -i x "$q" theirs
	fails 75 "^$q/x: perhaps not put: .* the existing message is a different one\$" dq-put -u "unix://$T/cut" -i x "$q" mine
	stop_cut
}

# Of the line behind those that were sent, it is known that no call had it.
@test "lines that are repeated since the number of shards was learnt are no excuse for an id that exists: 4000 put, 1 refused" {
	dq-set -q "$q" shards=3
	dq-put -q -i x "$q" x
	seq 4000 | awk '{ print "-\t" $0 "\t" $0 } END { print "-\tx\tx" }' >"$T/lines"
	start_cut DQSHARDS
	fails 1 "^$q/x: not put: there is such a message already\$" sh -c "dq-put -u unix://$T/cut -q --tsv $q <$T/lines"
	stop_cut
	has '0 4001 0 0'
	[ "$(dq-take --ack -n 5000 "$q" | cut -f 2 | sort | uniq -d)" = '' ]
}

# MONITOR shows the arguments as they came. The keys come first, then the time, then the rest.
@test "the only clock is the server's: no tool sends a time of its own" {
	rcli MONITOR >"$T/monitor" 3>&- &
	local monitor=$!
	wait_until 10 grep -q OK "$T/monitor"
	seq 8 | dq-put -ql -d 1ms "$q"
	dq-put -q -i late -d 1h -x 2h "$q" x
	wait_until 20 dq-promote -n 8 "$q"
	dq-take -n 5 -w 1s "$q" >"$T/records"
	local n=0 verb
	for verb in '' -r -b -g '-x 1m'; do
		n=$((n + 1))
		# shellcheck disable=SC2086
		sed -n "${n}p" "$T/records" | dq-ack $verb
	done
	dq-run --once "$q" -- true
	dq-promote "$q/late"
	dq-promote --dead "$q"
	dq-set "$q" paused=yes
	dq-set "$q" paused=no
	dq-promote --dry-run "$q"
	dq-stat "$q" "$q/late" >/dev/null
	dq-stat --messages all "$q" >/dev/null
	dq-gc --check "$q"
	dq-gc "$q"
	dq-rm -f "$q/late"
	rcli ECHO "the end of $q" >/dev/null
	wait_until 10 grep -q "the end of $q" "$T/monitor"
	kill "$monitor"
	grep -E ' "EVAL(SHA)?" ' "$T/monitor" >"$T/calls"
	run grep -vF "\"dq:{$q}:${parts[-1]}\" \"\"" "$T/calls"
	equal "$output" ''
	between 20 "$(wc -l <"$T/calls")" 100
}
