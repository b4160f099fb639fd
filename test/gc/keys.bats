# Goal: dq-gc --check finds what is wrong with the keys of messages, --repair mends it, and then each key drains in its order.

bats_require_minimum_version 1.5.0

load ../helper

# A queue with serial keys: of a one message is leased, and one waits; of b one is to be tried again, and one waits; c is ready.
begin() {
	local id
	dq-set -q "$q" keys=serial
	for id in a+1 a+2 b+1 b+2 c+1 0; do dq-put -q -t 1h -i "$id" "$q" "$id"; done
	dq-take -n 2 "$q" >"$T/taken"
	dq-ack -r -d 1h "$(grep -F b+1@ "$T/taken" | cut -f1)"
	holds 1 4 1 0
	equal "$(dq-gc -q --check "$q")" ''
}

element() { # add|remove ELEMENT
	case $1 in
	add) rcli ZADD "dq:{$q}:keyed" 0 "$2" ;;
	remove) rcli ZREM "dq:{$q}:keyed" "$2" ;;
	esac >"$T/done"
	equal "$(<"$T/done")" 1
}

# The element of a ready message.
ready_element() { # KEY REST
	printf '%s R %016.0f %s' "$1" $(($(score ready "$1+$2") - (1 << 50))) "$2"
}

# --check finds just this and changes nothing; --repair mends it, where one fault is that of another, too; and then all is well.
mended() { # ID FAULT...
	local before wanted
	before=$(digest)
	wanted=$(printf "$q/%s\t%s\n" "$@")
	run -1 --separate-stderr dq-gc --check "$q"
	equal "$(sort <<<"$output")$stderr" "$wanted"
	equal "$(digest)" "$before"
	run -0 --separate-stderr dq-gc --repair "$q"
	[ -n "$output" ]
	equal "$(grep -vxF "$wanted" <<<"$output")$stderr" ''
	run -0 --separate-stderr dq-gc --check "$q"
	equal "$output$stderr" ''
}

# What is leased is given back, what is delayed is made ready; then consumers get all of it, each key in its order.
drains() {
	[ ! -s "$T/taken" ] || dq-ack -g "$(grep -F a+1@ "$T/taken" | cut -f1)"
	dq-promote -q "$q/b+1"
	dq-take --until-empty --ack "$q" >"$T/drained"
	equal "$(grep -c . "$T/drained")" 6
	equal "$(grep -o 'a+.$' "$T/drained" | paste -sd' ')" 'a+1 a+2'
	equal "$(grep -o 'b+.$' "$T/drained" | paste -sd' ')" 'b+1 b+2'
	holds 0 0 0 0
	equal "$(rcli EXISTS "dq:{$q}:keyed" "dq:{$q}:turn")" 0
	equal "$(dq-gc -q --check "$q")" ''
}

@test "a lease that is missing: its key would be served twice" {
	begin
	element remove 'a L 1'
	mended a+1 'wrong key' a+2 'wrong turn'
	run -0 dq-take -q -n 9 "$q"
	equal "$(cut -f2 <<<"$output" | paste -sd' ')" 'c+1 0'
	# shellcheck disable=SC2046
	dq-ack -g $(cut -f1 <<<"$output")
	drains
}

@test "a lease too many: its key would be held for ever" {
	begin
	element add 'c L 9'
	mended c+9 'wrong key'
	drains
}

@test "a message that is ready, without its element: it would not be found" {
	begin
	element remove "$(ready_element c 1)"
	mended c+1 'wrong key'
	drains
}

@test "an element of a message that is not ready, and one with another time" {
	begin
	element add 'b R 0000000000000001 1'
	mended b+1 'wrong key'
	element add 'c R 0000000000000001 1'
	mended c+1 'wrong key'
	drains
}

@test "what is to be tried again, without its element: the next one of its key would overtake it" {
	begin
	element remove 'b B 1'
	mended b+1 'wrong key' b+2 'wrong turn'
	drains
}

@test "to be tried again, and there is no such message: its key would be held for ever" {
	begin
	element add 'c B 0'
	mended c+0 'wrong key'
	drains
}

# A queue whose dead messages stop their keys: of a and b one is dead, and one waits; c is ready.
begin_stop() {
	local id
	dq-set -q "$q" keys=serial,stop
	for id in a+1 a+2 b+1 b+2 c+1; do dq-put -q -i "$id" "$q" "$id"; done
	dq-take -n 2 "$q" | dq-ack -b
	holds 0 3 0 2
	equal "$(dq-gc -q --check "$q")" ''
}

# What consumers get of it, after a+1 was redriven.
drains_stop() {
	dq-promote --dead "$q/a+1"
	dq-take -q --until-empty --ack "$q" >"$T/drained" || true
	equal "$(cut -f2 "$T/drained" | sort | paste -sd' ')" 'a+1 a+2 c+1'
	equal "$(grep -o 'a+.$' "$T/drained" | paste -sd' ')" 'a+1 a+2'
	dq-rm "$q/b+1"
	equal "$(dq-take --until-empty --ack "$q" | cut -f2)" b+2
	equal "$(rcli EXISTS "dq:{$q}:keyed" "dq:{$q}:turn")" 0
	equal "$(dq-gc -q --check "$q")" ''
}

@test "a dead message without its element: the next one of its key would overtake it" {
	begin_stop
	element remove 'a A 1'
	mended a+1 'wrong key' a+2 'wrong turn'
	drains_stop
}

@test "dead, and there is no such message, or it is not dead, or nothing stops: its key would be stopped for ever" {
	begin_stop
	element add 'c A 0'
	mended c+0 'wrong key'
	element add 'c A 1'
	mended c+1 'wrong key'
	drains_stop
	dq-put -q -i a+1 "$q" 1
	dq-set "$q" keys=serial
	dq-promote "$q"
	element add 'a A 0'
	mended a+0 'wrong key'
}

@test "dead and in another state, too: purged, it stops its key no longer" {
	begin_stop
	rcli ZADD "dq:{$q}:delayed" 1 a+1 >/dev/null
	dq-gc -q --dead-for 0s "$q"
	equal "$(rcli ZSCORE "dq:{$q}:keyed" 'a A 1')$(rcli ZSCORE "dq:{$q}:keyed" 'b A 1')" ''
	dq-gc -q --repair "$q" >/dev/null
	equal "$(dq-take --until-empty --ack -q "$q" | cut -f2 | sort | paste -sd' ')" 'a+1 a+2 b+2 c+1'
}

@test "what says that there are keys is lost: a message that --repair makes ready has its key, and is stopped with it" {
	dq-set -q "$q" keys=serial,stop
	dq-put -q -i a+2 "$q" x
	rcli DEL "dq:{$q}:keyed" "dq:{$q}:turn" "dq:{$q}:ready" "dq:{$q}:stat" >/dev/null
	dq-gc -q --repair "$q" >/dev/null
	run -0 dq-gc --check "$q"
	equal "$output" ''
	equal "$(rcli ZCARD "dq:{$q}:keyed")" 1
	dq-take "$q" | dq-ack -b
	dq-put -q -i a+1 "$q" x
	run -1 dq-take -q "$q"
	equal "$output" ''
}

@test "what is no element at all" {
	begin
	element add nonsense
	mended nonsense 'wrong key'
	drains
}

@test "a key that is not in turn, and messages without a key that are not: nobody would get them" {
	begin
	equal "$(rcli ZREM "dq:{$q}:turn" 'c 100')" 1
	mended c+1 'wrong turn'
	equal "$(rcli ZREM "dq:{$q}:turn" ' 100')" 1
	mended 0 'wrong turn'
	drains
}

@test "a key that is in turn though it is held: nobody gets more of it, and no fault is found" {
	begin
	rcli ZADD "dq:{$q}:turn" 1 'a 100' 2 'nobody 0' >/dev/null
	run -0 dq-take -q -n 9 "$q"
	equal "$(cut -f2 <<<"$output" | sort | paste -sd' ')" '0 c+1'
	# shellcheck disable=SC2046
	dq-ack -g $(cut -f1 <<<"$output")
	equal "$(dq-gc -q --check "$q")" ''
	drains
}

@test "a ready message with the score of one without a key, and the other way round" {
	begin
	rcli ZADD "dq:{$q}:ready" $(($(score ready c+1) - (1 << 50))) c+1 >/dev/null
	mended c+1 'wrong key'
	rcli ZADD "dq:{$q}:ready" $(($(score ready 0) + (1 << 50))) 0 >/dev/null
	mended 0 'wrong key'
	drains
}

@test "all of it is lost: --repair makes it again" {
	begin
	rcli DEL "dq:{$q}:keyed" "dq:{$q}:turn" >/dev/null
	run -1 dq-gc --check "$q"
	equal "$(cut -f1 <<<"$output" | sort -u | paste -sd' ')" "$q/0 $q/a+1 $q/a+2 $q/b+1 $q/b+2 $q/c+1"
	run -0 dq-gc --repair "$q"
	run -0 dq-gc --check "$q"
	drains
}

@test "without a repair, takes and promotes find by themselves what an interrupted script may have left" {
	begin
	element add 'c L 9'
	element add 'c B 0'
	healed() {
		dq-promote "$q"
		[ "$(dq-gc -q --check "$q")" = '' ]
	}
	wait_until 20 healed
	drains
}

@test "while messages with keys move nothing is found" {
	local workers=() i
	dq-set -q "$q" keys=serial
	# shellcheck disable=SC2016  # sh -c expands it
	for i in 1 2; do
		dq-run -q -j 2 --drain "$q" -- sh -c 'exit $((DQ_TRY < 2))' 3>&- 2>/dev/null &
		workers+=($!)
	done
	for i in {1..30}; do
		dq-put -q -b 10ms -k "$((i % 3))" "$q" x y
		dq-gc -q --check "$q" >>"$T/found" || true
	done
	for i in "${workers[@]}"; do
		wait_until 60 ended "$i"
	done
	equal "$(<"$T/found")" ''
}
