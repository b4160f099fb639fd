# Goal: dq-set QUEUE paused:KEY=... pauses one key of a queue: no message of it is delivered until then, and all others are.

bats_require_minimum_version 1.5.0

load ../helper

silent() { # STATUS COMMAND...
	run "-$1" --separate-stderr "${@:2}"
	equal "$output$stderr" ''
}

pauses() { # the settings of keys
	dq-set "$q" | grep '^paused:' | paste -sd' '
}

taken() { # the payloads of what a take gets
	dq-take -q -n 9 --ack "$q" | cut -f 2 | paste -sd' '
}

later() { # MS: a time
	date -u -d "@$(($(server_ms) / 1000 + $1 / 1000))" +%Y-%m-%dT%H:%M:%S.000Z
}

@test "a key that is paused gives nothing, also of what is put then; the others go on, and those without a key" {
	dq-put -q -k a "$q" a1
	dq-put -q -k b "$q" b1
	silent 0 dq-set "$q" paused:a=yes
	dq-put -q -k a "$q" a2
	dq-put -q -k a -p 0 "$q" a0
	dq-put -q "$q" x
	equal "$(taken)" 'b1 x'
	fails 1 "^$q: limited by keys: " dq-take "$q"
	dq-put -q -k a -d 1ms "$q" a3
	equal "$(taken)" ''
	dq-put -q -k b "$q" b2
	equal "$(taken)" b2
	dq-set "$q" paused:a=no
	equal "$(taken)" 'a0 a1 a2 a3'
	equal "$(field stat limits) $(rcli EXISTS "dq:{$q}:conf")" 'k 0'
}

@test "what is leased ends as usual, and is not delivered again" {
	dq-put -q -k a -r 9 -b 0s "$q" a1 a2 a3
	dq-take -n 3 -t 1h "$q" | cut -f 1 >"$T/receipts"
	dq-set "$q" paused:a=yes
	sed -n 1p "$T/receipts" | dq-ack
	sed -n 2p "$T/receipts" | dq-ack -r
	sed -n 3p "$T/receipts" | dq-ack -g
	equal "$(taken)" ''
	equal "$(states)" '0 2 0 0'
	dq-set "$q" paused:a=no
	equal "$(taken | xargs -n 1 | sort | xargs)" 'a2 a3'
}

@test "with keys=serial and key-limit: both hold" {
	dq-put -q -k a "$q" a1 a2
	dq-put -q -k b "$q" b1 b2
	dq-set "$q" keys=serial paused:a=yes
	equal "$(dq-take -n 9 -t 1h "$q" | cut -f 2)" b1
	dq-set "$q" paused:a=no
	equal "$(dq-take -n 9 -t 1h "$q" | cut -f 2)" a1
	dq-set "$q" keys=fair key-limit=2 paused:b=yes
	equal "$(dq-take -n 9 -t 1h "$q" | cut -f 2)" a2
	dq-set "$q" paused:b=no
	equal "$(dq-take -n 9 -t 1h "$q" | cut -f 2)" b2
}

@test "a pause with an end ends by itself: by the clock of the server, to the ms" {
	local now=1800000000000
	dq-put -q -i a+1 "$q" x
	script set "$now" paused:a "$((now + 500))" >/dev/null
	[ "$(field stat key_pause) $(field stat armed)" = "$((now + 500)) $((now + 500))" ]
	equal "$(script take "$((now + 499))" 1 '' 1 1000 '' | sed 1,3d | paste -sd' ')" "0 4 $((now + 500))"
	equal "$(script take "$((now + 500))" 1 '' 1 1000 '' | sed -n 7p)" a+1
	equal "$(field stat limits) $(field stat key_pause) $(rcli EXISTS "dq:{$q}:conf")" 'k  0'
}

@test "of several pauses each has its end, and a promote ends them, too" {
	local now=1800000000000
	dq-put -q -i a+1 "$q" x
	dq-put -q -i b+1 "$q" x
	dq-put -q -i c+1 "$q" x
	script set "$now" paused:b "$((now + 300))" paused:c 1 paused:d "$((now + 300))" paused:a "$((now + 900))" >/dev/null
	equal "$(field stat key_pause)" "$((now + 300))"
	script promote "$((now + 300))" 9 '' >/dev/null
	equal "$(field stat key_pause) $(rcli HKEYS "dq:{$q}:conf" | sort | xargs)" "$((now + 900)) paused:a paused:c"
	equal "$(script take "$((now + 300))" 9 '' 0 1000 '' | sed -n 7p)" b+1
	script promote "$((now + 900))" 9 '' >/dev/null
	equal "$(field stat key_pause) $(rcli HKEYS "dq:{$q}:conf" | sort | xargs)" ' paused:c'
	equal "$(script take "$((now + 900))" 9 '' 0 1000 '' | sed -n 7p)" a+1
	equal "$(field stat limits)" hk
}

@test "a waiting taker wakes at the end of a pause, also of one that was set while it waited, and without promotes" {
	local option end
	for option in '' --no-promote; do
		dq-put -q -k a "$q" x
		dq-set "$q" paused:a=1h
		# shellcheck disable=SC2086
		timeout 60 dq-take -q -w 50 --ack $option "$q" >"$T/got" 3>&- &
		wait_until 10 eval "rcli CLIENT LIST | grep -q 'name=dq-take-wait.*cmd=bzpopmin'"
		dq-set "$q" paused:a=no paused:b=yes && dq-set "$q" paused:b=no
		wait $!
		equal "$(cut -f 2 "$T/got")" x
		dq-put -q -k a "$q" y
		dq-set "$q" paused:a=700ms
		end=$(rcli HGET "dq:{$q}:conf" paused:a)
		# shellcheck disable=SC2086
		timeout 60 dq-take -q -w 50 --ack $option "$q" >"$T/got" 3>&-
		equal "$(cut -f 2 "$T/got")" y
		[ "$(server_ms)" -ge "$end" ]
	done
}

@test "a take that gets nothing says when the pause ends: dq-stat, --json, --next, --check" {
	local end
	dq-put -q -k a "$q" x
	dq-set "$q" paused:a=1h paused:b=2h
	end=$(rcli HGET "dq:{$q}:conf" paused:a)
	equal "$(dq-stat --no-header "$q" | awk '{ print $10 }')" keys
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.limited, .limited_until_ms]')" "[\"keys\",$end]"
	between 3500000 "$(dq-stat --next "$q")" 3600000
	run -1 dq-stat --check --warn 'limited>1h' "$q"
	matches "$output" "$q: limited, key a for [0-9.]+m?s: it is paused"
	dq-set "$q" keys=serial
	equal "$(taken)" ''
	run -1 dq-stat --check --warn 'limited>1h' "$q"
	matches "$output" "$q: limited, key a for [0-9.]+m?s: it is paused"
	dq-set "$q" paused:a=no
	dq-set "$q" paused:a=yes
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.limited, .limited_until_ms]')" \
		"[\"keys\",$(rcli HGET "dq:{$q}:conf" paused:b)]"
	dq-set "$q" paused:a=no
	equal "$(dq-stat --json "$q" | jq -c '.queues[0] | [.limited, .limited_until_ms]')$(dq-stat --next "$q")" '[null,null]0'
}

@test "dq-stat --keys says that a key is paused; key-limit and a dead message block it otherwise" {
	blocked() { dq-stat --keys --json "$q" | jq -r '"\(.key) \(.in_turn) \(.blocked)"' | sort | paste -sd,; }
	dq-put -q -k a "$q" 1 2
	dq-put -q -k b "$q" 1
	dq-set "$q" paused:a=yes
	equal "$(blocked)" 'a false paused,b true null'
	equal "$(dq-stat --keys --no-header "$q" | awk '{ print $1, $NF }' | sort | paste -sd,)" 'a paused,b -'
	dq-set "$q" paused:a=no key-limit=1
	dq-take -q -n 9 -t 1h "$q" >"$T/taken"
	equal "$(blocked)" 'a false limit,b false null'
	dq-set "$q" paused:a=yes
	equal "$(blocked)" 'a false paused,b false null'
	dq-set "$q" key-limit=none keys=serial,stop
	grep "$q/a" "$T/taken" | dq-ack -b
	equal "$(blocked)" 'a false dead,b false null'
}

@test "a pause that is over holds nothing back, even if nobody has removed it: --next, --keys" {
	dq-put -q -i a+1 "$q" x
	script set '' paused:a "$(($(server_ms) + 60000))" >/dev/null
	rcli HSET "dq:{$q}:conf" paused:a 1000 >/dev/null
	rcli HSET "dq:{$q}:stat" key_pause 1000 >/dev/null
	equal "$(dq-stat --no-header "$q" | awk '{ print $10 }')$(dq-stat --next "$q")" -0
	equal "$(dq-stat --keys --json "$q" | jq .in_turn)" true
	silent 0 dq-gc --check "$q"
	equal "$(pauses)" ''
	equal "$(taken)" x
}

@test "a key that is not in turn although its pause is over is found, even if nothing says when it ends" {
	dq-put -q -i a+1 "$q" x
	script set '' paused:a "$(($(server_ms) + 60000))" >/dev/null
	rcli HSET "dq:{$q}:conf" paused:a 1000 >/dev/null
	rcli HDEL "dq:{$q}:stat" key_pause >/dev/null
	equal "$(taken)" x
	dq-put -q -i b+1 "$q" y
	script set '' paused:b "$(($(server_ms) + 60000))" >/dev/null
	rcli HSET "dq:{$q}:conf" paused:b 1000 >/dev/null
	rcli HDEL "dq:{$q}:stat" key_pause >/dev/null
	run -1 dq-gc --check "$q"
	matches "$output" "wrong limits"
	run dq-gc --repair "$q"
	equal "$(field stat key_pause)" 1000
	silent 0 dq-gc --check "$q"
	equal "$(taken)" y
}

@test "it prints what it takes, by key; --json; keys without messages" {
	local lines
	dq-set -q "$q" paused:b:.-_=yes paused:A=2036-11-20T09:00:00Z paused:9=yes
	equal "$(pauses)" 'paused:9=yes paused:A=2036-11-20T09:00:00.000Z paused:b:.-_=yes'
	equal "$(dq-set --json "$q" | jq -c .paused_keys)" '{"9":null,"A":2110784400000,"b:.-_":null}'
	mapfile -t lines < <(dq-set "$q")
	dq-set -q "$q.b" "${lines[@]}"
	equal "$(dq-set "$q.b")" "$(dq-set "$q")"
	dq-set "$q" paused:A=no paused:9=no
	equal "$(dq-set --json "$q" | jq -c .paused_keys)" '{"b:.-_":null}'
	equal "$(dq-gc --empty-for 0s "$q")$(pauses)" 'paused:b:.-_=yes'
	dq-rm -q -f -a "$q"
	equal "$(rcli KEYS "dq:{$q}:*")" ''
}

@test "an end does not end another pause earlier: a line, but with -q" {
	local end
	dq-set -q "$q" paused:a=2036-11-21T09:00:00Z
	run -0 --separate-stderr dq-set "$q" paused:a=1h paused:b=1h
	equal "$stderr" "dq-set: $q: key a stays paused until 2036-11-21T09:00:00.000Z, as before: paused:a=no ends that pause"
	silent 0 dq-set -q "$q" paused:a=1h
	end=$(later 9000000)
	silent 0 dq-set "$q" "paused:b=$end"
	equal "$(pauses)" "paused:a=2036-11-21T09:00:00.000Z paused:b=$end"
	silent 0 dq-set "$q" paused:a=yes
	run -0 --separate-stderr dq-set "$q" paused:a=1h
	equal "$stderr" "dq-set: $q: key a stays paused, as before: paused:a=no ends that pause"
	equal "$(dq-set "$q" | grep -c paused:a=yes)" 1
}

@test "what it does not take: 64, and nothing is set" {
	local words pauses='yes, no, a duration such as 10m, or a time such as 2026-11-21T09:00:00Z, or of words: @.*'
	for words in paused:=yes paused:a+b=yes paused:-a=yes 'paused:a b=yes' "paused:$(printf '%0127d' 1)=yes"; do
		fails 64 '^paused: ".*": a key is 1 to 126 of ' dq-set "$q" "$words"
	done
	for words in paused:a= paused:a=load paused:a=soon; do
		fails 64 "^paused:a: \"${words#*=}\": not $pauses\$" dq-set "$q" "$words"
	done
	fails 64 "^paused:a: \"1\": a number without a unit: $pauses\$" dq-set "$q" paused:a=1
	fails 64 '^paused:a: given twice$' dq-set "$q" paused:a=no paused:b=yes paused:a=yes
	fails 64 "^$q: not set: paused:a: that time has passed\$" dq-set "$q" paused:b=yes paused:a=2020-01-01T00:00:00Z
	fails 64 '^"paused:a": no NAME=VALUE$' dq-set "$q" paused:a
	equal "$(digest)" ''
	run script set '' paused:a load
	equal "$output" 'DQRANGE paused:a'
	run script set '' paused:a+b 1
	equal "$output" 'DQRANGE paused:a+b'
}

@test "1,000 keys at a time; those that are paused already, or resumed by the same call, do not count" {
	local words
	mapfile -t words < <(seq -f 'paused:k%g=yes' 1000)
	dq-set -q "$q" "${words[@]}"
	fails 64 "^$q: not set: more keys would be paused than may be at a time: 1000\$" dq-set "$q" paused:x=yes max-len=5
	fails 64 '^paused: more than 1000 keys$' dq-set "$q" "${words[@]}" paused:x=yes
	equal "$(field stat limits) $(rcli HLEN "dq:{$q}:conf")" 'h 1000'
	silent 0 dq-set "$q" paused:x=yes paused:k7=no paused:k8=yes
	equal "$(rcli HLEN "dq:{$q}:conf")" 1000
	rcli HSET "dq:{$q}:conf" paused:k9 1000 >/dev/null
	silent 0 dq-set "$q" paused:y=yes
	fails 64 'more keys' dq-set "$q" paused:z=yes
	rcli HSET "dq:{$q}:conf" paused:by 1 paused:hand 1 >/dev/null
	silent 0 dq-set "$q" paused:by=no
}

@test "many keys of several priorities, paused and resumed: a call places some of them, and takes find the others" {
	local each
	for each in 1 2 3; do
		seq -f "0	k%g+-	$each" 400 | dq-put -q -p "$each" --tsv "$q"
	done
	seq -f 'paused:k%g=yes' 399 | xargs dq-set -q "$q"
	equal "$(rcli ZCARD "dq:{$q}:turn")" 948 # of 1,200: the takes remove the others
	equal "$(taken)" '1 2 3'
	equal "$(rcli ZCARD "dq:{$q}:turn")" 0
	seq -f 'paused:k%g=no' 399 | xargs dq-set -q "$q"
	equal "$(pauses)$(rcli ZCARD "dq:{$q}:turn")" 252
	equal "$(dq-take -q -n 9 "$q" | wc -l)" 9
	equal "$(script set '' '?paused:k399' 1 | sed -n 3p) $(pauses)" '0 paused:k399=yes'
	equal "$(script set '' paused:k399 0 | sed -n 3p) $(pauses)" '1 '
	dq-promote -q "$q"
	equal "$(rcli ZCARD "dq:{$q}:turn") $(rcli EXISTS "dq:{$q}:conf")" '1188 0'
	seq -f 'paused:k%g=1s' 399 | xargs dq-set -q "$q"
	equal "$(dq-take -q -w 20s -n 9 "$q" | wc -l)" 9
	equal "$(dq-take -q -n 2000 "$q" | wc -l)" 1179
	dq-gc -q --check "$q"
}

@test "script: many keys that one call resumes are served, also if the clock is set back then" {
	local now=1800000000000 words
	seq -f "0	k%g+-	x" 400 | dq-put -q --tsv "$q"
	mapfile -t words < <(seq -f $'paused:k%g\n1' 400)
	script set "$now" "${words[@]}" >/dev/null
	mapfile -t words < <(seq -f $'paused:k%g\n0' 400)
	script set "$now" "${words[@]}" >/dev/null
	holds 0 400 0 0
	script take "$((now - 3600000))" 999 '' 1 999999 >/dev/null
	script take "$((now - 3600000))" 999 '' 1 999999 >/dev/null
	holds 0 0 400 0
}

@test "keys that are paused and resumed again and again, while nobody takes: what is left of their pauses has a limit" {
	local each
	for each in 1 2; do
		seq -f "0	k%g+-	$each" 4000 | dq-put -q -p "$each" --tsv "$q"
	done
	for each in 0 1 2 3; do
		seq -f 'paused:k%g=yes' $((each * 1000 + 1)) $((each * 1000 + 1000)) | xargs -n 1000 dq-set -q "$q"
		seq -f 'paused:k%g=no' $((each * 1000 + 1)) $((each * 1000 + 1000)) | xargs -n 1000 dq-set -q "$q"
		[ "$(rcli HLEN "dq:{$q}:conf")" -le 2000 ]
	done
	dq-gc -q --check "$q"
	dq-promote -q "$q"
	equal "$(rcli ZCARD "dq:{$q}:turn") $(rcli EXISTS "dq:{$q}:conf")" '8000 0'
}

@test "a queue of shards: the shard of the key has it, also if it was set before; dq-dump and dq-load carry it" {
	local end conf
	end=$(later 3600000)
	dq-set -q "$q" paused:a=yes "paused:b=$end"
	dq-set "$q" shards=3
	for conf in $(rcli KEYS "dq:{$q*}:conf"); do rcli HKEYS "$conf" | sort | paste -sd' '; done | sort | uniq -c | xargs >"$T/conf"
	equal "$(cat "$T/conf")" '3 paused:a paused:b'
	dq-set "$q" paused:c=yes
	equal "$(pauses)" "paused:a=yes paused:b=$end paused:c=yes"
	dq-put -q -k a "$q" a1
	dq-put -q -k b "$q" b1
	dq-put -q -k d "$q" d1
	equal "$(taken)" d1
	between 3400000 "$(dq-stat --next "$q")" 3600000
	dq-dump "$q" >"$T/dump"
	equal "$(head -n 1 "$T/dump" | jq -c '.paused_keys')" "{\"a\":null,\"b\":$(date -d "$end" +%s000),\"c\":null}"
	dq-rm -q -f -a "$q"
	dq-load -q "$T/dump"
	equal "$(pauses)" "paused:a=yes paused:b=$end paused:c=yes"
	equal "$(taken)" ''
	dq-set "$q" paused:a=no paused:b=no
	equal "$(taken | xargs -n 1 | sort | xargs)" 'a1 b1'
}

@test "a load leaves the pause of a key that the queue has; a line of a dump that is none is refused" {
	local text
	dq-set -q "$q" paused:a=yes paused:b=yes
	dq-dump "$q" >"$T/dump"
	dq-set "$q" paused:a=no paused:b=no
	dq-set -q "$q" paused:a=2036-11-21T09:00:00Z
	dq-load -q "$T/dump"
	equal "$(pauses)" 'paused:a=2036-11-21T09:00:00.000Z paused:b=yes'
	for text in 5 '"a"' '{"a+b":null}' '{"a":1}' '{"a":"x"}' '{"a":null,}' '[1]'; do
		sed "1s/\"paused_keys\":{[^}]*}/\"paused_keys\":$text/" "$T/dump" >"$T/wrong"
		run -65 dq-load -q "$T/wrong"
	done
	dq-set -q "$q.none" max-len=3
	equal "$(dq-dump "$q.none" | grep -c paused_keys)" 0
}

@test "script: ?NAME is set if the queue lacks it; the pause of a load, and one whose time has passed, is none" {
	local now=1800000000000
	script set "$now" paused load paused:a "$((now + 5))" keys serial max-len 7 >/dev/null
	equal "$(script set "$((now + 5))" '?paused:a' 1 '?paused' "$((now + 90))" '?keys' serial,stop '?max-len' 9 '?rate' 1/1000 \
		'?key-limit' 2 | sed 1,2d | paste -sd,)" '0,1,serial,7,,'
	equal "$(rcli HMGET "dq:{$q}:conf" paused:a paused keys max-len rate key-limit | paste -sd' ')" \
		"1 load $((now + 90)) serial 7 1/1000 2"
	script set "$((now + 6))" '?paused' 1 '?paused:a' "$((now + 900))" '?paused:b' "$((now + 6))" '?paused:c' "$((now + 7))" >/dev/null
	equal "$(rcli HMGET "dq:{$q}:conf" paused paused:a paused:b paused:c | paste -sd' ')" "load $((now + 90)) 1  $((now + 7))"
	script set "$((now + 90))" '?paused' 1 >/dev/null
	equal "$(rcli HGET "dq:{$q}:conf" paused)" 1
	run script set "$((now + 90))" '?paused' x
	matches "$output" 'DQRANGE .paused'
}

@test "a load passes over pauses whose time has passed, however many; more than 1,000 keys that are paused are refused, 65" {
	dq-set -q "$q" paused:a=yes
	dq-put -q -k a "$q" a1
	dq-dump "$q" >"$T/dump"
	jq -c 'if .kind == "queue" then .paused_keys += ([range(999) | {key: "k\(.)", value: 1000}] | from_entries) else . end' \
		"$T/dump" >"$T/over"
	seq -f 'paused:o%g=yes' 999 | xargs dq-set -q --prefix new "$q"
	run -0 --separate-stderr dq-load -q --prefix new "$T/over"
	equal "$stderr$(rcli HLEN "new:{$q}:conf")" 1000
	run -1 dq-take -q --prefix new "$q"
	sed '1s/"paused_keys":{/&"z":null,/; s/"dump":[0-9]*/"dump":7/' "$T/dump" >"$T/more"
	dq-rm -q -f -a --prefix new "$q"
	seq -f 'paused:o%g=yes' 999 | xargs dq-set -q --prefix new "$q"
	fails 65 "^$q: stays paused: its limits are not set: more keys would be paused than may be at a time: 1000" \
		dq-load -q --prefix new "$T/more"
	dq-set --prefix new "$q" paused:o1=no
	run -0 --separate-stderr dq-load -q --prefix new "$T/more"
	equal "$stderr$(rcli HLEN "new:{$q}:conf")" 1000
}

@test "what ends the pause of a key of a queue that is not there: nothing to resume" {
	run -0 --separate-stderr dq-set "$q" paused:a=no
	equal "$stderr" "dq-set: $q: no such queue yet: nothing to resume"
	equal "$(rcli EXISTS "dq:{$q}:conf" "dq:{$q}:stat")" 0
}

@test "a user who may not do all that it takes: 77, and nothing is set" {
	local right before
	dq-set -q "$q" paused:z=yes key-limit=3
	dq-put -q -k a "$q" x
	for right in hgetall zrem zscore zlexcount; do
		rcli ACL SETUSER "no-$right" reset on '>x' '~*' '&*' +@all "-$right" >/dev/null
		before=$(digest)
		DQ_URL=unix://no-$right:x@$T/main/s fails 77 "^$q: not set: NOPERM this user has no right to run (${right^^}$|a command )" \
			dq-set "$q" paused:a=yes paused:z=no
		equal "$(digest)" "$before"
	done
}
