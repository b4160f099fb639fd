# Goal: dq-stat shows everything known about a message, its payload exactly, and changes nothing.

bats_require_minimum_version 1.5.0

load ../helper
load foreign

keys='name state due due_ms when again first_due holder tries failures given_back reason ttr priority backoff expires unique keep'
keys+=' traceparent tracestate size'

@test "a message: each key once, in one order, the defaults written out" {
	dq-put -q -i x -a @4000000000.001 "$q" hello
	run -0 --separate-stderr dq-stat "$q/x"
	equal "$stderr" ''
	equal "$(cut -f1 <<<"$output" | paste -sd' ')" "$keys"
	equal "$(grep -v '^when' <<<"$output")" "$(printf '%s\t%s\n' name "$q/x" state delayed due 2096-10-02T07:06:40.001Z \
		due_ms 4000000000001 again - first_due - holder - tries '0 of 5' failures 0 given_back 0 reason - ttr 1m priority 100 \
		backoff 1s,10s,1m,10m expires - unique - keep - traceparent - tracestate - size 5)"
	matches "$(value when "$q/x")" '^in [0-9]+d[0-9]+h$'
}

@test "a message: the defaults are those of the scripts" {
	local lua=$top/lua/lib
	dq-put -q -i x "$q" hello
	equal "$(dq-stat --json "$q/x" | jq -r '.backoff_ms | join(",")')" \
		"$(sed -nE "s/^local BACKOFF = '(.*)'$/\1/p" "$lua/constants.lua")"
	equal "$(dq-stat --json "$q/x" | jq -r '[.ttr_ms, .max_tries, .priority] | join(", ")')" \
		"$(sed -nE 's/^local (TTR|TRIES|PRIORITY) = ([0-9]+)$/\2/p' "$lua/constants.lua" | paste -sd, | sed 's/,/, /g')"
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
	equal "$(dq-stat --json "$q/x" "$q/y" | jq -c \
		'[.ttr_ms, .max_tries, .priority, .backoff_ms, .backoff_exp_ms, .expires_ms, .unique_ms, .size]')" \
		"$(printf '%s\n' '[90500,7,3,[0,0,120000,3600000],null,4100000000000,86400000,3]' \
		'[60000,5,100,null,[1000,3600000],null,null,3]')"
}

@test "a message: an unreadable header is shown, never an empty field" {
	local i=0 b
	for b in ',' 1,,2 'exp:' exp:1 'exp:1..' exp:a..b 12x 99999999999999999999 exp:1,2 $'a\tb'; do
		make "x$((++i))" "t= r=x x=-1 u=1.5 b=$b" y
		run -0 --separate-stderr dq-stat "$q/x$i"
		equal "$(awk -F '\t' 'NF != 2 || $2 == ""' <<<"$output")" ''
		equal "${#lines[@]}" 21
		dq-stat --json "$q/x$i" | jq -e '.ttr_ms == 60000 and .max_tries == 5 and .expires_ms == null' >/dev/null
	done
}

@test "a message: in each state, with its own word for the time" {
	dq-put -q -i x "$q" hello
	equal "$(value state "$q/x")" ready
	matches "$(value when "$q/x")" '^[0-9]+ms ago$|^[0-9.]+s ago$'
	equal "$(value due_ms "$q/x")" "$(($(score ready x) - 100 * 4398046511104))"
	local due
	due=$(value due_ms "$q/x")
	dq-take -t 1h "$q" >/dev/null
	equal "$(value state "$q/x") $(value due_ms "$q/x")" "leased $due"
	matches "$(value due "$q/x")" '^20[0-9-]+T[0-9:]+\.[0-9]{3}Z$'
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
	equal "$(value died_ms "$q/y") $(value due "$q/y") $(value due_ms "$q/y")" '1000000000000 - -'
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

@test "a missing message: 1, and the others are shown" {
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
	local want='{"name":"'$q'/a","queue":"'$q'","id":"a","key":null,"state":"delayed",'
	want+='"due_ms":4000000000000,"lease_until_ms":null,"died_ms":null,"tries":0,"given_back":0,"reason":null,'
	want+='"reason_base64":null,"holder":null,"again_ms":null,"first_due_ms":null,"failures":0,'
	want+='"max_tries":5,"ttr_ms":60000,"priority":100,'
	want+='"backoff_ms":[1000,10000,60000,600000],"backoff_exp_ms":null,"expires_ms":null,'
	want+='"unique_ms":null,"keep_ms":null,"traceparent":null,"tracestate":null,"size":5}'
	equal "$(jq -c 'del(.now_ms)' <<<"${lines[0]}")" "$want"
	equal "$(jq -c '[.id, .size, (.now_ms | type)]' <<<"${lines[1]}")" '["b",0,"number"]'
}

@test "queues and messages: the table first, whatever the order" {
	dq-put -q -i x -d 1h "$q" hello
	run -0 dq-stat --no-header "$q/x" "$q"
	matches "${lines[0]}" "^$q +1 +0 "
	equal "${lines[1]}" "name"$'\t'"$q/x"
	equal "${#lines[@]}" 22
	run -0 dq-stat --json "$q/x" "$q"
	equal "$(jq -r '.queues[0].queue // .name' <<<"$output" | paste -sd' ')" "$q $q/x"
	run -0 dq-stat "$q/x"
	equal "${#lines[@]}" 21
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
	fails 64 '^--payload: not with --next$' dq-stat --payload --next "$q"
	fails 1 "^$q/y: no such message\$" dq-stat --payload "$q/y"
}

@test "bad input: 64 before anything is shown" {
	fails 64 'foo.*leased, ready, due, delayed, dead' dq-stat --messages=foo "$q"
	fails 64 'not one or more' dq-stat --messages= "$q"
	fails 64 "\"$q/x\": a queue's name" dq-stat --messages all "$q/x"
	fails 64 'no id after the /' dq-stat "$q/"
	fails 64 'an id is' dq-stat "$q/a b"
	fails 64 'no queue before the /' dq-stat /x
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
