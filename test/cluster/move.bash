# shellcheck shell=bash
# The slot of $two moves from n1 to n2, step by step, and back. $slot has its number; begin_cluster (cluster.bash) names $two.

id_of() { # NODE
	in_cluster "$1" CLUSTER MYID
}

begin_move() {
	in_cluster n2 CLUSTER SETSLOT "${slot:?}" IMPORTING "$(id_of n1)" >/dev/null
	in_cluster n1 CLUSTER SETSLOT "$slot" MIGRATING "$(id_of n2)" >/dev/null
}

move_keys() { # [N]
	local keys
	mapfile -t keys < <(in_cluster n1 --raw CLUSTER GETKEYSINSLOT "$slot" "${1:-100}")
	# shellcheck disable=SC2154 # of cluster.bash
	[ -z "${keys[*]}" ] || in_cluster n1 MIGRATE 127.0.0.1 "${ports[2]}" '' 0 5000 KEYS "${keys[@]}" >/dev/null
}

end_move() {
	local i
	for i in 2 1 0; do in_cluster "n$i" CLUSTER SETSLOT "$slot" NODE "$(id_of n2)" >/dev/null; done
}

# Moves the slot back, for the next test.
move_back() {
	local keys i
	in_cluster n1 CLUSTER SETSLOT "$slot" IMPORTING "$(id_of n2)" >/dev/null
	in_cluster n2 CLUSTER SETSLOT "$slot" MIGRATING "$(id_of n1)" >/dev/null
	mapfile -t keys < <(in_cluster n2 --raw CLUSTER GETKEYSINSLOT "$slot" 100)
	[ -z "${keys[*]}" ] || in_cluster n2 MIGRATE 127.0.0.1 "${ports[1]}" '' 0 5000 KEYS "${keys[@]}" >/dev/null
	for i in 1 2 0; do in_cluster "n$i" CLUSTER SETSLOT "$slot" NODE "$(id_of n1)" >/dev/null; done
}

# Calls that TRYAGAIN or ASK answered, until now.
tries_again() {
	in_cluster n1 INFO errorstats | tr -d '\r' | sed -n 's/^errorstat_TRYAGAIN:count=//p'
}

tried_again() { # [N]  at least so many
	[ "$(tries_again)" -ge "${1:-3}" ]
}

# In one step, with CLUSTER MIGRATESLOTS.
begin_move_at_once() { # FROM TO
	in_cluster "$1" CLUSTER MIGRATESLOTS SLOTSRANGE "$slot" "$slot" NODE "$(id_of "$2")" >/dev/null
}

# Each node knows that this one has the slot.
serves() { # NODE
	local i reply
	for i in 0 1 2; do
		# shellcheck disable=SC2154 # of cluster.bash
		reply=$(in_cluster "n$i" HLEN "dq:{$two}:stat" 2>&1)
		if [ "n$i" = "$1" ]; then
			[[ $reply != MOVED* ]] || return
		else
			[[ $reply = "MOVED $slot 127.0.0.1:${ports[${1#n}]}" ]] || return
		fi
	done
}

# For tests in which the slot of $two moves, and $others, one of them on the same node, go on.
begin_moving() {
	local i near
	slot=$(slot_of "${two:?}")
	for i in {61..120}; do
		[ "$(node_of "${q:?}.$i")" != n1 ] || near=$q.$i
	done
	before=$(tries_again)
	others=("${one:?}" "$near" "${three:?}")
}

end_moving() {
	[ -e "${T:?}/moved" ] || finish_move
	move_back
}

# With some keys here, and some there, scripts get TRYAGAIN.
half_move() {
	begin_move
	move_keys 2
}

finish_move() {
	: >"$T/moved"
	move_keys
	end_move
}

is_refused() { # [N]  so many calls since the test began
	tried_again $((${before:-0} + ${1:-1}))
}

put_others() { # PUT-OPTION... TEXT
	local name
	for name in "${others[@]}"; do dq-put -q "${@:1:$#-1}" "$name" "${*: -1}"; done
}

are_states() { # "DELAYED READY LEASED DEAD" QUEUE...
	local name
	for name in "${@:2}"; do equal "$(states_of "$name")" "$1" || return; done
}

is_after_move() { # "DELAYED READY LEASED DEAD"
	equal "$(states_of "$two" n2)" "$1"
}

# Standard error, without the lines that a tool tries again, and that it is over: they come only if it waits for a second.
said() { # FILE
	sed -E '/: TRYAGAIN [^:]*: trying again for [0-9]+m?s?$/d; /: answers again$/d' "$1"
}
