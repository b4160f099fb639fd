# Goal: The scripts that settle (ack, give back, retry, bury, extend) accept a valid receipt, also a late one, and no other.

bats_require_minimum_version 1.5.0

load ../helper
load calls

@test "ack: leased -> gone; stale, unknown and repeated have different letters" {
	put a 0 $'\n' b 0 $'\n' c 0 $'\n'
	take 0 2
	local t
	t=$(token a)
	equal "$(script ack "$now" none 1 a 1 a "$t" a "$t" c "$t" c 0 b '')" usdssss
	holds 0 1 1 0
	equal "$(field stat acked)" 1
}

@test "ack: a refused ack writes nothing" {
	put a 0 $'\n' b 9 $'\n'
	take 0 1
	refuses '^susu$' ack "$now" a 1 none 1 b 0 none ''
	refuses '^s$' ack "$now" a ''
	refuses '^s$' ack "$now" a 0
	refuses '^s$' ack "$now" a "$(token a).0"
}

@test "ack: a late ack counts in ready and in dead, and is refused if the message was taken again" {
	put a 0 $'\n' b 0 $'r=1\n' c 0 $'\n'
	take 0 3 100
	local t
	t=$(token a)
	promote 100
	holds 0 2 0 1
	equal "$(script ack "$now" a "$t" b "$t")" dd
	holds 0 1 0 0
	take 200 1
	refuses '^s$' ack "$now" c "$t"
	equal "$(script ack "$now" c "$(token c)")" d
	holds 0 0 0 0
}

@test "ack: a batch of 1000" {
	seq 1000 | dq-put -ql "$q"
	local receipts
	dq-take -n 1000 "$q" >"$T/thousand"
	mapfile -t receipts < <(cut -f1 "$T/thousand" | sed 's|.*/||' | tr @ '\n')
	equal "$(script ack "$now" "${receipts[@]}" | tr -d d)" ''
	holds 0 0 0 0
}

@test "give back: ready in its old place, the try is not counted, the receipt is used up" {
	put a 0 $'\n' b "@$((now + 1))" $'\n'
	script put "$now" fail 7 '' '' u 0 $'p=7\n'
	take 5 2
	equal "$(states)" '0 1 2 0'
	local t old
	t=$(token u)
	equal "$(script giveback "$now" '' u "$t" a "$t" a "$t" none 1 b 3)" ddsus
	holds 0 3 0 0
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | paste -sd' ')" 'u a b'
	equal "$(score ready u)" "$((7 * 4398046511104 + now))"
	equal "$(tries a) $(tries u)" '0 0'
	refuses '^s$' ack "$now" a "$t"
	refuses '^s$' giveback "$now" '' a "$t"
	refuses '^ss$' giveback "$now" '' a 0 u 0
	old=$t
	take 6 3
	[ "$(token a)" -gt "$old" ]
	equal "$(tries a)" 1
}

@test "give back: never makes a message dead, however often" {
	put a 0 $'r=1\n'
	for i in 1 2 3 4; do
		take "$i" 1
		equal "$(tries a)" 1
		equal "$(script giveback "$now" '' a "$(token a)")" d
	done
	holds 0 1 0 0
}

@test "give back: late, from ready and from dead" {
	put a 0 $'\n' b 0 $'r=1\n'
	take 0 2 100
	local t
	t=$(token a)
	promote 100
	holds 0 1 0 1
	equal "$(script giveback "$now" '' a "$t" b "$t")" dd
	holds 0 2 0 0
	equal "$(tries a) $(tries b)" '0 0'
	equal "$(score ready a)" "$((100 * 4398046511104 + now))"
}

@test "ack: the id stays reserved for its time" {
	put a 0 $'u=1000\nA'
	take 0 1
	equal "$(script ack "$((now + 10))" a "$(token a)")" d
	holds 0 0 0 0
	now=$((now + 1009))
	equal "$(put a 0 $'\nB')" v
	equal "$(script put "$now" keep 100 '' '' a 0 $'\nB')" v
	equal "$(script put "$now" repeat 100 '' '' a 0 $'\nB')" '?'
	now=$((now + 1))
	equal "$(put a 0 $'\nB')" n
	equal "$(rcli ZCARD "dq:{$q}:settled")" 0
}

@test "retry: by schedule, after a delay, dead when the tries are used up" {
	put a 0 $'r=3 b=10,20\nA' b 0 $'r=1\nB'
	take 0 2
	local t
	t=$(token a)
	equal "$(script retry "$now" '' 'it broke' a "$t" b "$t" none 1 a "$t")" dbus
	holds 1 0 0 1
	equal "$(score delayed a)" "$((now + 10))"
	equal "$(field try a | tail -1)" 'it broke'
	refuses '^s$' retry "$now" '' x a "$t"
	refuses '^s$' ack "$now" a "$t"
	promote 10
	take 10 1
	script retry "$((now + 10))" '' '' a "$(token a)"
	equal "$(score delayed a)" "$((now + 30))"
	promote 30
	take 30 1
	equal "$(script retry "$((now + 30))" '' '' a "$(token a)")" b
	holds 0 0 0 2
}

@test "retry: after a delay of its own; nan, inf and negative ones are refused" {
	put a 0 $'\nA'
	take 0 1
	local t delay
	t=$(token a)
	for delay in nan inf -inf -1 4398046511104 x 1e300; do
		refuses '^DQRANGE ' retry "$now" "$delay" '' a "$t"
	done
	equal "$(script retry "$now" 77 '' a "$t")" d
	equal "$(score delayed a)" "$((now + 77))"
}

@test "retry: the default schedule, and its last step again" {
	put a 0 $'r=9\nA'
	local wait at=0
	for wait in 1000 10000 60000 600000 600000; do
		promote "$at"
		take "$at" 1
		script retry "$((now + at))" '' '' a "$(token a)"
		equal "$(score delayed a)" "$((now + at + wait))"
		at=$((at + wait))
	done
}

@test "retry: exponential, within its bounds" {
	put a 0 $'r=99 b=exp:1000..5000\nA'
	local i at=0 waited
	for i in 1 2 3 4 5; do
		promote "$at"
		take "$at" 1
		script retry "$((now + at))" '' '' a "$(token a)"
		waited=$(($(score delayed a) - now - at))
		between 1000 "$waited" 5000
		at=$((at + waited))
	done
}

@test "bury: dead at once, with the reason" {
	put a 0 $'\nA' b 0 $'\nB'
	take 0 1
	local t
	t=$(token a)
	equal "$(script bury "$((now + 5))" 'no use' a "$t" b "$t" a "$t" none 1)" dssu
	holds 0 1 0 1
	equal "$(score dead a)" "$((now + 5))"
	equal "$(field try a | tail -1)" 'no use'
	refuses '^s$' ack "$now" a "$t"
}

@test "extend: the lease ends later; an expired lease whose message is ready again stays expired" {
	put a 0 $'\nA'
	take 0 1 100
	local t ttr
	t=$(token a)
	for ttr in nan inf -1 x 4398046511104; do
		refuses '^DQRANGE ' extend "$now" "$ttr" a "$t"
	done
	equal "$(script extend "$((now + 50))" 100 a "$t" none 1)" du
	equal "$(score leased a)" "$((now + 150))"
	promote 149
	holds 0 0 1 0
	promote 150
	refuses '^s$' extend "$((now + 151))" 100 a "$t"
	holds 0 1 0 0
	equal "$(script ack "$now" a "$t")" d
}

@test "give back with a reason; one that is too long is refused" {
	put a 0 $'\n'
	take 0 1
	refuses '^DQRANGE reason' giveback "$now" '' = "$(printf '%01001d' 0)" a "$(token a)"
	equal "$(script giveback "$now" '' = why a "$(token a)")" d
	matches "$(field try a | tail -n 1)" '^why$'
	take 0 1
	refuses '^DQRANGE receipts' giveback "$now" '' =
	equal "$(script giveback "$now" '' = '' a "$(token a)")" d
	matches "$(field try a | tail -n 1)" '^why$'
}
