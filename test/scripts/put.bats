# Goal: The put script puts or refuses each message of a batch by itself, and writes nothing for a refused one.

bats_require_minimum_version 1.5.0

load ../helper
load calls

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
	equal "$(script put "$now" fail 100 '' '' ready 0 $'\ny' new 0 $'\ny' dead 5 $'\ny' leased 5 $'\ny' new 0 $'\ny')" xnbxx
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

@test "put: an id that occurs twice in a batch of new ones: the second finds the first" {
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

@test "put: a thousand at once, and an existing id among them" {
	local -a items
	mapfile -t items < <(seq 1000 | sed 'p; s/^/t=/')
	items=("${items[@]/#t=/$'\n'}")
	equal "$(script put "$now" fail 100 '' 5 "${items[@]:1500}")" "$(printf 'n%.0s' {1..250})"
	equal "$(script put "$now" fail 100 '' 5 "${items[@]}")" "$(printf 'n%.0s' {1..750})$(printf 'x%.0s' {1..250})"
	holds 1000 0 0 0
	equal "$(field msg 751)" $'\n751'
	equal "$(field stat put)" 1000
}

@test "put: an existing or a reserved id, anywhere in a batch of new ones" {
	local i items before
	put there 0 $'u=1000\nthere' settled 0 $'u=1000\nsettled'
	take 0 2 >/dev/null
	script ack "$now" settled "$(token settled)" >/dev/null
	before=$(field msg there)
	for i in {0..33}; do
		mapfile -t items < <(seq 34 | sed "s/.*/$i.&\nz&/")
		items[2 * i]=there
		equal "$(script put "$now" fail 100 '' 5 "${items[@]/#z/$'\n'}" | sed "s/n\{$i\}x/ok/")" \
			"ok$(printf 'n%.0s' {1..33} | cut -c$((i + 1))-)"
		equal "$(field msg there)" "$before"
		items=("${items[@]/#$i./$i-}")
		items[2 * i]=settled
		equal "$(script put "$now" fail 100 '' 5 "${items[@]/#z/$'\n'}" | sed "s/n\{$i\}v/ok/")" \
			"ok$(printf 'n%.0s' {1..33} | cut -c$((i + 1))-)"
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

@test "put: a repeat of a message with an expiry is recognized, whatever the time of the expiry" {
	equal "$(script put "$now" fail 100 1000 '' a 0 $'\nA')" n
	equal "$(script put "$((now + 7))" repeat 100 1000 '' a 0 $'\nA')" s
	equal "$(script put "$((now + 7))" repeat 100 1000 '' a 0 $'\nB')" x
	equal "$(field msg a | head -1)" "x=$((now + 1000))"
}

@test "put: times out of range are refused, the others put" {
	put keep 5 $'\nx'
	local when
	for when in nan -nan inf -inf -1800000000001 4398046511104 @nan @inf @-1 @4398046511104 1e300 @1e300 x '' @ \
		"$((4398046511104 - now))" \
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

@test "put: only- creates no message" {
	refuses '^DQRANGE mode' put "$now" only-fail 100 '' '' a 0 $'\nx'
	equal "$(script put "$now" only-later 100 '' '' a 0 $'\nx')" u
	equal "$(script put "$now" fail 100 '' '' a 0 $'\nx')" n
	equal "$(script put "$now" only-later 100 '' '' a 50 $'\ny' b 0 $'\ny')" lu
	equal "$(script put "$now" only-earlier 100 '' '' a 0 $'\ny' b 0 $'\ny')" eu
	equal "$(script put "$now" only-replace 100 '' '' b 0 $'\ny' a 0 $'\ny')" ur
	holds 0 1 0 0
	equal "$(field msg a)" $'\ny'
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
