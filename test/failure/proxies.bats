# Goal: Behind a proxy, whose errors no list has, tools that run for ever go on, and none says that a message may have been put which was
# not sent.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load ../run/worker

setup() {
	begin_test
	D=$T/$q.d
	mkdir "$D" "$T/proxy"
	python3 "$top/test/tool/refusing.py" "$T/proxy/s" "$T/main/s" "$T/proxy" 3>&- &
	echo $! >"$T/proxy/pid"
	disown
	wait_until 30 test -S "$T/proxy/s"
	direct=unix://$T/main/s
	export D DQ_URL=unix://$T/proxy/s
}

refuse() { # TEXT WORD...
	local word
	for word in "${@:2}"; do
		printf '%s' "$1" >"$T/proxy/new" && mv "$T/proxy/new" "$T/proxy/$word"
	done
}

lift() { # WORD...
	rm "${@/#/$T/proxy/}"
}

was_refused() { # WORD
	grep -qx "$1" "$T/proxy/refused"
}

# What Envoy and twemproxy say while their server is away, and what nobody knows.
texts=('upstream failure' 'upstream protocol error' 'no upstream host' 'ERR Host is down' 'ERR Connection refused' 'ERR Broken pipe'
	'ERR handle response, backend conn reset' 'WHATEVER this is')

@test "dq-run goes on, whatever the proxy says, and runs the next message" {
	local text i=0
	work "$q" -- sh -c 'cat >>"$D/ran"'
	for text in "${texts[@]}"; do
		refuse "$text" EVALSHA EVAL
		DQ_URL=$direct dq-put -q "$q" "$((++i))"
		wait_until 20 grep -q ": $text: connecting again\$" "$D/err"
		lift EVALSHA EVAL
		wait_until 20 holds 0 0 0 0
	done
	equal "$(<"$D/ran")" 12345678
	kill "$worker"
	exits 143 "$worker"
}

@test "a command that ends meanwhile is settled later" {
	dq-put -q "$q" x
	mkfifo "$D/end"
	work "$q" -- sh -c ': >"$D/started"; read -r go <"$D/end"'
	wait_until 20 test -e "$D/started"
	refuse 'upstream failure' EVALSHA EVAL
	echo go >"$D/end"
	wait_until 20 grep -q ': upstream failure: connecting again$' "$D/err"
	holds 0 0 1 0
	lift EVALSHA EVAL
	wait_until 20 holds 0 0 0 0
	kill "$worker"
	exits 143 "$worker"
}

@test "dq-take -f and dq-promote -f go on" {
	local tool
	DQ_URL=$direct dq-put -q -d 1ms "$q" x
	for tool in dq-promote dq-take; do
		refuse 'ERR Host is down' EVALSHA EVAL
		"$tool" -f "$q" >"$T/out" 2>"$T/$tool" 3>&- &
		wait_until 20 grep -q ': ERR Host is down: connecting again$' "$T/$tool"
		lift EVALSHA EVAL
		wait_until 20 grep -q ': connected again$' "$T/$tool"
		[ "$tool" = dq-promote ] || wait_until 20 test -s "$T/out"
		kill $!
		exits 143 $!
	done
}

@test "while the greeting is refused, a worker goes on" {
	DQ_URL="$DQ_URL?db=3"
	work "$q" -- sh -c 'cat >>"$D/ran"'
	wait_until 20 is_waiting
	refuse 'ERR Host is down' SELECT
	rcli CLIENT KILL TYPE normal >/dev/null
	wait_until 20 grep -q ': ERR Host is down: connecting again$' "$D/err"
	lift SELECT
	wait_until 20 grep -q ': connected again$' "$D/err"
	DQ_URL="$direct?db=3" dq-put -q "$q" x
	wait_until 20 test -s "$D/ran"
	kill "$worker"
	exits 143 "$worker"
}

is_waiting() {
	rcli CLIENT LIST | grep -q ' cmd=bzpopmin '
}

@test "waiting is refused, or hung up on: the tool goes on without it" {
	local text
	DQ_URL=$direct warm_up "$q"
	for text in "unsupported command 'bzpopmin'" 'ERR blocking is not for this proxy' ''; do
		refuse "$text" BZPOPMIN
		dq-take -w 1h "$q" >"$T/out" 2>"$T/err" 3>&- &
		wait_until 20 was_refused BZPOPMIN
		DQ_URL=$direct dq-put -q "$q" x
		exits 0 $!
		matches "$(<"$T/out")" $'\tx$'
		equal "$(<"$T/err")" ''
		lift BZPOPMIN refused
	done
}

@test "an unknown error to the call itself: perhaps it was done, 75, and it is safe to repeat it" {
	refuse 'upstream failure' EVALSHA EVAL
	fails 75 "^$q: 1 message perhaps not put: upstream failure\$" dq-put -q -i x "$q" x
	refuse 'no upstream host' EVALSHA EVAL
	fails 75 "^$q: 1 message not put: no upstream host\$" dq-put -q -i x "$q" x
	lift EVALSHA EVAL
	holds 0 0 0 0
	dq-put -q -i x "$q" x
	holds 0 1 0 0
}

# The queue has shards: so dq-put asks for their number before it puts.
@test "an unknown error to a question before the call: not put" {
	local text
	DQ_URL=$direct dq-set "$q" shards=3
	for text in "${texts[@]}" ''; do
		refuse "$text" HGET
		fails 75 "^$q: 1 message not put: ${text:-connection closed by the server}" dq-put -q "$q" x
		was_refused HGET
		lift HGET refused
	done
	equal "$(rcli KEYS "*{$q*}:msg")" ''
}

@test "an unknown error to the greeting: 75, and nothing was sent" {
	refuse 'ERR Host is down' SELECT
	fails 75 "^unix://$T/proxy/s[?]db=3: ERR Host is down\$" dq-put -u "$DQ_URL?db=3" -q "$q" x
}
