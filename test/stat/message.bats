# dq-stat: single messages, listings, payloads.

bats_require_minimum_version 1.5.0

load ../helper

# A message as a foreign hand would write it, due in 2096.
make() { # ID HEADER PAYLOAD [PART [SCORE]]
	rcli HSET "dq:{$q}:msg" "$1" "$2"$'\n'"$3" >/dev/null
	rcli ZADD "dq:{$q}:${4:-delayed}" "${5:-4000000000000}" "$1" >/dev/null
}

value() { # KEY NAME
	dq-stat "$2" | sed -n "s/^$1\t//p"
}

keys='name state due due_ms when again tries reason ttr priority backoff expires unique size'

@test "a message: each key once, in one order, the defaults written out" {
	dq-put -q -i x -a @4000000000.001 "$q" hello
	run -0 --separate-stderr dq-stat "$q/x"
	equal "$stderr" ''
	equal "$(cut -f1 <<<"$output" | paste -sd' ')" "$keys"
	equal "$(grep -v '^when' <<<"$output")" "$(printf '%s\t%s\n' name "$q/x" state delayed due 2096-10-02T07:06:40.001Z \
		due_ms 4000000000001 again - tries '0 of 5' reason - ttr 1m priority 100 backoff 1s,10s,1m,10m expires - unique - size 5)"
	matches "$(value when "$q/x")" '^in [0-9]+d[0-9]+h$'
}

@test "a message: the defaults are those of the scripts" {
	local lua=$top/lua/lib
	dq-put -q -i x "$q" hello
	equal "$(dq-stat --json "$q/x" | jq -r '.backoff_ms | join(",")')" "$(sed -nE "s/^local BACKOFF = '(.*)'$/\1/p" "$lua/backoff.lua")"
	equal "$(dq-stat --json "$q/x" | jq -r '[.ttr_ms, .max_tries, .priority] | join(", ")')" \
		"$(sed -nE 's/^local TTR, TRIES, PRIORITY = (.*)$/\1/p' "$lua/record.lua")"
}

@test "a message: options from its header" {
	make x 'x=4100000000000 t=90500 r=7 p=3 b=0,0,120000,3600000 u=86400000' abc
	equal "$(value tries "$q/x")" '0 of 7'
	equal "$(value ttr "$q/x")" 1m30s500ms
	equal "$(value priority "$q/x")" 3
	equal "$(value backoff "$q/x")" 0s,0s,2m,1h
	equal "$(value expires "$q/x")" 2099-12-03T16:53:20.000Z
	equal "$(value unique "$q/x")" 1d
	equal "$(value size "$q/x")" 3
	make y b=exp:1000..3600000 abc
	equal "$(value backoff "$q/y")" exp:1s..1h
	equal "$(dq-stat --json "$q/x" "$q/y" | jq -c '[.ttr_ms, .max_tries, .priority, .backoff_ms, .backoff_exp_ms, .expires_ms, .unique_ms, .size]')" \
		"$(printf '%s\n' '[90500,7,3,[0,0,120000,3600000],null,4100000000000,86400000,3]' '[60000,5,100,null,[1000,3600000],null,null,3]')"
}

@test "a message: a header that nobody can read is shown, never an empty field" {
	local i=0 b
	for b in ',' 1,,2 'exp:' exp:1 'exp:1..' exp:a..b 12x 99999999999999999999 exp:1,2 $'a\tb'; do
		make "x$((++i))" "t= r=x x=-1 u=1.5 b=$b" y
		run -0 --separate-stderr dq-stat "$q/x$i"
		equal "$(awk -F '\t' 'NF != 2 || $2 == ""' <<<"$output")" ''
		equal "${#lines[@]}" 14
		dq-stat --json "$q/x$i" | jq -e '.ttr_ms == 60000 and .max_tries == 5 and .expires_ms == null' >/dev/null
	done
}

@test "a message: in each state, with its own word for the time" {
	dq-put -q -i x "$q" hello
	equal "$(value state "$q/x")" ready
	matches "$(value when "$q/x")" '^[0-9]+ms ago$|^[0-9.]+s ago$'
	equal "$(value due_ms "$q/x")" "$(($(score ready x) - 100 * 4398046511104))"
	dq-take -t 1h "$q" >/dev/null
	equal "$(value state "$q/x")" leased
	matches "$(value when "$q/x")" '^in 59m[0-9]+s$'
	equal "$(value lease_until_ms "$q/x")" "$(score leased x)"
	matches "$(value lease_until "$q/x")" '^20[0-9-]+T[0-9:]+\.[0-9]{3}Z$'
	equal "$(value tries "$q/x")" '1 of 5'
	equal "$(value again "$q/x")" -
	dq-put -q -e later -a @4000000000 -i x "$q" hello
	equal "$(value again "$q/x")" 2096-10-02T07:06:40.000Z
	equal "$(dq-stat --json "$q/x" | jq .again_ms)" 4000000000000
	later 7200000
	matches "$(value when "$q/x")" '^1h0m ago$'
	make y '' pay dead 1000000000000
	equal "$(value state "$q/y")" dead
	equal "$(value died "$q/y")" 2001-09-09T01:46:40.000Z
	equal "$(value died_ms "$q/y")" 1000000000000
	make z '' pay delayed 1000000000000
	equal "$(value state "$q/z") $(value due "$q/z")" 'due 2001-09-09T01:46:40.000Z'
	rcli HSET "dq:{$q}:msg" lost $'\npay'
	equal "$(value state "$q/lost") $(value due "$q/lost") $(value due_ms "$q/lost") $(value when "$q/lost")" '- - - -'
	equal "$(dq-stat --json "$q/lost" | jq -c '[.state, .due_ms, .lease_until_ms, .died_ms]')" '[null,null,null,null]'
}

@test "a message: the last reason, escaped" {
	make x '' pay dead 1000000000000
	rcli -x HSET "dq:{$q}:try" x < <(printf '3 0 5 \ntab\there\nline\\\r') >/dev/null
	equal "$(value reason "$q/x")" 'tab\there\nline\\\r'
	equal "$(value tries "$q/x")" '3 of 5'
	equal "$(dq-stat --json "$q/x" | jq -r .reason)" $'tab\there\nline\\\r'
	rcli -x HSET "dq:{$q}:try" x < <(printf '3 0 5 \n\377') >/dev/null
	equal "$(dq-stat --json "$q/x" | jq -c '[.reason, .reason_base64]')" '[null,"/w=="]'
}

@test "a message: a receipt does as well" {
	dq-put -q -i x "$q" hello
	run -0 dq-stat "$(dq-take "$q" | cut -f1)"
	equal "${lines[0]}" "name"$'\t'"$q/x"
	equal "${lines[1]}" "state"$'\t'leased
}

@test "a message that is not there: 1, and the others are shown" {
	fails 1 "^$q/x: no such message\$" dq-stat "$q/x"
	fails 1 "^$q/x: no such message\$" dq-stat --json "$q/x"
	dq-put -q -i y "$q" hello
	run -1 --separate-stderr dq-stat "$q/x" "$q/y"
	equal "$stderr" "dq-stat: $q/x: no such message"
	equal "${lines[0]}" "name"$'\t'"$q/y"
}

@test "--json of messages: an object a line, with numbers" {
	dq-put -q -i a -a @4000000000 "$q" hello
	dq-put -q -i b "$q" ''
	run -0 --separate-stderr dq-stat --json "$q/a" "$q/b"
	equal "${#lines[@]}" 2
	equal "$(jq -c 'del(.now_ms)' <<<"${lines[0]}")" '{"name":"'"$q/a"'","queue":"'"$q"'","id":"a","state":"delayed","due_ms":4000000000000,"lease_until_ms":null,"died_ms":null,"tries":0,"reason":null,"reason_base64":null,"again_ms":null,"max_tries":5,"ttr_ms":60000,"priority":100,"backoff_ms":[1000,10000,60000,600000],"backoff_exp_ms":null,"expires_ms":null,"unique_ms":null,"size":5}'
	equal "$(jq -c '[.id, .size, (.now_ms | type)]' <<<"${lines[1]}")" '["b",0,"number"]'
}

@test "queues and messages: the table first, whatever the order" {
	dq-put -q -i x -d 1h "$q" hello
	run -0 dq-stat --no-header "$q/x" "$q"
	matches "${lines[0]}" "^$q +1 +0 "
	equal "${lines[1]}" "name"$'\t'"$q/x"
	equal "${#lines[@]}" 15
	run -0 dq-stat --json "$q/x" "$q"
	equal "$(jq -r '.queues[0].queue // .name' <<<"$output" | paste -sd' ')" "$q $q/x"
	run -0 dq-stat "$q/x"
	equal "${#lines[@]}" 14
}

@test "--payload: the bytes, exactly" {
	printf 'a\0b\n\n\377' >"$T/bytes"
	dq-put -q -i x "$q" - <"$T/bytes"
	dq-stat --payload "$q/x" | cmp - "$T/bytes"
	head -c 1048576 /dev/urandom >"$T/mib"
	dq-put -q -i y "$q" - <"$T/mib"
	dq-stat --payload "$q/y" | cmp - "$T/mib"
	dq-put -q -i z "$q" ''
	run -0 --separate-stderr dq-stat --payload "$q/z"
	equal "$output$stderr" ''
	rcli -x HSET "dq:{$q}:msg" plain < <(printf 'no header') >/dev/null
	equal "$(dq-stat --payload "$q/plain")" 'no header'
}

@test "--payload: of exactly one message" {
	dq-put -q -i x "$q" hello
	fails 64 '^--payload: ' dq-stat --payload
	fails 64 '^--payload: ' dq-stat --payload "$q"
	fails 64 '^--payload: ' dq-stat --payload "$q/x" "$q"
	fails 64 '^--payload: ' dq-stat --payload "$q/x" "$q/x"
	fails 64 '^--payload: ' dq-stat --payload --json "$q/x"
	fails 64 '^--payload: ' dq-stat --payload --messages all "$q"
	fails 1 "^$q/y: no such message\$" dq-stat --payload "$q/y"
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

@test "--messages: a line a message, in the order of states" {
	five
	run -0 --separate-stderr dq-stat --messages all "$q"
	equal "$stderr" ''
	equal "$output" "$(printf '%s\t%s\t%s\t%s\t%s\n' \
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

# An argument that may be left out would take the state for a queue, and dq-rm would get all messages.
@test "--messages without a state is refused" {
	local -x DQ_PREFIX=$q
	dq-put -q "$q" x
	fails 64 '^--messages: "'"$q"'": not a state \(leased ready due delayed dead\), nor expired, nor all$' dq-stat --messages "$q"
	fails 64 '^--messages: needs an argument$' dq-stat --messages
	equal "$(dq-stat --messages dead "$q")" ''
}

@test "--messages all --json: an object a line" {
	five
	run -0 dq-stat --messages all --json "$q"
	equal "${#lines[@]}" 5
	equal "${lines[4]}" '{"name":"'"$q/x"'","queue":"'"$q"'","id":"x","state":"dead","due_ms":5,"lease_until_ms":null,"died_ms":1000000000004,"tries":5,"reason":"no\tway","reason_base64":null}'
	equal "$(jq -c '[.state, .due_ms, .lease_until_ms, .died_ms, .reason]' <<<"$output")" "$(printf '%s\n' \
		'["leased",5,4000000000003,null,null]' '["ready",1000000000002,null,null,null]' '["due",1000000000001,null,null,null]' \
		'["delayed",4000000000000,null,null,null]' '["dead",5,null,1000000000004,"no\tway"]')"
	local id
	for id in l r u d x; do # and of one by name
		equal "$(dq-stat --json "$q/$id" | jq -c '[.id, .state, .due_ms, .lease_until_ms, .died_ms, .tries, .reason]')" \
			"$(jq -c --arg id "$id" 'select(.id == $id) | [.id, .state, .due_ms, .lease_until_ms, .died_ms, .tries, .reason]' <<<"$output")"
	done
}

@test "a time that is printed goes back in, as ms and as text" {
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

# Every member of dq-stat(1) in the output that its column names, and no other; null or not.
@test "--json: the members are those of dq-stat(1), in each output" {
	local kind
	members() { # LETTER
		awk -v kind="$1" '/^\.Sh/ { on = $2 == "JSON" }
			name && /^[a-z]+,[A-Z ]+: / { sub(/:.*/, ""); if (index($0, kind)) print name }
			{ name = on && /^\.It Li / ? $3 : "" }' "$top/man/dq-stat.1" | sort
	}
	five
	rcli HSET "dq:{$q}:msg" odd $'b=exp:1..2\n\377' >/dev/null
	rcli ZADD "dq:{$q}:ready" 1 odd >/dev/null
	dq-take -n 2 --json "$q" >"$T/D"
	dq-stat --messages all --json "$q" >"$T/L"
	dq-stat --json "$q"/{l,r,u,d,x,odd} >"$T/M"
	dq-stat --json "$q" | jq '.queues[]' >"$T/Q"
	dq-stat --check --json "$q" | jq '.findings[]' >"$T/F"
	for kind in D L M Q F; do
		[ -s "$T/$kind" ]
		equal "$kind: $(jq -rs 'map(keys) | unique | .[] | join(" ")' "$T/$kind")" "$kind: $(members "$kind" | paste -sd' ')"
	done
	equal "$(jq -c '[.payload, .payload_base64]' "$T/D" | sort | paste -sd' ')" '["2",null] [null,"/w=="]'
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
@test "--messages: what the reader removes shifts nothing" {
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

@test "--messages: fit for dq-rm and dq-promote --dead" {
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

@test "--messages: a reader that goes ends it" {
	seq 5000 | dq-put -ql "$q"
	set +o pipefail
	run --separate-stderr env --default-signal=PIPE bash -c "dq-stat --messages all $q | head -n 1; echo \${PIPESTATUS[0]}"
	equal "$stderr" ''
	matches "${lines[1]}" '^(141|0)$'
}

@test "bad input: 64 before anything is shown" {
	fails 64 'foo.*leased ready due delayed dead' dq-stat --messages=foo "$q"
	fails 64 'not a state' dq-stat --messages= "$q"
	fails 64 "\"$q/x\": a queue's name" dq-stat --messages all "$q/x"
	fails 64 'an id is' dq-stat "$q/"
	fails 64 'an id is' dq-stat "$q/a b"
	fails 64 "a queue's name" dq-stat /x
	fails 64 'receipt' dq-stat "$q/x@"
	fails 64 "a queue's name" dq-stat ''
	fails 64 'argument' dq-stat --payload=x "$q/x"
}

@test "standard output is full: 74" {
	dq-put -q -i x "$q" hello
	local options
	for options in "$q/x" "--json $q/x" "--payload $q/x" "--messages all $q" "--messages all --json $q" "$q" "$q $q/x"; do
		# shellcheck disable=SC2086
		run --separate-stderr bash -c "dq-stat $options >/dev/full"
		equal "$status $stderr" '74 dq-stat: standard output: No space left on device'
	done
}

@test "no Redis: 69" {
	local options
	for options in x/y '--payload x/y' '--messages all x'; do
		# shellcheck disable=SC2086
		fails 69 '' dq-stat -u "unix://$T/none" $options
	done
}

@test "a key of a foreign type: 70, the others are shown" {
	dq-put -q -i x "$q" hello
	rcli SET "dq:{$q-2}:try" 1
	run -70 --separate-stderr dq-stat "$q-2/y" "$q/x"
	matches "$stderr" "^dq-stat: $q-2/y: not shown: .*dq:\{$q-2\}:try"
	equal "${lines[0]}" "name"$'\t'"$q/x"
	run -70 --separate-stderr dq-stat --messages all "$q-2" "$q"
	equal "${#stderr_lines[@]}" 1
	matches "$stderr" "^dq-stat: $q-2: not shown: "
	matches "$output" "^$q/x"$'\t'ready
}

@test "it changes nothing" {
	local before
	five
	before=$(digest)
	dq-stat "$q" "$q/l" "$q/u"
	dq-stat --messages all "$q"
	dq-stat --payload "$q/l"
	equal "$(digest)" "$before"
}
