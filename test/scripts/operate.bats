# Goal: The scripts for operators (promote, stat, gc, rm, promote_now, redrive and set) move the messages that they should, and no
# others.

bats_require_minimum_version 1.5.0

load ../helper
load calls

@test "promote: moves due messages, up to its limit, and replies with the next due time" {
	put a 1 $'\n' b 2 $'\n' c 3 $'\n' d 50 $'\n'
	equal "$(promote 0 | paste -sd' ')" "${now}000 0 0 0 0 $((now + 1)) 0"
	equal "$(promote 10 2 | paste -sd' ')" "$((now + 10))000 2 0 0 1 $((now + 3)) 0"
	equal "$(promote 10 2 | paste -sd' ')" "$((now + 10))000 1 0 0 0 $((now + 50)) 0"
	holds 1 3 0 0
	take 10 3 1000
	promote 60
	take 60 1 20
	equal "$(promote 60 | paste -sd' ')" "$((now + 60))000 0 0 0 0 $((now + 80)) 0"
	equal "$(promote 80 | paste -sd' ')" "$((now + 80))000 0 1 0 0 $((now + 1010)) 0"
	equal "$(field stat promoted)" 4
}

@test "promote: expired leases are ready or dead; if nothing is due, it writes nothing" {
	put a 0 $'\n' b 0 $'r=1\n' c 500 $'\n'
	take 0 2 100
	refuses "^$((now + 99))" promote $((now + 99)) 1000
	equal "$(promote 100 | paste -sd' ')" "$((now + 100))000 0 1 1 0 $((now + 500)) 0"
	holds 1 1 0 1
	local empty
	empty=$(q=none promote 0 | paste -sd' ')
	equal "$empty" "${now}000 0 0 0 0 -1 0"
}

@test "promote: a lease without a try entry is not lost" {
	put a 0 $'\n'
	take 0 1 100
	rcli HDEL "dq:{$q}:try" a >/dev/null
	promote 100
	holds 0 1 0 0
}

@test "stat: counts and times, and nothing moves" {
	put a 0 $'\n' b 5 $'\n' c 50 $'\n' d 0 $'r=1\n' e 0 $'\n'
	script put "$now" fail 5 '' '' u "@$((now - 1000))" $'p=5\n'
	rcli ZREM "dq:{$q}:ready" u >/dev/null
	take 0 2 10
	rcli ZADD "dq:{$q}:ready" $((5 * 4398046511104 + now - 1000)) u >/dev/null
	local before
	before=$(digest)
	equal "$(script stat "$((now + 7))" | head -9 | paste -sd' ')" \
		"$((now + 7)) 1 1 2 2 0 $((now - 1000)) $((now + 5)) $((now + 50))"
	equal "$(digest)" "$before"
	equal "$(script stat "$((now + 7))" | sed -n 21p)" "$now" # of the last priority
	promote 20
	equal "$(script stat "$((now + 20))" | sed -n '2,6p' | paste -sd' ')" '1 0 4 0 1'
	equal "$(q=none script stat "$now" | paste -sd' ')" "$now 0 0 0 0 0 -1 -1 -1 0 -1 -1 -1 -1 0 -1 -1 0 -1 0 -1 0 -1 0 -1 0 -1 0 0 "
	script set "$now" paused 1 >/dev/null
	equal "$(script stat "$now" | sed -n 10p)" 1
}

@test "gc: messages dead for longer than keep, up to its limit" {
	put a 0 $'r=1\n' b 0 $'r=1\n' c 0 $'r=1\n' live 0 $'\n'
	take 0 1 100
	take 0 2 200
	take 0 1 9999
	promote 200
	equal "$(states)" '0 0 1 3'
	promote 200
	local died
	died=$(score dead a)
	equal "$(script gc $((died + 999)) 1000 1000 0 0)" ''
	refuses $'^a\nb\nc$' gc $((died + 1000)) 1000 1000 1 0
	refuses $'^c$' gc $((died + 1000)) 1000 1000 1 2
	equal "$(script gc $((died + 1000)) 1000 2 0 0 | paste -sd' ')" 'a b'
	holds 0 0 1 1
	equal "$(field stat purged)" 2
	equal "$(field try a)" ''
}

@test "rm, promote_now, redrive: by id, only in their states" {
	put d 9 $'\n' r 0 $'\n' l 0 $'\n' x 0 $'r=1\n'
	rcli ZREM "dq:{$q}:ready" r l >/dev/null
	take 0 1 10 0
	promote 10
	rcli ZADD "dq:{$q}:ready" 1 r 2 l >/dev/null
	rcli ZREM "dq:{$q}:ready" r >/dev/null
	take 10 1 1000 0
	rcli ZADD "dq:{$q}:ready" 1 r >/dev/null
	promote 0
	rcli ZREM "dq:{$q}:ready" d >/dev/null
	rcli ZADD "dq:{$q}:delayed" $((now + 900)) d >/dev/null
	holds 1 1 1 1
	refuses '^kkbu$' promote_now "$now" r l x none
	refuses '^sssu$' redrive "$now" d r l none
	refuses '^yrlu$' rm "$now" dead d r l none
	refuses '^rlu$' rm "$now" dead,delayed r l none
	refuses '^DQRANGE state$' rm "$now" dead,gone r
	refuses '^DQRANGE state$' rm "$now" dead, r
	equal "$(script promote_now "$now" d)" d
	equal "$(script redrive "$now" x)" d
	holds 0 3 1 0
	equal "$(script rm "$now" '' d r l x none)" ddddu
	holds 0 0 0 0
}

# How it was before.
pauses() { # 0|1|load
	script set "$now" paused "$1" | sed -n 3p
}

@test "set paused: takers get nothing, puts and promotions continue" {
	put a 0 $'\n' b 5 $'\n'
	equal "$(pauses 1)" 0
	run take 10 5
	equal "${lines[4]}" 1
	equal "${#lines[@]}" 6
	holds 0 2 0 0
	equal "$(pauses load)" 1
	equal "$(field conf paused)" 1 # the pause of an operator does not end with a load
	equal "$(pauses 1) $(pauses 0) $(pauses 0)" '1 1 0'
	equal "$(pauses load) $(field conf paused) $(pauses 1) $(field conf paused)" '0 load 1 1'
	pauses 0
	take 10 5
	holds 0 0 2 0
}

@test "set paused: a pause with an end holds until the ms before it, for the queue and for a key" {
	put a 0 $'\n'
	script set "$now" paused "$((now + 9))" >/dev/null
	take 8 5 >"$T/reply"
	equal "$(sed -n '5,6p' "$T/reply" | paste -sd' ')" "1 $((now + 9))"
	holds 0 1 0 0
	take 9 5 >/dev/null
	holds 0 0 1 0
	put k+b 0 $'\n'
	script set "$now" paused:k "$((now + 9))" >/dev/null
	take 8 5 >/dev/null
	holds 0 1 1 0
	take 9 5 >/dev/null
	holds 0 0 2 0
}

@test "set: a queue that has settings exists, and is to be listed" {
	local generation
	equal "$(script set "$now" | paste -sd' ')" '0 ' # none
	equal "$(digest)" ''
	equal "$(script set "$now" paused 0 | paste -sd' ')" '0  0'
	equal "$(digest)" ''
	generation=$(script set "$now" paused 1 | sed -n 2p)
	equal "$generation" "$(field stat generation)"
	matches "$generation" '^[0-9]+$'
	equal "$(script set "$((now + 5))" paused 1 | paste -sd' ')" "1 $generation 1"
	equal "$(script listed "$now" "$generation")" 1
	equal "$(script set "$((now + 5))" | paste -sd' ')" '1 '
	equal "$(script set "$((now + 3600001))" | paste -sd' ')" "1 $generation" # a failover may have lost it
}

@test "set: all settings or none" {
	refuses '^DQRANGE paused$' set "$now" paused 2x
	refuses '^DQRANGE paused$' set "$now" paused 1 paused
	refuses '^DQRANGE colour$' set "$now" paused 1 colour red
	equal "$(digest)" ''
}
