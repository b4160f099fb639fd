# shellcheck shell=bash
# A cluster of three masters, n0 to n2, one a file, on ports of the loopback (and on unix sockets, for rcli). $ports has theirs, $DQ_URL is
# that of n0, which has the first third of the slots.

# shellcheck source=test/failover/failover.bash
load ../failover/failover

in_cluster() { # NODE COMMAND...
	SERVER=$1 rcli "${@:2}"
}

cluster_is_ok() { # NODE [MASTERS]
	in_cluster "$1" CLUSTER INFO | tr -d '\r' >"$F/info.$1"
	grep -qx cluster_state:ok "$F/info.$1" && grep -qx "cluster_size:${2:-3}" "$F/info.$1" &&
		grep -qx cluster_slots_ok:16384 "$F/info.$1"
}

# A node's bus is on a port 10000 higher.
port_of_node() {
	# shellcheck disable=SC2154 # of helper.bash
	python3 "$top/test/tool/free_port.py" bus
}

start_node() { # NAME [OPTION...]
	local _
	# shellcheck disable=SC2086 # options
	for _ in {1..20}; do # another test may take the port first
		port=$(port_of_node)
		! start_server "$1" --port "$port" --bind 127.0.0.1 --repl-diskless-sync-delay 0 --cluster-enabled yes \
			--cluster-node-timeout "${NODE_TIMEOUT:-5000}" --cluster-require-full-coverage no \
			--cluster-config-file nodes.conf ${OPTIONS_OF_NODES:-} "${@:2}" || return 0
	done
	return 1
}

start_cluster() { # [tls]
	local i from=(0 5461 10923 16384) certificates=(server server other)
	ports=()
	for i in 0 1 2; do
		if [ -n "${1-}" ]; then start_tls_node "n$i" "${certificates[i]}"; else start_node "n$i"; fi
		ports+=("$port")
		in_cluster "n$i" CLUSTER ADDSLOTSRANGE "${from[i]}" $((from[i + 1] - 1)) >/dev/null
		in_cluster "n$i" CLUSTER SET-CONFIG-EPOCH $((i + 1)) >/dev/null
	done
	for i in 1 2; do in_cluster n0 CLUSTER MEET 127.0.0.1 "${ports[i]}" >/dev/null; done
	for i in 0 1 2; do wait_until 20 cluster_is_ok "n$i"; done
	printf '%s\n' "${ports[@]}" >"$F/ports"
}

start_replica() { # NAME MASTER [OPTION...]
	start_node "$1" "${@:3}"
	in_cluster "$1" CLUSTER MEET 127.0.0.1 "$(head -1 "$F/ports")" >/dev/null
	wait_until 20 cluster_is_ok "$1"
	wait_until 20 replicates "$1" "$2"
	wait_until 20 in_step "$1"
}

replicates() { # REPLICA MASTER: if the replica knows the master already
	[ "$(in_cluster "$1" CLUSTER REPLICATE "$(in_cluster "$2" CLUSTER MYID)")" = OK ]
}

# It may need more than one attempt: each has 5 s.
takes_over() { # REPLICA
	local _
	for _ in {1..6}; do
		in_cluster "$1" CLUSTER FAILOVER >/dev/null
		! wait_until 10 is_role "$1" master >/dev/null || return 0
	done
	return 1
}

begin_cluster() {
	mapfile -t ports <"$F/ports"
	export DQ_URL=redis://127.0.0.1:${ports[0]}
	one='' two='' three=''
	local i name
	for i in {1..60}; do # a queue on each node: $one, $two and $three
		name=${q:?}.$i
		case $(node_of "$name") in
		n0) one=${one:-$name} ;;
		n1) two=${two:-$name} ;;
		n2) three=${three:-$name} ;;
		esac
		[ -z "$one" ] || [ -z "$two" ] || [ -z "$three" ] || return 0
	done
	return 1
}

# Valkey 9 or later: its clusters may have several databases, and it moves a slot in one step.
is_valkey_9() {
	"${DQ_TEST_SERVER:-redis-server}" --version | grep -qE '^Valkey server v=(9|[1-9][0-9])\.'
}

slot_of() { # QUEUE
	in_cluster n0 CLUSTER KEYSLOT "{$1}"
}

node_of() { # QUEUE
	local slot
	slot=$(slot_of "$1")
	echo "n$((slot >= 10923 ? 2 : slot >= 5461 ? 1 : 0))"
}

# states of helper.bash, on the queue's node.
states_of() { # QUEUE [NODE]
	SERVER=${2:-$(node_of "$1")} states "$1"
}

are_ready() { # QUEUE
	[ "$(states_of "$1")" = '0 2 0 0' ]
}

listed() { # all names in the list of queues
	SERVER=$(node_of dq:queues) rcli ZRANGE '{dq:queues}' 0 -1
}

# As many BZPOPMINs stand on each node, those of this test's tools.
stand() { # N0 N1 N2
	local i count
	for i in 0 1 2; do
		count=$(in_cluster "n$i" CLIENT LIST | grep -c 'cmd=bzpopmin' || true)
		[ "$count" -eq "${*:i+1:1}" ] || return 1
	done
}
