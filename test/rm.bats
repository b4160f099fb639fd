# dq-rm: what it removes, what it leaves, and what it says of that.

bats_require_minimum_version 1.5.0

load helper
load cut

# One message in each state, named as the state.
one_of_each() {
	dq-put -q -i dead -r 1 "$q" x
	dq-take "$q" >"$T/dead"
	later 60001
	dq-promote "$q"
	dq-put -q -i due -d 1h "$q" x
	later 3600001
	dq-put -q -i delayed -d 1h "$q" x
	dq-put -q -i leased -p 1 "$q" x
	dq-take --no-promote "$q" >"$T/leased"
	dq-put -q -i ready "$q" x
	holds 2 1 1 1
}

# A terminal: stdin is what is typed, stdout what the screen shows.
terminal() { # COMMAND
	local ended=0
	command script -qec "$1" /dev/null >"$T/screen" || ended=$?
	tr -d '\r' <"$T/screen"
	return "$ended"
}

@test "a name as operand: the message is gone, without a word" {
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
	fails 1 "^$r: not settled: no such message\$" dq-ack "$r"
}

@test "on standard input, the first field of each line; - among operands" {
	dq-put "$q" a b c >"$T/names"
	sed '1s/$/\tmore\tfields/' "$T/names" | head -2 | dq-rm
	holds 0 1 0 0
	dq-put -q -i x "$q" x
	tail -1 "$T/names" | tr -d '\n' | dq-rm "$q/x" -
	holds 0 0 0 0
	dq-put -q "$q" a b
	dq-take -n 2 "$q" | dq-rm
	holds 0 0 0 0
	run -0 --separate-stderr dq-rm </dev/null
	equal "$output$stderr" ''
}

@test "not there: 1, and the others go; -q silences that" {
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

@test "malformed names: 64 as operands, 65 as lines; the others go" {
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

@test "--state: only what is in it, else 1 with the reason" {
	local state other
	for state in delayed due ready leased dead; do
		rcli DEL "dq:{$q}:"{msg,delayed,ready,leased,dead,try} >/dev/null
		one_of_each
		for other in delayed due ready leased dead; do
			[ "$other" != "$state" ] || continue
			local why="not $state"
			[ "$other" != leased ] || why=leased
			fails 1 "^$q/$other: not removed: $why\$" dq-rm --state "$state" "$q/$other"
			fails 1 "^$q/$other: not removed: $why\$" dq-rm --dry-run --state "$state" "$q/$other"
		done
		holds 2 1 1 1
		fails 1 "^$q/none: not removed: no such message\$" dq-rm --state "$state" "$q/none" "$q/$state"
		equal "$(field msg "$state")" ''
		audit
		run -1 --separate-stderr dq-rm -q --state "$state" "$q/leased" "$q/dead"
		equal "$output$stderr" ''
	done
}

@test "--state: several, with commas between: cancel what nobody works on" {
	one_of_each
	run -1 --separate-stderr dq-rm -v --state delayed,due,ready "$q/delayed" "$q/due" "$q/ready" "$q/leased" "$q/dead"
	equal "$stderr" "dq-rm: $q/leased: not removed: leased
dq-rm: $q/dead: not removed: not delayed, due or ready
dq-rm: 3 removed"
	holds 0 0 1 1
	dq-rm --state dead,leased "$q/leased" "$q/dead"
	holds 0 0 0 0
}

@test "-a --state: several" {
	one_of_each
	equal "$(dq-rm -a --dry-run --state due,ready "$q" | sort | paste -sd' ')" "$q/due $q/ready"
	run -0 terminal "dq-rm -a --state ready,due $q" <<<y
	matches "$output" "dq-rm: $q: remove all 2 due or ready messages\? \[y/N\] "
	holds 1 0 1 1
}

@test "--state: some of five" {
	fails 64 '^--state: "gone": not one or more of delayed, due, ready, leased, dead, with commas between$' dq-rm --state gone "$q/x"
	fails 64 '^--state: "": not one or more of' dq-rm --state= "$q/x"
	fails 64 '^--state: "\\x1b": not one or more of' dq-rm --state $'\e' "$q/x"
	local states
	for states in ',' 'due,' ',due' 'due,,ready' 'due, ready' 'due,gone'; do
		fails 64 '^--state: ".*": not one or more of' dq-rm --state "$states" "$q/x"
	done
	fails 64 '^--state: needs an argument$' dq-rm --state
}

@test "-a -f: all of the queues, in whatever state, in more calls than one" {
	one_of_each
	seq 2500 | dq-put -ql "$q"
	seq 1200 | dq-put -ql -d 1h "$q"
	dq-put -q "$q.b" x
	dq-put -q "$q.c" x
	run -0 --separate-stderr dq-rm -afv "$q" "$q.b"
	equal "$output" ''
	equal "$stderr" 'dq-rm: 3706 removed'
	holds 0 0 0 0
	equal "$(rcli EXISTS "dq:{$q}:msg" "dq:{$q}:try")" 0
	holds 0 0 0 0 "$q.b"
	holds 0 1 0 0 "$q.c"
	run -0 --separate-stderr dq-rm --all --force --quiet "$q" "$q.never"
	equal "$output$stderr" ''
}

@test "-a: nothing of the queue is left, and the list has it no longer; it can be put into again" {
	local receipt
	one_of_each
	dq-put -q --unique-for 1h -i once "$q" x
	receipt=$(dq-take -n 9 "$q" | grep once | cut -f 1)
	dq-ack "$receipt"
	dq-promote --pause "$q"
	matches "$(rcli KEYS "dq:{$q}:*")" 'settled'
	dq-rm -af "$q"
	equal "$(rcli KEYS "dq:{$q}:*")" ''
	is_unlisted "$q"
	dq-put -q -i once "$q" y
	is_listed "$q"
	between "$((${receipt##*@} + 1))" "$(dq-take "$q" | sed 's/.*@//; s/\t.*//')" 99999999999999999
	dq-rm -af --state leased "$q"
	is_listed "$q"
	equal "$(field stat removed)" 1
	dq-rm -a --dry-run "$q" </dev/null
	equal "$(field stat removed)" 1
}

@test "-a of an empty queue asks before it forgets what the queue keeps" {
	dq-put -q --unique-for 1h "$q" x
	dq-take --ack "$q" >/dev/null
	run -1 terminal "dq-rm -a $q" <<<n
	matches "$output" "dq-rm: $q: is empty: forget its counters and the ids it keeps\? \[y/N\] "
	is_listed "$q"
	run -0 terminal "dq-rm -a $q" <<<y
	equal "$(rcli KEYS "dq:{$q}:*")" ''
}

@test "-a --state: only that state" {
	local state
	for state in delayed due ready leased dead; do
		rcli DEL "dq:{$q}:"{msg,delayed,ready,leased,dead,try} >/dev/null
		one_of_each
		run -0 --separate-stderr dq-rm -afv --state "$state" "$q"
		equal "$stderr" 'dq-rm: 1 removed'
		equal "$(field msg "$state")" ''
		audit
		equal "$(rcli HLEN "dq:{$q}:msg")" 4
	done
}

@test "-a ends where nothing can be removed, and gets what is behind" {
	rcli EVAL 'for i = 1, 2500 do redis.call("ZADD", KEYS[1], i, "ghost" .. i) end' 1 "dq:{$q}:ready" >/dev/null
	dq-put -q -i x "$q" x
	run -0 --separate-stderr dq-rm -afv "$q"
	equal "$stderr" 'dq-rm: 1 removed'
	equal "$(rcli KEYS "dq:{$q}:*")" ''
}

@test "-a: while others put and take, what was there goes" {
	seq 3000 | dq-put -ql "$q"
	dq-take -n 1000 "$q" >"$T/taken"
	dq-ack <"$T/taken" &
	local acker=$!
	dq-take -n 1000 "$q" >/dev/null &
	local taker=$!
	dq-rm -af "$q"
	wait "$acker" "$taker" || true # some receipts met dq-rm
	dq-rm -af "$q"
	holds 0 0 0 0
}

@test "-a needs queues, and takes only queues" {
	fails 64 '^-a: no queue given$' dq-rm -af
	fails 64 "^\"$q/x\": a queue's name" dq-rm -af "$q/x"
	fails 64 '^"": a queue' dq-rm -af ''
	dq-put -q "$q" x
	fails 64 '^"a b": a queue' dq-rm -af "$q" 'a b'
	holds 0 1 0 0
}

@test "-a without -f where nobody can be asked: 64" {
	dq-put -q "$q" x
	fails 64 '^-a: standard input is no terminal to ask on: use -f$' dq-rm -a "$q" <<<y
	fails 64 'use -f$' dq-rm -a --state dead "$q" </dev/null
	holds 0 1 0 0
}

@test "-a on a terminal: asks, and y is yes" {
	seq 123 | dq-put -ql "$q"
	run -0 terminal "dq-rm -a $q" <<<y
	matches "$output" "dq-rm: $q: remove all 123 messages\? \[y/N\] "
	holds 0 0 0 0
	one_of_each
	run -0 terminal "dq-rm -a --state dead $q" <<<Yes
	matches "$output" "dq-rm: $q: remove 1 dead message\? \[y/N\] "
	holds 2 1 1 0
}

@test "-a on a terminal: the prompt is on standard error" {
	dq-put -q "$q" x
	run -0 terminal "dq-rm -a $q 2>$T/prompt" <<<y
	equal "$(cat "$T/prompt")" "dq-rm: $q: remove 1 message? [y/N] "
	holds 0 0 0 0
}

@test "-a on a terminal: anything else, or nothing, is no" {
	dq-put -q "$q" x
	local answer
	for answer in n N '' ' y' 1; do
		run -1 terminal "dq-rm -a $q" <<<"$answer"
		matches "$output" "dq-rm: $q: not removed: the answer was not yes\$"
	done
	run -1 terminal "dq-rm -aq $q" </dev/null
	[[ $output != *'not removed'* ]]
	holds 0 1 0 0
}

@test "-a on a terminal: a question a queue, none for an empty one" {
	dq-put -q "$q.a" x
	dq-put -q "$q.b" x
	dq-put -q "$q.c" x
	run -1 terminal "dq-rm -a $q.a $q.never $q.b $q.c" <<<$'y\nn\ny'
	holds 0 0 0 0 "$q.a"
	holds 0 1 0 0 "$q.b"
	holds 0 0 0 0 "$q.c"
	[[ $output != *'never: remove'* && $output != *'never: is empty'* ]]
}

@test "-a on a terminal: a signal at the question ends it" {
	dq-put -q "$q" x
	local pid
	mkfifo "$T/keys"
	exec 9<>"$T/keys"
	command script -qec "dq-rm -a -u $DQ_URL $q; echo ended \$?" /dev/null <"$T/keys" >"$T/screen" 9>&- 3>&- &
	pid=$!
	wait_until 5 grep -q 'y/N' "$T/screen"
	kill -TERM "$(pgrep -f "^dq-rm -a -u $DQ_URL $q\$")"
	wait_until 5 ended "$pid"
	exec 9>&-
	matches "$(tr -d '\r' <"$T/screen")" 'ended 143$'
	holds 0 1 0 0
}

@test "--dry-run: prints the names, changes nothing, needs no -f" {
	one_of_each
	local before
	before=$(digest)
	run -0 --separate-stderr dq-rm -a --dry-run "$q" </dev/null
	equal "$(sort <<<"$output" | paste -sd' ')" "$q/dead $q/delayed $q/due $q/leased $q/ready"
	equal "$stderr" ''
	run -0 --separate-stderr dq-rm -av --dry-run --state due "$q" </dev/null
	equal "$output" "$q/due"
	equal "$stderr" 'dq-rm: 1 would be removed'
	run -1 --separate-stderr dq-rm --dry-run "$q/due" "$q/none" "$q/leased@7"
	equal "$output" "$q/due"$'\n'"$q/leased"
	equal "$stderr" "dq-rm: $q/none: not removed: no such message"
	run -1 --separate-stderr dq-rm --dry-run --state ready <<<"$q/ready"$'\n'"$q/due"
	equal "$output" "$q/ready"
	equal "$stderr" "dq-rm: $q/due: not removed: not ready"
	equal "$(digest)" "$before"
}

@test "--dry-run: more than a page, each once; what it prints can be removed" {
	seq 2500 | dq-put -l "$q" | sort >"$T/names"
	dq-rm -a --dry-run "$q" </dev/null | sort | cmp - "$T/names"
	dq-rm -a --dry-run --state ready "$q" </dev/null | head -1500 | dq-rm
	holds 0 1000 0 0
}

@test "--dry-run into a full device: 74, once" {
	dq-put -q -i x "$q" x
	fails_full dq-rm --dry-run "$q/x"
	fails_full dq-rm -a --dry-run "$q"
	seq 5000 | dq-put -ql "$q"
	fails_full dq-rm -a --dry-run "$q"
	holds 0 5001 0 0
}

fails_full() {
	run -74 --separate-stderr into_full "$@"
	equal "$stderr" 'dq-rm: standard output: No space left on device'
}

into_full() {
	"$@" >/dev/full </dev/null
}

@test "--dry-run, and the reader is gone: ends by SIGPIPE, without a word" {
	seq 9000 | dq-put -ql "$q"
	run -141 --separate-stderr gone
	equal "$stderr" ''
}

gone() {
	mkfifo "$T/gone"
	exec 8<>"$T/gone"
	exec 7>"$T/gone" 8<&-
	dq-rm -a --dry-run "$q" >&7 3>&-
}

@test "many names, of several queues, in one stream" {
	seq 2500 | dq-put -l "$q.a" >"$T/a"
	seq 2500 | dq-put -l "$q.b" >"$T/b"
	run -0 --separate-stderr dq-rm -v < <(paste -d'\n' "$T/a" "$T/b")
	equal "$stderr" 'dq-rm: 5000 removed'
	holds 0 0 0 0 "$q.a"
	holds 0 0 0 0 "$q.b"
}

@test "a slow producer's names go before it goes on; a signal ends it after what was read" {
	dq-put -q -i a "$q" x
	dq-put -q -i b "$q" x
	local pid
	mkfifo "$T/slow"
	exec 9<>"$T/slow"
	dq-rm <"$T/slow" 9>&- 3>&- &
	pid=$!
	echo "$q/a" >&9
	wait_until 5 holds 0 1 0 0
	kill -TERM "$pid"
	local ended=0
	wait "$pid" || ended=$?
	equal "$ended" 143
	exec 9>&-
	holds 0 1 0 0
}

@test "Redis is not there: 69" {
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

@test "memory full: what is there can be removed" {
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

@test "the answer is lost: gone is gone, and said so only with -v" {
	dq-rm -q "$q/none" || true # the server knows the script from now on
	dq-put -q -i x "$q" x
	start_cut d
	run -0 --separate-stderr dq-rm -u "unix://$T/cut" "$q/x"
	stop_cut
	equal "$output$stderr" ''
	holds 0 0 0 0
	dq-put -q -i x "$q" x
	start_cut d
	run -0 --separate-stderr dq-rm -v -u "unix://$T/cut" "$q/x"
	stop_cut
	equal "${stderr_lines[0]}" "dq-rm: $q/x: removed before the connection was lost, or not there"
	holds 0 0 0 0
	equal "$(field stat removed)" 2
}
