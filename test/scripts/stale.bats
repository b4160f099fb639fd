# Goal: A take leases nothing by an element of keyed that an interrupted script left, and everything that is behind it.

bats_require_minimum_version 1.5.0

load ../helper
load calls

CLASS=$((1 << 42))

# An element of keyed, as the scripts write them, of what is or was ready.
ready_element() { # KEY DUE REST
	local sort
	printf -v sort '%016d' $((100 * CLASS + $2))
	rcli ZADD "dq:{$q}:keyed" 0 "$1 R $sort $3" >/dev/null
}

# ID DUE of what a take of so many gets.
taken() { # WANTED
	take 0 "$1" >"$T/reply"
	sed 1,6d "$T/reply" | grep -v '^$' | paste -d' ' - - - - - | cut -d' ' -f1,3 | paste -sd' '
}

elements() {
	rcli ZRANGE "dq:{$q}:keyed" 0 -1 | paste -sd,
}

@test "an element of another score: the message is leased once, with the due time that it has" {
	put k+a @$((now - 5)) $'\nx' k+b @$((now - 4)) $'\nx'
	ready_element k $((now - 9)) b
	ready_element k $((now - 1)) a
	equal "$(taken 9)" "k+a $((now - 5)) k+b $((now - 4))"
	equal "$(elements)" 'k L a,k L b'
}

@test "elements of what is not ready: what is behind them is leased, and by its turn" {
	local i
	put k+a @$((now - 5)) $'\nx' j+a @$((now - 3)) $'\nx'
	for i in 1 2 3 4 5; do ready_element k $((now - 11 + i)) "gone$i"; done
	ready_element j $((now - 9)) gone
	equal "$(taken 1)" "k+a $((now - 5))"
	equal "$(elements)" "j R 0$((100 * CLASS + now - 9)) gone,j R 0$((100 * CLASS + now - 3)) a,k L a"
	equal "$(taken 9)" "j+a $((now - 3))"
	equal "$(elements)" 'j L a,k L a'
	equal "$(rcli ZCARD "dq:{$q}:turn")" 0
}

@test "a key with nothing but such elements gives nothing, and leaves turn" {
	put k+a @$((now - 5)) $'\nx'
	rcli ZREM "dq:{$q}:ready" k+a >/dev/null
	put b @$((now - 1)) $'\nx'
	equal "$(taken 9)" "b $((now - 1))"
	equal "$(elements)" ''
	equal "$(rcli ZCARD "dq:{$q}:turn")" 0
}
