# Goal: --keep keeps what became of a message for so long: done with a result, dead or removed. Only a valid receipt writes it.

bats_require_minimum_version 1.5.0

load ../helper

outcome() { # ID
	dq-stat --json "$q/$1" | jq -r '[.state, .tries, .result] | map(tostring) | join(" ")'
}

settle() { # ID OPTION-OF-DQ-ACK...: a delivery of that message, put with --keep
	dq-put -q --keep 1h -i "$1" "$q" x
	dq-take "$q" >"$T/taken"
	dq-ack "${@:2}" <"$T/taken"
}

@test "done: with its result, tries and times, in text and JSON, until the time has passed" {
	dq-put -q --keep 1h -i a "$q" x
	dq-take "$q" | dq-ack -r -d 0 -m 'disk full'
	dq-take "$q" >"$T/taken"
	dq-ack -m 'sum 42' <"$T/taken"
	run -0 --separate-stderr dq-stat "$q/a"
	equal "$stderr" ''
	equal "$(grep -vE '^(ended|when|reserved)' <<<"$output")" \
		"$(printf '%s\t%s\n' name "$q/a" state 'done' tries 2 given_back 0 result 'sum 42')"
	equal "$(cut -f1 <<<"$output" | paste -sd' ')" \
		'name state ended ended_ms when tries given_back result reserved_until reserved_until_ms'
	equal "$(dq-stat --json "$q/a" | jq -c '[.state, .outcome, .tries, .given_back, .result, .reserved_until_ms - .ended_ms]')" \
		'["done","done",2,0,"sum 42",3600000]'
	rcli ZADD "dq:{$q}:settled" 5 a >/dev/null
	fails 1 'no such message' dq-stat "$q/a"
	dq-gc "$q"
	fails 1 'no such message' dq-stat "$q/a"
	equal "$(rcli EXISTS "dq:{$q}:outcome" "dq:{$q}:settled")" 0
}

@test "a stale receipt writes no outcome, and a second ack changes none" {
	dq-put -q --keep 1h -i a "$q" x
	dq-take "$q" >"$T/old"
	dq-ack -g <"$T/old"
	fails 1 'no longer valid' dq-ack -m stolen <"$T/old"
	equal "$(dq-stat --json "$q/a" | jq -r .state)" ready
	dq-take "$q" >"$T/taken"
	dq-ack -m mine <"$T/taken"
	fails 1 'settled already, or removed$' dq-ack -m again <"$T/taken"
	equal "$(outcome a)" 'done 1 mine'
}

@test "a result ends at a whole character within 1,000 bytes, and is never refused" {
	local long
	long=$(printf 'ü%.0s' {1..700})
	settle a -m "x$long"
	equal "$(dq-stat --json "$q/a" | jq -r '.result | utf8bytelength')" 999
	settle b -m ''
	equal "$(outcome b)" 'done 1 null'
	settle c -m =
	equal "$(outcome c)" 'done 1 ='
	fails 64 '-m: not with -x' dq-ack -x 5s -m x
}

@test "dead: the message is there itself; when it is purged, its outcome is dead" {
	settle a -b -m 'no such customer'
	equal "$(dq-stat --json "$q/a" | jq -r '"\(.state) \(.reason)"')" 'dead no such customer'
	dq-gc --dead-for 0s "$q"
	equal "$(outcome a)" 'dead 1 no such customer'
	dq-put -q -i a "$q" new
	equal "$(dq-stat --json "$q/a" | jq -r .state)" ready
}

@test "redrive: a dead message goes on, and ends as done" {
	settle a -b -m why
	dq-promote -q --dead "$q/a"
	dq-take "$q" | dq-ack -m well
	equal "$(outcome a)" 'done 1 well'
}

@test "removed: by dq-rm, in each state, and by an expiry" {
	dq-put -q --keep 1h -d 1h -i delayed "$q" x
	dq-put -q --keep 1h -d never -i held "$q" x
	dq-rm -q "$q/delayed" "$q/held"
	dq-put -q --keep 1h -i leased "$q" x
	dq-take "$q" >"$T/taken"
	dq-rm -q "$q/leased"
	fails 1 'settled already, or removed$' dq-ack -m late <"$T/taken"
	dq-put -q --keep 1h -x 1ms -i expired "$q" x
	wait_until 20 is_gone
	equal "$(outcome delayed),$(outcome held),$(outcome leased),$(outcome expired)" \
		'removed 0 null,removed 0 null,removed 1 null,removed 0 expired'
	dq-put -q -i delayed "$q" 'only done reserves an id'
}

is_gone() {
	dq-promote -q "$q"
	[ "$(rcli HEXISTS "dq:{$q}:msg" expired)" = 0 ]
}

@test "an outcome reserves the id if it is done; another message drops it; dq-rm frees it" {
	settle a -m one
	fails 1 'its message was acked, and the id is still reserved' dq-put -i a "$q" x
	run -0 --separate-stderr dq-put -v -e keep -i a "$q" x
	matches "$stderr" "$q/a: not put: its message was acked"
	equal "$(outcome a)" 'done 1 one'
	dq-put -q -e replace -i a "$q" y
	equal "$(dq-stat --json "$q/a" | jq -r .state)" ready
	dq-rm -q "$q/a"
	fails 1 'no such message' dq-stat "$q/a"
	settle b
	equal "$(dq-rm --dry-run "$q/b")" "$q/b"
	equal "$(outcome b)" 'done 1 null'
	dq-rm "$q/b"
	fails 1 'no such message' dq-stat "$q/b"
	fails 1 'no such message' dq-rm "$q/b"
	dq-put -q -i b "$q" x
}

@test "an id that --unique-for reserves is shown, and freed by dq-rm" {
	dq-put -q --unique-for 1h -i a "$q" x
	dq-take "$q" | dq-ack -m 'kept by nobody'
	equal "$(dq-stat "$q/a" | grep -E '^(state|result|ended)	')" "$(printf '%s\t%s\n' state reserved ended - result -)"
	equal "$(dq-stat --json "$q/a" | jq -c '[.state, .outcome]')" '["reserved",null]'
	fails 1 'no such message, but its id is reserved' dq-stat --payload "$q/a"
	dq-rm "$q/a"
	dq-put -q -i a "$q" x
}

@test "a dump has outcomes, and dq-load loads them, twice as once" {
	settle a -m 'two
lines'
	settle b -b
	dq-gc --dead-for 0s "$q"
	dq-put -q --keep 2h -i c "$q" x
	dq-dump "$q" | grep -vE '"kind":"(queue|end|done)"' | sort >"$T/dump"
	dq-rm -a -f "$q"
	dq-load <"$T/dump" >/dev/null
	dq-load <"$T/dump" >/dev/null
	equal "$(dq-dump "$q" | grep -vE '"kind":"(queue|end|done)"' | sort)" "$(<"$T/dump")"
	equal "$(outcome a)" $'done 1 two\nlines'
	equal "$(outcome b)" 'dead 1 null'
	equal "$(dq-stat "$q/c" | grep -E '^(unique|keep)')" "$(printf '%s\t2h\n' unique keep)"
	dq-rm -q "$q/c"
	equal "$(outcome c)" 'removed 0 null'
}

@test "dq-gc finds and repairs an outcome whose id is not reserved" {
	settle a
	equal "$(dq-gc --check "$q")" ''
	rcli HSET "dq:{$q}:outcome" b $'done 1 5\nx' >/dev/null
	run -1 dq-gc --check "$q"
	equal "$output" "$q/b"$'\tnot reserved'
	run -0 dq-gc --repair "$q"
	equal "$(rcli HKEYS "dq:{$q}:outcome")" a
}

@test "a queue whose messages all ended is kept for its outcomes, and forgotten after them" {
	settle a
	dq-gc --empty-for 0s "$q"
	equal "$(outcome a)" 'done 1 null'
	dq-rm "$q/a"
	dq-gc --empty-for 0s "$q"
	is_unlisted
}

@test "a command of dq-run says the result, and its standard error is none" {
	local says
	# shellcheck disable=SC2016
	for says in "echo 'done sum 42' >&3" 'dq-ack -m "sum 42" $DQ_RECEIPT'; do
		dq-put -q -e replace --keep 1h -i a "$q" x
		dq-run --until-empty "$q" -- sh -c "echo noise >&2; $says" 2>/dev/null
		equal "$(outcome a)" 'done 1 sum 42'
	done
	dq-put -q -e replace --keep 1h -i a "$q" x
	dq-run --until-empty "$q" -- sh -c 'echo noise >&2' 2>/dev/null
	equal "$(outcome a)" 'done 1 null'
}

@test "options that exclude each other" {
	fails 64 'only one of --unique-for and --keep' dq-put --keep 1h --unique-for 1h "$q" x
	fails 64 '--keep: at least 1ms' dq-put --keep 0 "$q" x
}

@test "shards: each shard keeps the outcomes of its messages" {
	local i
	dq-set "$q" shards=3
	for i in 1 2 3 4 5 6; do
		settle "m$i" -m "$i"
	done
	for i in 1 2 3 4 5 6; do
		equal "$(outcome "m$i")" "done 1 $i"
	done
	equal "$(dq-gc --check "$q")" ''
	dq-rm "$q/m3"
	fails 1 'no such message' dq-stat "$q/m3"
}
