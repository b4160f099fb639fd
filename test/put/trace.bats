# Goal: The W3C trace context in the environment of dq-put is stored with its messages, byte for byte, if it is valid.

bats_require_minimum_version 1.5.0

load ../helper

parent=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
other=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00

record() { # ID
	rcli HGET "dq:{$q}:msg" "$1"
}

@test "TRACEPARENT and TRACESTATE are in the record, and in what dq-take --json and dq-stat print" {
	TRACEPARENT=$parent TRACESTATE='rojo=00f067aa0ba902b7,congo=t61 rc%' dq-put -q -i x -t 5s "$q" pay
	equal "$(record x)" "c=$parent s=rojo=00f067aa0ba902b7,congo=t61%20rc%25 t=5000"$'\npay'
	equal "$(dq-stat "$q/x" | grep ^trace)" \
		"$(printf '%s\t%s\n' traceparent "$parent" tracestate 'rojo=00f067aa0ba902b7,congo=t61 rc%')"
	dq-stat --json "$q/x" >"$T/json"
	dq-stat --messages ready --payload --json "$q" >>"$T/json"
	dq-take --json "$q" >>"$T/json"
	equal "$(jq -r '"\(.traceparent) \(.tracestate)"' "$T/json")" \
		"$(printf '%s\n%s\n%s' "$parent rojo=00f067aa0ba902b7,congo=t61 rc%"{,,})"
	equal "$(dq-stat --messages leased --json "$q" | jq -c 'has("traceparent")')" false
}

@test "without a context: not a byte in the record, null and -" {
	dq-put -q -i x "$q" pay
	TRACEPARENT='' TRACESTATE=a=1 dq-put -q -i y "$q" pay
	equal "$(record x)" $'\npay'
	equal "$(record y)" $'\npay'
	equal "$(dq-stat "$q/x" | grep ^trace | paste -sd' ')" $'traceparent\t- tracestate\t-'
	equal "$(dq-take --json "$q" | jq -c '[.traceparent, .tracestate]')" '[null,null]'
}

@test "an invalid context is ignored, and reported only with -v" {
	local bad
	for bad in x "${parent^^}" "${parent}0" "ff${parent#00}" " $parent" 00-00000000000000000000000000000000-00f067aa0ba902b7-01 \
		00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01 "$parent"$'\n' "$parent t=1"; do
		run -0 --separate-stderr env TRACEPARENT="$bad" TRACESTATE=a=1 dq-put -i x -e replace "$q" pay
		equal "$output$stderr" "$q/x"
		equal "$(record x)" $'\npay'
	done
	run -0 --separate-stderr env TRACEPARENT=x dq-put -v -i y "$q" pay
	matches "$stderr" '^dq-put: TRACEPARENT: not a trace context: ignored'
	for bad in A=1 a 'a=1,b' $'a=1\n' "a=$(printf '%0300d' 0)"; do
		run -0 --separate-stderr env TRACEPARENT=$parent TRACESTATE="$bad" dq-put -i x -e replace "$q" pay
		equal "$output$stderr" "$q/x"
		equal "$(record x)" "c=$parent"$'\npay'
	done
	run -0 --separate-stderr env TRACEPARENT=$parent TRACESTATE=x dq-put -v -i z "$q" pay
	matches "$stderr" '^dq-put: TRACESTATE: not valid, or over 512 bytes: ignored'
}

@test "a later version of the standard passes as it is" {
	TRACEPARENT=cc${parent#00}-what.the-future:brings dq-put -q "$q" pay
	equal "$(dq-take --json "$q" | jq -r .traceparent)" "cc${parent#00}-what.the-future:brings"
}

@test "-l, --tsv, operands: one context for all" {
	export TRACEPARENT=$parent
	seq 2500 | dq-put -ql "$q"
	printf '1h\ta\tx\n-\tb\ty\n' | dq-put -q --tsv -x 1d "$q"
	dq-put -q "$q" one two
	equal "$(dq-stat --messages all --payload --json "$q" | jq -r .traceparent | sort | uniq -c | awk '{ print $1, $2 }')" \
		"2504 $parent"
}

@test "-e: the context of the put that made or replaced the message" {
	TRACEPARENT=$parent dq-put -q -i x -d 1h "$q" pay
	for mode in keep earlier later; do
		TRACEPARENT=$other dq-put -q -i x -e $mode -d 2h "$q" pay
		equal "$mode $(record x)" "$mode c=$parent"$'\npay'
	done
	TRACEPARENT=$other dq-put -q -i x --existing -e earlier -d 30m "$q"
	equal "$(record x)" "c=$parent"$'\npay'
	TRACEPARENT=$other dq-put -q -i x -e replace -d 1h "$q" pay
	equal "$(record x)" "c=$other"$'\npay'
	dq-put -q -i x -e replace -x 2h -d 1h "$q" pay
	matches "$(record x)" $'^x=[0-9]+\npay$'
}

@test "a put that is sent again is the same one, if its context is" {
	equal "$(script put '' fail 100 '' 0 x "c=$parent"$'\npay')" n
	equal "$(script put '' repeat 100 '' 0 x "c=$parent"$'\npay')" s
	equal "$(script put '' repeat 100 '' 0 x "c=$other"$'\npay')" x
	equal "$(script put '' repeat 100 '' 0 x $'\npay')" x
}

@test "the context stays with the message: retries, redrive, a later expiry" {
	TRACEPARENT=$parent TRACESTATE=x=1,u=2 dq-put -q -i x -r 2 -b 0 -x 1d "$q" pay
	dq-take "$q" | dq-ack -r
	dq-put -q -i x -e later -d 1s -x 2d "$q" pay
	later 1001
	equal "$(dq-take --json "$q" | tee "$T/json" | jq -r '"\(.try) \(.traceparent) \(.tracestate)"')" "2 $parent x=1,u=2"
	jq -r .receipt "$T/json" | dq-ack -b
	equal "$(script redrive $(($(server_ms) + 3 * 86400000)) x)" d
	equal "$(record x)" "b=0 c=$parent r=2 s=x=1,u=2"$'\npay'
}
