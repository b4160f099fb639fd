# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# A queue with messages in all states, in a list of queues of its own.

setup() {
	begin_test
	export DQ_PREFIX=$q
}

# 1 delayed, 2 due, 3 ready, 4 leased, 5 dead
make_queue() { # QUEUE
	seq 5 | dq-put -ql -r 1 -t 1s "$1"
	dq-take -n 5 "$1" >/dev/null
	later 1001 "$1"
	dq-promote "$1"
	seq 7 | dq-put -ql "$1"
	dq-take -n 4 "$1" >/dev/null
	seq 2 | dq-put -ql -d 1m "$1"
	later 60001 "$1"
	rcli EVAL 'for _, id in ipairs(redis.call("ZRANGE", KEYS[1], 0, -1)) do redis.call("ZADD", KEYS[1], ARGV[1], id) end' \
		1 "$DQ_PREFIX:{$1}:leased" 4000000000000 >/dev/null
	dq-put -q -d 1h "$1" x
	holds 3 3 4 5 "$1"
}

# The first age of minutes and seconds in TEXT is at least LOW seconds, and no more than what has passed SINCE makes of it.
ages() { # LOW SINCE TEXT
	[[ $3 =~ ([0-9]+)m([0-9]+)s ]]
	between "$1" $((BASH_REMATCH[1] * 60 + BASH_REMATCH[2])) $(($1 + SECONDS - $2 + 1))
}
