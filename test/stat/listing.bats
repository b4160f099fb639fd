# Goal: dq-stat --messages lists each message once, with its own time, over any number of pages.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load foreign

@test "--messages: a line a message, in the order of states" {
	five
	run -0 --separate-stderr dq-stat --messages all "$q"
	equal "$stderr" ''
	equal "$output" "$(printf '%s\t%s\t%s\t%s\t%s\t-\n' \
		"$q/l" leased 2096-10-02T07:06:40.003Z 1 - \
		"$q/r" ready 2001-09-09T01:46:40.002Z 0 - \
		"$q/u" due 2001-09-09T01:46:40.001Z 0 - \
		"$q/d" delayed 2096-10-02T07:06:40.000Z 0 - \
		"$q/x" dead 2001-09-09T01:46:40.004Z 5 'no\tway')"
}

@test "--messages STATE: only those" {
	local state
	five
	for state in leased:l ready:r due:u delayed:d dead:x; do
		run -0 dq-stat --messages="${state%:*}" "$q"
		equal "$(cut -f1,2 <<<"$output")" "$q/${state#*:}"$'\t'"${state%:*}"
		equal "$(dq-stat --messages "${state%:*}" "$q")" "$output"
	done
	equal "$(dq-stat --messages=all "$q" | wc -l)" 5
	run -1 dq-stat -q --messages=dead nobody
	equal "$output" ''
}

@test "--messages STATE,STATE: those, in the order of states, each message once" {
	five
	equal "$(dq-stat --messages dead,ready "$q" | cut -f 1,2)" "$(printf '%s\n' "$q/r"$'\tready' "$q/x"$'\tdead')"
	equal "$(dq-stat --messages=due,leased,due --json "$q" | jq -r .id | paste -sd,)" l,u
	equal "$(dq-stat --messages delayed,dead --payload "$q" | cut -f 7 | paste -sd,)" 1,5
	equal "$(dq-stat --messages dead,delayed,due,leased,ready "$q")" "$(dq-stat --messages all "$q")"
}

@test "--messages: what is no list of states is refused" {
	local list
	for list in '' ',' 'dead,' ,dead dead,,ready 'dead ready' dead,all all,dead dead,expired expired,dead dead,x DEAD 'all,'; do
		fails 64 "^--messages: \"$list\": not one or more of leased, ready, due, delayed, dead, with commas between, " \
			dq-stat --messages "$list" "$q"
	done
}

# An argument that may be left out would take the state for a queue, and dq-rm would get all messages.
@test "--messages without a state is refused" {
	local -x DQ_PREFIX=$q
	dq-put -q "$q" x
	local why='not one or more of leased, ready, due, delayed, dead, with commas between, nor expired, ended or all'
	fails 64 '^--messages: "'"$q\": $why\$" \
		dq-stat --messages "$q"
	fails 64 '^--messages: needs an argument$' dq-stat --messages
	equal "$(dq-stat --messages dead "$q")" ''
}

@test "--messages all --json: an object a line" {
	five
	run -0 dq-stat --messages all --json "$q"
	equal "${#lines[@]}" 5
	local want='{"name":"'$q'/x","queue":"'$q'","id":"x","key":null,"state":"dead","due_ms":5,"lease_until_ms":null,'
	want+='"died_ms":1000000000004,"tries":5,"given_back":0,"reason":"no\tway","reason_base64":null,"holder":null}'
	equal "${lines[4]}" "$want"
	equal "$(jq -c '[.state, .due_ms, .lease_until_ms, .died_ms, .reason]' <<<"$output")" "$(printf '%s\n' \
		'["leased",5,4000000000003,null,null]' '["ready",1000000000002,null,null,null]' '["due",1000000000001,null,null,null]' \
		'["delayed",4000000000000,null,null,null]' '["dead",5,null,1000000000004,"no\tway"]')"
	local id
	for id in l r u d x; do # and of one by name
		equal "$(dq-stat --json "$q/$id" | jq -c '[.id, .state, .due_ms, .lease_until_ms, .died_ms, .tries, .reason]')" \
			"$(jq -c --arg id "$id" 'select(.id == $id) | [.id, .state, .due_ms, .lease_until_ms, .died_ms, .tries, .reason]' \
			<<<"$output")"
	done
}

@test "a printed time is accepted as input, as ms and as text" {
	local at
	dq-put -q -i x -a @4000000000.123 "$q" 1
	at=$(dq-stat --json "$q/x" | jq .due_ms)
	dq-put -q -i y -a "@${at}ms" "$q" 1
	dq-put -q -i z -a "$(value due "$q/x")" "$q" 1
	printf '@%sms\tw\t1\n' "$(value due_ms "$q/x")" | dq-put -q --tsv "$q"
	equal "$(dq-stat --messages delayed --json "$q" | jq -r '"\(.id) \(.due_ms)"' | sort | paste -sd' ')" \
		"w $at x $at y $at z $at"
	fails 64 '^-a: "@1.5ms": not a time' dq-put -a @1.5ms "$q" 1
}

@test "--messages: several queues, or all" {
	dq-put -q -i x "$q" 1
	dq-put -q -i y "$q-2" 1
	equal "$(dq-stat --messages all "$q-2" "$q" | cut -f1 | paste -sd' ')" "$q-2/y $q/x"
	equal "$(dq-stat --messages all | grep -c "^$q\(-2\)\?/[xy]")" 2
}

@test "--messages: each message once, over many pages, equal times too" {
	seq 2500 | dq-put -l "$q" | sort >"$T/put"
	dq-stat --messages all "$q" | cut -f1 | sort | cmp - "$T/put"
	seq 2500 | dq-put -l -a @4000000000 "$q-2" | sort >"$T/put"
	dq-stat --messages=delayed "$q-2" | cut -f1 | sort | cmp - "$T/put"
	rcli ZRANGE "dq:{$q-2}:delayed" 0 -1 | sed "s|^|$q-2/|" | cmp - <(dq-stat --messages all "$q-2" | cut -f1)
	equal "$(dq-stat --messages=due "$q-2")" ''
}

# A page is more than a pipe holds, so that the second one is asked for only after the reader has removed the first.
@test "--messages: removing listed messages shifts nothing" {
	local id part
	for part in ready delayed dead leased; do
		for id in $(seq 10001 12500); do
			printf 'HSET dq:{%s}:msg %0100d x\nZADD dq:{%s}:%s 1000000000000 %0100d\n' "$q$part" "$id" "$q$part" "$part" "$id"
		done | rcli >/dev/null
		mkfifo "$T/$q$part"
		dq-stat --messages all "$q$part" >"$T/$q$part" 3>&- &
		{
			read -r _
			rcli ZREMRANGEBYRANK "dq:{$q$part}:$part" 0 999 >/dev/null
			equal "$(wc -l)" 2499
		} <"$T/$q$part"
		wait $!
	done
}

@test "--messages: dq-rm and dq-promote --dead accept the lines" {
	[ -x "$DQ_BIN/dq-rm" ] || skip 'no dq-rm'
	seq 2500 | dq-put -ql "$q"
	dq-take -n 1000 "$q" | dq-ack -b
	dq-take -n 1000 "$q" | dq-ack -b
	dq-stat --messages=dead "$q" | head -n 10 | dq-promote --dead
	holds 0 510 0 1990
	dq-stat --messages=dead "$q" | dq-rm
	holds 0 510 0 0
	dq-stat --messages all "$q" | dq-rm
	holds 0 0 0 0
}

@test "--messages: a closed reader ends the tool" {
	seq 5000 | dq-put -ql "$q"
	set +o pipefail
	run --separate-stderr env --default-signal=PIPE bash -c "dq-stat --messages all $q | head -n 1; echo \${PIPESTATUS[0]}"
	equal "$stderr" ''
	matches "${lines[1]}" '^(141|0)$'
}

@test "--payload: the last field, escaped as by dq-take; in JSON as in a delivery" {
	printf 'a\tb\\\n\0\xff' | dq-put -q -i x "$q"
	dq-put -q -i y "$q" ''
	run -0 dq-stat --messages ready --payload "$q"
	equal "$(cut -f 1,2,4- <<<"$output")" "$q/x"$'\tready\t0\t-\t-\ta\\tb\\\\\\n\\0\xff\n'"$q/y"$'\tready\t0\t-\t-\t'
	run -0 dq-stat --messages ready --payload --json "$q"
	jq -e '.payload == null and (.payload_base64 | @base64d | length) > 4 and .state == "ready"' <<<"${lines[0]}"
	jq -e '.payload == "" and .payload_base64 == null' <<<"${lines[1]}"
	run -0 dq-stat --messages ready --json "$q"
	jq -e 'has("payload") | not' <<<"${lines[0]}"
	seq 2500 | dq-put -ql "$q.many"
	equal "$(dq-stat --messages all --payload "$q.many" | cut -f 7 | sort -n | paste -sd,)" "$(seq 2500 | paste -sd,)"
}

@test "--payload: a call reads many messages" {
	seq 2500 | dq-put -ql "$q"
	rcli CONFIG RESETSTAT >/dev/null
	equal "$(dq-stat --messages all --payload "$q" | wc -l)" 2500
	[ "$(rcli INFO commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\).*/\1/p')" -lt 100 ]
}

# A call ends after about a megabyte, so these need several.
@test "--payload: large payloads, between small ones" {
	seq 5 | xargs -I % printf '%s %0600000d\n%s\n' % 0 % >"$T/$q"
	dq-put -ql "$q" <"$T/$q"
	dq-stat --messages all --payload "$q" | cut -f 7 | cmp - "$T/$q"
}

@test "--payload: a message that was removed meanwhile is left out" {
	seq 3 | dq-put -ql "$q"
	rcli HDEL "dq:{$q}:msg" "$(rcli ZRANGE "dq:{$q}:ready" 1 1)" >/dev/null # as the listing finds it
	equal "$(dq-stat --messages ready --payload "$q" | cut -f 7 | paste -sd,)" 1,3
	rcli DEL "dq:{$q}:msg" >/dev/null
	run -0 --separate-stderr dq-stat --messages ready --payload --json "$q"
	equal "$output$stderr" ''
}

@test "--json: when a message expires or expired" {
	dq-put -q -i x -x 1ms "$q" pay
	dq-put -q -i y -x 1h "$q" pay
	wait_until 10 eval '[ -n "$(dq-stat --messages expired "$q")" ]'
	equal "$(dq-stat --messages expired --json "$q" | jq -c '[.id, .expires_ms]')" \
		"$(printf '["x",%s]' "$(dq-stat --json "$q/x" | jq .expires_ms)")"
	equal "$(dq-stat --messages ready --json "$q" | jq -c '[.id, has("expires_ms")]' | tail -1)" '["y",false]' # it does not say
	equal "$(dq-stat --messages ready --payload --json "$q" | jq -c 'select(.id == "y").expires_ms')" \
		"$(dq-stat --json "$q/y" | jq .expires_ms)"
}
