# The scripts by themselves, with the time as an argument: every legal move, and what is refused writes nothing.
# once: tools only bring the messages; the scripts are the same
# bats file_tags=once

bats_require_minimum_version 1.5.0

load ../helper

now=1800000000000

# NAME=VALUE... for each message: id, when, record
put() {
	script put "$now" fail 100 '' '' "$@"
}

take() { # MS-AFTER-NOW WANTED [TTR [PROMOTE [BUDGET]]]  -> the reply, a line an element; records have a line of their own first
	script take "$((now + $1))" "$2" "${3-}" "${4-1}" "${5-1048576}"
}

promote() { # MS-AFTER-NOW [LIMIT]
	script promote "$((now + $1))" "${2-1000}"
}

token() { # ID
	field try "$1" | head -1 | cut -d' ' -f2
}

# The script refuses with that reply, and writes nothing.
refuses() { # REGEX SCRIPT ARG...
	local regex=$1 before
	shift
	before=$(digest)
	run script "$@"
	matches "$output" "$regex" || {
		printf '%q ' "$@"
		return 1
	}
	equal "$(digest)" "$before"
}

@test "take: replies why the last delivery ended, at most 1,000 bytes of it, and nothing the first time" {
	put a 0 $'\nA'
	equal "$(take 0 1 1000 0 | sed -n '6p;10,$p' | paste -sd' ')" 'a  A '
	script retry "$now" 0 "$(printf 'x%.0s' {1..1100})" a "$(token a)" >/dev/null
	equal "$(take 1 1 1000 1 | sed -n '12p' | tr -d '\n' | wc -c)" 1000
	take 2000 1 1000 1 >"$T/reply"
	equal "$(sed -n '6,7p;12p' "$T/reply" | paste -sd' ')" 'a 3 lease ran out'
}

@test "put: ready without delay, delayed with one; a letter each" {
	equal "$(put a 0 $'\nA' b 1 $'\nB' c "@$((now + 5))" $'\nC' d "@$((now - 5))" $'\nD' e "@$now" $'\nE')" nnnnn
	holds 2 3 0 0
	equal "$(score delayed b)" "$((now + 1))"
	equal "$(score delayed c)" "$((now + 5))"
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | paste -sd' ')" 'd a e'
	equal "$(field stat put)" 5
}

@test "put: fractions of a ms are rounded up" {
	put a 0.1 $'\n' b "@$now.5" $'\n'
	equal "$(score delayed a)" "$((now + 1))"
	equal "$(score delayed b)" "$((now + 1))"
}

@test "put: an id that exists is refused, by itself, in every state" {
	put ready 0 $'\nx' delayed 9 $'\nx'
	put leased 0 $'\nx' dead 0 $'r=1\nx'
	rcli ZREM "dq:{$q}:ready" ready >/dev/null
	take 0 2 1000 0
	promote 1000
	rcli ZADD "dq:{$q}:ready" 1 ready >/dev/null
	holds 0 3 0 1
	local before
	before=$(field msg ready)
	equal "$(script put "$now" fail 100 '' '' ready 0 $'\ny' new 0 $'\ny' dead 5 $'\ny' leased 5 $'\ny' new 0 $'\ny')" xnxxx
	equal "$(field msg ready)" "$before"
	holds 0 4 0 1
}

@test "put: one time for all, or each its own: the same" {
	equal "$(script put "$now" fail 100 '' 5 a $'\nA' b $'t=1\nB')" nn
	equal "$(script put "$now" fail 100 '' "@$((now + 5))" c $'\nC' d $'\nD')" nn
	equal "$(rcli ZCOUNT "dq:{$q}:delayed" "$((now + 5))" "$((now + 5))")" 4
	equal "$(script put "$now" fail 100 '' 0 e $'\nE')" n
	equal "$(script put "$now" fail 100 9 5 f $'\nF' g $' t=1\nG')" nn
	holds 6 1 0 0
	equal "$(field msg b)" $'t=1\nB'
	equal "$(field msg g)" "x=$((now + 9)) t=1"$'\nG'
	equal "$(script put "$now" fail 100 9 9 h $'\nH' i $'\nI')" yy
	equal "$(script put "$now" fail 100 '' -1 h $'\nH' i $'\nI')" oo
	equal "$(script put "$now" only-later 100 '' 7 a $'\nx' h $'\nx')" lu
	refuses '^DQRANGE messages' put "$now" fail 100 '' 5 h
	refuses '^DQRANGE messages' put "$now" fail 100 '' 5
	refuses '^DQRANGE messages' put "$now" fail 100 ''
	equal "$(field stat put)" 7
}

@test "put: an id that is there twice in a batch of new ones: the second meets the first" {
	equal "$(script put "$now" fail 100 '' 5 a $'\nA1' b $'\nB1' a $'\nA2' b $'\nB2')" nnxx
	equal "$(field msg a)$(field msg b)" $'\nA1\nB1'
	equal "$(script put "$now" keep 100 '' 5 c $'\nC1' c $'\nC2')" nk
	equal "$(script put "$now" repeat 100 '' 5 d $'\nD1' d $'\nD1' d $'\nD2')" nsx
	equal "$(script put "$now" replace 100 9 5 e $'\nE1' e $'\nE2')" nr
	equal "$(field msg e)" "x=$((now + 9))"$'\nE2'
	equal "$(script put "$now" later 100 '' '' f 5 $'\nF1' f 7 $'\nF2' f 6 $'\nF3')" nlk
	equal "$(script put "$now" earlier 100 '' '' g 5 $'\nG1' g 0 $'\nG2')" ne
	holds 6 1 0 0
	equal "$(field msg f)" $'\nF1'
	equal "$(score delayed f)" "$((now + 7))"
	equal "$(field stat put)" 7
}

@test "put: a thousand at once, and an id among them that is there" {
	local -a items
	mapfile -t items < <(seq 1000 | sed 'p; s/^/t=/')
	items=("${items[@]/#t=/$'\n'}")
	equal "$(script put "$now" fail 100 '' 5 "${items[@]:1500}")" "$(printf 'n%.0s' {1..250})"
	equal "$(script put "$now" fail 100 '' 5 "${items[@]}")" "$(printf 'n%.0s' {1..750})$(printf 'x%.0s' {1..250})"
	holds 1000 0 0 0
	equal "$(field msg 751)" $'\n751'
	equal "$(field stat put)" 1000
}

@test "put: an id that is there, wherever in a batch of new ones, or kept unique" {
	local i items before
	put there 0 $'u=1000\nthere' settled 0 $'u=1000\nsettled'
	take 0 2 >/dev/null
	script ack "$now" settled "$(token settled)" >/dev/null
	before=$(field msg there)
	for i in {0..33}; do
		mapfile -t items < <(seq 34 | sed "s/.*/$i.&\nz&/")
		items[2 * i]=there
		equal "$(script put "$now" fail 100 '' 5 "${items[@]/#z/$'\n'}" | sed "s/n\{$i\}x/ok/")" "ok$(printf 'n%.0s' {1..33} | cut -c$((i + 1))-)"
		equal "$(field msg there)" "$before"
		items=("${items[@]/#$i./$i-}")
		items[2 * i]=settled
		equal "$(script put "$now" fail 100 '' 5 "${items[@]/#z/$'\n'}" | sed "s/n\{$i\}x/ok/")" "ok$(printf 'n%.0s' {1..33} | cut -c$((i + 1))-)"
	done
	holds 2244 0 1 0
}

@test "put: a repeat that finds its own record, byte for byte, is success" {
	put a 0 $'\nA'
	local before
	before=$(digest)
	equal "$(script put "$now" repeat 100 '' '' a 0 $'\nA')" s
	equal "$(script put "$((now + 1))" repeat 100 '' '' a 0 $'\nB')" x
	equal "$(script put "$now" repeat 100 '' '' a 0 $'t=1\nA')" x
	equal "$(digest)" "$before"
	equal "$(script put "$now" repeat 100 '' '' a 0 $'\nA' b 0 $'\nB' b 0 $'\nB')" sns
	holds 0 2 0 0
}

@test "put: a repeat of a message with an expiry is known by all but its moment" {
	equal "$(script put "$now" fail 100 1000 '' a 0 $'\nA')" n
	equal "$(script put "$((now + 7))" repeat 100 1000 '' a 0 $'\nA')" s
	equal "$(script put "$((now + 7))" repeat 100 1000 '' a 0 $'\nB')" x
	equal "$(field msg a | head -1)" "x=$((now + 1000))"
}

@test "put: times out of range are refused, the others put" {
	put keep 5 $'\nx'
	local when
	for when in nan -nan inf -inf -1800000000001 4398046511104 @nan @inf @-1 @4398046511104 1e300 @1e300 x '' @ "$((4398046511104 - now))" \
		0x7fffffffffffffff 9223372036854775808; do
		equal "$(script put "$now" keep 100 '' '' good 0 $'\nx' bad "$when" $'\nx')" "$([ -e "$T/once" ] && echo ko || echo no)"
		: >"$T/once"
	done
	holds 1 1 0 0
	equal "$(put last @4398046511103 $'\nx')" n
}

@test "put: ids and headers of callers in other languages are checked, before anything is written" {
	local id header
	for id in '' 'a b' $'a\nb' 'a/b' 'a@1' "$(printf 'x%.0s' {1..129})" 'a"b' ä; do
		refuses '^DQRANGE id' put "$now" fail 100 '' '' good 0 $'\nx' "$id" 0 $'\nx'
	done
	for header in p=1e300 p=256 p=-1 p=nan t=nan t=-1 t=inf r=x x= z=1 'p=1  r=1' 'p=1 ' 'p= 1' p b=$'\e[1m' u=0.5; do
		refuses '^DQRANGE record' put "$now" fail 100 '' '' good 0 $'\nx' bad 0 "$header"$'\nx'
	done
	refuses '^DQRANGE record' put "$now" fail 100 '' '' bad 0 'no header at all'
	holds 0 0 0 0
	equal "$(script put "$now" fail 100 '' '' a 0 $'t=1000 r=3 b=exp:1..5\nx' b 0 $'b=0,5 u=1\n' c 0 $'\n\n')" nnn
	equal "$(script put "$now" fail 100 60000 '' d 0 $' t=1000 r=3\nx')" n
	matches "$(field msg d | head -1)" '^x=[0-9]+ t=1000 r=3$'
}

@test "put: only- puts nothing new" {
	refuses '^DQRANGE mode' put "$now" only-fail 100 '' '' a 0 $'\nx'
	equal "$(script put "$now" only-later 100 '' '' a 0 $'\nx')" u
	equal "$(script put "$now" fail 100 '' '' a 0 $'\nx')" n
	equal "$(script put "$now" only-later 100 '' '' a 50 $'\ny' b 0 $'\ny')" lu
	equal "$(script put "$now" only-earlier 100 '' '' a 0 $'\ny' b 0 $'\ny')" eu
	equal "$(script put "$now" only-replace 100 '' '' b 0 $'\ny' a 0 $'\ny')" ur
	holds 0 1 0 0
	equal "$(field msg a)" $'\ny'
}

@test "every script refuses a time that is none, and what it wants and does not get" {
	local name given ids
	mapfile -t ids < <(seq 1001)
	for name in "$top"/lua/*.lua; do
		name=$(basename "$name" .lua)
		for given in nan -1 1.5 1e300 x; do
			refuses '^DQRANGE now$' "$name" "$given"
		done
		[ "$name" = stat ] || refuses '^DQRANGE ' "$name" "$now"
	done
	local writes
	for writes in put ack retry bury extend giveback take promote gc hasten redrive release pause rm forget listed; do
		case $writes in
		put) set -- fail 100 '' 0 a $'\nx' ;;
		ack) set -- a 1 ;;
		giveback) set -- '' a 1 ;;
		release) set -- a ;;
		retry) set -- '' '' a 1 ;;
		bury) set -- '' a 1 ;;
		extend) set -- 5 a 1 ;;
		take) set -- 1 '' 1 1000 ;;
		promote) set -- 5 ;;
		gc) set -- 0 5 0 0 ;;
		hasten | redrive) set -- a ;;
		pause) set -- 1 ;;
		rm) set -- '' a ;;
		forget) set -- '' ;;
		listed) set -- 5 ;;
		esac
		refuses '^DQCLOCK 4398046511104$' "$writes" 4398046511104 "$@"
	done
	refuses '^DQCLOCK 9007199254740991$' audit 9007199254740991 msg 0 9 1
	refuses '^DQRANGE now$' stat 9007199254740992
	matches "$(script stat 4398046511104 | head -1)" '^4398046511104$'
	script list 4398046511104 ready 0 9
	script show 4398046511104 a 0
	script audit 4398046511104 msg 0 9 0
	refuses '^DQRANGE receipts$' ack "$now" a 1 b
	refuses '^DQRANGE ids$' rm "$now" '' "${ids[@]}"
	refuses '^DQRANGE wanted$' take "$now" -1 '' 1 1000
	refuses '^DQRANGE cursor$' audit "$now" msg 18446744073709551616 9 0
}

@test "stat ends, whatever the scores" {
	rcli ZADD "dq:{$q}:ready" 1e300 a inf b >/dev/null
	matches "$(script stat "$now" | head -1)" "^$now\$"
}

@test "put: priorities out of range are DQRANGE" {
	local priority
	for priority in -1 256 0.5 nan inf -inf '' x 1e9; do
		refuses '^DQRANGE ' put "$now" fail "$priority" '' '' a 0 $'\nx'
	done
	equal "$(script put "$now" fail 0 '' '' a 0 $'p=0\nx')" n
	equal "$(script put "$now" fail 255 '' '' b 0 $'p=255\nx')" n
}

@test "put: expiries out of range are DQRANGE, and those before the due time refused" {
	local expire
	for expire in 0 -1 nan inf -inf 4398046511104 x; do
		refuses '^DQRANGE ' put "$now" fail 100 "$expire" '' a 0 $'\nx'
	done
	equal "$(script put "$now" fail 100 1000 '' a 0 $'\nx' b 1000 $'\nx' c 2000 $'\nx' d 999 $'\nx')" nyyn
	holds 1 1 0 0
}

@test "put: a batch of 1000 of each kind" {
	local args
	mapfile -t args < <(for i in $(seq 1000); do printf 'i%04d\n%d\nr=9\n' "$i" $((i % 2)); done)
	for i in $(seq 2 3 2999); do args[i]=$'\n'$i; done
	equal "$(put "${args[@]}" | tr -d n)" ''
	holds 500 500 0 0
	equal "$(take 1 1000 | sed -n 4p)" 0
	holds 0 0 1000 0
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

@test "take: what it replies" {
	put a 0 $'r=3 t=500\nA' b 7 $'\nB'
	run take 3 5
	equal "${lines[0]}" "$(((now + 3) * 1000))"
	equal "${lines[1]}" "$((now + 3))000"
	equal "${lines[2]}" "$((now + 7))"
	equal "${lines[3]} ${lines[4]}" '0 0'
	equal "${lines[5]} ${lines[6]} ${lines[7]} ${lines[8]}" "a 1 $now $((now + 503))"
	equal "${lines[9]} ${lines[10]}" 'r=3 t=500 A'
	equal "${#lines[@]}" 11
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

@test "take: leases that ran out come back until the tries are used up" {
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
	equal "${#lines[@]}" 5
	holds 0 0 0 1
	equal "$(score dead a)" $((now + 300))
	equal "$(field try a | tail -1)" 'lease ran out'
	equal "$(field stat dead) $(field stat expired_leases)" '1 3'
}

@test "take: a lease that ran out goes back by its priority" {
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
	equal "${#lines[@]}" 5
	equal "${lines[2]}" "$((now + 1))"
	holds 1 0 1 0
}

@test "take: what has expired is dropped, what expires later is not" {
	script put "$now" fail 100 1000 '' a 0 $'\nA' b 900 $'\nB'
	put c 0 $'\nC'
	run take 999 1 1 1
	equal "${lines[5]}" a
	script giveback "$now" '' a "$(token a)"
	run take 1000 9
	equal "${lines[5]}" c
	equal "${#lines[@]}" 10
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

@test "take: one token for a call, none is used when nothing is taken" {
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
	equal "${lines[5]}" b
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
	wait_until 5 grep -q OK "$T/monitor"
	script take '' 1000 '' 1 1048576 >/dev/null
	rcli PING mark >/dev/null
	wait_until 5 grep -q '"mark"' "$T/monitor"
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

@test "ack: leased -> gone; stale, unknown and repeated are told apart" {
	put a 0 $'\n' b 0 $'\n' c 0 $'\n'
	take 0 2
	local t
	t=$(token a)
	equal "$(script ack "$now" none 1 a 1 a "$t" a "$t" c "$t" c 0 b '')" usdssss
	holds 0 1 1 0
	equal "$(field stat acked)" 1
}

@test "ack: what is refused writes nothing" {
	put a 0 $'\n' b 9 $'\n'
	take 0 1
	refuses '^susu$' ack "$now" a 1 none 1 b 0 none ''
	refuses '^s$' ack "$now" a ''
	refuses '^s$' ack "$now" a 0
	refuses '^s$' ack "$now" a "$(token a).0"
}

@test "ack: late is honoured from ready and from dead, refused when taken since" {
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

@test "give back: never dead by it, however often" {
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

@test "promote: moves what is due, up to its limit, and says what is next" {
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

@test "promote: leases back or dead, nothing due writes nothing" {
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
	promote 20
	equal "$(script stat "$((now + 20))" | sed -n '2,6p' | paste -sd' ')" '1 0 4 0 1'
	equal "$(q=none script stat "$now" | paste -sd' ')" "$now 0 0 0 0 0 -1 -1 -1 0 0"
	script pause "$now" 1 >/dev/null
	equal "$(script stat "$now" | sed -n 10p)" 1
}

@test "gc: the dead past their keep time, up to its limit" {
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

@test "put -e keep: what is there stays" {
	put a 5 $'\nA'
	local before
	before=$(digest)
	equal "$(script put "$now" keep 100 '' '' a 0 $'\nB')" k
	equal "$(digest)" "$before"
	equal "$(script put "$now" keep 100 '' '' a 0 $'\nB' b 0 $'\nC' b 0 $'\nD')" knk
	equal "$(field msg b)" $'\nC'
	holds 1 1 0 0
}

@test "put -e replace: anew in every state, receipts of the old one are void" {
	local state
	for state in delayed ready leased dead; do
		q=q$BATS_TEST_NUMBER.$state
		[ $state = delayed ] && put a 5 $'r=1\nA' || put a 0 $'r=1\nA'
		[ $state != leased ] || take 0 1
		[ $state != dead ] || take 0 1 1
		[ $state != dead ] || promote 1
		equal "$(rcli ZCARD "dq:{$q}:$state")" 1
		local t
		t=$(token a)
		equal "$(script put "$now" replace 7 '' '' a 3 $'p=7\nB')" r
		holds 1 0 0 0
		equal "$(field msg a)" $'p=7\nB'
		equal "$(tries a)" ''
		refuses '^s$' ack "$now" a "${t:-1}"
		promote 3
		equal "$(score ready a)" "$((7 * 4398046511104 + now + 3))"
	done
}

@test "put -e earlier: only towards now, only the time" {
	put a 50 $'\nA'
	equal "$(script put "$now" earlier 100 '' '' a 60 $'\nB')" k
	equal "$(script put "$now" earlier 100 '' '' a 50 $'\nB')" k
	equal "$(script put "$now" earlier 9 '' '' a 40 $'p=9\nB')" e
	holds 1 0 0 0
	equal "$(score delayed a)" "$((now + 40))"
	equal "$(script put "$now" earlier 100 '' '' a 0 $'\nB')" e
	holds 0 1 0 0
	equal "$(script put "$now" earlier 100 '' '' a 0 $'\nB')" k
	equal "$(field msg a)" $'\nA'
}

@test "put -e later: only away from now, only the time" {
	put a 50 $'\nA'
	equal "$(script put "$now" later 100 '' '' a 50 $'\nB')" k
	equal "$(script put "$now" later 100 '' '' a 60 $'\nB')" l
	equal "$(score delayed a)" "$((now + 60))"
	promote 60
	equal "$(script put "$now" later 100 '' '' a 90 $'\nB')" l
	holds 1 0 0 0
	equal "$(field msg a)" $'\nA'
}

@test "put -e earlier, later: what is leased is there again after its delivery" {
	local t
	put a 0 $'p=7 r=1\nA'
	take 0 1
	t=$(token a)
	equal "$(script put "$now" later 9 '' '' a 90 $'p=9\nB')" l
	equal "$(field try a | head -1)" "1 $t $now>$((now + 90)) p=7 r=1"
	equal "$(script put "$now" later 9 '' '' a 80 $'p=9\nB')" k
	equal "$(script put "$now" earlier 9 '' '' a 95 $'p=9\nB')" k
	equal "$(script put "$now" only-earlier 9 '' '' a 70.5 $'\n')" e
	equal "$(script extend "$now" 500 a "$t")" d
	equal "$(script show "$now" a 0 | sed -n 8p)" "$((now + 71))"
	holds 0 0 1 0
	equal "$(script bury "$now" why a "$t")" d
	holds 1 0 0 0
	equal "$(score delayed a)" "$((now + 71)).6367"
	equal "$(field try a)" ''
	equal "$(field msg a)" $'p=7 r=1\nA'
	equal "$(field stat dead)" ''
	equal "$(field stat acked)" ''
	equal "$(score timer t)" "$((now + 71))"
	refuses '^s$' ack "$now" a "$t"
}

@test "put -e earlier, later: among others that end with it" {
	put a 0 $'\nA' b 0 $'r=1\nB' c 0 $'\nC' d 0 $'\nD'
	take 0 4
	script put "$now" later 100 '' '' b 90 $'\n' d 5 $'\n' >/dev/null
	promote 60000 2
	promote 60000 2
	holds 0 4 0 0
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | paste -sd' ')" 'd b a c'
	equal "$(field try b)" ''
	equal "$(field stat expired_leases)" 4
	equal "$(field stat dead)" ''
}

@test "put -e earlier, later: not past the expiry of what is leased" {
	equal "$(script put "$now" fail 100 1000 '' a 0 $'\nA')" n
	take 0 1
	equal "$(script put "$now" later 100 '' '' a 1000 $'\n' a 999 $'\n' a 1000 $'\n')" yly
}

@test "ack: an id that is kept unique stays taken for so long" {
	put a 0 $'u=1000\nA'
	take 0 1
	equal "$(script ack "$((now + 10))" a "$(token a)")" d
	holds 0 0 0 0
	now=$((now + 1009))
	equal "$(put a 0 $'\nB')" x
	equal "$(script put "$now" keep 100 '' '' a 0 $'\nB')" k
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

@test "extend: the lease ends later; one that ran out and was moved is not revived" {
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

@test "rm, hasten, redrive: by id, in the states that they are for" {
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
	refuses '^kkbu$' hasten "$now" r l x none
	refuses '^sssu$' redrive "$now" d r l none
	refuses '^sslu$' rm "$now" dead d r l none
	refuses '^slu$' rm "$now" dead,delayed r l none
	refuses '^DQRANGE state$' rm "$now" dead,gone r
	refuses '^DQRANGE state$' rm "$now" dead, r
	equal "$(script hasten "$now" d)" d
	equal "$(script redrive "$now" x)" d
	holds 0 3 1 0
	equal "$(script rm "$now" '' d r l x none)" ddddu
	holds 0 0 0 0
}

@test "pause: takers get nothing, puts and promotions go on" {
	put a 0 $'\n' b 5 $'\n'
	equal "$(script pause "$now" 1)" 0
	run take 10 5
	equal "${lines[4]}" 1
	equal "${#lines[@]}" 5
	holds 0 2 0 0
	equal "$(script pause "$now" 1) $(script pause "$now" 0) $(script pause "$now" 0)" '1 1 0'
	take 10 5
	holds 0 0 2 0
}

@test "every script refuses every key of a foreign type, and writes nothing" {
	local part name before
	local -A args=([put]="$now fail 100 '' '' new 0 x" [take]="$((now + 5000)) 5 '' 1 1000"
		[ack]="$now a TOKEN" [giveback]="$now '' a TOKEN" [promote]="$((now + 5000)) 10" [stat]="$now" [gc]="$((now + 5000)) 1 10 0 0"
		[retry]="$now 5 '' a TOKEN" [bury]="$now '' a TOKEN" [extend]="$now 99 a TOKEN" [rm]="$now '' a b c d"
		[hasten]="$now b" [redrive]="$now c" [release]="$now a" [pause]=1 [list]="$now ready 0 9" [show]="$now a 1" [mark]="$now wake 0" [forget]="'' ''" [listed]="$now 5" [audit]="$now msg 0 9 1")
	equal "$(printf '%s.lua\n' "${!args[@]}" unlist | sort)" "$(cd "$top/lua" && printf '%s\n' *.lua)"
	for part in "${parts[@]}"; do
		q=q$BATS_TEST_NUMBER.$part
		put a 0 $'\nA' b 5 $'\nB' c 0 $'r=1\nC' d 0 $'\nD'
		take 0 1 10
		rcli DEL "dq:{$q}:$part" >/dev/null
		case $part in
		msg | stat) rcli ZADD "dq:{$q}:$part" 1 a >/dev/null ;;
		ready | wake | settled) rcli HSET "dq:{$q}:$part" a 1 >/dev/null ;;
		leased) rcli SADD "dq:{$q}:$part" a >/dev/null ;;
		try) rcli RPUSH "dq:{$q}:$part" a >/dev/null ;;
		*) rcli SET "dq:{$q}:$part" a >/dev/null ;;
		esac
		before=$(digest)
		for name in "${!args[@]}"; do
			eval "set -- ${args[$name]//TOKEN/${now}000}"
			run script "$name" "$@"
			matches "$output" "^DQTYPE dq:.$q.:$part is a [a-z]+, not a (hash|zset)\$" || {
				echo "$name"
				return 1
			}
		done
		equal "$(digest)" "$before"
	done
}

@test "forget: a queue without a message, all of its keys; it answers with its generation" {
	local generation
	equal "$(script put "$now" fail 100 '' 0 a $'u=5\na')" n
	equal "$(script pause '' 1)" 0
	generation=$(field stat generation)
	refuses '^$' forget '' ''
	refuses '^DQRANGE idle$' forget '' x
	refuses '^DQRANGE idle$' forget '' -1
	refuses '^DQRANGE idle$' forget ''
	equal "$(script rm "$now" '' a)" d
	rcli ZADD dq:queues 1 "$q" >/dev/null
	equal "$(script forget '' '')" "$generation"
	equal "$(digest)" ''
	is_listed
}

@test "forget: what keeps an empty queue for a time: pause, ids kept unique, a take, a put; nothing does where it is to go at once" {
	local generation
	equal "$(script put "$now" fail 100 '' 0 a $'u=5\na')" n
	generation=$(field stat generation)
	script listed "$now" "$generation" >/dev/null
	take 1000 1 10 >"$T/reply"
	refuses '^$' forget "$((now + 9999))" 0
	equal "$(script ack "$((now + 1001))" a "${now%????}1000000")" d
	refuses '^$' forget "$((now + 1005))" 0 # the id is kept
	refuses '^$' forget "$((now + 1007))" 8 # the take
	script pause "$now" 1 >/dev/null
	refuses '^$' forget "$((now + 9999))" 0
	script pause "$now" 0 >/dev/null
	equal "$(script forget "$((now + 1008))" 8)" "$generation"
	equal "$(digest)" ''
	equal "$(script put "$now" fail 100 '' 0 a $'\na')" n
	equal "$(script listed "$((now + 50))" "$(field stat generation)") $(script rm "$now" '' a)" '1 d'
	refuses '^$' forget "$((now + 60))" 11 # the put
	refuses '^$' forget "$((now + 40))" 1 # from a clock that went back
	matches "$(script forget "$((now + 60))" 10)" '^[0-9]+$'
}

# The reply's second word.
generation_of() { # put's ARG...
	UNLISTED=1 script put "$@" | sed -n 's/^[a-z?]* //p'
}

@test "put answers with a generation until the queue is listed, and again after an hour" {
	local generation hour=3600000
	generation=$(generation_of "$now" fail 100 '' 0 a $'\na')
	equal "$generation" "${now}000"
	equal "$(generation_of "$((now + 5))" fail 100 '' 0 b $'\n' c $'\n')" "$generation"
	equal "$(script listed "$((now + 9))" "$((generation - 1))")" 0
	equal "$(script listed "$((now + 9))" "$((generation + 1))")" 0
	equal "$(field stat listed)" ''
	equal "$(script listed "$((now + 9))" "$generation")" 1
	equal "$(field stat listed)" "$((now + 9))"
	equal "$(generation_of "$((now + 9))" fail 100 '' 0 d $'\n')" ''
	equal "$(generation_of "$((now + hour + 8))" fail 100 '' 0 e $'\n')" ''
	equal "$(generation_of "$((now + hour + 9))" fail 100 '' 0 f $'\n')" "$generation"
	equal "$(generation_of "$((now + 8))" fail 100 '' 0 g $'\n')" "$generation" # the clock went back
	equal "$(generation_of "$((now + 9))" fail 100 '' 0 g $'\n')" ''
	rcli HSET "dq:{$q}:stat" generation what listed ever >/dev/null
	equal "$(generation_of "$((now + 9))" fail 100 '' 0 h $'\n')" "${now%000}009000"
}

@test "put: what was refused makes no queue; what was there already has one" {
	equal "$(UNLISTED=1 script put "$now" fail 100 5 9 a $'\na')" y
	equal "$(UNLISTED=1 script put "$now" fail 100 '' -1 a $'\na')" o
	equal "$(UNLISTED=1 script put "$now" only-later 100 '' 5 a $'\n')" u
	equal "$(digest)" ''
	equal "$(UNLISTED=1 script put "$now" fail 100 '' 0 a $'\na')" "n ${now}000"
	equal "$(UNLISTED=1 script put "$((now + 1))" fail 100 '' 0 a $'\na')" "x ${now}000"
}

@test "unlist: a name up to a generation; with the last one goes the mark of a new queue" {
	export DQ_PREFIX=$q
	rcli ZADD "$q:queues" 1800000000000001 a 1800000000000003 b >/dev/null
	rcli ZADD "$q:new" 0 r >/dev/null
	equal "$(script unlist '' a 1800000000000000)" 0
	equal "$(script unlist '' c 1800000000000009)" 0
	equal "$(script unlist '' a 1800000000000001)" 1
	equal "$(rcli ZRANGE "$q:queues" 0 -1) $(rcli EXISTS "$q:new")" 'b 1'
	local word
	for word in '' x 0 -1 nan inf 1e300; do
		run script unlist '' b "$word"
		equal "$output" 'DQRANGE generation'
	done
	run script unlist '' '' 5
	equal "$output" 'DQRANGE name'
	equal "$(script unlist '' b 1800000000000009)" 1
	equal "$(rcli EXISTS "$q:queues" "$q:new")" 0
	rcli SADD "$q:queues" a >/dev/null
	run script unlist '' a 5
	equal "$output" "DQTYPE $q:queues is a set, not a zset"
	rcli DEL "$q:queues" >/dev/null
	rcli SET "$q:new" a >/dev/null
	run script unlist '' a 5
	equal "$output" "DQTYPE $q:new is a string, not a zset"
}
