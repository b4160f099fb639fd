# Goal: While a slot moves to another node, and after that, every tool works, every message survives, and every action happens once.

bats_require_minimum_version 1.5.0

load ../helper
load cluster
load move

setup_file() {
	begin_file
	start_cluster
}

setup() {
	begin_test
	begin_cluster
	slot=$(slot_of "$two")
}

@test "each tool waits while the slot is half moved, and then continues on the new node" {
	dq-put -q -i a "$two" x
	begin_move
	move_keys 2
	dq-put -q -i b "$two" y 3>&- &
	local putter=$! taker
	dq-take -n 2 "$two" >"$T/taken" 3>&- &
	taker=$!
	wait_until 10 tried_again
	move_keys
	end_move
	exits 0 "$putter"
	exits 0 "$taker"
	dq-take -n 2 "$two" >>"$T/taken" || true
	equal "$(cut -f 2 "$T/taken" | sort | paste -sd' ')" 'x y'
	equal "$(states_of "$two" n2)" '0 0 2 0'
	cut -f 1 "$T/taken" | dq-ack
	equal "$(states_of "$two" n2)" '0 0 0 0'
	move_back
}

@test "a message whose keys have all moved is asked for at the other node, before the slot is: ASK" {
	dq-put -q -i a "$two" x
	begin_move
	move_keys
	matches "$(in_cluster n1 HGET "dq:{$two}:stat" token 2>&1)" '^ASK '
	run --separate-stderr dq-promote --timeout 2s "$two" # 13 keys, of which some never exist: only later
	equal "$status" 75
	matches "$stderr" "^dq-promote: $two: not promoted: (TRYAGAIN|ASK) "
	end_move
	equal "$(dq-take --ack "$two" | cut -f 2)" x
	move_back
}

many_ready() {
	[ "$(states_of "$two" | cut -d' ' -f2)" -gt 1000 ]
}

@test "bulk while slots move to and fro: reported in order, each once" {
	# A refused call is sent again after later ones were done: so the order of the output is kept, and not that in the queue.
	local putter
	seq 30000 | sed 's/.*/-\t&\t&/' | dq-put --tsv -p 1 "$two" >"$T/put" 3>&- &
	putter=$!
	wait_until 10 many_ready
	for _ in 1 2 3; do
		begin_move
		move_keys
		end_move
		move_back
	done
	exits 0 "$putter"
	seq 30000 | sed "s|^|$two/|" | cmp - "$T/put"
	equal "$(states_of "$two")" '0 30000 0 0'
	dq-take --until-empty -n 500 --ack "$two" | cut -f 2 | sort -n >"$T/out"
	seq 30000 | cmp - "$T/out"
}

@test "a waiting tool finds its queue on the new node" {
	dq-take -q -f --ack "$one" "$two" >"$T/out" 2>"$T/err" 3>&- &
	local taker=$!
	dq-put -q "$two" first
	wait_until 10 has_lines "$T/out" 1
	begin_move
	move_keys
	end_move
	dq-put -q "$two" second
	wait_until 15 has_lines "$T/out" 2
	dq-put -q -d 200ms "$two" third
	dq-put -q "$one" fourth
	wait_until 10 has_lines "$T/out" 4
	kill "$taker"
	exits 143 "$taker"
	move_back
}

@test "the list of queues is read and added to while its slot moves: ASK" {
	local list
	list=$(node_of dq:queues)
	slot=$(in_cluster n0 CLUSTER KEYSLOT '{dq:queues}')
	case $list in
	n0) other=n1 ;; *) other=n0 ;;
	esac
	dq-put -q "$one" x
	in_cluster "$other" CLUSTER SETSLOT "$slot" IMPORTING "$(id_of "$list")" >/dev/null
	in_cluster "$list" CLUSTER SETSLOT "$slot" MIGRATING "$(id_of "$other")" >/dev/null
	in_cluster "$list" MIGRATE 127.0.0.1 "${ports[${other#n}]}" '' 0 5000 KEYS '{dq:queues}' '{dq:queues}:new' >/dev/null
	dq-stat --no-header | grep -q "^$one "
	run -0 --separate-stderr dq-put -q "$three" x
	equal "$stderr" ''
	dq-stat --no-header | grep -q "^$three "
	local i
	for i in "${other#n}" 0 1 2; do in_cluster "n$i" CLUSTER SETSLOT "$slot" NODE "$(id_of "$other")" >/dev/null; done
	dq-stat --no-header | grep -q "^$three "
	dq-put -q "$two" x
	dq-stat --no-header | grep -q "^$two "
}
