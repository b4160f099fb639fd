# Goal: An empty queue that nothing keeps is forgotten, and every later put lists it again.

bats_require_minimum_version 1.5.0

load ../helper
load calls

@test "forget: a queue without a message, all of its keys; it answers with its generation" {
	local generation
	equal "$(script put "$now" fail 100 '' 0 a $'u=5\na')" n
	script set '' paused 1 >/dev/null
	generation=$(field stat generation)
	refuses '^$' forget '' ''
	refuses '^DQRANGE idle$' forget '' x
	refuses '^DQRANGE idle$' forget '' -1
	refuses '^DQRANGE idle$' forget ''
	equal "$(script rm "$now" '' a)" d
	rcli ZADD "{dq:queues}" 1 "$q" >/dev/null
	equal "$(script forget '' '')" "$generation"
	equal "$(digest)" ''
	is_listed
}

@test "forget: a pause, reserved ids, a take or a put keep an empty queue; nothing does if idle is empty" {
	local generation
	equal "$(script put "$now" fail 100 '' 0 a $'u=5\na')" n
	generation=$(field stat generation)
	script listed "$now" "$generation" >/dev/null
	take 1000 1 10 >"$T/reply"
	refuses '^$' forget "$((now + 9999))" 0
	equal "$(script ack "$((now + 1001))" a "${now%????}1000000")" d
	refuses '^$' forget "$((now + 1005))" 0 # the id is kept
	refuses '^$' forget "$((now + 1007))" 8 # the take
	script set "$now" paused 1 >/dev/null
	refuses '^$' forget "$((now + 9999))" 0
	script set "$now" paused 0 max-len 5 >/dev/null
	refuses '^$' forget "$((now + 9999))" 0
	script set "$now" paused "$((now + 1007))" max-len '' >/dev/null
	refuses '^$' forget "$((now + 1006))" 0
	script set "$now" paused "$((now + 1008))" >/dev/null # one that has ended is none, even if nobody has seen its end
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

@test "put: a refused message makes no queue; an existing message already has one" {
	equal "$(UNLISTED=1 script put "$now" fail 100 5 9 a $'\na')" y
	equal "$(UNLISTED=1 script put "$now" fail 100 '' -1 a $'\na')" o
	equal "$(UNLISTED=1 script put "$now" only-later 100 '' 5 a $'\n')" u
	equal "$(digest)" ''
	equal "$(UNLISTED=1 script put "$now" fail 100 '' 0 a $'\na')" "n ${now}000"
	equal "$(UNLISTED=1 script put "$((now + 1))" fail 100 '' 0 a $'\na')" "x ${now}000"
}

@test "unlist: a name up to a generation; with the last one goes the mark of a new queue" {
	export DQ_PREFIX=$q
	rcli ZADD "{$q:queues}" 1800000000000001 a 1800000000000003 b >/dev/null
	rcli ZADD "{$q:queues}:new" 0 r >/dev/null
	equal "$(script unlist '' a 1800000000000000)" 0
	equal "$(script unlist '' c 1800000000000009)" 0
	equal "$(script unlist '' a 1800000000000001)" 1
	equal "$(rcli ZRANGE "{$q:queues}" 0 -1) $(rcli EXISTS "{$q:queues}:new")" 'b 1'
	local word
	for word in '' x 0 -1 nan inf 1e300; do
		run script unlist '' b "$word"
		equal "$output" 'DQRANGE generation'
	done
	run script unlist '' '' 5
	equal "$output" 'DQRANGE name'
	equal "$(script unlist '' b 1800000000000009)" 1
	equal "$(rcli EXISTS "{$q:queues}" "{$q:queues}:new")" 0
	rcli SADD "{$q:queues}" a >/dev/null
	run script unlist '' a 5
	equal "$output" "DQTYPE {$q:queues} is a set, not a zset"
	rcli DEL "{$q:queues}" >/dev/null
	rcli SET "{$q:queues}:new" a >/dev/null
	run script unlist '' a 5
	equal "$output" "DQTYPE {$q:queues}:new is a string, not a zset"
}
