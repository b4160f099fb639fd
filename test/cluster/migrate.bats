# Goal: While a slot moves to another node, and after that, every tool works, every message survives, and every action happens once.

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
	slot=$(slot_of "$two")
}

id_of() { # NODE
	in_cluster "$1" CLUSTER MYID
}

# $two's slot begins to move from n1 to n2.
begin_move() {
	in_cluster n2 CLUSTER SETSLOT "$slot" IMPORTING "$(id_of n1)" >/dev/null
	in_cluster n1 CLUSTER SETSLOT "$slot" MIGRATING "$(id_of n2)" >/dev/null
}

move_keys() { # [N]
	local keys
	mapfile -t keys < <(in_cluster n1 --raw CLUSTER GETKEYSINSLOT "$slot" "${1:-100}")
	[ -z "${keys[*]}" ] || in_cluster n1 MIGRATE 127.0.0.1 "${ports[2]}" '' 0 5000 KEYS "${keys[@]}" >/dev/null
}

end_move() {
	local i
	for i in 2 1 0; do in_cluster "n$i" CLUSTER SETSLOT "$slot" NODE "$(id_of n2)" >/dev/null; done
}

# And back, for the next test.
move_back() {
	local keys i
	in_cluster n1 CLUSTER SETSLOT "$slot" IMPORTING "$(id_of n2)" >/dev/null
	in_cluster n2 CLUSTER SETSLOT "$slot" MIGRATING "$(id_of n1)" >/dev/null
	mapfile -t keys < <(in_cluster n2 --raw CLUSTER GETKEYSINSLOT "$slot" 100)
	[ -z "${keys[*]}" ] || in_cluster n2 MIGRATE 127.0.0.1 "${ports[1]}" '' 0 5000 KEYS "${keys[@]}" >/dev/null
	for i in 1 2 0; do in_cluster "n$i" CLUSTER SETSLOT "$slot" NODE "$(id_of n1)" >/dev/null; done
}

has_lines() { # FILE N
	[ "$(wc -l <"$1")" -ge "$2" ]
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

tried_again() { # some calls were answered by TRYAGAIN or ASK
	[ "$(in_cluster n1 INFO errorstats | tr -d '\r' | sed -n 's/^errorstat_TRYAGAIN:count=//p')" -ge 3 ]
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

@test "bulk while slots move to and fro: in order, each once" {
	seq 30000 | dq-put -q -l -p 1 "$two" 3>&- &
	local putter=$!
	wait_until 10 many_ready
	for _ in 1 2 3; do
		begin_move
		move_keys
		end_move
		move_back
	done
	exits 0 "$putter"
	equal "$(states_of "$two")" '0 30000 0 0'
	dq-take --until-empty -n 500 --ack "$two" | cut -f 2 >"$T/out"
	equal "$(md5sum <"$T/out")" "$(seq 30000 | md5sum)"
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
