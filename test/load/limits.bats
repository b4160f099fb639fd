# Goal: A dump has the settings of a queue, and a load sets them before anybody can take from it.

bats_require_minimum_version 1.5.0

load ../helper

# The settings of the loaded queue, a word each.
loaded() {
	dq-set --prefix new "$q" | sed '/^key/d' | paste -sd' '
}

@test "max-leased, rate and max-len go with the queue, also without messages" {
	dq-set -q "$q" max-leased=7 rate=50/1s max-len=3
	dq-set -q "$q.e" max-len=0
	dq-put -q "$q" 1 2 3
	dq-dump "$q" "$q.e" >"$T/dump"
	equal "$(jq -c 'select(.kind == "queue") | [.paused, .paused_until_ms, .max_leased, .rate, .max_len]' "$T/dump")" \
		$'[false,null,7,{"count":50,"ms":1000},3]\n[false,null,null,null,0]'
	run -0 --separate-stderr dq-load -q --prefix new "$T/dump"
	equal "$stderr" ''
	equal "$(loaded)" 'paused=no shards=1 max-leased=7 rate=50/1s max-len=3'
	equal "$(dq-set --prefix new "$q.e" | sed '/^key/d' | paste -sd' ')" 'paused=no shards=1 max-leased=none rate=none max-len=0'
	fails 75 'its limit' dq-put --prefix new "$q" 4
	equal "$(dq-take --prefix new --ack -n 9 "$q" | wc -l)" 3
	dq-load -q --prefix new "$T/dump"
	equal "$(loaded)" 'paused=no shards=1 max-leased=7 rate=50/1s max-len=3'
}

@test "more messages than max-len are loaded" {
	dq-put -q "$q" 1 2 3
	dq-set "$q" max-len=1
	dq-dump "$q" >"$T/dump"
	run -0 --separate-stderr dq-load --prefix new "$T/dump"
	equal "${#lines[@]}$stderr" 3
	equal "$(loaded)" 'paused=no shards=1 max-leased=none rate=none max-len=1'
}

@test "more leased messages than max-leased are loaded: they have its places until their leases end or are released" {
	dq-put -q -t 4h "$q" 1 2 3 4
	dq-take -n 3 "$q" >/dev/null
	dq-set "$q" max-leased=2 max-len=1
	dq-dump "$q" >"$T/dump"
	dq-set -q --prefix new "$q" max-leased=1
	run -0 --separate-stderr dq-load --prefix new "$T/dump"
	equal "${#lines[@]}$stderr" 4
	equal "$(loaded)" 'paused=no shards=1 max-leased=1 rate=none max-len=1'
	equal "$(DQ_PREFIX=new states)" '0 1 3 0'
	run -1 dq-take -q --prefix new "$q"
	dq-stat --messages leased --prefix new "$q" | cut -f 1 | dq-promote -q --release --prefix new
	equal "$(dq-take --prefix new -n 9 "$q" | wc -l)" 1
	equal "$(DQ_PREFIX=new states)" '0 3 1 0'
}

@test "a pause that ends: at the same time, and without a report; one that has ended is none" {
	dq-put -q "$q" 1
	dq-set "$q" paused=4h
	dq-dump "$q" >"$T/dump"
	run -0 --separate-stderr dq-load -q --prefix new "$T/dump"
	equal "$stderr" ''
	run -0 --separate-stderr dq-load -q --prefix again "$T/dump"
	equal "$(dq-set --json "$q" | jq .paused_until_ms)" "$(dq-set --prefix new --json "$q" | jq .paused_until_ms)"
	run -1 dq-take -q --prefix new "$q"
	sed -E 's/("paused_until_ms":)[0-9]+/\11000000000000/; s/("dump":)[0-9]+/\17/' "$T/dump" >"$T/over"
	run -0 --separate-stderr dq-load -q --prefix over "$T/over"
	equal "$(dq-take --prefix over --ack "$q" | cut -f 2)" 1
	equal "$(dq-set --prefix over "$q" | head -1)" paused=no
}

@test "what the queue has already stays: its limits, and the pause of an operator" {
	dq-put -q "$q" 1
	dq-set "$q" max-leased=7 rate=50/1s paused=4h
	dq-dump "$q" >"$T/dump"
	dq-set -q --prefix new "$q" max-leased=2 paused=yes
	run -0 dq-load -q --prefix new "$T/dump"
	equal "$(loaded)" 'paused=yes shards=1 max-leased=2 rate=50/1s max-len=none'
	dq-set -q --prefix none "$q" max-len=9
	jq -c 'if .kind == "queue" then del(.max_leased, .rate, .max_len, .paused_until_ms) + {paused: false} else . end' "$T/dump" |
		dq-load -q --prefix none
	equal "$(dq-set --prefix none "$q" | sed '/^key/d' | paste -sd' ')" 'paused=no shards=1 max-leased=none rate=none max-len=9'
}

@test "shards: they go with the limits; too many for a limit: it stays paused, 65, until that is corrected" {
	dq-set -q "$q" shards=2 max-leased=2
	seq 60 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	run -0 dq-load -q --prefix new "$T/dump"
	equal "$(loaded)" 'paused=no shards=2 max-leased=2 rate=none max-len=none'
	dq-set -q --prefix more "$q" shards=3
	fails 65 "$q: stays paused: its limits are not set: .*shards" dq-load -q --prefix more "$T/dump"
	run -1 dq-take -q --prefix more "$q"
	dq-set --prefix more "$q" max-leased=3
	dq-load -q --prefix more "$T/dump"
	equal "$(dq-set --prefix more "$q" | sed '/^key/d' | paste -sd' ')" 'paused=no shards=3 max-leased=3 rate=none max-len=none'
	equal "$(dq-take --prefix more -n 9 "$q" | wc -l)" 3
}

@test "settings that are not valid: 65, and nothing of the queue is loaded" {
	local was now
	dq-put -q "$q" 1
	dq-set "$q" max-leased=7 rate=50/1s max-len=9 paused=4h
	dq-dump "$q" | head -1 >"$T/line"
	while read -r was now; do
		sed -E "s/$was/$now/" "$T/line" >"$T/dump"
		run ! cmp -s "$T/line" "$T/dump"
		run -65 --separate-stderr dq-load --prefix new "$T/dump"
		DQ_PREFIX=new is_unlisted "$q"
		matches "$stderr" "line 1: (max_leased|rate|max_len|paused_until_ms): " || return
	done <<-'TABLE'
		"max_leased":7 "max_leased":0
		"max_leased":7 "max_leased":"7"
		"max_len":9 "max_len":-1
		"rate":[^}]*} "rate":5
		"rate":[^}]*} "rate":[50,1000]
		"rate":[^}]*} "rate":{"count":5}
		"rate":[^}]*} "rate":{"count":0,"ms":1}
		"rate":[^}]*} "rate":{"count":5,"ms":1,"s":1}
		"paused":true "paused":false
		"paused_until_ms":[0-9]+ "paused_until_ms":1
	TABLE
}
