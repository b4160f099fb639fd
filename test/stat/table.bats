# dq-stat: what it shows.

bats_require_minimum_version 1.5.0

load ../helper

setup() {
	begin_test
	export DQ_PREFIX=$q
}

@test "no queues: a header and nothing else" {
	run -0 --separate-stderr dq-stat
	equal "$output" 'QUEUE  DELAYED  DUE  READY  LEASED  DEAD  OLDEST  LATE  NEXT  PAUSED  EXPIRED'
	equal "$stderr" ''
	run -0 dq-stat --no-header
	equal "$output" ''
	run -0 dq-stat --json
	equal "$(jq -c .queues <<<"$output")" '[]'
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

@test "each state in its column, and nothing moves" {
	make_queue "$q.x"
	local before
	before=$(digest "$q.x")
	run -0 --separate-stderr dq-stat "$q.x"
	equal "$stderr" ''
	equal "${#lines[@]}" 2
	matches "${lines[1]}" "^$q\\.x +1 +2 +3 +4 +5 +[0-9.]+m?s +[0-9.]+m?s +(1h0m|59m[0-9]+s) +- +0\$"
	equal "$(digest "$q.x")" "$before"
}

@test "all queues, sorted; columns in line" {
	dq-put -q "$q.b" x
	dq-put -q "$q.a" x y
	dq-put -q "$q.long-name" x
	run -0 dq-stat
	equal "$(awk '{ print $1, $4 }' <<<"$output" | paste -sd,)" "QUEUE READY,$q.a 2,$q.b 1,$q.long-name 1"
	equal "$(awk '{ print length }' <<<"$output" | sort -u | wc -l)" 1
	run -0 dq-stat --no-header "$q.long-name" "$q.a"
	equal "$(awk '{ print $1 }' <<<"$output" | paste -sd,)" "$q.long-name,$q.a"
}

@test "a queue that never was is shown as empty, and 1" {
	run -1 dq-stat -q --no-header "$q.none"
	matches "$output" "^$q.none +0 +0 +0 +0 +0 +- +- +- +- +0\$"
	equal "$(digest "$q.none")" ''
}

@test "--json: numbers, times in ms, counters" {
	make_queue "$q.x"
	dq-put -q "$q.y" x
	run -0 dq-stat --json
	jq -e '.version == 1 and (.queues | length) == 2' <<<"$output"
	jq -e --arg q "$q.x" '.queues[0] | .queue == $q
		and .messages == {"delayed": 1, "due": 2, "ready": 3, "leased": 4, "dead": 5}
		and .now_ms > 1700000000000 and .oldest_ready_ms >= 0 and .late_ms >= 0
		and .next_due_ms > .now_ms and .next_due_ms <= .now_ms + 3600000
		and .totals.put == 15 and .totals.taken == 9 and .totals.dead == 5 and .totals.expired_leases == 5' <<<"$output"
	jq -e '.queues[1] | .messages.ready == 1 and has("next_due_ms") and has("late_ms") and .next_due_ms == null and .late_ms == null' \
		<<<"$output"
	equal "$(jq -c '.queues[] | keys' <<<"$output" | sort -u)" \
		'["expired","late_ms","lateness","messages","next_due_ms","now_ms","oldest_ready_ms","paused","queue","totals"]'
}

@test "--json: every counter of dq-scripts(7) is there, with 0 where nothing was counted" {
	local names
	cd "$top"
	names=$(grep -ohE "\<count\('[a-z_]+'" lua/*.lua lua/lib/*.lua | sed "s/.*('//; s/'//" | sort -u)
	[ "$(wc -l <<<"$names")" -gt 10 ]
	dq-put -q x 1
	run -0 dq-stat --json x
	equal "$(jq -r '.queues[0].totals | keys[]' <<<"$output")" "$names"
	equal "$(jq -c '.queues[0].totals | to_entries | map(select(.value != 0))' <<<"$output")" '[{"key":"put","value":1}]'
	equal "$(jq -c '.queues[0].lateness' <<<"$output")" '[]'
	run -1 dq-stat -q --json y
	equal "$(jq -c '.queues[0].totals | [length, add]' <<<"$output")" "[$(wc -l <<<"$names"),0]"
}

@test "--json: lateness is a list of pairs, the least first" {
	dq-put -q x 1
	rcli HSET "$q:{x}:stat" late:0 3 late:10 1 late:2 5 late:42 7 late:43 9 late:x 9 late:4 0 late:5 x >/dev/null
	equal "$(dq-stat --json x | jq -c '.queues[0].lateness')" '[[1,3],[4,5],[1024,1],[4398046511104,7]]'
	dq-put -q y 1
	dq-take y >/dev/null
	equal "$(dq-stat --json y | jq -c '.queues[0].lateness | map(.[1])')" '[1]'
}

@test "ages for people" {
	local now shown
	now=$(server_ms)
	while read -r ms shown; do
		DQ_PREFIX=dq script put "$now" fail 100 '' '' a 0 $'\n' >/dev/null
		rcli DEL "$q:{$q.x}:delayed" >/dev/null
		rcli ZADD "$q:{$q.x}:delayed" $(($(server_ms) + ms + 800)) a >/dev/null
		rcli HSET "$q:{$q.x}:msg" a $'\n' >/dev/null
		matches "$(dq-stat --no-header "$q.x")" "^$q.x +1 .* $shown +- +0\$"
	done <<-'TABLE'
		5000 5\.[0-9]s
		41200 41s
		123200 2m3s
		18720000 5h12m
		273600000 3d4h
	TABLE
}

@test "foreign counters do not break the JSON" {
	dq-put -q "$q.x" x
	rcli HSET "$q:{$q.x}:stat" 'a"b' 1 ok 7 bad 'x"' big 99999999999999999999 zero 007 $'nl\n' 3 >/dev/null
	run -0 dq-stat --json "$q.x"
	jq -e '.queues[0].totals | .put == 1 and .taken == 0 and (has("ok") or has("bad") or has("zero") | not)' <<<"$output"
	rcli HSET "$q:{$q.x}:stat" taken 'x"' acked -1 removed 99999999999999999999 >/dev/null
	equal "$(dq-stat --json "$q.x" | jq -c '.queues[0].totals | [.taken, .acked, .removed]')" '[0,0,0]'
}

@test "a broken queue: 70, and the others are shown" {
	dq-put -q "$q.a" x
	dq-put -q "$q.b" x
	dq-put -q "$q.c" x
	rcli DEL "$q:{$q.b}:ready" >/dev/null
	rcli SET "$q:{$q.b}:ready" mine >/dev/null
	run -70 --separate-stderr dq-stat --no-header
	equal "$(awk '{ print $1 }' <<<"$output" | paste -sd,)" "$q.a,$q.c"
	matches "$stderr" "^dq-stat: $q.b: not shown: .*is a string"
	run -70 --separate-stderr dq-stat --json
	jq -e '.queues | length == 2' <<<"$output"
}

@test "no colours, no escapes, through a pipe" {
	dq-put -q "$q.a" x
	dq-stat | LC_ALL=C grep -q '[^ -~]' && return 1
	NO_COLOR=1 TERM=dumb dq-stat | LC_ALL=C grep -q '[^ -~]' && return 1
	true
}
