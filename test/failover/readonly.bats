# Goal: A call that a former master refuses is repeated on the new master: in order, by long-running tools and by one-shot tools. Without
# a new master, the tools report that and wait.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0

load ../helper
load failover

is_told() { # FILE...  of each tool: once, that it is connecting again, and why
	local file
	for file; do
		equal "$(grep -c 'READONLY .*: connecting again$' "$file")" 1 || return
	done
}

are_told() {
	is_told "$T/take.err" "$T/run.err" "$T/promote.err"
}

@test "one plain host becomes a replica: long-running tools report it once, and continue when it is a master again" {
	start_tcp other
	local other=$port
	start_tcp a
	local url=redis://127.0.0.1:$port go
	go=(-u "$url" --timeout 5s)
	dq-take -f "${go[@]}" "$q" >"$T/taken" 2>"$T/take.err" 3>&- &
	local take=$! run promote name
	dq-run "${go[@]}" "run$q" -- sh -c 'cat >>"$0"; echo >>"$0"' "$T/ran" 2>"$T/run.err" 3>&- &
	run=$!
	dq-promote -f "${go[@]}" "due$q" 2>"$T/promote.err" 3>&- &
	promote=$!
	for name in take run promote; do
		wait_until 10 grep -q 'no such queue yet' "$T/$name.err"
	done
	replicates a "$other"
	wait_until 20 are_told
	fails 75 "^$q: 1 message not put: READONLY " dq-put "${go[@]}" "$q" x
	SERVER=a rcli REPLICAOF NO ONE
	dq-put -q "${go[@]}" "$q" here
	dq-put -q "${go[@]}" "run$q" there
	wait_until 20 grep -q here "$T/taken"
	wait_until 20 grep -q there "$T/ran"
	wait_until 20 grep -q 'connected again' "$T/promote.err"
	are_told
	end_three "$take" "$run" "$promote"
	stop_server a
	stop_server other
}

@test "dq-put -l and dq-ack: the master moves while lines arrive: everything is done, in order, without a message" {
	start_tcp a
	local a=$port b
	start_tcp b --replicaof 127.0.0.1 "$a"
	b=$port
	wait_until 20 in_step b
	local url=redis://127.0.0.1:$a,127.0.0.1:$b
	mkfifo "$T/in" "$T/receipts"
	dq-put -l -u "$url" --timeout 20s "$q" <"$T/in" >"$T/put" 2>"$T/put.err" 3>&- &
	local put=$!
	dq-ack -u "$url" --timeout 20s - <"$T/receipts" 2>"$T/ack.err" 3>&- &
	local ack=$!
	exec 8>"$T/in" 9>"$T/receipts"
	printf '%s\n' {1..50} >&8
	wait_until 10 has_put 50
	dq-take -u "$url" -n 20 -t 1h "$q" | cut -f1 >"$T/first"
	head -10 "$T/first" >&9
	wait_until 10 left a 40
	wait_until 10 has_all_of a b
	SERVER=b rcli REPLICAOF NO ONE >/dev/null
	replicates a "$b"
	printf '%s\n' {51..100} >&8
	tail -10 "$T/first" >&9
	exec 8>&- 9>&-
	exits 0 "$put"
	exits 0 "$ack"
	said_only_that "$T/put.err" "$T/ack.err"
	wait_until 10 has_put 100
	dq-take -u "$url" -n 100 "$q" >"$T/rest"
	equal "$(cut -f2 "$T/rest" | paste -sd' ')" "$(echo {21..100})"
	stop_server b
	stop_server a
}

has_put() { # COUNT
	[ "$(wc -l <"$T/put")" = "$1" ]
}

left() { # NAME COUNT
	[ "$(SERVER=$1 rcli HLEN "dq:{$q}:msg")" = "$2" ]
}

# A server that is a master at first, and no longer at the first script.
start_former() { # REFUSAL
	start_scripted former 'ROLE=*1\r\n$6\r\nmaster\r\n' 'ROLE=*1\r\n$5\r\nslave\r\n' "EVALSHA=-$1\r\n" "EVAL=-$1\r\n"
	former=$port
}

@test "one-shot tools send a refused call to another host" {
	start_tcp a
	local a=$port word
	for word in 'READONLY no' 'MASTERDOWN no' 'LOADING no' 'NOREPLICAS no'; do
		start_former "$word"
		run -0 --separate-stderr dq-put -u "redis://127.0.0.1:$former,127.0.0.1:$a" -i x "$q" hello
		equal "$stderr" ''
		stop_server former KILL
		rm "$T/former/port"
		start_former "$word"
		run -0 --separate-stderr dq-take -u "redis://127.0.0.1:$former,127.0.0.1:$a" "$q"
		matches "$output" hello
		equal "$stderr" ''
		stop_server former KILL
		rm "$T/former/port"
		start_former "$word"
		run -0 --separate-stderr dq-set -u "redis://127.0.0.1:$former,127.0.0.1:$a" "$q" paused=yes
		equal "$stderr" ''
		stop_server former KILL
		rm "$T/former/port"
		run -0 dq-set -u "redis://127.0.0.1:$a" "$q" paused=no
		run -0 dq-rm -q -u "redis://127.0.0.1:$a" "$q/x"
	done
	stop_server a
}

@test "dq-ack: a call that a former master refused while others were in flight was not done: the reply of the next master counts" {
	start_tcp a
	local a=$port
	start_tcp b --replicaof 127.0.0.1 "$a"
	wait_until 20 in_step b
	start_former 'READONLY no'
	run -75 --separate-stderr dq-ack -u "redis://127.0.0.1:$former,127.0.0.1:$a" "second$q/y@1" "$q/x@1"
	matches "${stderr_lines[0]}" "$q/x@1: settled already, or removed\$"
	matches "${stderr_lines[1]}" "second$q/y@1: not known whether it was settled: the connection was lost\$"
	stop_server former KILL
	rm "$T/former/port"
	start_former 'READONLY no'
	fails 1 "^$q/x@1: settled already, or removed\$" \
		dq-ack --wait-replicas 1,20s -u "redis://127.0.0.1:$former,127.0.0.1:$a" "$q/x@1"
	stop_server former KILL
	stop_server b
	stop_server a
}

@test "dq-gc --check: a walk that one server refuses begins anew on the next one: no message is missed" {
	start_tcp a
	local a=$port stat
	rcli_a() { SERVER=a rcli "$@" >/dev/null; }
	rcli_a EVAL 'for i = 1, 3000 do redis.call("ZADD", "{dq:queues}", 1, "n" .. i) end' 0
	start_scripted former 'ROLE=*1\r\n$6\r\nmaster\r\n' 'ROLE=*1\r\n$5\r\nslave\r\n' 'ZSCAN=*2\r\n$1\r\n5\r\n*0\r\n' \
		'ZSCAN=-MASTERDOWN no\r\n'
	run -1 --separate-stderr dq-gc --check -u "redis://127.0.0.1:$port,127.0.0.1:$a"
	equal "$stderr ${#lines[@]}" ' 3000'
	stop_server former KILL
	rm "$T/former/port"
	rcli_a EVAL 'for i = 1, 3000 do redis.call("ZADD", KEYS[1], 1, "n" .. i) end' 1 "dq:{$q}:leased"
	printf -v stat '%s' '*32\r\n' ':0\r\n'{,,,,,,,,,,,,,,,,,,,,,,,,,,,,} '$0\r\n\r\n' '$3\r\nput\r\n' '$1\r\n1\r\n'
	start_scripted former 'ROLE=*1\r\n$6\r\nmaster\r\n' 'ROLE=*1\r\n$5\r\nslave\r\n' "EVALSHA=$stat" \
		'EVALSHA=*3\r\n$1\r\n5\r\n:0\r\n:1\r\n' \
		'EVALSHA=*3\r\n$1\r\n5\r\n:0\r\n:1\r\n' 'EVALSHA=-READONLY no\r\n' # all parts at once, then leased
	run -1 --separate-stderr dq-gc --check -u "redis://127.0.0.1:$port,127.0.0.1:$a" "$q"
	equal "$stderr ${#lines[@]}" ' 3000'
	stop_server former KILL
	stop_server a
}

@test "dq-stat: the list of queues begins anew on another server: what only the former one has is not shown" {
	start_tcp a
	local a=$port
	seq 5 | dq-put -q -l -u "redis://127.0.0.1:$a" "$q"
	start_scripted former 'ROLE=*1\r\n$6\r\nmaster\r\n' 'ROLE=*1\r\n$5\r\nslave\r\n' \
		'ZSCAN=*2\r\n$1\r\n5\r\n*2\r\n$4\r\ngone\r\n$1\r\n1\r\n' 'ZSCAN=-MASTERDOWN no\r\n'
	run -0 --separate-stderr dq-stat --json -u "redis://127.0.0.1:$port,127.0.0.1:$a"
	equal "$stderr $(jq -c '[.queues[].queue]' <<<"$output")" " [\"$q\"]"
	stop_server former KILL
	stop_server a
}

@test "dq-take --until-empty: the take that was sent ahead is refused: it continues on another host, without a message" {
	start_tcp a
	local a=$port
	seq 5 | dq-put -q -l -u "redis://127.0.0.1:$a" "$q"
	start_scripted former 'ROLE=*1\r\n$6\r\nmaster\r\n' 'ROLE=*1\r\n$5\r\nslave\r\n' \
		'EVALSHA=*6\r\n:1\r\n$1\r\n7\r\n:-1\r\n:1\r\n:0\r\n:-1\r\n' \
		'EVALSHA=-READONLY no\r\n'
	run -0 --separate-stderr dq-take --until-empty -u "redis://127.0.0.1:$port,127.0.0.1:$a" "$q"
	equal "$stderr $(cut -f2 <<<"$output" | paste -sd' ')" ' 1 2 3 4 5'
	stop_server former KILL
	stop_server a
}

@test "no other master: they end by --timeout with 75, and nothing refused is done" {
	export DQ_RETRY_FOR=0 # the answer of this moment
	start_scripted always 'ROLE=*1\r\n$6\r\nmaster\r\n' 'EVALSHA=-READONLY no\r\n' 'EVAL=-READONLY no\r\n'
	fails 75 "^$q: (1 message not put: READONLY no|READONLY no: 0 accepted, 0 refused, 0 unknown, 1 not sent)\$" \
		dq-put -u "redis://127.0.0.1:$port,127.0.0.1:1" --timeout 2s "$q" x
	fails 75 "^$q: READONLY no$" dq-take -u "redis://127.0.0.1:$port,127.0.0.1:1" --timeout 2s "$q"
	start_scripted flaps 'ROLE=*1\r\n$6\r\nmaster\r\n' 'ROLE=*1\r\n$5\r\nslave\r\n' 'EVALSHA=-READONLY no\r\n' 'EVAL=-READONLY no\r\n'
	fails 75 "^$q.*(READONLY no|not sent)" dq-put -u "redis://127.0.0.1:$port,127.0.0.1:1" --timeout 2s "$q" x
}
