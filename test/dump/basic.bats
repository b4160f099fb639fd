# Goal: dq-dump writes every message in every state with every attribute; and while messages move, every message that stays.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load dump

@test "every attribute, in every state" {
	local due=4000000000000 want
	dq-put -q -a "@$due"ms -i delayed "$q" 'to ann'
	dq-put -q -i ready -p 7 -t 90s -r 9 -b 1s,2m -x 2h --unique-for 3h "$q" ''
	dq-put -q -i exp -p 8 -b exp:1s..1h "$q" x
	dq-put -q -i leased -p 1 "$q" a
	dq-put -q -i dead -p 2 "$q" b
	dq-take -n 2 -t 1h "$q" >"$T/receipts"
	grep dead "$T/receipts" | dq-ack -b -m $'why "\t\xff'
	dq-put -q --existing -e later -a "@$due"ms -i leased "$q"
	dq-dump "$q" >"$T/dump"
	want='{"kind":"message","queue":"'$q'","id":"delayed","key":null,"state":"delayed",'
	want+='"due_ms":4000000000000,"lease_until_ms":null,"died_ms":null,"tries":0,"given_back":0,"reason":null,'
	want+='"reason_base64":null,"again_ms":null,"first_due_ms":null,"failures":0,"max_tries":5,"ttr_ms":60000,"priority":100,'
	want+='"backoff_ms":[1000,10000,60000,600000],"backoff_exp_ms":null,"expires_ms":null,'
	want+='"unique_ms":null,"keep_ms":null,"traceparent":null,"tracestate":null,"payload":"to ann","payload_base64":null}'
	equal "$(jq -c 'select(.id == "delayed")' "$T/dump")" "$want"
	equal "$(jq -c 'select(.id == "ready") | [.state, .tries, .max_tries, .ttr_ms, .priority, .backoff_ms,
		.expires_ms - .due_ms > 7199990, .unique_ms, .payload]' "$T/dump")" \
		'["ready",0,9,90000,7,[1000,120000],true,10800000,""]'
	equal "$(jq -c 'select(.id == "exp") | [.backoff_ms, .backoff_exp_ms]' "$T/dump")" '[null,[1000,3600000]]'
	equal "$(jq -c 'select(.id == "leased") | [.state, .lease_until_ms, .tries, .again_ms, .due_ms < .lease_until_ms]' "$T/dump")" \
		"[\"leased\",$(score leased leased),1,$due,true]"
	equal "$(jq -c 'select(.id == "dead") | [.state, .died_ms, .lease_until_ms, .reason, .reason_base64]' "$T/dump")" \
		"[\"dead\",$(score dead dead),null,null,\"d2h5ICIJ/w==\"]"
	equal "$(kinds "$T/dump")" 'queue 5*message end done'
	local last
	last='"paused":false,"paused_until_ms":null,"max_leased":null,"rate":null,"max_len":null,"keys":null,"key_limit":null,"shards":1,'
	last+='"token":'$(field stat token)
	matches "$(head -1 "$T/dump")" '^\{"kind":"queue","queue":"'"$q"'","dump":[0-9]{16},"now_ms":[0-9]{13},'"$last"'\}$'
	equal "$(tail -2 "$T/dump" | jq -c 'del(.dump)')" \
		'{"kind":"end","queue":"'"$q"'","token":'"$(field stat token)"',"messages":5,"reserved":0}
{"kind":"done","queues":1,"messages":5,"reserved":0}'
	equal "$(jq .dump "$T/dump" | sort -u | grep -cv null)" 1
}

@test "a message has all members that it has in dq-stat, with the same values" {
	dq-put -q -i a -d 1h -x 2h "$q" x
	diff <(dq-stat --json "$q/a" | jq -S 'del(.name, .size, .now_ms, .holder)') \
		<(dq-dump "$q" | jq -S 'select(.kind == "message") | del(.kind, .payload, .payload_base64)')
}

@test "any payload makes valid JSON, and is unchanged in it" {
	local id
	printf 'a\0b\1\x7f"\\\n\t\b/' >"$T/nul"
	printf '\xff\xfe' >"$T/bin"
	printf '\xf0\x9f\x98\x80\xe2\x80\xa8' >"$T/utf"
	head -c 3000000 /dev/urandom >"$T/random"
	head -c 3000000 /dev/zero >"$T/zero"
	for id in nul bin utf random zero; do dq-put -q --max-bytes 4M -i "$id" "$q" <"$T/$id"; done
	dq-dump "$q" >"$T/dump"
	for id in nul bin utf random zero; do
		jq -r --arg id "$id" 'select(.id == $id) | .payload_base64 // (.payload | @base64)' "$T/dump" | base64 -d | cmp - "$T/$id"
	done
}

@test "reserved ids, empty and paused queues; all queues, or the named ones" {
	local other=$q.other
	dq-put -q --unique-for 1h -i kept "$q" x
	dq-put -q --unique-for 1ms -i past "$q" x
	dq-take -n 2 "$q" | dq-ack
	rcli ZADD "dq:{$q}:settled" 5 past >/dev/null
	dq-set "$q" paused=yes
	dq-put -q -i a "$other" x
	dq-dump >"$T/all"
	equal "$(jq -r '[.kind, .queue // "-", .id // "-"] | @tsv' "$T/all" | grep -F "$q")" "queue	$q	-
reserved	$q	kept
end	$q	-
queue	$other	-
message	$other	a
end	$other	-"
	equal "$(jq -c 'select(.kind == "reserved") | .reserved_until_ms' "$T/all")" "$(score settled kept)"
	equal "$(jq -c --arg q "$q" 'select(.kind == "queue" and .queue == $q) | .paused' "$T/all")" true
	dq-dump "$other" >"$T/one"
	equal "$(kinds "$T/one")" 'queue message end done'
}

@test "a queue that does not exist: reported, and 1" {
	run --separate-stderr dq-dump "$q.none"
	equal "$status" 1
	equal "$stderr" "dq-dump: $q.none: no such queue yet: dq-put creates it"
	equal "$(jq -c .kind <<<"$output")" '"done"'
	run --separate-stderr dq-dump -q "$q.none"
	equal "$status$stderr" 1
}

@test "a foreign id is skipped, and reported; a body in no state is ready" {
	dq-put -q -i a "$q" x
	rcli HSET "dq:{$q}:msg" 'a b' $'\nx' stray $'p=3\ny' >/dev/null
	run --separate-stderr dq-dump "$q"
	equal "$status" 1
	matches "$stderr" "^dq-dump: $q: foreign id \"a b\" in msg: skipped"
	equal "$(jq -r 'select(.kind == "message") | [.id, .state, .priority] | @tsv' <<<"$output" | sort | tr '\t' ' ')" 'a ready 100
stray ready 3'
	equal "$(jq -c .kind <<<"$output" | tail -1)" '"done"'
}

@test "a queue that cannot be read: the others are written, and no last line" {
	dq-put -q -i a "$q.a" x
	dq-put -q -i b "$q.b" x
	rcli DEL "dq:{$q.a}:dead" >/dev/null
	rcli SET "dq:{$q.a}:dead" x >/dev/null
	run --separate-stderr dq-dump "$q.a" "$q.b"
	equal "$status" 70
	matches "$stderr" "^dq-dump: $q.a: not dumped: dq:.* is a string"
	equal "$(jq -r '.kind' <<<"$output" | paste -sd' ')" 'queue message end'
}

@test "a message that moves all the time is not missed" {
	seq -f 'm%g' 3000 | awk '{ print "-\t" $1 "\tx" }' | dq-put -q -r 1000000 -b 0 --tsv "$q"
	local pid
	for _ in 1 2; do
		dq-take -f -q "$q" 3>&- 2>/dev/null | dq-ack -r -d 1ms -q 3>&- 2>/dev/null &
	done
	dq-promote -f -q "$q" 3>&- 2>/dev/null &
	retried() { [ "$(field stat retried)" -gt "$1" ]; }
	wait_until 20 retried 100
	for _ in 1 2 3 4 5; do
		dq-dump "$q" >"$T/dump"
		equal "$(jq -r 'select(.kind == "message").id' "$T/dump" | sort -u | wc -l)" 3000
		wait_until 20 retried $(($(field stat retried) + 500))
	done
	[ "$(jq -r .state "$T/dump" | sort -u | grep -vc null)" -ge 2 ]
	for pid in $(jobs -p); do [[ $'\n'$not_ours$'\n' == *$'\n'$pid$'\n'* ]] || kill "$pid" 2>/dev/null || true; done
}

@test "output that cannot be written: 74; a closed reader ends the tool" {
	seq 3000 | dq-put -q -l "$q"
	run -74 --separate-stderr bash -c 'dq-dump "$1" >/dev/full' bash "$q"
	equal "$stderr" 'dq-dump: standard output: No space left on device'
	run -141 --separate-stderr bash -c 'dq-dump "$1" | head -1 >/dev/null; exit "${PIPESTATUS[0]}"' bash "$q"
	equal "$stderr" ''
}

alone() {
	[ "$(rcli CLIENT LIST | wc -l)" = 2 ]
}

@test "a lost connection: 75, and no last line" {
	seq 20000 | dq-put -q -l "$q"
	mkfifo "$T/pipe"
	dq-dump "$q" >"$T/pipe" 2>"$T/err" 3>&- &
	local pid=$!
	exec 9<"$T/pipe"
	read -r -u 9 _
	wait_until 20 alone # tools of the test before may still be ending
	equal "$(rcli CLIENT KILL TYPE normal SKIPME yes)" 1
	cat <&9 >"$T/rest"
	exec 9<&-
	exits 75 "$pid"
	matches "$(cat "$T/err")" "^dq-dump: $q: not dumped: "
	run -1 grep -E '"kind":"(end|done)"' "$T/rest"
}
