# Goal: max-len refuses the messages that a queue has no room for: 75, a line each, and the rest of the input goes on.

bats_require_minimum_version 1.5.0

load ../helper

@test "a full queue: 75 and a line with its limit; room again when a message is gone" {
	dq-set -q "$q" max-len=2
	dq-put -q -i a "$q" x
	dq-put -q -d 1h -i b "$q" x
	fails 75 "^$q/c: not put: the queue has 2 messages, its limit\$" dq-put -i c "$q" x
	dq-take "$q" >"$T/taken"
	fails 75 "^$q/c: not put: the queue has 2 messages, its limit\$" dq-put -i c "$q" x # leased ones count, too
	dq-ack <"$T/taken"
	dq-put -q -i c "$q" x
	equal "$(states)" '1 1 0 0'
}

@test "many messages: those that fit are put, in their order, and a line for each other" {
	dq-set -q "$q" max-len=3
	seq 5 >"$T/lines"
	run -75 --separate-stderr dq-put -l -v "$q" <"$T/lines"
	equal "$(grep -c "^$q/" <<<"$output")" 3
	equal "$stderr" "$(printf "dq-put: %s\n" 'standard input: line '{4,5}': not put: the queue has 3 messages, its limit' \
		"$q: 3 accepted, 2 refused")"
	printf '0s\ta\tx\n' >"$T/tsv"
	fails 75 '^standard input: line 1: not put: the queue has 3 messages, its limit$' dq-put --tsv "$q" <"$T/tsv"
	fails 75 "^$q: not put: the queue has 3 messages, its limit\$" dq-put "$q" x
	equal "$(dq-take -n 9 --ack "$q" | cut -f 2 | paste -sd' ')" '1 2 3'
}

@test "what creates no message is not refused: an id that is there, and each -e" {
	local mode
	dq-put -q -i a "$q" x
	dq-set "$q" max-len=1
	run -1 dq-put -i a "$q" x
	for mode in keep replace earlier later move edit; do
		dq-put -q -e "$mode" -i a "$q" "$mode"
		fails 75 'not put: the queue has 1 message, its limit$' dq-put -e "$mode" -i b "$q" x
	done
	run -1 dq-put -e replace --existing -i b "$q" x
	equal "$(rcli HLEN "dq:{$q}:msg")" 1
}

@test "max-len=0 refuses all new messages, even the first; none lets them in" {
	dq-set -q "$q" max-len=0
	fails 75 "^$q/a: not put: the queue has 0 messages, its limit\$" dq-put -i a "$q" x
	equal "$(rcli EXISTS "dq:{$q}:msg")" 0
	dq-set "$q" max-len=none
	dq-put -q -i a "$q" x
	dq-set "$q" max-len=0
	equal "$(dq-take --ack "$q" | cut -f 2)" x
}

@test "lowered beneath what there is: nothing is removed, and nothing new gets in; an expired message makes no room" {
	seq 3 | dq-put -q -l "$q"
	dq-put -q -x 1ms -i old "$q" x
	dq-set "$q" max-len=2
	fails 75 'not put: the queue has 2 messages, its limit$' dq-put "$q" x
	fails 75 'not put: the queue has 2 messages, its limit$' dq-put -i old "$q" x
	equal "$(rcli HLEN "dq:{$q}:msg")" 4
	dq-set "$q" max-len=4
	wait_until 5 dq-put -q -i old "$q" new # it has expired: this one takes its place
	equal "$(rcli HLEN "dq:{$q}:msg")" 4
}

@test "a queue of shards: each has its part of the limit" {
	dq-set -q "$q" shards=3 max-len=7
	run -75 --separate-stderr dq-put -q -l "$q" < <(seq 60)
	matches "$stderr" 'not put: its shard has [23] messages, its part of the limit$'
	equal "$(wc -l <<<"$stderr")" 53
	equal "$(dq-stat --no-header "$q" | awk '{ print $4 }')" 7
}
