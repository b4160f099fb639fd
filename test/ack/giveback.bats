# Goal: dq-ack -g with a time gives a message back until that time. This is no failure: the try does not count.

bats_require_minimum_version 1.5.0

load ../helper

receipt_of() { # ID
	echo "$q/$1@$(field try "$1" | cut -d' ' -f2)"
}

@test "-g -d: delayed for that time, the try does not count, the receipt is not valid" {
	local before
	leased -p 3 -r 1
	before=$(server_ms)
	dq-ack -g -d 1h "$receipt"
	holds 1 0 0 0
	equal "$(tries x)" 0
	between $((before + 3600000)) "$(score delayed x | cut -d. -f1)" $((before + 3620000))
	fails 1 ': not settled: this receipt is no longer valid$' dq-ack "$receipt"
	equal "$(dq-stat --json "$q/x" | jq -c '[.state, .tries, .priority]')" '["delayed",0,3]'
	later 3600000
	wait_until 10 dq-take "$q"
	equal "$(tries x) $(field stat given_back)" '1 1'
}

@test "how often it was given back is kept through tries, and shown; with new tries it begins anew" {
	local n shown
	dq-put -q -i x -r 2 -b 0 "$q" x
	for n in 1 2; do
		equal "$(dq-take --json "$q" | jq -c '[.try, .tries, .given_back]')" "[1,1,$((n - 1))]"
		dq-ack -g "$(receipt_of x)"
		equal "$(dq-stat "$q/x" | grep -E '^(tries|given_back)')" $'tries\t0 of 2\ngiven_back\t'$n
	done
	dq-take "$q" | dq-ack -r
	for shown in "$(dq-stat --json "$q/x")" "$(dq-stat --messages all --json "$q")" "$(dq-dump "$q" | grep '"id":"x"')"; do
		equal "$(jq -c '[.tries, .given_back]' <<<"$shown")" '[1,2]'
	done
	equal "$(dq-stat --messages all "$q" | cut -f4)" 1
	dq-take "$q" | dq-ack -b
	equal "$(dq-stat --json "$q/x" | jq -c '[.state, .tries, .given_back]')" '["dead",2,2]'
	dq-promote -q --dead "$q/x"
	equal "$(dq-stat --json "$q/x" | jq -c '[.state, .tries, .given_back]')" '["ready",0,0]'
}

@test "-g -m: the reason is kept, without -m the one before; at most 1000 bytes" {
	local long
	long=$(printf '%01200d' 0)
	dq-put -q -i x -b 0 "$q" x
	dq-take "$q" | dq-ack -r -m failed
	dq-take "$q" | dq-ack -g
	equal "$(dq-stat --json "$q/x" | jq -c '[.tries, .given_back, .reason]')" '[1,1,"failed"]'
	dq-take "$q" | dq-ack -g -m 'not yet'
	equal "$(dq-stat --json "$q/x" | jq -c '[.tries, .given_back, .reason]')" '[1,2,"not yet"]'
	dq-take "$q" | dq-ack -g -m ''
	equal "$(dq-stat --json "$q/x" | jq -c .reason)" '"not yet"'
	dq-take "$q" | dq-ack -g -d 1h -m "$long"
	equal "$(dq-stat --json "$q/x" | jq -r .reason)" "${long:200}"
}

@test "-g -a: at that time; a time in the past is now" {
	leased
	dq-ack -g -a 2100-01-01T00:00:00Z "$receipt"
	equal "$(score delayed x)" 4102444800000
	later 4000000000000
	receipt=$(dq-take "$q" | cut -f1)
	dq-ack -g -a @1000000000.5 "$receipt"
	holds 0 1 0 0
	equal "$(score ready x)" "$(printf '%.17g' $((100 * 4398046511104 + 1000000000500)))"
}

@test "-g -d, many times: this never makes the message dead" {
	local _
	leased -r 1
	for _ in 1 2 3 4 5 6; do
		dq-ack -g -d 0 "$receipt"
		receipt=$(dq-take "$q" | cut -f1)
	done
	holds 0 0 1 0
	equal "$(tries x)" 1
}

@test "-g -d: a put that rescheduled the message meanwhile sets its time" {
	leased
	dq-put -q -e later -d 3h -i x "$q" x
	dq-ack -g -d 1h "$receipt"
	holds 1 0 0 0
	between $(($(server_ms) + 9000000)) "$(score delayed x)" $(($(server_ms) + 10800000))
}

@test "-g -d of many, from standard input" {
	seq 600 | dq-put -q -l "$q"
	dq-take -n 600 "$q" | dq-ack -g -d 1h
	holds 600 0 0 0
	equal "$(field stat given_back)" 600
}

@test "-d and -a: the options that they need, and times out of range" {
	fails 64 '^-a: only with -g$' dq-ack -r -a @5 x/y@1
	fails 64 '^-a: only with -g$' dq-ack -a @5 x/y@1
	fails 64 '^only one of -d, -a and -x, and only once$' dq-ack -g -d 5 -a @5 x/y@1
	fails 64 '^-a: ".*' dq-ack -g -a tomorrow x/y@1
	leased
	fails 64 "^$q: 1 receipt not settled: the delay would end after May 2109$" dq-ack -g -d 36525d "$receipt"
	holds 0 0 1 0
	dq-ack "$receipt"
}
