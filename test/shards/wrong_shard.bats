# Goal: dq-gc --check names each message in the wrong shard, where no receipt of it can be settled, and --repair moves it and loses none.

bats_require_minimum_version 1.5.0

load ../helper
load ../gate
load shards

# The messages of shard I of 3 come to shard J as somebody restores keys by hand: under the wrong tag.
swap() { # I J
	local part
	for part in msg delayed ready leased dead try expiry; do
		[ "$(rcli EXISTS "dq:{$(tag "$1" 3)}:$part")" = 0 ] || rcli RENAME "dq:{$(tag "$1" 3)}:$part" "dq:{$(tag "$2" 3)}:$part" \
			>/dev/null
	done
}

faulty() { # ID...
	printf "$q/%s\tin the wrong shard\n" "$@" | sort
}

@test "messages of any id in their shards are no fault" {
	local n
	for n in 2 3 64; do
		q=$q.$n
		spread "$n"
		seq 500 | dq-put -q -l "$q"
		printf -- '-\t%s\tx\n' a A:b._-9 "$(printf '%0128d' 7)" 0 k+1 "$(printf '%0126d+2' 7)" | dq-put -q --tsv "$q"
		run -0 dq-gc --check "$q"
		equal "$output" ''
	done
}

@test "in each state: named, moved unchanged, and settled by its next consumer" {
	local ids state
	spread 3
	mapfile -t ids < <(ids_of 1 | head -n 4)
	dq-put -q -d 1h -p 7 -x 2h -i "${ids[0]}" "$q" delayed
	dq-put -q -r 9 -i "${ids[1]}" "$q" ready
	dq-put -q -i "${ids[2]}" "$q" dead
	dq-put -q -i "${ids[3]}" "$q" leased
	dq-take -n 3 -t 1h "$q" | tee "$T/taken" | grep "${ids[2]}" | dq-ack -b -m 'no such order'
	grep "${ids[1]}" "$T/taken" | dq-ack -g
	for state in delayed ready dead leased; do dq-stat --messages "$state" --json "$q"; done |
		jq -c 'del(.now_ms, .age_ms, .holder)' | sed 's/"[a-z_]*now[a-z_]*":[0-9]*,\?//g' >"$T/before"
	equal "$(wc -l <"$T/before")" 4
	swap 1 2
	run -1 --separate-stderr dq-gc --check "$q"
	equal "$(sort <<<"$output")$stderr" "$(faulty "${ids[@]}")"
	run -0 --separate-stderr dq-gc --repair "$q"
	equal "$(sort <<<"$output")$stderr" "$(faulty "${ids[@]}")"
	run -0 dq-gc --check "$q"
	equal "$output $(shares 3)" ' 0 4 0'
	for state in delayed ready dead leased; do dq-stat --messages "$state" --json "$q"; done |
		jq -c 'del(.now_ms, .age_ms, .holder)' | sed 's/"[a-z_]*now[a-z_]*":[0-9]*,\?//g' >"$T/after"
	diff "$T/before" "$T/after"
	run -1 dq-ack "$(grep "${ids[3]}" "$T/taken" | cut -f 1)" # its old receipt
	matches "$output" 'no longer valid'
	dq-promote --release "$q/${ids[3]}"
	dq-promote "$q/${ids[0]}"
	dq-promote --dead "$q"
	equal "$(dq-take -n 9 "$q" | tee "$T/taken" | cut -f 2 | sort | xargs)" 'dead delayed leased ready'
	dq-ack <"$T/taken"
	equal "$(shares 3)" '0 0 0'
}

@test "many messages, in no state or with other faults, too: all are in their shards at the end" {
	local ids
	spread 3
	mapfile -t ids < <(ids_of 0)
	seq 1 60 | sed 's/.*/-\tid&\tx/' | dq-put -q --tsv "$q"
	swap 0 1
	rcli DEL "dq:{$(tag 1 3)}:ready" >/dev/null # those of shard 1 were lost by the swap, as those of 0 are in no state now
	run -1 dq-gc --check "$q"
	run -0 dq-gc --repair "$q"
	run -0 dq-gc --check "$q"
	equal "$output" ''
	equal "$(rcli HLEN "dq:{$q}:msg")" "${#ids[@]}"
	dq-take -n 100 "$q" | dq-ack
	equal "$(shares 3)" '0 0 0'
}

@test "another message has its id in the right shard: the message stays, this is reported, nothing is lost" {
	local id
	spread 3
	id=$(first_of 1)
	dq-put -q -i "$id" "$q" old
	swap 1 2
	dq-put -q -i "$id" "$q" new
	run -1 --separate-stderr dq-gc --repair "$q"
	equal "$output" "$(faulty "$id")"
	equal "$stderr" "dq-gc: $q: not repaired: 1 fault"
	equal "$(shares 3)" '0 1 1'
	# the same message in both, as an interrupted repair leaves it, is one
	rcli COPY "dq:{$(tag 2 3)}:msg" "dq:{$(tag 1 3)}:msg" REPLACE >/dev/null
	run -0 dq-gc --repair "$q"
	equal "$(shares 3)" '0 1 0'
	equal "$(dq-take "$q" | cut -f 2)" old
}

@test "the fault of one queue is not repaired in the next one" {
	local id other=$q.other
	spread 3
	id=$(first_of 1)
	dq-put -q -i "$id" "$q" x
	swap 1 2
	dq-put -q -i "$id" "$other" x
	rcli ZADD "dq:{$other}:ready" 1 ghost >/dev/null # a fault, so that it is repaired
	start_gate
	rule $'busy.\r\nmsg\r\n' # the last call of the first audit
	DQ_URL=unix://$T/gate run -75 --separate-stderr dq-gc --repair "$q" "$other"
	matches "$stderr" "$q: not repaired: .*BUSY"
	matches "$output" "$other/ghost.no body"
	equal "$(dq-take --ack "$other" | cut -f 2)" x
	run -0 dq-gc --repair "$q"
	equal "$(dq-take --ack "$q" | cut -f 2)" x
}

@test "a record that no put wrote stays, and this is reported; the others are moved" {
	local ids id
	spread 3
	mapfile -t ids < <(ids_of 1 | head -n 5)
	for id in "${ids[@]}"; do dq-put -q -i "$id" "$q" x; done
	swap 1 2
	for id in "${ids[@]:1:3}"; do rcli HSET "dq:{$(tag 2 3)}:msg" "$id" $'12\nfoo' >/dev/null; done
	run -1 --separate-stderr dq-gc --repair "$q"
	equal "$(sort <<<"$output")" "$(faulty "${ids[@]}")"
	equal "$stderr" "dq-gc: $q: not repaired: 3 faults"
	equal "$(shares 3)" '0 2 3'
}

@test "the queue is made anew with other shards before a repair has moved a message: the new queue is audited" {
	local id slow
	spread 3
	id=$(first_of 1)
	dq-put -q -i "$id" "$q" x
	swap 1 2
	start_gate
	rule "hold.$id"
	dq-gc -u "unix://$T/gate" --repair "$q" >"$T/out" 2>"$T/err" 3>&- &
	slow=$!
	wait_until 10 came "$id"
	dq-rm -f -a "$q"
	spread 6
	lift "hold.$id"
	exits 0 "$slow"
	equal "$(cat "$T/out")" "$(faulty "$id")"
	equal "$(cat "$T/err")" ''
}
