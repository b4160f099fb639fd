# Goal: dq-load makes the messages of a dump as they were, and reports those that it cannot make.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../dump/dump

# All states in queue $q.
fill() {
	dq-put -q -d 1h -i delayed "$q" 'to ann'
	dq-put -q -i ready -p 7 -t 90s -r 9 -b 1s,2m -x 2h --unique-for 3h "$q" $'a\tb\n"\\'
	dq-put -q -i exp -p 8 -b exp:1s..1h "$q" ''
	TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 TRACESTATE='a=1,b=x y' dq-put -q -d 1h -x 2h -i later "$q" x
	printf '\xff\0' | dq-put -q -i leased -p 1 "$q"
	dq-put -q -i asked -p 2 "$q" x
	dq-put -q -i dead -p 3 "$q" b
	dq-put -q -i retried -p 4 -b 1h "$q" b
	dq-put -q --unique-for 1h -p 5 -i acked "$q" b
	dq-take -n 5 -t 1h "$q" >"$T/receipts"
	grep dead "$T/receipts" | dq-ack -b -m $'why "\t\xff'
	grep retried "$T/receipts" | dq-ack -r -m 'try again'
	grep acked "$T/receipts" | dq-ack
	dq-put -q --existing -e later -d 2h -i asked "$q"
}

load_line() { # LINE: prints what dq-load says
	printf '%s\n' "$1" | dq-load 2>&1 || echo "status $?"
}

@test "all states and attributes: the new dump is the old one" {
	fill
	dq-dump "$q" >"$T/old"
	run --separate-stderr -0 dq-load --prefix new "$T/old"
	equal "$(sort <<<"$output")" "$(jq -r 'select(.kind == "message") | .queue + "/" + .id' "$T/old" | sort)"
	equal "$stderr" ''
	dq-dump --prefix new "$q" >"$T/new"
	diff <(contents "$T/old") <(contents "$T/new")
	equal "$(contents "$T/new" | wc -l)" 9
	equal "$(jq -r 'select(.id == "later") | .traceparent + " " + .tracestate' "$T/new")" \
		'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 a=1,b=x y'
	DQ_PREFIX=new holds 3 2 2 1
	equal "$(rcli ZRANGE "{new:queues}" 0 -1)" "$q"
	equal "$(dq-stat --prefix new --json "$q" | jq '.queues[].totals | [.put, .taken, .dead]' -c)" '[8,0,0]'
}

@test "a leased message: no receipt of the old server is valid; it is due when its lease ends, or at its rescheduled time" {
	fill
	dq-dump "$q" | dq-load -q --prefix new
	grep -E 'leased|asked' "$T/receipts" >"$T/two"
	run -1 dq-ack --prefix new <"$T/two"
	export DQ_PREFIX=new
	holds 3 2 2 1
	later 3600001
	dq-promote "$q"
	equal "$(dq-stat --json "$q/leased" | jq -c '[.state, .tries, .reason]')" '["ready",1,"lease ran out"]'
	equal "$(dq-stat --json "$q/asked" | jq -c '[.state, .tries]')" '["delayed",0]'
	equal "$(dq-take "$q" | cut -f1 | sed 's/@.*//')" "$q/leased"
}

@test "how often a message was given back: in every state, also without a try" {
	dq-put -q -i ready "$q" x
	dq-put -q -i delayed "$q" x
	dq-put -q -i dead "$q" x
	dq-put -q -i leased "$q" x
	dq-take -n 4 "$q" | dq-ack -g
	dq-take -n 4 -t 1h "$q" >"$T/receipts"
	grep dead "$T/receipts" | dq-ack -b
	grep delayed "$T/receipts" | dq-ack -g -d 1h
	grep ready "$T/receipts" | dq-ack -g
	dq-dump "$q" >"$T/dump"
	dq-load -q --prefix new <"$T/dump"
	equal "$(dq-stat --prefix new --messages all --json "$q" | jq -c '[.id, .tries, .given_back]' | sort | paste -sd' ')" \
		'["dead",1,1] ["delayed",0,2] ["leased",1,1] ["ready",0,2]'
	dq-dump --prefix new "$q" | jq -c 'select(.kind == "message") | [.id, .tries, .given_back]' | sort >"$T/new"
	jq -c 'select(.kind == "message") | [.id, .tries, .given_back]' "$T/dump" | sort | diff - "$T/new"
	sed 's/"given_back":[0-9]*,//' "$T/dump" | dq-load -q --prefix old
	equal "$(dq-stat --prefix old --json "$q/delayed" | jq .given_back)" 0
}

@test "tokens: greater than all of the old server, and never less than they were" {
	local line='{"kind":"queue","queue":"'$q'","dump":7,"now_ms":1,"paused":false,"token":4000000000000000}'
	dq-put -q -i a "$q" x
	printf '%s\n' "$line" '{"kind":"end","queue":"'"$q"'","dump":7,"token":4000000000000005,"messages":0,"reserved":0}' \
		'{"kind":"done","dump":7}' | dq-load
	matches "$(dq-take "$q")" '@4000000000000006'
	printf '%s\n' "${line/4000000000000000/5}" | fails 65 'the end of the dump is missing' dq-load
	equal "$(field stat token)" 4000000000000006
}

@test "another message with the id: fail, keep, replace" {
	local new='{"queue":"'$q'","id":"a","due_ms":1,"payload":"new"}'
	dq-put -q -i a "$q" old
	equal "$(load_line "$new")" "dq-load: $q/a: not loaded: another message has the id (-e)
status 1"
	equal "$(printf '%s\n' "$new" | dq-load -e keep)" ''
	equal "$(dq-stat --payload "$q/a")" old
	equal "$(printf '%s\n' "$new" | dq-load -e replace)" "$q/a"
	equal "$(dq-stat --payload "$q/a")" new
	equal "$(load_line "$new")" "$q/a"
	equal "$(field stat put)" 1
}

@test "a reserved id: fail and keep do not load the message, replace does" {
	local new='{"queue":"'$q'","id":"a","due_ms":1,"payload":"x"}'
	dq-put -q -i a --unique-for 1h "$q" x
	dq-take --ack "$q" >/dev/null
	equal "$(load_line "$new")" "dq-load: $q/a: not loaded: its message was acked, and the id is still reserved (-e)
status 1"
	equal "$(printf '%s\n' "$new" | dq-load -v -e keep 2>&1)" \
		"dq-load: $q/a: not loaded: its message was acked, and the id is still reserved
dq-load: 0 there already, 0 replaced, 1 kept, 0 loaded, 0 refused, 0 unknown"
	holds 0 0 0 0
	equal "$(printf '%s\n' "$new" | dq-load -e replace)" "$q/a"
}

@test "a line that dq-dump did not write has the defaults; a message whose time has passed is ready" {
	equal "$(load_line '{"id":"a","payload":"x","queue":"'"$q"'","due_ms":5}')" "$q/a"
	equal "$(field msg a)" $'\nx'
	holds 0 1 0 0
	equal "$(load_line ' { "payload_base64" : "/wA=", "queue":"'"$q"'" ,"id":"b","due_ms":4000000000000,"priority":3,"unknown":null}' |
		sed 's/.*line/line/')" \
		$'line 1: unknown member: "unknown"\nstatus 65'
	equal "$(load_line ' { "payload_base64" : "/wA=", "queue":"'"$q"'" ,"id":"b","due_ms":4000000000000,"priority":3,"name":7}')" "$q/b"
	equal "$(dq-stat --json "$q/b" | jq -c '[.state,.priority,.size]')" '["delayed",3,2]'
}

@test "a queue whose first line is not valid is not loaded: it would not be paused; the others are" {
	local bad n=0
	dq-put -q -i 1 "$q.a" x
	dq-put -q -i 2 "$q.a" x
	dq-put -q -i 3 "$q.b" x
	dq-dump "$q.a" "$q.b" >"$T/dump"
	for bad in 's/"shards":1/"shards":0/' 's/"shards":1/"shards":2.5/' 's/"paused":false/"paused":0/' 's/"dump":/"dump":x/' \
		's/"queue":"[^"]*"/"queue":7/' 's/"token".*//'; do
		n=$((n + 1))
		run -65 --separate-stderr dq-load --prefix "p$n" <<<"$(sed "1$bad" "$T/dump")"
		equal "$output" "$q.b/3"
		equal "${#stderr_lines[@]}" 3
		matches "${stderr_lines[0]}" '^dq-load: line 1: '
		equal "${stderr_lines[1]}" "dq-load: line 2: $q.a: not loaded: no valid line began it"
		matches "${stderr_lines[2]}" "^dq-load: line 4: $q.a: "
		equal "$(dq-set --prefix "p$n" "$q.b" | head -n 1)" paused=no
		run -65 dq-load --dry-run <<<"$(sed "1$bad" "$T/dump")"
	done
	dq-load -q --prefix p1 "$T/dump"
	equal "$(dq-take --prefix p1 -n 9 "$q.a" | wc -l)" 2
}

# Each line has one fault; {M} is a message without another fault.
@test "invalid lines: the error names line, member and reason; the others are loaded" {
	local lines why n=0
	local good='"queue":"'$q.a'","id":"a","payload":"x","due_ms":1'
	while IFS=$'\t' read -r line why; do
		n=$((n + 1))
		lines="${line//M/$good}"
		run --separate-stderr dq-load <<<"$lines"$'\n''{"queue":"'"$q"'","id":"other'"$n"'","payload":"x","due_ms":1}'
		equal "$status" 65
		equal "$output" "$q/other$n"
		matches "$stderr" "^dq-load: line 1: $why" || {
			echo "$lines"
			return 1
		}
	done <<-'EOF'
		x	not JSON as dq-dump writes it: no object at byte 1$
		{}	queue: not a text$
		[]	.*no object
		{M	.*no comma at byte
		{M}x	.*more than an object
		{M,}	.*no member
		{M,"id":"b"}	repeated member: "id"
		{M,"x":1}	unknown member: "x"
		{M,"tries":1.5}	.*not a whole number
		{M,"tries":1e3}	.*not a whole number
		{M,"tries":01}	.*not a whole number
		{M,"tries":9007199254740993}	.*not a whole number
		{M,"tries":-1}	tries: not a number from 0
		{M,"given_back":-1}	given_back: not a number from 0
		{M,"given_back":4398046511104}	given_back: not a number from 0
		{M,"traceparent":"x"}	traceparent: not valid
		{M,"tracestate":"a=1"}	tracestate: not valid without traceparent
		{M,"tries":"1"}	tries: not a number
		{M,"tries":true}	tries: not a number
		{M,"max_tries":0}	max_tries: not a number from 1
		{M,"priority":256}	priority: not a number from 0 to 255
		{M,"ttr_ms":0}	ttr_ms: not a number from 1
		{M,"expires_ms":4398046511104}	expires_ms: not a number
		{M,"backoff_ms":[]}	backoff_ms: empty
		{M,"backoff_ms":[1,2}	.*no comma
		{M,"backoff_ms":["1"]}	.*no value
		{M,"backoff_ms":[-1]}	backoff_ms: out of range
		{M,"backoff_exp_ms":[5,1]}	backoff_exp_ms: not
		{M,"backoff_exp_ms":[5]}	backoff_exp_ms: not
		{M,"backoff_ms":[1],"backoff_exp_ms":[1,2]}	backoff_ms: not with
		{M,"state":"gone"}	state: "gone": not one of
		{M,"state":"leased"}	lease_until_ms: none
		{M,"state":"dead"}	died_ms: none
		{M,"again_ms":5}	again_ms: the message is not leased
		{M,"payload_base64":"eA=="}	payload: not with payload_base64
		{"queue":"x","id":"a","due_ms":1}	payload: missing
		{"queue":"x","id":"a","due_ms":1,"payload_base64":"eA"}	payload_base64: not base64
		{"queue":"x","id":"a","payload":"x"}	due_ms: none
		{"queue":"a b","id":"a","payload":"x"}	queue: "a b": not valid
		{"queue":"x","id":"","payload":"x"}	id: "": not valid
		{"queue":"x","id":"a+b+c","payload":"x"}	id: "a\+b\+c": not valid
		{"queue":"x","id":"a","key":"a","payload":"x"}	key: "a": not that of the id
		{"queue":"x","id":"a+b","key":"b","payload":"x"}	key: "b": not that of the id
		{"queue":"x","id":"a+b","key":7,"payload":"x"}	key: "": not that of the id
		{"kind":"odd"}	kind: "odd": not one of
		{M,"reason":"\ud800"}	.*half of a surrogate pair
		{M,"reason":"\udc00\ud800"}	.*half of a surrogate pair
		{M,"reason":"\u12g4"}	.*hexadecimal
		{M,"reason":"\x"}	.*no such escape
		{M,"reason":"x	.*no comma|.*cut off
		{"kind":"reserved","queue":"x","id":"a"}	reserved_until_ms: none
		{"kind":"queue","queue":"x","dump":1,"token":1}	paused: not true or false
		{"kind":"queue","queue":"x","dump":1,"paused":true}	token: none
		{"kind":"end","queue":"x","dump":1,"token":1,"messages":0,"reserved":0}	x: this line ends the queue, but no line began it
	EOF
	equal "$n" 54
	run -65 dq-load <<<$'{"queue":"\xff"}'
	equal "$output" 'dq-load: line 1: not UTF-8'
}

@test "--dry-run: the lines only, without a server" {
	fill
	dq-dump "$q" >"$T/dump"
	run -0 dq-load --dry-run -u redis://127.0.0.1:1 "$T/dump"
	equal "$output" ''
	head -3 "$T/dump" | fails 65 'standard input: the end of the dump is missing: load the whole dump, or a new one$' dq-load --dry-run
	echo x | fails 65 'line 1: ' dq-load --dry-run
	: | fails 65 'standard input: empty: a dump has a last line' dq-load --dry-run # what a failed dq-dump leaves
	fails 65 'standard input: empty: a dump has a last line' dq-load <<<$'\n \t'
	: >"$T/empty"
	fails 65 "$T/empty: empty: a dump has a last line" dq-load "$T/empty"
}

@test "files and standard input; a file that does not exist" {
	printf '{"queue":"%s","id":"%s","payload":"x","due_ms":1}\n' "$q" a >"$T/a"
	printf '\n{"queue":"%s","id":"%s","payload":"x","due_ms":1}' "$q" b >"$T/b"
	equal "$(dq-load "$T/a" - <"$T/b")" "$q/a"$'\n'"$q/b"
	echo x >>"$T/a"
	fails 74 "$T/none: No such file or directory$" dq-load "$T/none"
	fails 65 "$T/a: line 2: " dq-load -q "$T/a"
	run -0 dq-load -v -q "$T/b" "$T/b"
	equal "$output" 'dq-load: 2 there already, 0 replaced, 0 kept, 0 loaded, 0 refused, 0 unknown'
}

@test "a payload of 16 MiB whose every byte is escaped" {
	head -c 16777216 /dev/zero | dq-put -q -i big --max-bytes 16M "$q"
	dq-dump "$q" | dq-load -q --prefix new
	equal "$(rcli DEBUG DIGEST-VALUE "new:{$q}:msg")" "$(rcli DEBUG DIGEST-VALUE "dq:{$q}:msg")"
	{
		printf '{"queue":"%s","id":"more","due_ms":1,"payload":"' "$q"
		head -c 16777217 /dev/zero | tr '\0' x
		echo '"}'
	} | fails 65 'line 1: payload: over the limit of 16777216 bytes' dq-load
}

@test "Redis is full: nothing is loaded; with memory again it continues" {
	dq-put -q -i a "$q" x
	dq-dump "$q" >"$T/dump"
	rcli CONFIG SET maxmemory 1 >/dev/null
	run --separate-stderr dq-load -q --prefix new "$T/dump"
	rcli CONFIG SET maxmemory 0 >/dev/null
	equal "$status" 75
	matches "$stderr" 'not loaded: OOM'
	dq-load -q --prefix new "$T/dump"
	DQ_PREFIX=new holds 0 1 0 0
}

@test "a closed reader ends the tool; a full disk is 74" {
	seq 5000 | dq-put -q -l "$q"
	dq-dump "$q" >"$T/dump"
	run -74 --separate-stderr bash -c 'dq-load --prefix new "$1" >/dev/full' bash "$T/dump"
	matches "$stderr" '^dq-load: standard output: No space left on device'
}

@test "a letter that only a put replies is an unexpected reply: 70" {
	local letter made=0
	for letter in e l m p u o y f '?'; do
		start_fake "$q-$((++made))" "\$1\r\n$letter\r\n"
		fails 70 "^$q: 1 message perhaps not loaded: unexpected reply to script load$" \
			dq-load -u "unix://$T/$q-$made/s" - <<<"{\"queue\":\"$q\",\"id\":\"a\",\"payload\":\"x\",\"due_ms\":1}"
	done
}
