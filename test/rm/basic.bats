# Goal: dq-rm removes the given messages in any state, leaves all others, and reports those that did not exist.

bats_require_minimum_version 1.5.0

load ../helper
load ../cut
load states

@test "a name as operand: the message is gone, and nothing is printed" {
	dq-put -q -i x "$q" hello
	dq-put -q -i y "$q" hello
	run -0 --separate-stderr dq-rm "$q/x"
	equal "$output$stderr" ''
	holds 0 1 0 0
	equal "$(rcli HEXISTS "dq:{$q}:msg" x)" 0
	equal "$(field stat removed)" 1
}

@test "in any state" {
	one_of_each
	dq-rm "$q/dead" "$q/due" "$q/delayed" "$q/leased" "$q/ready"
	holds 0 0 0 0
	equal "$(rcli EXISTS "dq:{$q}:msg" "dq:{$q}:try")" 0
}

@test "a receipt is a name: its token does not count" {
	dq-put -q -i x "$q" hello
	local r
	r=$(dq-take "$q" | cut -f1)
	dq-rm "${r%@*}@1"
	holds 0 0 0 0
	fails 1 "^$r: settled already, or removed\$" dq-ack "$r"
}

@test "on standard input, the first field of each line; - among operands" {
	dq-put "$q" a b c >"$T/names"
	sed '1s/$/\tmore\tfields/' "$T/names" | head -2 | dq-rm
	holds 0 1 0 0
	dq-put -q -i x "$q" x
	tail -1 "$T/names" | dq-rm "$q/x" -
	holds 0 0 0 0
	dq-put -q "$q" a b
	dq-take -n 2 "$q" | dq-rm
	holds 0 0 0 0
	run -0 --separate-stderr dq-rm </dev/null
	equal "$output$stderr" ''
}

@test "a missing message: 1, and the others are removed; -q silences that" {
	dq-put -q -i x "$q" hello
	fails 1 "^$q/none: not removed: no such message\$" dq-rm "$q/none" "$q/x"
	holds 0 0 0 0
	fails 1 "^$q.never/x: not removed: no such message\$" dq-rm "$q.never/x"
	run -1 --separate-stderr dq-rm -q "$q/none"
	equal "$output$stderr" ''
	run -1 --separate-stderr dq-rm --quiet -v "$q/none"
	equal "$stderr" 'dq-rm: 0 removed'
}

@test "twice the same name: gone, and 1" {
	dq-put -q -i x "$q" hello
	fails 1 "^$q/x: not removed: no such message\$" dq-rm "$q/x" "$q/x"
	holds 0 0 0 0
	equal "$(field stat removed)" 1
}

@test "malformed names: 64 as operands, 65 as lines; the others are removed" {
	dq-put -q -i a "$q" x
	dq-put -q -i b "$q" x
	local long bad
	printf -v long '%0129d' 0
	for bad in '' "$q" "$q/" "/a" "$q/a/b" "$q/a@" "$q/a@x" "$q/{a}" "$q/a b" "{$q}/a" "a b/a" $'q\n/a' "$q/$long" "$long/a"; do
		fails 64 '^"' dq-rm "$bad"
		holds 0 2 0 0
	done
	run -64 --separate-stderr dq-rm "$q/a b" "$q/a"
	equal "$stderr" "dq-rm: \"a b\": an id is 1 to 128 of A-Z a-z 0-9 . _ : -"
	holds 0 1 0 0
	run -65 --separate-stderr dq-rm <<<$'\n'"$q"$'\n'"$q/none"$'\n'"$q/$long"$'\n'"$q/b"
	equal "${#stderr_lines[@]}" 4
	equal "${stderr_lines[0]}" 'dq-rm: "": not the name of a message (QUEUE/ID)'
	equal "${stderr_lines[1]}" "dq-rm: \"$q\": not the name of a message (QUEUE/ID)"
	holds 0 0 0 0
}

@test "an id of 128 bytes, and one with all that is allowed" {
	local long
	printf -v long '%0128d' 0
	dq-put -q -i "$long" "$q" x
	dq-put -q -i 'A:z.0_-' "$q" x
	dq-rm "$q/$long" "$q/A:z.0_-"
	holds 0 0 0 0
}

@test "many names, of several queues, in one stream" {
	seq 2500 | dq-put -l "$q.a" >"$T/a"
	seq 2500 | dq-put -l "$q.b" >"$T/b"
	run -0 --separate-stderr dq-rm -v < <(paste -d'\n' "$T/a" "$T/b")
	equal "$stderr" 'dq-rm: 5000 removed'
	holds 0 0 0 0 "$q.a"
	holds 0 0 0 0 "$q.b"
}

@test "names of a slow producer are removed before it continues; a signal ends it after the names read" {
	dq-put -q -i a "$q" x
	dq-put -q -i b "$q" x
	local pid
	mkfifo "$T/slow"
	exec 9<>"$T/slow"
	dq-rm <"$T/slow" 9>&- 3>&- &
	pid=$!
	echo "$q/a" >&9
	wait_until 20 holds 0 1 0 0
	kill -TERM "$pid"
	local ended=0
	wait "$pid" || ended=$?
	equal "$ended" 143
	exec 9>&-
	holds 0 1 0 0
}

@test "Redis is unreachable: 69" {
	fails 69 "^unix:///nowhere/s: " dq-rm -u unix:///nowhere/s "$q/x"
	fails 69 "^unix:///nowhere/s: " dq-rm -u unix:///nowhere/s -af "$q"
}

@test "a key of another type: 70 once a queue, the other queues go on" {
	dq-put -q "$q.b" x
	rcli SET "dq:{$q}:dead" text >/dev/null
	fails 70 "^$q: 1 message not removed: dq:\{$q\}:dead is a string, not a zset\$" dq-rm "$q/x"
	fails 70 "^$q/x: not removed: dq:\{$q\}:dead is a string, not a zset\$" dq-rm --dry-run "$q/x"
	fails 70 "^$q: not removed: dq:\{$q\}:dead is a string, not a zset\$" dq-rm -af "$q" "$q.b"
	holds 0 0 0 0 "$q.b"
	equal "$(rcli GET "dq:{$q}:dead")" text
}

@test "memory full: existing messages can be removed" {
	local -x SERVER=full DQ_URL=unix://$T/full/s
	start_server full
	seq 10 | dq-put -ql "$q"
	rcli CONFIG SET maxmemory 1 >/dev/null
	dq-rm -af "$q"
	holds 0 0 0 0
	stop_server full
}

@test "a server that only reads: 75, in one line" {
	local -x SERVER=replica DQ_URL=unix://$T/replica/s
	start_server replica
	seq 3000 | dq-put -ql "$q"
	rcli REPLICAOF 127.0.0.1 1 >/dev/null
	fails 75 "^$q: [0-9]+ messages not removed: READONLY " dq-rm -af "$q"
	rcli REPLICAOF NO ONE >/dev/null
	holds 0 3000 0 0
	stop_server replica
}

@test "the answer is lost, and the message is gone: 75, because a consumer may have done it" {
	local option
	dq-rm -q "$q/none" || true # the server knows the script from now on
	for option in --timeout=9s -q; do
		dq-put -q -i x "$q" x
		start_cut d
		run -75 --separate-stderr dq-rm -u "unix://$T/cut" "$option" "$q/x"
		stop_cut
		equal "$output" ''
		equal "$stderr" "dq-rm: $q/x: not known whether it was removed: the connection was lost, and there is no such message now"
		holds 0 0 0 0
	done
	equal "$(field stat removed)" 2
}

@test "the answer is lost for messages of a key: they are gone" {
	dq-rm -q "$q/none" || true
	seq 3 | dq-put -q -l -k ann "$q"
	start_cut ddd
	run -0 --separate-stderr dq-rm -v -u "unix://$T/cut" -k ann "$q"
	stop_cut
	equal "$stderr" 'dq-rm: 3 removed'
	holds 0 0 0 0
}
