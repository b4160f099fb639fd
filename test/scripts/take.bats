# Goal: The take script leases due messages in order and within its bounds, and counts tries and tokens.

bats_require_minimum_version 1.5.0

load ../helper
load calls

@test "take: replies with the reason of the last delivery, at most 1,000 bytes, and with none the first time" {
	put a 0 $'\nA'
	equal "$(take 0 1 1000 0 | sed -n '7p;11,$p' | paste -sd' ')" 'a  A '
	script retry "$now" 0 why a "$(token a)" >/dev/null
	rcli HSET "dq:{$q}:try" a "$(field try a | head -1)"$'\n'"$(printf 'x%.0s' {1..1100})" >/dev/null # no script writes as much
	equal "$(take 1 1 1000 1 | sed -n '13p' | tr -d '\n' | wc -c)" 1000
	take 2000 1 1000 1 >"$T/reply"
	equal "$(sed -n '7,8p;13p' "$T/reply" | paste -sd' ')" 'a 3 lease ran out'
}

@test "take: never early, not even by a fraction of the last ms" {
	script put "$now" fail 99 '' '' a 10 $'p=99\nA'
	put b 10 $'\nB'
	matches "$(score delayed a)" '\.996'
	take 9 10
	holds 2 0 0 0
	take 10 10
	holds 0 0 2 0
}

@test "take: the reply" {
	put a 0 $'r=3 t=500\nA' b 7 $'\nB'
	run take 3 5
	equal "${lines[0]}" "$(((now + 3) * 1000))"
	equal "${lines[1]}" "$((now + 3))000"
	equal "${lines[2]}" "$((now + 7))"
	equal "${lines[3]} ${lines[4]}" '0 0'
	equal "${lines[6]} ${lines[7]} ${lines[8]} ${lines[9]}" "a 1 $now $((now + 503))"
	equal "${lines[10]} ${lines[11]}" 'r=3 t=500 A'
	equal "${#lines[@]}" 12
	equal "$(field try a)" "1 ${lines[1]} $now r=3 t=500"
}

@test "take: priorities first, then due times, through delayed and back" {
	script put "$now" fail 200 '' '' low 1 $'p=200\n'
	script put "$now" fail 0 '' '' top 3 $'p=0\n'
	script put "$now" fail 255 '' '' bottom 1 $'p=255\n'
	script put "$now" fail 99 '' '' above 2 $'p=99\n'
	script put "$now" fail 101 '' '' below 0 $'p=101\n'
	put late 4 $'\n' early 2 $'\n'
	promote 10
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | paste -sd' ')" 'top above early late below low bottom'
	equal "$(score ready bottom)" "$((255 * 4398046511104 + now + 1))"
	equal "$(score ready top)" "$((now + 3))"
}

@test "take: expired leases are redelivered until the tries are used up" {
	put a 0 $'r=3 t=100\nA'
	local at last=0
	for at in 0 100 200; do
		take "$at" 1
		[ "$(token a)" -gt "$last" ]
		last=$(token a)
		equal "$(tries a)" $((at / 100 + 1))
		equal "$(score leased a)" $((now + at + 100))
	done
	take 299 1
	holds 0 0 1 0
	run take 300 1
	equal "${#lines[@]}" 6
	holds 0 0 0 1
	equal "$(score dead a)" $((now + 300))
	equal "$(field try a | tail -1)" 'lease ran out'
	equal "$(field stat dead) $(field stat expired_leases)" '1 3'
}

@test "take: an expired lease makes the message ready again by its priority" {
	script put "$now" fail 200 '' '' low 0 $'p=200\n'
	take 0 1 100
	put normal 150 $'\n'
	promote 200
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | paste -sd' ')" 'normal low'
	equal "$(score ready low)" "$((200 * 4398046511104 + now + 200))"
}

@test "take: without promote nothing moves" {
	put a 0 $'\n' b 5 $'\n'
	take 0 1 1 0
	run take 10 5 '' 0
	equal "${#lines[@]}" 6
	equal "${lines[2]}" "$((now + 1))"
	holds 1 0 1 0
}

@test "take: drops an expired message, but not one that expires later" {
	script put "$now" fail 100 1000 '' a 0 $'\nA' b 900 $'\nB'
	put c 0 $'\nC'
	run take 999 1 1 1
	equal "${lines[6]}" a
	script giveback "$now" '' a "$(token a)"
	run take 1000 9
	equal "${lines[6]}" c
	equal "${#lines[@]}" 11
	holds 0 0 1 0
	equal "$(field stat expired)" 2
	equal "$(field msg a)" ''
	equal "$(field try a)" ''
}

@test "take: the token grows though the clock goes back" {
	put a 0 $'\n' b 0 $'\n' c 0 $'\n'
	take 0 1
	take -100000 1
	take -200000 1
	equal "$(token a)" "${now}000"
	equal "$(token b)" "${now}001"
	equal "$(token c)" "${now}002"
	equal "$(field stat token)" "${now}002"
}

@test "take: one token for a call, none for a call without a message" {
	put a 0 $'\n' b 0 $'\n'
	take 0 2
	equal "$(token a)" "$(token b)"
	take 0 2
	equal "$(field stat token)" "${now}000"
}

@test "take: tokens lose no digit" {
	put a 0 $'\n'
	rcli HSET "dq:{$q}:stat" token 9007199254740990 >/dev/null
	take 0 1
	equal "$(token a)" 9007199254740991
	refuses '^s$' ack "$now" a 9007199254740990
	refuses '^s$' ack "$now" a 9007199254740992
	equal "$(script ack "$now" a 9007199254740991)" d
}

@test "take: an index entry without a body is dropped" {
	put a 0 $'\n' b 0 $'\n'
	rcli HDEL "dq:{$q}:msg" a >/dev/null
	run take 0 9
	equal "${lines[6]}" b
	holds 0 0 1 0
}

@test "take: stops at the budget of bytes, one at least" {
	local big
	big=$(head -c 30000 /dev/zero | tr '\0' x)
	for i in 1 2 3 4 5; do put "m$i" "@$((now - 10 + i))" $'\n'"$big" >/dev/null; done
	run take 0 5 '' 1 1
	equal "${lines[3]}" 1
	equal "$(states)" '0 4 1 0'
	take 0 5 '' 1 60000 >/dev/null
	holds 0 2 3 0
	take 0 5 '' 1 60003 >/dev/null
	holds 0 0 5 0
}

@test "take: a large budget reads large records in bounded chunks" {
	local i
	head -c 1000000 /dev/zero | tr '\0' x >"$T/mega"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		dq-put -q "$q" - <"$T/mega"
	done
	rcli MONITOR >"$T/monitor" 3>&- &
	local pid=$!
	wait_until 20 grep -q OK "$T/monitor"
	script take '' 1000 '' 1 1048576 >/dev/null
	rcli PING mark >/dev/null
	wait_until 20 grep -q '"mark"' "$T/monitor"
	kill "$pid"
	holds 0 10 2 0
	# Each read, by the number of its fields: never all twelve.
	between 1 "$(grep 'lua\] "HMGET" .*:msg"' "$T/monitor" | awk '{ n += NF - 5 } END { print n }')" 6
}

@test "take: lateness is counted in powers of two" {
	put a 0 $'\n' b "@$((now - 1))" $'\n' c "@$((now - 1000))" $'\n'
	take 0 9
	equal "$(field stat late:0) $(field stat late:1) $(field stat late:10)" '1 1 1'
	equal "$(field stat taken)" 3
}
