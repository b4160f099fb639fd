# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# Messages that --until-empty takes, and messages that it leaves, for dq-take and dq-run.

# Due messages of all kinds, in two queues; and messages that are not due: delayed, leased, dead, paused.
fill() {
	seq 1 30 | dq-put -q -l "$q.a"
	seq 31 60 | dq-put -q -l -d 1h "$q.b"
	dq-put -q -i held -b 1h "$q.b" held
	dq-take -t 1s "$q.b" >/dev/null
	later 3600001 "$q.b"
	dq-put -q -d 1h -i later "$q.a" later
	dq-put -q -i mine -p 0 "$q.b" mine
	dq-take --no-promote -t 1h "$q.b" >"$T/$q.mine"
	dq-put -q -i dead -p 0 "$q.a" dead
	dq-take "$q.a" | dq-ack -b
	dq-put -q "$q.p" x
	dq-set "$q.p" paused=yes
	equal "$(states "$q.a") $(states "$q.b")" '1 30 0 1 30 0 2 0'
}

all() {
	{
		seq 60
		echo held
	} | sort
}

# More than are moved in one call; none of them is delivered.
many_expired() {
	seq 400 | dq-put -q -l -d 1s "$q"
	rcli EVAL 'for _, id in ipairs(redis.call("HKEYS", KEYS[1])) do redis.call("HSET", KEYS[1], id, "x=1\nx") end' \
		1 "dq:{$q}:msg" >/dev/null
	dq-put -q -d 2s "$q" good
	later 2001
}
