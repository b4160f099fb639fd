# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# Messages as a foreign hand would write them, with known times.

# A message as a foreign hand would write it, due in 2096.
make() { # ID HEADER PAYLOAD [PART [SCORE]]
	rcli HSET "dq:{$q}:msg" "$1" "$2"$'\n'"$3" >/dev/null
	rcli ZADD "dq:{$q}:${4:-delayed}" "${5:-4000000000000}" "$1" >/dev/null
}

value() { # KEY NAME
	dq-stat "$2" | sed -n "s/^$1\t//p"
}

# One in each state; their times are known.
five() {
	make d '' 1 delayed 4000000000000
	make u '' 2 delayed 1000000000001
	make r '' 3 ready $((100 * 4398046511104 + 1000000000002))
	make l '' 4 leased 4000000000003
	make x '' 5 dead 1000000000004
	rcli HSET "dq:{$q}:try" l $'1 9 5 \n' x $'5 0 5 \nno\tway' >/dev/null
}
