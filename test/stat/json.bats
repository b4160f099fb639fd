# Goal: dq-stat --json has every number, time and counter, and is valid JSON whatever the keys contain.

bats_require_minimum_version 1.5.0

load ../helper
load queue

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
	local want='backlog_ms begun blocked blocked_key blocked_ms expired failing_ms held key_limit keys late_ms '
	want+='lateness limited limited_until_ms '
	want+='max_leased max_len messages next_due_ms now_ms oldest_ready_ms paused paused_ready paused_ready_keys '
	want+='paused_shards paused_until_ms queue rate retrying shards totals'
	equal "$(jq -r '.queues[] | keys | join(" ")' <<<"$output" | sort -u)" "$want"
}

@test "--json: every counter of dq-scripts(7) is there, with 0 where nothing was counted" {
	local names
	cd "$top"
	names=$(sed -n '/^and these counters:$/,/^\.El$/s/^\(\.It\)* *\.*Li //p' man/dq-scripts.7 | tr ' ' '\n' | grep -vx 'late:.*' | sort)
	[ "$(wc -l <<<"$names")" -gt 10 ]
	equal "$(grep -ohE "(\<count\(|'HINCRBY', KEYS\[STAT\], |, 'taken', |  end, )('[a-z_]+')?" lua/*.lua lua/lib/*.lua |
		grep -oE "[a-z_]+'" | tr -d "'" | grep -vx limits | sort -u)" "$names"
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

@test "foreign counters do not break the JSON" {
	dq-put -q "$q.x" x
	rcli HSET "$q:{$q.x}:stat" 'a"b' 1 ok 7 bad 'x"' big 99999999999999999999 zero 007 $'nl\n' 3 >/dev/null
	run -0 dq-stat --json "$q.x"
	jq -e '.queues[0].totals | .put == 1 and .taken == 0 and (has("ok") or has("bad") or has("zero") | not)' <<<"$output"
	rcli HSET "$q:{$q.x}:stat" taken 'x"' acked -1 removed 99999999999999999999 >/dev/null
	equal "$(dq-stat --json "$q.x" | jq -c '.queues[0].totals | [.taken, .acked, .removed]')" '[0,0,0]'
}
