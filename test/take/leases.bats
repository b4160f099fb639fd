# Goal: A lease lasts as long as it says; then the message is redelivered with another receipt, until its tries are used up.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper

@test "leases: 60 s, the message's own, or -t" {
	dq-put -q -i a "$q" x
	dq-put -q -i b -t 90s "$q" x
	dq-put -q -i c -t 90s "$q" x
	dq-put -q -i d -t 90s "$q" x
	local before after
	before=$(server_ms)
	dq-take -n 2 "$q" >/dev/null
	dq-take -t 5m "$q" >/dev/null
	dq-take --ttr 1ms "$q" >/dev/null
	after=$(server_ms)
	between $((before + 60000)) "$(score leased a)" $((after + 60001))
	between $((before + 90000)) "$(score leased b)" $((after + 90001))
	between $((before + 300000)) "$(score leased c)" $((after + 300001))
	fails 64 '^-t: a lease is at least 1ms$' dq-take -t 0 "$q"
}

@test "an expired lease: redelivered, with another token, and the try counts" {
	dq-put -q -i x "$q" hello
	local first second
	first=$(dq-take "$q" | cut -f1)
	later 59000
	run -1 dq-take "$q"
	later 1001
	second=$(dq-take "$q" | cut -f1)
	holds 0 0 1 0
	equal "$(tries x)" 2
	[ "${second#*@}" -gt "${first#*@}" ]
	fails 1 "^$first: not settled: this receipt is no longer valid\$" dq-ack "$first"
	holds 0 0 1 0
	dq-ack "$second"
	holds 0 0 0 0
}

@test "out of tries: dead, and not delivered again" {
	dq-put -q -i x -r 2 "$q" hello
	dq-take -t 1s "$q"
	later 1001
	dq-take -t 1s "$q"
	later 1001
	run -1 dq-take "$q"
	holds 0 0 0 1
	equal "$(field try x | tail -1)" 'lease ran out'
}

@test "many deliveries at once: the hash of try entries is no listpack, and each entry is right" {
	seq 40 | dq-put -q -l "$q"
	equal "$(dq-take -n 40 "$q" | cut -f 2 | xargs)" "$(seq 40 | xargs)"
	equal "$(rcli OBJECT ENCODING "dq:{$q}:try")" hashtable
	equal "$(rcli HVALS "dq:{$q}:try" | grep -c '^1 [0-9]* [0-9]*@[^ ]* $')" 40
	equal "$(rcli HLEN "dq:{$q}:try")" 40
}

@test "an invalid try entry: no receipt is valid, which is reported; the next delivery is the first" {
	dq-put -q -i a "$q" x
	dq-take -t 1ms "$q" >"$T/one"
	rcli HSET "dq:{$q}:try" a garbage >/dev/null
	run -1 dq-ack <"$T/one"
	matches "$(dq-stat "$q/a")" 'unreadable entry'
	dq-take -w 5s "$q" >/dev/null
	equal "$(tries a)" 1
}
