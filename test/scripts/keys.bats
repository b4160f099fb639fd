# Goal: The script keys lists the keys of messages, and finds the messages of one.

bats_require_minimum_version 1.5.0

load ../helper
load calls

CLASS=$((1 << 42))

# Elements of keyed, as the scripts write them.
elements() {
	local element
	for element; do rcli ZADD "dq:{$q}:keyed" 0 "$element" >/dev/null; done
}

ready_element() { # KEY PRIORITY DUE REST
	local sort
	printf -v sort '%016d' $(($2 * CLASS + $3))
	elements "$1 R $sort $4"
}

# The reply, a row a line.
rows() { # COUNT SCRIPT-ARGUMENT...
	script keys "$now" "${@:2}" | paste -sd' ' | xargs -n "$1"
}

@test "list: each key by itself, in the order of bytes, with its first ready message" {
	ready_element a 100 "$((now - 5))" x
	ready_element a 7 "$((now - 3))" y
	elements 'a L z' 'a B x' 'a-b L z' 'a.b B z' 'aa L z' 'a:b L z'
	ready_element B 0 5 x
	rcli HSET "dq:{$q}:stat" limits k >/dev/null
	rcli ZADD "dq:{$q}:turn" 5 'a 7' 6 'a 100' >/dev/null
	equal "$(rows 9 list '' 9)" "B 1 0 0 -1 5 0 0 5
a 2 1 1 -1 $((now - 3)) 7 1 0
a-b 0 1 0 -1 -1 -1 0 0
a.b 0 0 1 -1 -1 -1 0 0
a:b 0 1 0 -1 -1 -1 0 0
aa 0 1 0 -1 -1 -1 0 0"
	equal "$(rows 9 list a 2)" $'a-b 0 1 0 -1 -1 -1 0 0\na.b 0 0 1 -1 -1 -1 0 0'
	equal "$(rows 9 list a.b 2)" $'a:b 0 1 0 -1 -1 -1 0 0\naa 0 1 0 -1 -1 -1 0 0'
	equal "$(rows 9 list a0 9)" $'a:b 0 1 0 -1 -1 -1 0 0\naa 0 1 0 -1 -1 -1 0 0'
	equal "$(rows 9 list aa 9)" ''
}

@test "list: the messages without a key come first, and the limit does not count them" {
	put a 0 $'\nx' b 0 $'\nx' c 99 $'\nx'
	rcli ZADD "dq:{$q}:ready" $((3 * CLASS + now)) b >/dev/null
	rcli ZADD "dq:{$q}:ready" $(((1 << 50) + 3 * CLASS + 5)) k+x >/dev/null
	ready_element k 3 5 x
	equal "$(script keys "$now" list '' 1 | paste -sd,)" ",2,0,0,-1,$now,3,1,0,k,1,0,0,-1,5,3,1,0"
	rcli HSET "dq:{$q}:stat" limits k >/dev/null
	equal "$(script keys "$now" list '' 1 | paste -sd,)" ",2,0,0,-1,$now,3,0,0,k,1,0,0,-1,5,3,0,5"
	rcli ZADD "dq:{$q}:turn" 1 ' 3' >/dev/null
	equal "$(script keys "$now" list '' 1 | paste -sd,)" ",2,0,0,-1,$now,3,1,0,k,1,0,0,-1,5,3,0,5"
	equal "$(script keys "$now" list k 1)" ''
}

@test "list: elements that no script wrote end no listing" {
	elements ' x' '!' 'a' 'a!' 'a' 'b ' 'c R x' 'd L y' $'\xff\xff R 1 a'
	equal "$(rows 9 list '' 9)" $'b 0 0 0 -1 -1 -1 0 0\nc 1 0 0 -1 -1 -1 0 0\nd 0 1 0 -1 -1 -1 0 0'
}

@test "list: where dead messages stop their keys, how many there are, and that they block" {
	ready_element a 100 5 x
	elements 'a A w' 'a A z' 'b A z' 'c L z'
	ready_element c 100 5 x
	rcli HSET "dq:{$q}:stat" limits sdk >/dev/null
	equal "$(rows 9 list '' 9)" $'a 1 0 0 2 5 100 0 2\nb 0 0 0 1 -1 -1 0 2\nc 1 1 0 0 5 100 0 1'
	rcli HSET "dq:{$q}:stat" limits sk >/dev/null
	rcli ZADD "dq:{$q}:turn" 5 'a 100' >/dev/null
	equal "$(rows 9 list '' 9)" $'a 1 0 0 -1 5 100 1 0\nb 0 0 0 -1 -1 -1 0 0\nc 1 1 0 -1 5 100 0 1'
}

@test "find: the messages of that key in all states, slice by slice" {
	put a 0 $'\nx' b 0 $'\nx' w 9 $'\nx' c 0 $'\nx'
	take 0 2 >/dev/null
	script bury "$now" why b "${now}000" >/dev/null
	local id
	for id in a b c w; do # an id with a key, by hand
		rcli EVAL 'for _, part in ipairs(KEYS) do
				local n = redis.pcall("ZSCORE", part, ARGV[1])
				if type(n) == "string" then redis.call("ZADD", part, n, "k+" .. ARGV[1]) end
				local r = redis.pcall("HGET", part, ARGV[1])
				if type(r) == "string" then redis.call("HSET", part, "k+" .. ARGV[1], r) end
			end' 6 "dq:{$q}:"{msg,delayed,ready,leased,dead,try} "$id" >/dev/null
	done
	script keys "$now" find k 0 1000 >"$T/reply"
	equal "$(head -n 2 "$T/reply" | paste -sd' ')" "0 $now"
	equal "$(sed 1,2d "$T/reply" | paste -sd, | sed 's/,k+/\nk+/g' | sort)" "k+a,leased,$((now + 60000)),1,$now,,
k+b,dead,$now,1,$now,why,
k+c,ready,$now,0,$now,,
k+w,delayed,$((now + 9)),0,$((now + 9)),,"
	equal "$(script keys "$now" find a 0 9 | paste -sd' ')" "0 $now"
	rcli HSET "dq:{$q}:msg" 'j+x' $'\nx' >/dev/null
	equal "$(script keys "$now" find j 0 9 | paste -sd,)" "0,$now,j+x,,-1,0,-1,,"
}

commands() {
	rcli INFO commandstats | sed -n 's/^cmdstat_[^:]*:calls=\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }'
}

@test "what it costs that a limited key may be served again does not grow with its priorities" {
	local p setting
	for setting in key-limit=1 keys=serial; do
		dq-set -q "$q" "$setting"
		for p in {0..40}; do printf "0\t%s+$p\tx\n" {a..j} | dq-put -q -p "$p" --tsv "$q"; done
		dq-take -q -n 10 "$q" >"$T/taken"
		equal "$(wc -l <"$T/taken")" 10
		rcli CONFIG RESETSTAT >/dev/null
		dq-ack <"$T/taken"
		between 1 "$(commands)" 120
		equal "$(rcli ZCARD "dq:{$q}:turn")" 10
		dq-rm -q -f -a "$q"
	done
}
