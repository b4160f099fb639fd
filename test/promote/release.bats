# Goal: dq-promote --release ends the lease of a consumer that has died. This is no failure: the message is ready at once.

bats_require_minimum_version 1.5.0

load ../helper
load ../cut

@test "--release: ready at once, the try counts, the receipt is not valid" {
	leased -t 1h -p 3
	dq-promote --release "$q/x"
	holds 0 1 0 0
	equal "$(tries x) $(field stat released)" '1 1'
	fails 1 ': not settled: this receipt is no longer valid$' dq-ack "$receipt"
	fails 1 ': not settled: .*no longer valid$' dq-ack -x 1h "$receipt"
	equal "$(dq-take --json "$q" | jq -c '[.id, .try, .reason]')" '["x",2,"released"]'
}

@test "--release: a waiting taker gets it" {
	local taker
	leased -t 1h
	dq-take -w 60 "$q" >"$T/out" 3>&- &
	taker=$!
	wait_until 20 blocked
	dq-promote --release "$q/x"
	exits 0 "$taker"
	matches "$(cat "$T/out")" "^$q/x@"
}

blocked() {
	rcli INFO clients | grep -q '^blocked_clients:1'
}

@test "--release: the answer is lost: not sent again, since the next taker may have it by then; 75" {
	leased -t 1h -r 2
	start_cut d dq-take "$q"
	run -75 --separate-stderr dq-promote --release -u "unix://$T/cut" "$q/x"
	stop_cut
	matches "$stderr" "^dq-promote: $q/x: .*: 0 released, 1 unknown, 0 not sent\$"
	holds 0 0 1 0
	equal "$(tries x) $(field stat released)" '2 1'
}

@test "--release: the last try is over: dead, and reported" {
	leased -r 1
	run -0 --separate-stderr dq-promote --release -v "$q/x"
	equal "$stderr" "dq-promote: $q/x: released, and dead: out of tries
dq-promote: 0 released
dq-promote: 1 dead: out of tries"
	holds 0 0 0 1
	equal "$(dq-stat --json "$q/x" | jq -r .reason)" released
	fails 1 ': not settled: this receipt is no longer valid$' dq-ack "$receipt"
}

@test "--release: a put that rescheduled the message meanwhile sets its time, with all tries" {
	leased -r 1
	dq-put -q -e later -d 3h -i x "$q" x
	dq-promote --release "$q/x"
	holds 1 0 0 0
	equal "$(tries x)" 0
	fails 1 ': not settled: this receipt is no longer valid$' dq-ack "$receipt"
}

@test "--release: a message past its expiry: the next promote removes it" {
	leased -x 1h
	dq-promote --release "$q/x"
	[ -n "$(score expiry x)" ]
	rcli HSET "dq:{$q}:msg" x $'x=1\nhello' >/dev/null
	rcli ZADD "dq:{$q}:expiry" 1 x >/dev/null
	dq-promote "$q"
	holds 0 0 0 0
}

@test "--release: a message that is not leased, or missing: 1, and the others are released" {
	leased
	dq-put -q -i ready "$q" x
	dq-put -q -d 1h -i delayed "$q" x
	run -1 --separate-stderr dq-promote --release "$q/ready" "$q/delayed" "$q/none" "$q/x" "$q/x"
	equal "$stderr" "dq-promote: $q/ready: not released: not leased
dq-promote: $q/delayed: not released: not leased
dq-promote: $q/none: not released: no such message
dq-promote: $q/x: not released: not leased"
	holds 1 2 0 0
	run -1 --separate-stderr dq-promote --release -q "$q/x"
	equal "$stderr" ''
}

@test "--release: receipts and listings from standard input; many" {
	seq 600 | dq-put -q -l "$q"
	dq-take -n 600 "$q" >"$T/taken"
	head -1 "$T/taken" | dq-promote --release
	holds 0 1 599 0
	dq-promote --release - < <(sed -n 2p "$T/taken")
	dq-stat --messages leased "$q" | dq-promote --release
	holds 0 600 0 0
	run -1 dq-ack <"$T/taken"
	holds 0 600 0 0
}

@test "--release --dry-run: prints the names of the leased messages, and changes nothing" {
	leased
	dq-put -q -i ready "$q" x
	local before
	before=$(digest)
	run -1 --separate-stderr dq-promote --release --dry-run "$q/x" "$q/ready"
	equal "$output" "$q/x"
	equal "$stderr" "dq-promote: $q/ready: not released: not leased"
	equal "$(digest)" "$before"
}

@test "--release: at most N" {
	seq 3 | dq-put -q -l "$q"
	dq-take -n 3 "$q" | dq-promote --release -n 2
	holds 0 2 1 0
}

@test "--release: operands and options that it accepts" {
	fails 64 '^"q": not the name of a message \(QUEUE/ID\)$' dq-promote --release q
	fails 64 '^only one of --dead and --release$' dq-promote --dead --release q/x
	fails 64 '^-f: not with .*--release' dq-promote -f --release q/x
	fails 64 '^--rate: only with --dead$' dq-promote --release --rate 5 q/x
	fails 65 'not the name of a message' dq-promote --release <<<"$q"
}
