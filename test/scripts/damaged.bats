# Goal: A value that no script wrote, in stat, in try or as a score, ends no move in its middle and spoils nothing else: a counter or time
# that is no whole number counts as absent, a number of a try entry or score that is too great as the greatest.

bats_require_minimum_version 1.5.0

load ../helper
load calls

counters=(put promoted taken acked retried extended given_back released removed redriven purged dead expired_leases expired rescheduled
	late:0 late:3 late:4)
receipt=()

# All fields have that value.
spoil() { # VALUE
	local name fields=()
	for name in "${counters[@]}" "${@:2}"; do fields+=("$name" "$1"); done
	rcli HSET "dq:{$q}:stat" "${fields[@]}" >/dev/null
}

# Leases the message, 5 ms after its due time: receipt. WANTED 2 is no usual call.
lease() { # ID [WANTED [TTR]]
	rcli HSET "dq:{$q}:stat" armed "$((now + 400))" listed "$now" >/dev/null
	script take "$((now + 5))" "${2:-1}" "${3-}" 1 1000 '' >"$T/leased"
	equal "$(sed -n 7p "$T/leased")" "$1"
	receipt=("$1" "$(sed -n 2p "$T/leased")")
	matches "${receipt[1]}" '^[1-9][0-9]{15}$'
}

counted() { # NAME
	equal "$1 $(field stat "$1")" "$1 1"
}

@test "counters that are no whole numbers, or too great, count from 0 again, and each move is whole" {
	local value wanted
	for value in x '' 1.5 inf nan 0x10 9223372036854775807 99999999999999999999; do
		for wanted in 1 2; do
			q=q$BATS_TEST_NUMBER.$((++n))
			list_it
			spoil "$value"
			equal "$(put a 0 $'\nA' | cut -c 1)" n
			counted put
			lease a "$wanted"
			counted late:3
			equal "$(script extend "$((now + 5))" 900 "${receipt[@]}")" d
			counted extended
			equal "$(script giveback "$((now + 5))" '' "${receipt[@]}")" d
			counted given_back
			lease a "$wanted"
			equal "$(script retry "$((now + 5))" 5 why "${receipt[@]}")" d
			counted retried
			script promote "$((now + 10))" 10 '' >/dev/null
			counted promoted
			spoil "$value"
			script take "$((now + 10))" 1 '' 1 1000 '' >"$T/leased"
			equal "$(script bury "$((now + 10))" why a "$(sed -n 2p "$T/leased")")" d
			counted dead
			equal "$(script redrive "$((now + 10))" a)" d
			counted redriven
			script take "$((now + 10))" 1 '' 1 1000 '' >"$T/leased"
			equal "$(script release "$((now + 10))" '' a)" d
			counted released
			script take "$((now + 10))" 1 5 1 1000 '' >"$T/leased"
			script promote "$((now + 20))" 10 '' >/dev/null
			counted expired_leases
			script take "$((now + 20))" 1 '' 1 1000 '' >"$T/leased"
			equal "$(script ack "$((now + 20))" a "$(sed -n 2p "$T/leased")")" d
			counted acked
			put b 0 $'\nB' >/dev/null
			equal "$(script rm "$now" '' b)" d
			counted removed
			holds 0 0 0 0
		done
	done
}

@test "touch writes, whatever the counter of puts is" {
	list_it
	spoil x
	equal "$(script touch "$now")" 1
	equal "$(field stat put)" 0
}

@test "a token, a count of what was taken and a time of the timer that are no whole numbers count as absent" {
	local value wanted
	for value in x inf -inf nan 1e300 -5 1.5; do
		for wanted in 1 2; do
			q=q$BATS_TEST_NUMBER.$((++n))
			list_it
			put a 0 $'\nA' >/dev/null
			spoil "$value" token taken
			lease a "$wanted"
			counted taken
			equal "$(field stat token)" "${receipt[1]}"
			rcli HSET "dq:{$q}:stat" armed "$value" >/dev/null
			rcli DEL "dq:{$q}:timer" "dq:{$q}:guard" >/dev/null
			equal "$(script retry "$((now + 5))" 700 why "${receipt[@]}")" d
			equal "$value $(field stat armed)" "$value $((now + 705))" # it is the next move: a mark has to say so
			rcli HSET "dq:{$q}:stat" armed "$value" >/dev/null
			matches "$(script mark "$now" timer '?')" '^[01]$'
		done
	done
}

@test "numbers of a try entry that are too great: the message is retried, given back and acked all the same" {
	local entry huge=9 move words
	while [ "${#huge}" -lt 400 ]; do huge=$huge$huge; done
	for entry in "1 77 $huge " "$huge 77 5 r=4294967295 " "1 77 5>$huge " "1 77 5<$huge " "1 77 123456789012345678 "; do
		for move in 'retry 700 why' "giveback ''" "giveback 700" 'bury why' "release ''"; do
			q=q$BATS_TEST_NUMBER.$((++n))
			list_it
			put a 0 $'\nA' >/dev/null
			lease a
			rcli HSET "dq:{$q}:try" a "$entry"$'\n' >/dev/null
			[[ $entry != *'<'* ]] || rcli ZADD "dq:{$q}:failing" 4398046511103 a >/dev/null
			eval "words=($move)"
			words=("${words[0]}" "$now" "${words[@]:1}" a)
			[[ $move == release* ]] || words+=(77)
			equal "$move $entry $(script "${words[@]}" | tr b d)" "$move $entry d"
			[ -z "$(field try a)" ] || matches "$(field try a)" \
				'^[0-9]{1,10}(\+[0-9]{1,13})? 0 [0-9]{1,13}([<~][0-9]{1,13})?([*][0-9]{1,10})? '
			audit
			equal "$(script walk "$now" msg 0 10 | grep -cE '(^|[^0-9])-?[0-9]{14}')" 0
		done
	done
}

@test "a score of ready or delayed that is no time: the receipt of the delivery is valid, and by name it is ready" {
	local score wanted
	for score in inf -inf 1e300 -1e300 -5 0.5; do
		for wanted in 1 2; do
			q=q$BATS_TEST_NUMBER.$((++n))
			list_it
			put a 0 $'\nA' >/dev/null
			rcli ZADD "dq:{$q}:ready" "$score" a >/dev/null
			lease a "$wanted"
			equal "$score $(script giveback "$((now + 5))" '' "${receipt[@]}")" "$score d"
			lease a "$wanted"
			equal "$score $(script retry "$((now + 5))" 700 why "${receipt[@]}")" "$score d"
			rcli ZADD "dq:{$q}:delayed" "$score" a >/dev/null
			equal "$score $(script promote_now "$now" a)" "$score d"
			lease a "$wanted"
			equal "$score $(script ack "$((now + 5))" "${receipt[@]}")" "$score d"
			holds 0 0 0 0
		done
	done
}

drains() { # ID
	dq-promote -q "$q"
	dq-promote -q --dead "$q"
	dq-promote -q "$q/$1"
	equal "$(dq-take -q "$q" | cut -f2)" x
}

@test "a score that is no time, in any state, with a key and without: --repair mends it, and the message is delivered" {
	local id part score
	for id in a k+a; do
		for part in ready delayed dead leased; do
			for score in inf -inf 1e300 -1e300 -5 0.3 5e15; do
				q=q$BATS_TEST_NUMBER.$((++n))
				dq-set -q "$q" keys=serial,stop
				dq-load -q <<<"{\"queue\":\"$q\",\"id\":\"$id\",\"due_ms\":5,\"payload\":\"x\"}"
				rcli ZREM "dq:{$q}:ready" "$id" >/dev/null
				rcli HSET "dq:{$q}:try" "$id" $'0 0 5 \n' >/dev/null
				rcli ZADD "dq:{$q}:$part" "$score" "$id" >/dev/null
				run dq-gc --repair "$q"
				equal "$part $score $(dq-gc --check "$q")" "$part $score "
				drains "$id"
			done
		done
	done
}

@test "a score that is no time, of a message that is dead, too: its next move is whole" {
	local score
	for score in inf -inf 1e300 -1e300 -5 0.3; do
		q=q$BATS_TEST_NUMBER.$((++n))
		dq-put -q -k k -i a "$q" x
		dq-take "$q" | dq-ack -b
		rcli ZADD "dq:{$q}:ready" "$score" k+a >/dev/null
		dq-promote --dead "$q/k+a"
		holds 0 1 0 0
		run dq-gc --repair "$q"
		equal "$(dq-gc --check "$q")" ''
		equal "$(dq-take -q "$q" | cut -f2)" x
	done
}
