# Goal: dq-wait waits for messages on several nodes of a cluster, in queues and shards, through a slot that moves and a node that is
# unreachable; a hint from each node wakes it.

bats_require_minimum_version 1.5.0

load ../helper
load cluster
load move

setup_file() {
	begin_file
	NODE_TIMEOUT=60000 start_cluster # the others do not take one that is stopped for failed
}

setup() {
	begin_test
	begin_cluster
}

teardown() {
	[ ! -e "$T/moved" ] || move_back
	kill -CONT "$(<"$F/n1/pid")"
	end_test
}

waits() { # OPTION...
	dq-wait --timeout 60s "$@" >"$T/out" 2>"$T/err" 3>&- &
	waiter=$!
}

# As many subscriptions of dq-wait are on each node.
subscribed() { # N0 N1 N2
	local i
	for i in 0 1 2; do
		equal "$(in_cluster "n$i" CLIENT LIST | sed -n 's/.*name=dq-wait-hints .*ssub=\([0-9]*\) .*/\1/p')" "${*:i+1:1}" || return
	done
}

put_three() {
	local queue
	for queue in "$one" "$two" "$three"; do dq-put -q --keep 1h -i a "$queue" x; done
}

@test "messages on three nodes: one connection more to each; all are done, and --any needs one" {
	put_three
	waits "$one/a" "$two/a" "$three/a"
	wait_until 60 subscribed 1 1 1
	dq-take "$three" | dq-ack -m 3
	wait_until 60 has_lines "$T/out" 1
	dq-take "$one" | dq-ack -m 1
	run -0 dq-wait --any "$two/a" "$one/a"
	equal "$output" "$one/a"$'\tdone\t1'
	dq-take "$two" | dq-ack -m 2
	exits 0 "$waiter"
	equal "$(cut -f2,3 "$T/out")" $'done\t3\ndone\t1\ndone\t2'
	equal "$(<"$T/err")" ''
	run -0 dq-wait -w 0 "$two/a" "$three/a"
}

@test "a queue of six shards on three nodes" {
	local names
	dq-set "$q" shards=6
	dq-put -l --keep 1h "$q" < <(seq 300) >"$T/names"
	mapfile -t names <"$T/names"
	run -124 dq-wait -q -w 0 "${names[@]}"
	waits "${names[@]}"
	wait_until 60 has_asked_all
	dq-take --until-empty "$q" | dq-ack
	exits 0 "$waiter"
	equal "$(cut -f1 "$T/out" | sort)" "$(sort "$T/names")"
}

# All are subscribed to.
has_asked_all() {
	local i sum=0 n
	for i in 0 1 2; do
		n=$(in_cluster "n$i" CLIENT LIST | sed -n 's/.*name=dq-wait-hints .*ssub=\([0-9]*\) .*/\1/p')
		sum=$((sum + ${n:-0}))
	done
	[ "$sum" -eq 300 ]
}

@test "a slot that moves: it subscribes on the new node, and sees the end there" {
	put_three
	waits "$two/a"
	wait_until 60 subscribed '' 1 ''
	# shellcheck disable=SC2034 # for move.bash
	slot=$(slot_of "$two")
	: >"$T/moved"
	begin_move
	move_keys
	end_move
	wait_until 60 subscribed '' 0 1
	dq-take "$two" | dq-ack -m moved
	exits 0 "$waiter"
	equal "$(<"$T/out")" "$two/a"$'\tdone\tmoved'
	equal "$(<"$T/err")" ''
}

@test "a node that hangs: what was printed is right, and 75" {
	put_three
	waits "$one/a" "$two/a"
	wait_until 60 subscribed 1 1 ''
	dq-take "$one" | dq-ack
	wait_until 60 has_lines "$T/out" 1
	kill "$waiter"
	exits 143 "$waiter"
	kill -STOP "$(<"$F/n1/pid")"
	run -75 --separate-stderr dq-wait --timeout 3s "$one/a" "$two/a"
	equal "$output" "$one/a"$'\tdone\t'
}
