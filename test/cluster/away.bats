# Goal: An unreachable node delays only its own queues, and each tool reports it once, with the reason.

bats_require_minimum_version 1.5.0

load ../helper
load cluster

setup_file() {
	begin_file
	NODE_TIMEOUT=60000 start_cluster # the others do not take it for failed
}

setup() {
	begin_test
	begin_cluster
	dq-put -q "$one" x
	dq-put -q "$two" x
	dq-put -q "$three" x
}

teardown() {
	kill -CONT "$(<"$F/n1/pid")"
	end_test
}

stop_n1() {
	kill -STOP "$(<"$F/n1/pid")"
}

@test "dq-stat of all queues: the queues on the other nodes are shown, and soon" {
	stop_n1
	run --separate-stderr timeout 30 dq-stat --no-header --timeout 2s
	equal "$status" 75
	matches "$output" "(^|"$'\n'")$one "
	matches "$output" "(^|"$'\n'")$three "
	run ! grep -q "^$two " <<<"$output"
	matches "$stderr" "$two: not shown: timed out after [0-9.]+m?s \(redis://127.0.0.1:${ports[1]}/0\)"
}

@test "dq-take over three queues takes from the reachable ones; 75 if they are empty" {
	stop_n1
	run --separate-stderr dq-take --timeout 2s --ack -n 3 "$two" "$one" "$three"
	equal "$status" 0
	equal "${#lines[@]}" 2
	equal "${#stderr_lines[@]}" 1
	matches "$stderr" "^dq-take: $two: timed out after [0-9.]+m?s"
	run --separate-stderr dq-take --timeout 2s --ack -n 3 "$two" "$one" "$three"
	equal "$status$output" 75
}

@test "dq-take -f: messages on the other nodes are delivered meanwhile, and the rest when the node is back" {
	local taker n
	dq-take -f --ack --timeout 2s "$one" "$two" "$three" >"$T/out" 2>"$T/err" 3>&- &
	taker=$!
	wait_until 10 has_lines "$T/out" 3
	stop_n1
	for n in 1 2 3 4 5; do
		dq-put -q "$three" "$n"
		dq-put -q "$one" "$n"
		wait_until 5 has_lines "$T/out" $((3 + 2 * n))
	done
	wait_until 20 grep -q "connecting again" "$T/err"
	dq-put -q "$three" more
	wait_until 5 has_lines "$T/out" 14
	kill -CONT "$(<"$F/n1/pid")"
	dq-put -q "$two" back
	wait_until 10 has_lines "$T/out" 15
	kill "$taker"
	exits 143 "$taker"
	equal "$(grep -c "127.0.0.1:${ports[1]}.*connecting again" "$T/err")" 1
}

@test "dq-take -f --ack: what was written before its node was lost is acked when it is back, and others are delivered meanwhile" {
	local taker reader
	dq-take -q --ack -n 3 "$one" "$two" "$three" >/dev/null
	head -c 300000 /dev/zero | tr '\0' x | dq-put -q "$two" # more than a pipe holds
	mkfifo "$T/pipe"
	dq-take -q -f --ack --timeout 2s "$two" "$three" >"$T/pipe" 2>"$T/err" 3>&- &
	taker=$!
	exec 4<"$T/pipe"
	head -c 10 <&4 >/dev/null # it is being written
	stop_n1
	cat <&4 >"$T/out" &
	reader=$!
	exec 4<&-
	wait_until 10 has_lines "$T/out" 1
	dq-put -q "$three" other
	wait_until 20 has_lines "$T/out" 2
	kill -CONT "$(<"$F/n1/pid")"
	wait_until 20 is_done "$two"
	kill "$taker"
	exits 143 "$taker"
	wait "$reader"
	run ! grep -q 'perhaps not settled' "$T/err"
}

@test "dq-run: messages on the other nodes run meanwhile, and the rest when the node is back" {
	local worker n
	# shellcheck disable=SC2016
	dq-run --timeout 2s "$one" "$two" "$three" -- sh -c 'cat >>"$0"; echo >>"$0"' "$T/out" 2>"$T/err" 3>&- &
	worker=$!
	wait_until 10 has_lines "$T/out" 3
	stop_n1
	for n in 1 2 3; do
		dq-put -q "$three" "$n"
		dq-put -q "$one" "$n"
		wait_until 5 has_lines "$T/out" $((3 + 2 * n))
	done
	wait_until 20 grep -q "connecting again" "$T/err"
	kill -CONT "$(<"$F/n1/pid")"
	dq-put -q "$two" back
	wait_until 10 has_lines "$T/out" 10
	kill "$worker"
	exits 143 "$worker"
	equal "$(grep -c "127.0.0.1:${ports[1]}.*connecting again" "$T/err")" 1
}

@test "dq-ack over three queues: settles those on reachable nodes, and reports the other as unknown" {
	seq 50 | dq-put -q -l "$two"
	dq-take -n 60 "$two" "$one" "$three" >"$T/taken"
	stop_n1
	run --separate-stderr timeout 30 dq-ack --timeout 2s <"$T/taken"
	equal "$status" 75
	equal "$(states_of "$one")$(states_of "$three")" '0 0 0 00 0 0 0'
	matches "$stderr" "^dq-ack: $two: 51 receipts perhaps not settled: timed out after [0-9.]+m?s \(redis://127.0.0.1:${ports[1]}/0\)$"
}

@test "dq-rm of hundreds of queues, a third on an unreachable node: takes as long as for one queue, and removes the others" {
	local i
	for i in {1..90}; do echo "$q.x.$i"; done | while read -r i; do echo "$i/x" && dq-put -q -i x "$i" y; done >"$T/names"
	stop_n1
	run --separate-stderr timeout 30 dq-rm --timeout 2s <"$T/names" # one after the other would be a minute
	equal "$status" 75
	kill -CONT "$(<"$F/n1/pid")"
	while IFS=/ read -r i _; do
		if [ "$(node_of "$i")" != n1 ]; then
			equal "$(states_of "$i")" '0 0 0 0'
			run ! grep -q " $i: " <<<"$stderr"
		else
			grep -q " $i: 1 message .*not removed: " <<<"$stderr"
		fi
	done <"$T/names"
}

@test "dq-put: not put, or unknown, within its time" {
	stop_n1
	run --separate-stderr timeout 30 dq-put --timeout 2s "$two" y
	equal "$status" 75
	matches "$stderr" "^dq-put: $two: 1 message perhaps not put: timed out after [0-9.]+m?s"
	run -0 dq-put --timeout 2s "$one" y
}

@test "dq-run --until-empty: empties the reachable queues; 75, because one could not be asked" {
	stop_n1
	run --separate-stderr timeout 20 dq-run --until-empty --timeout 2s "$one" "$two" "$three" -- cat
	equal "$status$output" 75xx
	equal "$(states_of "$one")$(states_of "$three")" '0 0 0 00 0 0 0'
}

@test "dq-run of one command: while its verdict waits for the node, messages on the other nodes run" {
	local worker n
	# shellcheck disable=SC2016
	dq-run --timeout 2s "$two" "$one" "$three" -- sh -c 'echo "$DQ_QUEUE" >>"$0"
		[ "$DQ_QUEUE" != "$2" ] || until [ -e "$1" ]; do sleep 0.05; done' "$T/out" "$T/go" "$two" 2>"$T/err" 3>&- &
	worker=$!
	wait_until 10 has_lines "$T/out" 1
	stop_n1
	: >"$T/go"
	wait_until 10 has_lines "$T/out" 3
	for n in 1 2 3; do
		dq-put -q "$three" "$n"
		dq-put -q "$one" "$n"
		wait_until 10 has_lines "$T/out" $((3 + 2 * n))
	done
	kill -CONT "$(<"$F/n1/pid")"
	wait_until 10 is_done "$two"
	kill "$worker"
	exits 143 "$worker"
	equal "$(grep -cx "$two" "$T/out")" 1
}

@test "a verdict that cannot be sent, and a list that cannot be read, wait without spinning" {
	local worker promoter before
	# shellcheck disable=SC2016
	dq-run -j 2 --timeout 2s "$two" "$one" -- sh -c 'echo "$DQ_QUEUE" >>"$0"
		[ "$DQ_QUEUE" = "$2" ] || until [ -e "$1" ]; do sleep 0.05; done' "$T/out" "$T/go" "$one" 2>"$T/err" 3>&- &
	worker=$!
	DQ_PREFIX=$(prefix_of n1) dq-promote -q -f --timeout 2s 2>"$T/promote.err" 3>&- &
	promoter=$!
	wait_until 10 has_lines "$T/out" 2
	stop_n1
	: >"$T/go"
	wait_until 20 grep -q "connecting again" "$T/err"
	before=$(($(ticks "$worker") + $(ticks "$promoter")))
	dq-put -q -d 2s "$one" late
	wait_until 10 has_lines "$T/out" 3
	between 0 $(($(ticks "$worker") + $(ticks "$promoter") - before)) 30
	kill -CONT "$(<"$F/n1/pid")"
	wait_until 10 is_done "$two"
	kill "$worker" "$promoter"
	exits 143 "$worker"
	exits 143 "$promoter"
}

is_done() { # QUEUE
	[ "$(states_of "$1")" = '0 0 0 0' ]
}

# A prefix whose list of queues is on that node.
prefix_of() { # NODE
	local i
	for i in {1..40}; do
		[ "$(node_of "p$i:queues")" != "$1" ] || break
	done
	echo "p$i"
}

begin_rest() { # PID
	before=$(ticks "$1") began=${EPOCHREALTIME/./}
}

# Since then it did not spin, which would be 100 ticks a second.
rested() { # PID
	between 0 $(($(ticks "$1") - before)) $((30 + 10 * (${EPOCHREALTIME/./} - began) / 1000000))
}

# The last test: nobody has the nodes after it.
@test "one node is gone, then that with the list, then all: what is left is served, and the tools sleep between their attempts" {
	local pid pids=() before began queue taker
	dq-run -q -j 2 "$one" "$two" "$three" -- true 2>"$T/err" 3>&- &
	pids+=($!)
	dq-take -q -f "$one" "$two" "$three" >"$T/out" 2>"$T/err" 3>&- &
	pids+=($!)
	dq-promote -q -f "$one" "$two" "$three" 2>"$T/err" 3>&- &
	pids+=($!)
	DQ_PREFIX=$(prefix_of n1)
	export DQ_PREFIX
	for queue in "$one" "$two" "$three"; do dq-put -q "$queue" x; done
	dq-promote -q -f 2>"$T/err" 3>&- &
	pids+=($!)
	wait_until 10 stand 4 5 4
	# A queue is made, and then divided into shards; r3 and its two shards are not on n2.
	dq-take -q -f --ack r3 "$two" "$three" >"$T/taken" 2>"$T/err" 3>&- &
	taker=$!
	wait_until 10 has_lines "$T/taken" 2
	for queue in "$two" "$three"; do wait_until 10 is_done "$queue"; done # or it waits for the node to ack what it has written
	kill -KILL "$(<"$F/n2/pid")"
	begin_rest "${pids[-1]}"
	dq-put -q -d 2s r3 x
	wait_until 10 has_lines "$T/taken" 3
	rested "${pids[-1]}"
	wait_until 10 is_done r3 # it is acked after it was written, and only an empty queue can be divided
	dq-set -q r3 shards=2
	for _ in 1 2 3 4; do dq-put -q -d 100ms r3 x; done
	wait_until 10 has_lines "$T/taken" 7
	kill "$taker"
	exits 143 "$taker"
	kill -KILL "$(<"$F/n1/pid")" # with the list of queues
	begin_rest "${pids[-1]}"
	dq-put -q -d 2s "$one" late
	wait_until 10 are_ready "$one"
	rested "${pids[-1]}"
	kill -KILL "$(<"$F/n0/pid")"
	for pid in "${pids[@]}"; do
		begin_rest "$pid"
		wait_until 30 has_slept "$pid" "$(sleeps "$pid")" 4
		rested "$pid"
	done
	kill -KILL "${pids[@]}"
	for pid in "${pids[@]}"; do exits 137 "$pid"; done
}
