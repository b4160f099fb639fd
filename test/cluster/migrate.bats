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

@test "a slot that moves for longer than --timeout: --retry-for waits for it; 150 of 150, none twice" {
	local before putter
	dq-put -q "$two" 0
	before=$(tries_again)
	half_move
	seq 150 >"$T/lines"
	dq-put -l --timeout 100ms --retry-for 2m "$two" <"$T/lines" >"$T/put.out" 2>"$T/put.err" 3>&- &
	putter=$!
	wait_until 10 grep -q ': TRYAGAIN .*: trying again for 2m$' "$T/put.err"
	wait_until 10 is_refused 5 # with 50 ms between them: longer than --timeout
	finish_move
	exits 0 "$putter"
	equal "$(wc -l <"$T/put.err")" 2
	matches "$(tail -n 1 "$T/put.err")" ': answers again$'
	equal "$(sort -u "$T/put.out" | wc -l)" 150
	equal "$(dq-take -n 151 "$two" | cut -f 2 | sort -n)" "$(seq 0 150)"
	move_back
}

@test "without --retry-for, too, and with one host in the URL, it is said once that a tool tries again, and that it is over" {
	local before name
	local -A pids
	dq-put -q -i a "$two" x
	dq-take -q "$two" | cut -f 1 >"$T/receipt"
	before=$(tries_again)
	half_move
	dq-put --timeout 10m "$two" y >"$T/put.out" 2>"$T/put.err" 3>&- &
	pids[put]=$!
	dq-ack --timeout 10m "$(<"$T/receipt")" 2>"$T/ack.err" 3>&- &
	pids[ack]=$!
	for name in put ack; do wait_until 20 grep -q ': TRYAGAIN .*: trying again for 10m$' "$T/$name.err"; done
	finish_move
	for name in put ack; do
		exits 0 "${pids[$name]}"
		equal "$(wc -l <"$T/$name.err")" 2
		matches "$(tail -n 1 "$T/$name.err")" "^dq-$name: $DQ_URL/0: answers again\$"
	done
	equal "$(states_of "$two" n2)" '0 1 0 0'
	move_back
}

@test "a message whose keys have all moved is asked for at the other node, before the slot is: ASK" {
	dq-put -q -i a "$two" x
	begin_move
	move_keys
	matches "$(in_cluster n1 HGET "dq:{$two}:stat" token 2>&1)" '^ASK '
	run --separate-stderr dq-promote --timeout 2s "$two" # 13 keys, of which some never exist: only later
	equal "$status" 75
	matches "${stderr_lines[-1]}" "^dq-promote: $two: not promoted: (TRYAGAIN |ASK |the nodes do not agree )"
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

# Numbers from FIRST on, one a line, until the slot has moved; and some then. $T/last has the last one.
feed() { # FIRST
	local n=$1
	until [ -e "$T/moved" ]; do
		seq "$n" $((n + 99))
		n=$((n + 100))
		pause
	done
	seq "$n" $((n + 999))
	echo $((n + 999)) >"$T/last"
}

# Calls that a node refused because of a slot that is half moved.
half_moved() {
	local count i sum=0
	for i in 0 1 2; do
		count=$(in_cluster "n$i" INFO errorstats | tr -d '\r' | sed -n 's/^errorstat_TRYAGAIN:count=//p')
		sum=$((sum + ${count:-0}))
	done
	echo "$sum"
}

is_refused() {
	[ "$(half_moved)" -gt "$before" ]
}

# dq-run empties the first of its queues first.
start_consumers() {
	mkfifo "$T/pipe"
	dq-take -f "$two" >"$T/pipe" 2>"$T/take.err" 3>&- &
	taker=$!
	tee "$T/taken" <"$T/pipe" 3>&- | dq-ack 2>"$T/ack.err" 3>&- &
	acker=$!
	# shellcheck disable=SC2016
	dq-run -q -j 2 "$one" "$three" "$two" -- sh -c 'read -r what; echo "$DQ_QUEUE $what" >>"$0"' "$T/run" 2>"$T/run.err" 3>&- &
	worker=$!
}

end_consumers() {
	kill "$taker" "$worker"
	exits 143 "$taker"
	exits 0 "$acker"
	exits 143 "$worker"
}

# dq-run serves the queues of the other nodes.
others_go_on() { # TEXT
	local name
	for name in "$one" "$three"; do dq-put -q "$name" "$1"; done
	for name in "$one" "$three"; do wait_until 10 grep -qx "$name $1" "$T/run"; done
}

move_in_steps() {
	begin_move
	move_keys 2
	wait_until 10 is_refused
	others_go_on first
	others_go_on second
	wait_until 20 grep -q "^dq-take: $two: TRYAGAIN .*: its slot is being moved: trying again\$" "$T/take.err"
	move_keys
	end_move
	wait_until 20 grep -q "^dq-take: $two: its slot was moved: served again\$" "$T/take.err"
}

is_empty() {
	[ "$(states_of "$two" n2)" = '0 0 0 0' ]
}

@test "a large queue moves while put, take, ack and run use it: nothing is lost or doubled, and the others go on" {
	local putter taker acker worker before last
	before=$(half_moved)
	seq 50000 | dq-put -q -l "$two"
	feed 50001 | dq-put -l "$two" >"$T/put" 2>"$T/put.err" 3>&- &
	putter=$!
	start_consumers
	wait_until 10 has_lines "$T/taken" 1000
	wait_until 10 has_lines "$T/put" 100
	if is_valkey_9; then
		begin_move_at_once n1 n2
		others_go_on first
		wait_until 60 serves n2
	else
		move_in_steps
	fi
	: >"$T/moved"
	exits 0 "$putter"
	wait_until 180 is_empty
	end_consumers
	SERVER=n2 audit "$two"
	last=$(<"$T/last")
	{ cut -f 2 "$T/taken" && sed -n "s/^$two //p" "$T/run"; } | sort -n | cmp - <(seq "$last")
	equal "$(sort -u "$T/put" | wc -l)" $((last - 50000))
	cat "$T"/*.err >"$T/err"
	if is_valkey_9; then # no call met a half-moved slot, and so no tool had anything to say
		equal "$(<"$T/err")$(half_moved)" "$before"
	fi
	move_back
}
