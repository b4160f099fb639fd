# Goal: Tools wait for queues on several nodes without polling, and a put into any of them wakes its waiters at once.

bats_require_minimum_version 1.5.0

load ../helper
load cluster

setup_file() {
	begin_file
	start_cluster
}

setup() {
	begin_test
	begin_cluster
}

all_scripts_run() {
	local i sum=0
	for i in 0 1 2; do
		sum=$((sum + $(SERVER=n$i scripts_run)))
	done
	echo "$sum"
}

@test "dq-take -f over three nodes: each message is delivered in time, and the tool sends nothing meanwhile" {
	dq-take -q -f --ack "$one" "$two" "$three" >"$T/out" 2>"$T/err" 3>&- &
	local taker=$! queue before
	wait_until 10 stand 1 1 1
	for queue in "$three" "$one" "$two"; do
		before=$(wc -l <"$T/out")
		dq-put -q "$queue" "in $queue"
		wait_until 3 has_lines "$T/out" $((before + 1))
		wait_until 10 stand 1 1 1
	done
	before=$(all_scripts_run)
	for queue in "$three" "$one" "$two"; do dq-put -q -d 300ms "$queue" late; done
	wait_until 3 has_lines "$T/out" 6
	wait_until 10 stand 1 1 1
	between 6 $(($(all_scripts_run) - before)) 60
	kill "$taker"
	exits 143 "$taker"
	equal "$(cat "$T/err")" ''
}

@test "dq-take -w: over two nodes, and one that is woken from another tool's put" {
	dq-take -q -w 20s "$one" "$two" >"$T/out" 3>&- &
	local taker=$!
	wait_until 10 stand 1 1 0
	dq-put -q "$two" x
	exits 0 "$taker"
	equal "$(cut -f 2 "$T/out")" x
	wait_until 10 stand 0 0 0
}

@test "dq-take --linger: the messages of queues on three nodes count together, and none is leased before that" {
	local taker queue before
	dq-take -q -f -n 3 --linger 1h --ack "$one" "$two" "$three" >"$T/out" 2>"$T/err" 3>&- &
	taker=$!
	wait_until 30 stand 1 1 1
	dq-put -q "$one" a
	dq-put -q "$three" c
	before=$(all_scripts_run)
	looked() { [ "$(all_scripts_run)" -ge $((before + 9)) ]; }
	wait_until 30 looked
	equal "$(states_of "$one") $(states_of "$three")" '0 1 0 0 0 1 0 0'
	dq-put -q "$two" b
	wait_until 30 has_lines "$T/out" 3
	equal "$(cut -f 2 "$T/out" | paste -sd' ')" 'a b c'
	wait_until 30 stand 1 1 1 # nothing is due: it sleeps again
	kill "$taker"
	exits 143 "$taker"
	equal "$(cat "$T/err")" ''
}

@test "dq-run over three nodes" {
	# shellcheck disable=SC2016
	dq-run -q -j 2 "$one" "$two" "$three" -- sh -c 'cat >>"$0"' "$T/out" 2>"$T/err" 3>&- &
	local worker=$! queue
	wait_until 10 stand 1 1 1
	for queue in "$three" "$one" "$two"; do
		dq-put -q "$queue" "$queue"$'\n'
		dq-put -q -d 100ms "$queue" "$queue"$'\n'
	done
	wait_until 5 has_lines "$T/out" 6
	for queue in "$three" "$one" "$two"; do wait_until 5 is_done "$queue"; done
	kill "$worker"
	exits 143 "$worker"
	equal "$(cat "$T/err")" ''
}

@test "dq-promote -f of all queues: new queues, too, on any node" {
	dq-promote -q -f 2>"$T/err" 3>&- &
	local promoter=$! queue
	for queue in "$three" "$one" "$two"; do
		dq-put -q -d 50ms "$queue" x
		wait_until 5 is_ready "$queue"
	done
	kill "$promoter"
	exits 143 "$promoter"
	equal "$(cat "$T/err")" ''
}

is_done() { # QUEUE
	[ "$(states_of "$1")" = '0 0 0 0' ]
}

is_ready() { # QUEUE
	[ "$(states_of "$1")" = '0 1 0 0' ]
}

# dq-promote -f of all queues; $T/polls has a line for each time that it waits.
start_traced_promoter() {
	began=${EPOCHREALTIME/./}
	ASAN_OPTIONS=detect_leaks=0 strace -D -qq -e 'trace=?ppoll,?ppoll_time64' -o "$T/polls" dq-promote -q -f 2>"$T/err" 3>&- &
	promoter=$!
}

# It looks at the list of queues twice a second, which are some 20 waits; how many seconds there were is a matter of the machine's load.
polls_rarely() {
	between 1 "$(wc -l <"$T/polls")" $((100 + (${EPOCHREALTIME/./} - began) / 20000))
}

@test "dq-promote -f of all queues: does not poll after a new queue has come" {
	command -v strace >/dev/null || skip 'no strace'
	local promoter queue began
	start_traced_promoter
	for queue in "$three" "$one" "$two"; do dq-put -q "$queue" x; done
	dq-put -q -d 1s "$two" y
	wait_until 10 are_ready "$two"
	kill "$promoter"
	exits 143 "$promoter"
	equal "$(<"$T/err")" ''
	polls_rarely
}

@test "dq-promote -f of all queues: a broken queue is reported once, and not polled; the others are promoted" {
	command -v strace >/dev/null || skip 'no strace'
	local promoter began list waits=(1 1 0)
	export DQ_PREFIX=$q
	list=$(node_of "$q:queues")
	waits[${list#n}]=$((waits[${list#n}] + 1))
	dq-put -q "$one" x
	dq-put -q "$two" x
	start_traced_promoter
	wait_until 10 stand "${waits[@]}"
	in_cluster n0 SET "$q:{$one}:delayed" broken >/dev/null
	in_cluster n0 ZADD "$q:{$one}:timer" 1 t >/dev/null
	wait_until 10 has_lines "$T/err" 1
	dq-put -q -d 1s "$two" y
	wait_until 10 are_ready "$two"
	kill "$promoter"
	exits 143 "$promoter"
	matches "$(<"$T/err")" "^dq-promote: $one: not promoted: "
	equal "$(wc -l <"$T/err")" 1
	polls_rarely
}

@test "more queues than there can be waits: polled once a second" {
	local queues=() i
	for i in {1..70}; do queues+=("$q.$i"); done
	dq-take -q -f --ack "${queues[@]}" >"$T/out" 2>"$T/err" 3>&- &
	local taker=$!
	dq-put -q "$q.1" x
	dq-put -q "$q.70" x
	wait_until 10 has_lines "$T/out" 2
	wait_until 10 stand 0 0 0
	dq-put -q -d 100ms "$q.35" x
	wait_until 10 has_lines "$T/out" 3
	kill "$taker"
	exits 143 "$taker"
	equal "$(cat "$T/err")" ''
}

@test "dq-promote -f of more queues than that: all of them, some at a time" {
	local i
	dq-promote -q -f 2>"$T/err" 3>&- &
	local promoter=$!
	for i in {1..70}; do dq-put -q -d 100ms "$q.$i" x; done
	for i in 1 2 3 35 70; do wait_until 10 is_ready "$q.$i"; done
	wait_until 10 stand 0 0 0
	for i in 1 35 70; do
		dq-put -q -d 50ms "$q.$i" y
		wait_until 10 are_ready "$q.$i"
	done
	kill "$promoter"
	exits 143 "$promoter"
	equal "$(cat "$T/err")" ''
}

@test "dq-run --until-empty: runs what its last command put into a queue on another node" {
	mkfifo "$T/go"
	dq-put -q "$one" first
	# shellcheck disable=SC2016
	dq-run -q --until-empty -j 2 "$one" "$two" -- sh -c 'read -r what; echo "$what"; [ "$what" = first ] || exit 0
		echo "$$" >"$0"; true <"$1"; dq-put -q "$2" second' \
		"$T/child" "$T/go" "$two" >"$T/out" 2>"$T/err" 3>&- &
	local worker=$!
	wait_until 10 test -s "$T/child"
	wait_until 10 stand 1 1 0
	kill -STOP "$worker" # it wakes to both: the mark of the message, and the end of the command
	: >"$T/go"
	wait_until 10 ended "$(<"$T/child")"
	kill -CONT "$worker"
	exits 0 "$worker"
	equal "$(<"$T/out")$(<"$T/err")" $'first\nsecond'
}

@test "dq-run --until-empty: also if another consumer, which hangs, got the mark of that message" {
	local other worker
	dq-take -q -w 1h "$two" >"$T/taken" 3>&- &
	other=$!
	wait_until 10 stand 0 1 0
	kill -STOP "$other"
	mkfifo "$T/go"
	dq-put -q "$one" first
	# shellcheck disable=SC2016
	dq-run -q --until-empty -j 2 "$one" "$two" -- sh -c 'read -r what; echo "$what"; [ "$what" = first ] || exit 0
		true <"$0"; dq-put -q "$1" second' "$T/go" "$two" >"$T/out" 2>"$T/err" 3>&- &
	worker=$!
	wait_until 10 stand 1 2 0
	: >"$T/go"
	exits 0 "$worker"
	equal "$(<"$T/out")$(<"$T/err")" $'first\nsecond'
	kill -KILL "$other"
	exits 137 "$other"
}
